"""What an attack got right, with chance and control beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from cloven.errors import InputError, ParameterError
from cloven.scoring.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Finding:
    """One measure in one scope. All intervals are 95 %; None stands where something is not defined.

    Attributes:
        measure: a name of ``cloven.scoring.definitions.MEASURES``.
        scope: "all", or the chunks it is about: "record", "shared", "term".
        value: what the attack reached; low, high: its interval.
        chance: what guessing reaches, exact where a formula exists; else the mean over runs of the random attack.
        control: what the same attack reaches with shuffled relatedness.
        lift: value divided by chance.
        over_chance: value minus chance, paired over units; its interval; ``over_chance_z`` in standard errors.
        over_control: value minus control, likewise.
        count: how many were measured (true links, targets, transactions, itemsets: what the measure divides by).
        units: clusters, and joints for shared chunks, that they come from; what the intervals go by.
    """

    measure: str
    scope: str
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    chance_low: float | None
    chance_high: float | None
    control: float | None
    control_low: float | None
    control_high: float | None
    lift: float | None
    over_chance: float | None
    over_chance_low: float | None
    over_chance_high: float | None
    over_chance_z: float | None
    over_control: float | None
    over_control_low: float | None
    over_control_high: float | None
    over_control_z: float | None
    count: float
    units: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Counts:
    """How much there was to answer in one scope.

    Attributes:
        scope: "all", "record", "shared" or "term".
        targets: targets asked about: all, or a sample of them (see ``Findings.notes``).
        true_links: pairs of a target and a slot that holds it.
        targets_without_anchor: targets of which no candidate shows an anchor; no ranking counts them.
        targets_without_score: targets of which the relatedness knows nothing; they count as ties.
        targets_on_all_candidates: targets that every candidate holds: no guess about them can be wrong.
        links_without_anchor: true links whose slot shows no anchor.
        transactions: records of the release with at least one disassociated item; accuracy is their mean.
        transactions_skipped: records without any.
    """

    scope: str
    targets: int
    true_links: int
    targets_without_anchor: int
    targets_without_score: int
    targets_on_all_candidates: int
    links_without_anchor: int
    transactions: int
    transactions_skipped: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Findings:
    """All findings about one attack on one release.

    Attributes:
        findings: one for each measure and scope.
        counts: what was there to answer, for each scope.
        calibration: confidence against truth, for each scope.
        attack: name and parameters of the attack.
        notes: how it was measured: bootstrap draws, runs of chance, share of records searched for itemsets, words
            without vectors. ``sample`` is there if a sample of the targets was asked about: targets and candidates,
            how many there are in all, and which groups of measures were left out.
    """

    findings: tuple[Finding, ...]
    counts: tuple[Counts, ...]
    calibration: Mapping[str, Calibration]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def get(self, measure: str, scope: str = "all") -> Finding:
        """One finding by measure and scope."""
        for finding in self.findings:
            if (finding.measure, finding.scope) == (measure, scope):
                return finding
        known = ", ".join(dict.fromkeys(finding.measure for finding in self.findings))
        message = f"no finding {measure!r} in scope {scope!r}; measured were {known}"
        raise ParameterError(message)

    def count(self, scope: str = "all") -> Counts:
        """Counts of one scope."""
        for counts in self.counts:
            if counts.scope == scope:
                return counts
        message = f"no counts of scope {scope!r}; scopes are {', '.join(each.scope for each in self.counts)}"
        raise ParameterError(message)

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row for each finding, for tables."""
        return [finding.to_dict() for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "attack": dict(self.attack),
            "findings": self.to_rows(),
            "counts": [counts.to_dict() for counts in self.counts],
            "calibration": {scope: each.to_dict() for scope, each in self.calibration.items()},
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Findings:
        """Back from plain values.

        Raises:
            InputError: these are not findings.
        """
        names = [each.name for each in fields(cls)]
        if not isinstance(plain, Mapping) or sorted(plain) != sorted(names):
            message = f"findings have the fields {', '.join(sorted(names))}; score again"
            raise InputError(message, value=str(sorted(plain) if isinstance(plain, Mapping) else plain))
        try:
            return cls(
                tuple(Finding(**each) for each in plain["findings"]),
                tuple(Counts(**each) for each in plain["counts"]),
                {scope: Calibration.from_dict(each) for scope, each in plain["calibration"].items()},
                dict(plain["attack"]),
                dict(plain["notes"]),
            )
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            message = "findings cannot be read; score again"
            raise InputError(message, value=str(error)) from error
