"""Measures from document counts of any source: Google distance, plain and centred, and mutual information.

The normalised Google distance (Cilibrasi and Vitányi, IEEE TKDE 19(3), 2007) is

NGD(x, y) = (max(log f(x), log f(y)) - log f(x, y)) / (log N - min(log f(x), log f(y))), and the relatedness is
NGD' = 1 - NGD / max(NGD) (the semantic-attack thesis, 4.1.2 and 4.1.4).

- f(x, y) = 0: the distance is infinite. It is set to 1.1 times the largest finite one, so that such a pair is further
  apart than any other but does not drown an average; with ``never="unknown"`` it has no score, and another measure
  can fill it in.
- f(x) = 0, or the source does not know f(x, y): no score.
- Distances above 1 exist and are kept. Counts of search engines can contradict each other (more pages with both words
  than with either); the distance is then 0.

The maximum is one for the whole vocabulary, after infinite distances are set: so scores lie between 0 and 1, and since
NGD' is linear in NGD no order changes. A source that lists its pairs tells it exactly. One that must be asked pair by
pair (a search engine) is not asked about all pairs for this: there, the maximum is the largest distance that two items
with these single counts can have, one document holding both; ``largest`` replaces it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.counts import Listed, LogCounts, logarithm, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.protocols import CountSource, Coverage


BEYOND = 1.1
"""Distance of items that are never together, in largest finite distances."""


@dataclass(frozen=True)
class GoogleDistance:
    """Relatedness NGD' from document counts.

    Attributes:
        counts: where documents are counted.
        never: items that are never together are ``far`` apart, or have no score (``unknown``).
        largest: finite distance taken as the largest, instead of the one found.

    >>> from cloven.relatedness.counts_index import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "fever"], ["fever"], ["knee"]])
    >>> items = np.arange(3)
    >>> GoogleDistance(index).relate(["flu", "fever", "knee"]).block(items, items).round(2).tolist()
    [[1.0, 0.09, 0.0], [0.09, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    counts: CountSource
    never: Literal["far", "unknown"] = "far"
    largest: float | None = None

    def __post_init__(self) -> None:
        _check_never(self.never)
        if self.largest is not None and not 0 < self.largest < np.inf:
            message = f"largest must be a positive distance, got {self.largest}; leave it out to find it"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "ngd"

    def relate(self, items: Sequence[str]) -> GoogleRelated:
        """Count the items and fix the scale of the vocabulary."""
        logs = LogCounts.of(self.counts, items)
        found, lacking = _largest(logs) if isinstance(logs.counted, Listed) else (_conceivable(logs), True)
        largest = found if self.largest is None else self.largest
        beyond = BEYOND * largest if self.never == "far" else np.nan
        worst = beyond if lacking and self.never == "far" else largest
        return GoogleRelated(logs, beyond, worst)


@dataclass(frozen=True, eq=False, repr=False)
class GoogleRelated:
    """NGD and NGD' of one vocabulary.

    Attributes:
        logs: logarithms of the counts.
        beyond: distance of items that are never together; NaN where that means no score.
        worst: distance whose relatedness is 0.
    """

    logs: LogCounts
    beyond: float
    worst: float

    @property
    def coverage(self) -> Coverage:
        """Which items were found in some document."""
        return self.logs.coverage

    def distances(self, left: Longs, right: Longs) -> Floats:
        """NGD of every left item to every right one; NaN means no score."""
        single = self.logs.single
        far = single[left][:, None], single[right][None, :]
        found = google_distance(*far, self.logs.together(left, right), self.logs.documents)
        found[np.isposinf(found)] = self.beyond
        return np.where(same(left, right), np.where(np.isnan(far[0]), np.nan, 0.0), found)

    def block(self, left: Longs, right: Longs) -> Floats:
        """NGD' of every left item to every right one; NaN means no score."""
        return 1.0 - self.distances(left, right) / self.worst

    def conjunctions(self, offsets: Longs, items: Longs, right: Longs) -> Floats:
        """NGD of conjunctions of items to every right item: infinite if never together, NaN means no score.

        Conjunction ``i`` has the items ``items[offsets[i]:offsets[i + 1]]``. It has no score if no document holds all.

        Raises:
            ParameterError: the source counts pairs alone.
        """
        counted = self.logs.counted
        if not isinstance(counted, Holding):
            place = f"{counted.source}: " if counted.source else ""
            message = (
                f"{place}these counts tell pairs of items alone; use an index of documents, or single items"
            )
            raise ParameterError(message)
        alone, beside = conjunction_counts(counted, offsets, items, right)
        left = np.where(alone > 0, logarithm(np.maximum(alone, 1)), np.nan)[:, None]
        found = google_distance(
            left, self.logs.single[right][None, :], logarithm(beside), self.logs.documents
        )
        return np.where(np.isnan(left), np.nan, found)


def _check_never(never: str) -> None:
    if never not in ("far", "unknown"):
        message = f"never must be 'far' or 'unknown', got {never!r}"
        raise ParameterError(message)


def google_distance(left: Floats, right: Floats, both: Floats, documents: float) -> Floats:
    """NGD from logarithms of counts: infinite where the items are never together, NaN where a count is NaN.

    >>> google_distance(np.log([8.0]), np.log([4.0]), np.log([2.0]), np.log(16.0)).round(6).tolist()
    [1.0]
    """
    gap = np.maximum(np.maximum(left, right) - both, 0.0)
    room = np.broadcast_to(documents - np.minimum(left, right), gap.shape)
    distance = np.zeros(gap.shape)
    with np.errstate(divide="ignore"):
        # no gap is distance 0, also between items that all documents hold (0 / 0)
        np.divide(gap, room, out=distance, where=gap != 0)
    return distance


def _largest(logs: LogCounts) -> tuple[float, bool]:
    """Largest finite distance of a vocabulary that lists its pairs, and whether some pair is never together."""
    largest, together, apart = 0.0, 0, 0
    for first, second, counts in logs.pairs():
        seen = counts > 0
        together += int(seen.sum())
        apart += int((counts == 0).sum())
        both = logarithm(counts[seen])
        far = google_distance(logs.single[first[seen]], logs.single[second[seen]], both, logs.documents)
        largest = max(largest, float(far[np.isfinite(far)].max(initial=0.0)))
    known = len(logs.known)
    if isinstance(logs.counted, Listed) and logs.counted.unlisted == 0:
        apart = known * (known - 1) // 2 - together
    return largest or 1.0, apart > 0


def _conceivable(logs: LogCounts) -> float:
    """Largest finite distance that the single counts allow: between the two most frequent items.

    It grows with either count, one document holding both. An item that all documents hold is at distance 1 from others.
    """
    single = np.sort(logs.single[logs.known])
    usual = single[single < logs.documents][-2:]
    whole = 1.0 if len(usual) < len(single) and single[-1] == logs.documents else 0.0
    most = float(usual[-1] / (logs.documents - usual[0])) if len(usual) == 2 else 0.0
    return max(most, whole) or 1.0


# Normalised Google distance from several items taken as one: the documents that hold all of them.
#
# Section 4.1 of the paper on attacking set-generalised transactions weighs this reading of a context against the mean
# over single items, and prefers the mean. Only counts that name the documents of each item can answer.


@runtime_checkable
class Holding(Protocol):
    """Counts that name the documents of each item."""

    @property
    def documents(self) -> int:
        """Number of all documents."""
        ...

    def holding(self, item: int) -> NDArray[np.int32]:
        """Documents that hold one item, ascending."""
        ...


def conjunction_counts(counts: Holding, offsets: Longs, items: Longs, right: Longs) -> tuple[Longs, Longs]:
    """Documents that hold all items of each conjunction; and those that hold a right item besides.

    Conjunction ``i`` has the items ``items[offsets[i]:offsets[i + 1]]``; one of no items is in all documents.

    >>> from cloven.relatedness.counts_index import Postings
    >>> counts = Postings.of([[0, 1, 2], [1, 2], [2, 3]], documents=5)
    >>> conjunction_counts(counts, np.array([0, 2]), np.array([0, 1]), np.array([2]))
    (array([2]), array([[1]]))
    """
    many = len(offsets) - 1
    alone, beside = np.zeros(many, np.int64), np.zeros((many, len(right)), np.int64)
    others = [counts.holding(item) for item in right.tolist()]
    seen: dict[bytes, int] = {}
    marks = np.zeros(counts.documents, bool)
    for number in range(many):
        members = np.sort(items[offsets[number] : offsets[number + 1]])
        before = seen.setdefault(members.tobytes(), number)
        if before < number:
            alone[number], beside[number] = alone[before], beside[before]
            continue
        held = _intersection([counts.holding(item) for item in members.tolist()], counts.documents)
        marks[held] = True
        alone[number] = len(held)
        beside[number] = [np.count_nonzero(marks[other]) for other in others]
        marks[held] = False
    return alone, beside


def _intersection(lists: list[NDArray[np.int32]], documents: int) -> Longs:
    """Numbers that are in all of the ascending lists, the shortest taken first."""
    found = np.arange(documents)
    for each in sorted(lists, key=len):
        found = np.intersect1d(found, each, assume_unique=True)
        if not len(found):
            break
    return found


# Centred normalised Google distance: what is left of NGD' when each item's own level is taken away.
#
# NGD punishes rare words: an item that few documents hold is far from everything, also from what it belongs to (the
# thesis, 6.1.1; set-generalisation attack, 1 and 5.1, which therefore compares only distances that share an item). So a
# row of distances has a level that says how rare its item is, not what it is related to.
#
# Here the distances of a vocabulary are fitted by d(x, y) = g + a(x) + a(y), by least squares over all pairs of
# different known items, the a(x) summing to 0. The relatedness is minus the residual, in units of the largest distance
# like NGD'. With n known items and all pairs known the fit is closed: g is the mean of all distances, m(x) the mean
# distance of x to the others, and a(x) = (m(x) - g) (n - 1) / (n - 2). Then the scores of every known item with the
# other known ones have mean zero. Where pairs have no score, the means run over those that have, and it holds nearly.
#
# All pairs are needed: a source that must be asked pair by pair is asked about all of them.


@dataclass(frozen=True)
class CentredDistance:
    """Relatedness NGD' without the level of either item.

    Attributes:
        counts: where documents are counted.

    >>> from cloven.relatedness.counts_index import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "cough"], ["fever", "cough"], ["fever"], ["knee", "flu"]])
    >>> items = np.arange(4)
    >>> scores = CentredDistance(index).relate(["flu", "fever", "cough", "knee"]).block(items, items)
    >>> bool(np.allclose(scores.sum(axis=1), scores.diagonal()))
    True
    """

    counts: CountSource

    @property
    def name(self) -> str:
        """One word for tables."""
        return "ngd-centred"

    def relate(self, items: Sequence[str]) -> CentredRelated:
        """Count the items, then all pairs of them."""
        plain = GoogleDistance(self.counts).relate(items)
        sums, pairs = _sums(plain)
        means = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
        overall = sums.sum() / max(pairs.sum(), 1)
        size = int((pairs > 0).sum())
        stretch = (size - 1) / max(size - 2, 1)
        effects = np.where(pairs > 0, (means - overall) * stretch, 0.0)
        return CentredRelated(plain, float(overall), effects)


@dataclass(frozen=True, eq=False, repr=False)
class CentredRelated:
    """Centred scores of one vocabulary.

    Attributes:
        plain: the distances.
        overall: mean distance of all pairs of known items.
        effects: how much further than that each item is from the others.
    """

    plain: GoogleRelated
    overall: float
    effects: Floats

    @property
    def coverage(self) -> Coverage:
        """Which items were found in some document."""
        return self.plain.coverage

    def block(self, left: Longs, right: Longs) -> Floats:
        """Centred score of every left item to every right one; NaN means no score."""
        expected = self.overall + self.effects[left][:, None] + self.effects[right][None, :]
        return (expected - self.plain.distances(left, right)) / self.plain.worst


def _sums(plain: GoogleRelated) -> tuple[Floats, Longs]:
    """Sum of the distances of each known item to the other known ones, and how many they are."""
    logs = plain.logs
    items, known = len(logs.single), logs.known
    sums, pairs = np.zeros(items), np.zeros(items, dtype=np.int64)
    for first, second, counts in logs.pairs():
        far = google_distance(logs.single[first], logs.single[second], logarithm(counts), logs.documents)
        far[np.isposinf(far)] = plain.beyond
        scored = ~np.isnan(far)
        for item in (first[scored], second[scored]):
            sums += np.bincount(item, weights=far[scored], minlength=items)
            pairs += np.bincount(item, minlength=items)
    if isinstance(logs.counted, Listed) and logs.counted.unlisted == 0:
        sums[known] += (len(known) - 1 - pairs[known]) * plain.beyond
        pairs[known] = len(known) - 1
    return sums, pairs


# Normalised pointwise mutual information (Bouma, Proceedings of the GSCL conference, 2009) from document counts.
#
# NPMI(x, y) = log(p(x, y) / (p(x) p(y))) / -log p(x, y): 1 when the items are only ever together, 0 when they are
# independent, -1 when they are never together. Unlike NGD it compares with what chance would give, so rare words are
# not far from everything; in turn, two words that one single document holds are as close as can be.


@dataclass(frozen=True)
class MutualInformation:
    """Relatedness NPMI from document counts.

    Attributes:
        counts: where documents are counted.
        never: items that are never together are ``far`` apart (-1), or have no score (``unknown``).

    >>> from cloven.relatedness.counts_index import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "fever"], ["fever"], ["knee"]])
    >>> items = np.arange(3)
    >>> MutualInformation(index).relate(["flu", "fever", "knee"]).block(items, items).round(2).tolist()
    [[1.0, 0.42, -1.0], [0.42, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """

    counts: CountSource
    never: Literal["far", "unknown"] = "far"

    def __post_init__(self) -> None:
        _check_never(self.never)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "npmi"

    def relate(self, items: Sequence[str]) -> MutualRelated:
        """Count the items."""
        return MutualRelated(LogCounts.of(self.counts, items), -1.0 if self.never == "far" else np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class MutualRelated:
    """NPMI of one vocabulary.

    Attributes:
        logs: logarithms of the counts.
        beyond: score of items that are never together; NaN where that means no score.
    """

    logs: LogCounts
    beyond: float

    @property
    def coverage(self) -> Coverage:
        """Which items were found in some document."""
        return self.logs.coverage

    def block(self, left: Longs, right: Longs) -> Floats:
        """NPMI of every left item to every right one; NaN means no score."""
        single = self.logs.single
        ours, theirs = single[left][:, None], single[right][None, :]
        scores = mutual_information(ours, theirs, self.logs.together(left, right), self.logs.documents)
        scores[np.isneginf(scores)] = self.beyond
        return np.where(same(left, right), np.where(np.isnan(ours), np.nan, 1.0), scores)


def mutual_information(left: Floats, right: Floats, both: Floats, documents: float) -> Floats:
    """NPMI from logarithms of counts: minus infinity where the items are never together, NaN where a count is NaN.

    Items that all documents hold tell nothing: 0. Counts that contradict each other are kept within -1 and 1.

    >>> mutual_information(np.log([4.0]), np.log([4.0]), np.log([2.0]), np.log(8.0)).tolist()
    [0.0]
    """
    excess = both + documents - left - right
    surprise = np.broadcast_to(documents - both, excess.shape)
    score = np.where(np.isnan(excess), np.nan, 0.0)
    finite = np.isfinite(excess) & (surprise > 0)
    np.divide(excess, surprise, out=score, where=finite)
    np.clip(score, -1.0, 1.0, out=score)
    score[np.isneginf(excess)] = -np.inf
    return score
