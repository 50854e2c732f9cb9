"""Normalised Google distance (Cilibrasi and Vitányi, IEEE TKDE 19(3), 2007) from document counts of any source.

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
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.conjunction import Holding, conjunction_counts
from cloven.relatedness.counting import Listed, LogCounts, logarithm, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.protocols import CountSource

BEYOND = 1.1
"""Distance of items that are never together, in largest finite distances."""


@dataclass(frozen=True)
class GoogleDistance:
    """Relatedness NGD' from document counts.

    Attributes:
        counts: where documents are counted.
        never: items that are never together are ``far`` apart, or have no score (``unknown``).
        largest: finite distance taken as the largest, instead of the one found.

    >>> from cloven.relatedness.counts_closed import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "fever"], ["fever"], ["knee"]])
    >>> items = np.arange(3)
    >>> GoogleDistance(index).relate(["flu", "fever", "knee"]).block(items, items).round(2).tolist()
    [[1.0, 0.09, 0.0], [0.09, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    counts: CountSource
    never: Literal["far", "unknown"] = "far"
    largest: float | None = None

    def __post_init__(self) -> None:
        if self.never not in ("far", "unknown"):
            message = f"never must be 'far' or 'unknown', got {self.never!r}"
            raise ParameterError(message)
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

    def distances(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """NGD of every left item to every right one; NaN means no score."""
        single = self.logs.single
        far = single[left][:, None], single[right][None, :]
        found = google_distance(*far, self.logs.together(left, right), self.logs.documents)
        found[np.isposinf(found)] = self.beyond
        return np.where(same(left, right), np.where(np.isnan(far[0]), np.nan, 0.0), found)

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """NGD' of every left item to every right one; NaN means no score."""
        return 1.0 - self.distances(left, right) / self.worst

    def conjunctions(
        self, offsets: NDArray[np.int64], items: NDArray[np.int64], right: NDArray[np.int64]
    ) -> NDArray[np.float64]:
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


def google_distance(
    left: NDArray[np.float64], right: NDArray[np.float64], both: NDArray[np.float64], documents: float
) -> NDArray[np.float64]:
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
