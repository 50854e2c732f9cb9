"""Centred normalised Google distance: what is left of NGD' when each item's own level is taken away.

NGD punishes rare words: an item that few documents hold is far from everything, also from what it belongs to (the
thesis, 6.1.1; set-generalisation attack, 1 and 5.1, which therefore compares only distances that share an item). So a
row of distances has a level that says how rare its item is, not what it is related to.

Here the distances of a vocabulary are fitted by d(x, y) = g + a(x) + a(y), by least squares over all pairs of different
known items, the a(x) summing to 0. The relatedness is minus the residual, in units of the largest distance like NGD'.
With n known items and all pairs known the fit is closed: g is the mean of all distances, m(x) the mean distance of x
to the others, and a(x) = (m(x) - g) (n - 1) / (n - 2). Then the scores of every known item with the other known ones
have mean zero. Where pairs have no score, the means run over those that have, and it holds nearly.

All pairs are needed: a source that must be asked pair by pair is asked about all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.relatedness.counting import Listed, logarithm
from cloven.relatedness.ngd import GoogleDistance, GoogleRelated, google_distance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.protocols import CountSource


@dataclass(frozen=True)
class CentredDistance:
    """Relatedness NGD' without the level of either item.

    Attributes:
        counts: where documents are counted.

    >>> from cloven.relatedness.counts_closed import ClosedIndex
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
    effects: NDArray[np.float64]

    @property
    def coverage(self) -> Coverage:
        """Which items were found in some document."""
        return self.plain.coverage

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Centred score of every left item to every right one; NaN means no score."""
        expected = self.overall + self.effects[left][:, None] + self.effects[right][None, :]
        return (expected - self.plain.distances(left, right)) / self.plain.worst


def _sums(plain: GoogleRelated) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
