"""What an attack got right, with chance and control beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.errors import InputError, ParameterError
from cloven.statistics.ranks import nth_largest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Ints


@dataclass(frozen=True)
class Finding:
    """One measure in one scope. All intervals are 95 %; None stands where something is not defined.

    Attributes:
        measure: a name of ``cloven.kinds.disassociated.score.definitions.MEASURES``.
        scope: "all", or the chunks it is about: "record", "shared", "term".
        value: what the attack reached; low, high: its interval.
        chance: what guessing reaches, exact where a formula exists; else the mean over runs of the random attack.
        control: what the same attack reaches with shuffled relatedness.
        lift: value divided by chance.
        over_chance: value minus chance, paired over units; its interval; ``over_chance_z`` in standard errors.
        over_control: value minus control, likewise.
        count: how many were measured (true links, targets, items: what the measure divides by).
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
    """

    scope: str
    targets: int
    true_links: int
    targets_without_anchor: int
    targets_without_score: int
    targets_on_all_candidates: int
    links_without_anchor: int

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
        notes: how it was measured: bootstrap draws, runs of chance. ``sample`` is there if a sample of the targets was
            asked about: targets and candidates, how many there are in all, and which groups of measures were left out.
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


# Can the confidence be believed? Of the links guessed with 30 %, three in ten should be true.
#
# Brier score (G. W. Brier, Monthly Weather Review 78, 1950) and expected calibration error over ten equal bins
# (M. P. Naeini, G. F. Cooper, M. Hauskrecht, AAAI 2015).


BINS = 10


@dataclass(frozen=True)
class Bin:
    """Candidates with a confidence from ``low`` to ``high``: how many, mean confidence, share that is true."""

    low: float
    high: float
    count: int
    confidence: float
    true: float


@dataclass(frozen=True)
class Calibration:
    """Confidence against truth.

    Attributes:
        bins: bins that have candidates, ascending.
        brier: mean squared distance between confidence and truth; 0 is best.
        error: expected calibration error, the mean distance between confidence and share of true links over bins.
    """

    bins: tuple[Bin, ...]
    brier: float | None
    error: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"bins": [asdict(each) for each in self.bins]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Calibration:
        """Back from plain values."""
        return cls(tuple(Bin(**each) for each in plain["bins"]), plain["brier"], plain["error"])


def calibration(count: Floats, confidence: Floats, true: Floats, squared: Floats) -> Calibration:
    """Calibration from candidates, sums of confidences, true links and squared distances of each bin."""
    total = float(count.sum())
    if not total:
        return Calibration((), None, None)
    bins = tuple(
        Bin(
            i / BINS,
            (i + 1) / BINS,
            int(count[i]),
            min(1.0, float(confidence[i] / count[i])),  # a mean of shares may round to a hair above 1
            float(true[i] / count[i]),
        )
        for i in np.flatnonzero(count).tolist()
    )
    return Calibration(bins, float(squared.sum()) / total, float(np.abs(confidence - true).sum()) / total)


# One pass over the candidates of every target: how well do the scores tell true slots from false ones?


FEW = 16
"""Scores that are compared with all of them, which is quicker than a search."""


@compiled
def _outranked(score: Floats, holds: Flags, best: Floats) -> float:
    """Pairs of a true slot (scores ``best``, ascending) and a false one that the true slot wins; a tie is a half."""
    halves, n = 0, len(best)
    for i in range(len(score)):
        if holds[i]:
            continue
        if n > FEW:
            low = np.searchsorted(best, score[i], "left")
            halves += 2 * n - low - np.searchsorted(best, score[i], "right")
            continue
        for value in best:
            halves += int(value > score[i]) + int(value >= score[i])
    return halves / 2


@compiled
def _expected_true(score: Floats, holds: Flags, threshold: float, places: int) -> float:
    """True slots among the best ``places``, of which the last has this score; lots decide between equal scores."""
    above, level, true_above, true_level = 0, 0, 0, 0
    for i in range(len(score)):
        if score[i] > threshold:
            above += 1
            true_above += holds[i]
        elif score[i] == threshold:
            level += 1
            true_level += holds[i]
    return true_above + true_level * (places - above) / level


@compiled
def rank_targets(
    offsets: Ints, score: Floats, confidence: NDArray[np.float32], holds: Flags, asked: Flags
) -> Floats:
    """For each asked target, six numbers.

    True links, those with a false rival, sum of the shares they outrank, hits, probability that the best guess is
    right, squared distances between confidence and truth.
    """
    found = np.zeros((len(offsets) - 1, 6))
    for t in range(len(offsets) - 1):
        first, last = offsets[t], offsets[t + 1]
        if not asked[t] or first == last:
            continue
        true = 0
        for i in range(first, last):
            true += holds[i]
            off = confidence[i] - np.float32(holds[i])
            found[t, 5] += off * off
        if true == 0:
            continue
        here, marks = score[first:last], holds[first:last]
        n = last - first
        found[t, 0] = true
        if true < n:
            found[t, 1] = true
            found[t, 2] = _outranked(here, marks, np.sort(here[marks])) / (n - true)
        top = here.max()
        found[t, 4] = _expected_true(here, marks, top, 1)
        # The last of the best places.
        threshold = nth_largest(here, true)
        found[t, 3] = _expected_true(here, marks, threshold, true)
    return found


@compiled
def find_links(offsets: Ints, score: Floats, holds: Flags) -> Floats:
    """For each true link, in order: probability that its slot is among as many best slots as hold the target."""
    found, at = np.zeros(np.count_nonzero(holds)), 0
    for t in range(len(offsets) - 1):
        here, marks = score[offsets[t] : offsets[t + 1]], holds[offsets[t] : offsets[t + 1]]
        true = int(np.count_nonzero(marks))
        if true == 0:
            continue
        n = len(here)
        threshold = nth_largest(here, true)
        above, level = 0, 0
        for value in here:
            above += value > threshold
            level += value == threshold
        for i in range(n):
            if marks[i]:
                found[at] = 1.0 if here[i] > threshold else 0.0
                if here[i] == threshold:
                    found[at] = (true - above) / level
                at += 1
    return found


@compiled
def sort_into_bins(
    offsets: Ints, kind: Ints, confidence: NDArray[np.float32], holds: Flags, asked: Flags, bins: int
) -> Floats:
    """For each kind and bin of confidence: candidates, sum of confidences, true links, squared distances."""
    sums = np.zeros((3, bins, 4))
    for t in range(len(offsets) - 1):
        if asked[t]:
            for i in range(offsets[t], offsets[t + 1]):
                value, true = np.float64(confidence[i]), np.float64(holds[i])
                # float32 puts 0.3 a little above or below 0.3: decimal edges belong to the upper bin.
                cell = sums[kind[t], min(int(value * bins + 1e-6), bins - 1)]
                cell[0] += 1
                cell[1] += value
                cell[2] += true
                cell[3] += (value - true) * (value - true)
    return sums


@dataclass(frozen=True)
class Definition:
    """A measure: the group it is computed with, what it is, and whether more of it is worse for privacy."""

    group: str
    sentence: str
    higher_is_worse: bool = True
