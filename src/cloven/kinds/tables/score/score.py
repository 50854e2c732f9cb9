"""Score guessed values: disclosure risk ratio, strict and soft, over individuals and over matches, beside chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cloven.disclosure.risk import Estimate, Linkage, Risk
from cloven.errors import InputError, ParameterError
from cloven.kinds.tables.guesses import Found
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.score.truth import own_rows, value_places
from cloven.statistics.findings import Finding
from cloven.statistics.intervals import wilson
from cloven.statistics.tally import Tally, summarised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloven.compiled import Floats, Longs
    from cloven.kinds.tables.guesses import ValueGuesses
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease


_COUNTED = {"drr_strict", "drr_strict_matches", "left"}  # every summand is 0 or 1


def score_values(
    guesses: ValueGuesses,
    truth: Sequence[str],
    *,
    rng: np.random.Generator,
    control: ValueGuesses | None = None,
    draws: int = 1000,
) -> TableFindings:
    """Score guessed values against the truth.

    Args:
        guesses: what an attack answered.
        truth: the value of each person.
        rng: random numbers for bootstrap intervals (over persons).
        control: what the same attack answers about the same persons if it knows the wrong quasi-identifiers.
        draws: bootstrap samples.

    Counted shares get Wilson's interval, others that of the bootstrap. Both take persons as independent; persons of one
    class are not quite.
    """
    for each in (guesses, control):
        if each is not None and len(each) != len(truth):
            message = f"{len(each):,} persons were guessed about, but {len(truth):,} true values are given"
            raise ParameterError(message)
    tallies = _tallies(guesses, truth)
    shuffled = {} if control is None else _tallies(control, truth)
    found = summarised(tallies, _chance(guesses, truth), shuffled, rng, draws)
    return TableFindings(
        tuple(_with_wilson(finding) for finding in found),
        _counts(guesses),
        guesses.attack,
        {
            **guesses.notes,
            "bootstrap_draws": draws,
            "values": len(guesses.values),
            "most_common": _most_common(guesses, truth),
        },
    )


def _tallies(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    at = value_places(truth, guesses)
    person, there = np.arange(len(at)), at >= 0
    many = guesses.candidate.sum(axis=1)
    left = there & guesses.candidate[person, np.maximum(at, 0)]
    single, one = many == 1, np.ones(len(at))
    sure = np.where(there, guesses.confidence[person, np.maximum(at, 0)], 0.0)
    best = guesses.confidence.max(axis=1)
    ties = (guesses.confidence >= best[:, None] - 1e-12).sum(axis=1)
    likeliest = np.where(there & (sure >= best - 1e-12), 1.0 / ties, 0.0)
    columns = {
        "drr_strict": (left & single, one),
        "drr_soft": (left / np.maximum(1, many), one),
        "drr_strict_matches": (left & single, single),
        "drr_soft_matches": (left, many),
        "likeliest": (likeliest, one),
        "confidence": (sure, one),
        "left": (left, one),
    }
    return {
        (name, "all"): Tally(above.astype(float), below.astype(float))
        for name, (above, below) in columns.items()
    }


def _chance(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """What guessing reaches that knows the published distribution and nothing of the person.

    As many statements as the attack makes. For each measure the better of two ways: values drawn by lot from the
    distribution, or the commonest ones named of everybody.
    """
    lots, named = _by_lots(guesses, truth), _by_naming(guesses, truth)
    return {
        name: named[name] if (named[name].value or 0.0) > (lots[name].value or 0.0) else lots[name]
        for name in lots
    }


def _by_lots(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """Each statement drawn from the published distribution; for ``left`` so many values of all."""
    at = value_places(truth, guesses)
    right = np.where(at >= 0, guesses.prior[np.maximum(at, 0)], 0.0)
    many = guesses.candidate.sum(axis=1)
    return _guessed(many, right, many * right, many / len(guesses.values))


def _by_naming(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """The commonest published value of everybody; as many of the commonest where several are named."""
    at = value_places(truth, guesses)
    rank = np.empty(len(guesses.values), np.int64)
    rank[np.argsort(-guesses.prior, kind="stable")] = np.arange(len(rank))
    place = np.where(at >= 0, rank[np.maximum(at, 0)], len(rank))
    many = guesses.candidate.sum(axis=1)
    among = (place < many).astype(float)
    return _guessed(many, (place == 0).astype(float), among, among)


def _guessed(many: Longs, right: Floats, all_right: Floats, left: Floats) -> dict[tuple[str, str], Tally]:
    """Tallies of a guesser who is right with one statement, with ``many``, and has the value among those left."""
    single, one = (many == 1).astype(float), np.ones(len(many))
    columns = {
        "drr_strict": (single * right, one),
        "drr_soft": (right * (many > 0), one),
        "drr_strict_matches": (single * right, single),
        "drr_soft_matches": (all_right, many.astype(float)),
        "likeliest": (right, one),
        "confidence": (right, one),
        "left": (left, one),
    }
    return {(name, "all"): Tally(above, below) for name, (above, below) in columns.items()}


def _with_wilson(finding: Finding) -> Finding:
    if finding.measure not in _COUNTED or finding.value is None:
        return finding
    low, high = wilson(round(finding.value * finding.count), int(finding.count))
    return replace(finding, low=low, high=high)


def _counts(guesses: ValueGuesses) -> dict[str, int]:
    many = guesses.candidate.sum(axis=1)
    return {
        "persons": len(guesses),
        **{
            name: int((guesses.found == kind).sum())
            for name, kind in (
                ("found_everywhere", Found.EVERYWHERE),
                ("found_somewhere", Found.SOMEWHERE),
                ("found_nowhere", Found.NOWHERE),
                ("contradicted", Found.CONTRADICTED),
            )
        },
        "with_one_value_left": int((many == 1).sum()),
        "matches": int(many.sum()),
    }


def _most_common(guesses: ValueGuesses, truth: Sequence[str]) -> float | None:
    """Share of persons who have the most common published value: what guessing it for everybody reaches."""
    mode = guesses.values[int(guesses.prior.argmax())]
    return sum(value == mode for value in truth) / len(truth) if truth else None


# Score guessed rows: how often is the row that an attack holds likeliest the person's own?


_SAME = 1e-9  # confidence this close, relatively, is equal


class RowsGuessed(Protocol):
    """Which row each person may have, however that was guessed; see ``RowGuesses``."""

    @property
    def matched(self) -> Longs:
        """How many looks of rows fit."""

    @property
    def confidence(self) -> Floats:
        """How likely the likeliest row is theirs."""

    @property
    def ties(self) -> Floats:
        """How many rows are as likely as that."""

    @property
    def attack(self) -> Mapping[str, Any]:
        """Name and parameters of the attack."""

    def __len__(self) -> int:
        """Persons."""

    def sure_of(self, rows: Longs) -> Floats:
        """Confidence that a row is the person's."""


def score_rows(
    guesses: RowsGuessed,
    result: PublishedTable,
    persons: Longs,
    *,
    rng: np.random.Generator,
    control: RowsGuessed | None = None,
    draws: int = 1000,
) -> TableFindings:
    """Score guessed rows against the key.

    Args:
        guesses: what an attack answered.
        result: the release that it was tried on, and its key.
        persons: source position of each person.
        rng: random numbers for bootstrap intervals (over persons).
        control: what the same attack answers about the same persons if it knows the wrong quasi-identifiers.
        draws: bootstrap samples.

    Whoever is not published has no row, and no guess about them is right. Chance is a row drawn by lot: in a sliced
    table one of its rows, and then a part of each column of its bucket.
    """
    for each in (guesses, control):
        if each is not None and len(each) != len(persons):
            message = f"{len(each):,} persons were guessed about, but {len(persons):,} are named"
            raise ParameterError(message)
    own = own_rows(result.key, persons)
    shuffled = {} if control is None else _row_tallies(control, own)
    found = summarised(_row_tallies(guesses, own), _row_chance(result.release, own), shuffled, rng, draws)
    counts = {
        "persons": len(persons),
        "published": int((own >= 0).all(axis=1).sum()),
        "found_nowhere": int((guesses.matched == 0).sum()),
        "with_one_likeliest_row": int((guesses.ties == 1).sum()),
    }
    return TableFindings(found, counts, guesses.attack, {"bootstrap_draws": draws})


def _row_tallies(guesses: RowsGuessed, own: Longs) -> dict[tuple[str, str], Tally]:
    sure, one = guesses.sure_of(own), np.ones(len(own))
    likeliest = (sure > 0) & (sure >= guesses.confidence * (1 - _SAME))
    columns = {
        "row": likeliest / np.maximum(1.0, guesses.ties),
        "row_confidence": sure,
        "row_left": (sure > 0).astype(float),
    }
    return {(name, "all"): Tally(above, one) for name, above in columns.items()}


def _row_chance(release: TableRelease, own: Longs) -> dict[tuple[str, str], Tally]:
    there, total = (own >= 0).all(axis=1), max(1, len(release))
    right = np.where(there, 1.0 / total, 0.0)
    if isinstance(release, Sliced):
        bucket = np.searchsorted(release.bucket_offsets, own[:, 0], "right") - 1
        sizes = np.diff(release.bucket_offsets)[np.where(there, bucket, 0)]
        right *= sizes.astype(float) ** (1 - len(release.columns))
    one = np.ones(len(own))
    return {(name, "all"): Tally(right, one) for name in ("row", "row_confidence")}


# What an attack on published tables got right.


@dataclass(frozen=True)
class TableFindings:
    """All findings about one attack on published tables.

    Attributes:
        findings: one for each measure; in words below.
        counts: how many persons there were, and where they were found.
        attack: name and parameters of the attack.
        notes: how it was measured, as plain JSON values.
    """

    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def get(self, measure: str) -> Finding:
        """One finding by its measure."""
        for finding in self.findings:
            if finding.measure == measure:
                return finding
        known = ", ".join(finding.measure for finding in self.findings)
        message = f"no finding {measure!r}; measured were {known}"
        raise ParameterError(message)

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row for each finding, for tables."""
        return [finding.to_dict() for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "attack": dict(self.attack),
            "findings": self.to_rows(),
            "counts": dict(self.counts),
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> TableFindings:
        """Back from plain values.

        Raises:
            InputError: these are not findings about tables.
        """
        try:
            findings = tuple(Finding(**each) for each in plain["findings"])
            return cls(findings, dict(plain["counts"]), dict(plain["attack"]), dict(plain["notes"]))
        except (TypeError, KeyError, ValueError) as error:
            message = "findings about tables cannot be read; score again"
            raise InputError(message, value=str(error)) from error

    def risk(
        self, threat: str, knows: str, measure: str = "drr_soft", linkage: Linkage = "attribute", **more: Any
    ) -> Risk:
        """One finding as a risk, for audits; ``more`` are further fields of ``Risk``."""
        finding = self.get(measure)
        details = self.to_dict() | dict(more.pop("details", {}))
        return Risk(
            threat=threat,
            knows=knows,
            linkage=linkage,
            measure=more.pop("words", measure),
            attacker=_estimate(finding.value, finding.low, finding.high),
            guessing=_estimate(finding.chance, finding.chance_low, finding.chance_high),
            gain=_estimate(finding.over_chance, finding.over_chance_low, finding.over_chance_high),
            control=_estimate(finding.control, finding.control_low, finding.control_high),
            beats=beats(finding),
            count=int(finding.count),
            units=finding.units,
            details=details,
            **more,
        )


def beats(finding: Finding) -> bool | None:
    """Whether it was shown (95 %) to do better than chance, and than the control if there was one."""
    ends = [end for end in (finding.over_chance_low, finding.over_control_low) if end is not None]
    return all(end > 0 for end in ends) if ends else None


def _estimate(value: float | None, low: float | None, high: float | None) -> Estimate | None:
    return None if value is None else Estimate(value, low, high)


# What is measured of an attack on published tables, in words.


VALUE_MEASURES = {
    "drr_strict": "disclosure risk ratio: persons of whom a single value is left, and it is theirs",
    "drr_soft": "disclosure risk ratio: mean over persons of 1 / values left, 0 where theirs is not among them",
    "drr_strict_matches": "of the persons of whom a single value is left, those whose value it is",
    "drr_soft_matches": "of all values that are left of all persons, those that are true",
    "likeliest": "persons whose value the attack holds likeliest; equally likely ones count in part",
    "confidence": "mean confidence in a person's own value",
    "left": "persons whose value is among those left",
}
"""Measures of guessed values. The first four are the disclosure risk ratio (BinJubier et al. 2022, equation 4, which
says "matched records by total records" in the formula and "genuine matches to total matches" in the text): over
individuals and over matches. Chance makes as many statements as the attack, knowing the published distribution alone,
and is the better of two ways: to draw them by lot, or to name the commonest values of everybody."""
GUESSING = "the better of drawing lots from the published values and naming the commonest of everybody"
"""What stands beside the measures of guessed values, for sentences."""
MEMBERSHIP_MEASURES = {
    "auc": "probability that a person who is in the table looks more like it than one who is not",
    "members_found": "persons in the table that some bucket fits",
    "others_found": "persons not in the table that some bucket fits all the same",
    "advantage": "largest share of members found minus share of others found, over all thresholds",
}
ROW_MEASURES = {
    "row": "persons whose row the attack holds likeliest; equally likely rows count in part",
    "row_confidence": "mean confidence in a person's own row",
    "row_left": "persons whose own row fits what is known of them",
}
"""A row of a sliced table is a bucket and a part of each of its columns; all of them must be the person's."""
