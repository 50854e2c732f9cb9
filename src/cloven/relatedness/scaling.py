"""Puts measures of relatedness on one scale: mean and spread over the pairs of a sample of the vocabulary.

The sample is fixed: items at equal steps through the vocabulary, all pairs among them, so the same question always gets
the same answer. Up to ``pairs`` pairs are looked at, which is all of them in vocabularies of a few hundred items.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.protocols import Related

PAIRS = 200_000


@dataclass(frozen=True)
class Scale:
    """Where the scores of a measure lie: mean and standard deviation.

    >>> Scale(0.5, 0.1).standard(np.array([0.6])).round(6).tolist()
    [1.0]
    """

    mean: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> Scale:
        """Scale of scores without NaN; of none at all, the standard one. Equal scores have spread 1."""
        if not len(scores):
            return cls()
        spread = float(scores.std())
        return cls(float(scores.mean()), spread if spread > 1e-12 else 1.0)

    def standard(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores as z-scores."""
        return (scores - self.mean) / self.spread

    def scores(self, standard: NDArray[np.float64]) -> NDArray[np.float64]:
        """Z-scores as scores."""
        return standard * self.spread + self.mean


def sampled(related: Related, items: int, pairs: int) -> NDArray[np.float64]:
    """Scores of the pairs of different items of the sample, NaN included."""
    size = min(items, (1 + isqrt(1 + 8 * pairs)) // 2)
    chosen = np.arange(size, dtype=np.int64) * items // max(size, 1)
    return related.block(chosen, chosen)[np.triu_indices(size, k=1)]
