"""Normalised pointwise mutual information (Bouma, Proceedings of the GSCL conference, 2009) from document counts.

NPMI(x, y) = log(p(x, y) / (p(x) p(y))) / -log p(x, y): 1 when the items are only ever together, 0 when they are
independent, -1 when they are never together. Unlike NGD it compares with what chance would give, so rare words are not
far from everything; in turn, two words that one single document holds are as close as can be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.counting import LogCounts, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.protocols import CountSource


@dataclass(frozen=True)
class MutualInformation:
    """Relatedness NPMI from document counts.

    Attributes:
        counts: where documents are counted.
        never: items that are never together are ``far`` apart (-1), or have no score (``unknown``).

    >>> from cloven.relatedness.counts_closed import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "fever"], ["fever"], ["knee"]])
    >>> items = np.arange(3)
    >>> MutualInformation(index).relate(["flu", "fever", "knee"]).block(items, items).round(2).tolist()
    [[1.0, 0.42, -1.0], [0.42, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """

    counts: CountSource
    never: Literal["far", "unknown"] = "far"

    def __post_init__(self) -> None:
        if self.never not in ("far", "unknown"):
            message = f"never must be 'far' or 'unknown', got {self.never!r}"
            raise ParameterError(message)

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

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """NPMI of every left item to every right one; NaN means no score."""
        single = self.logs.single
        ours, theirs = single[left][:, None], single[right][None, :]
        scores = mutual_information(ours, theirs, self.logs.together(left, right), self.logs.documents)
        scores[np.isneginf(scores)] = self.beyond
        return np.where(same(left, right), np.where(np.isnan(ours), np.nan, 1.0), scores)


def mutual_information(
    left: NDArray[np.float64], right: NDArray[np.float64], both: NDArray[np.float64], documents: float
) -> NDArray[np.float64]:
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
