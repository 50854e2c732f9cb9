"""Weighted combination of measures of relatedness.

Measures live on different scales, so each is turned into z-scores first (see ``scaling``); the score of a pair is the
weighted mean of the z-scores it has. A measure without a score for the pair is left out of its mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.model.coverage import Coverage
from cloven.relatedness.scaling import PAIRS, Scale, sampled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Related, Relatedness


@dataclass(frozen=True)
class Combined:
    """Several measures as one.

    Attributes:
        parts: the measures.
        weights: a positive weight for each; equal ones when left out.
        pairs: pairs from which the scale of each is estimated, at most.
    """

    parts: tuple[Relatedness, ...]
    weights: tuple[float, ...] = ()
    pairs: int = PAIRS

    def __post_init__(self) -> None:
        if not self.parts:
            message = "no measures to combine; give at least one"
            raise ParameterError(message)
        if self.weights and len(self.weights) != len(self.parts):
            message = f"give one weight for each of the {len(self.parts)} measures, got {len(self.weights)}"
            raise ParameterError(message)
        if not all(0 < weight < np.inf for weight in self.weights):
            message = f"weights must be positive numbers, got {self.weights}"
            raise ParameterError(message)
        if self.pairs < 1:
            message = f"pairs must be at least 1, got {self.pairs}"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """The names of the parts."""
        return "+".join(part.name for part in self.parts)

    def relate(self, items: Sequence[str]) -> CombinedRelated:
        """Look the items up in every part, and find the scale of each."""
        parts = tuple(part.relate(items) for part in self.parts)
        samples = (sampled(part, len(items), self.pairs) for part in parts)
        scales = tuple(Scale.of(scores[~np.isnan(scores)]) for scores in samples)
        weights = np.array(self.weights or (1.0,) * len(parts))
        return CombinedRelated(tuple(items), parts, scales, weights)


@dataclass(frozen=True, eq=False, repr=False)
class CombinedRelated:
    """Weighted z-scores of one vocabulary.

    Attributes:
        items: the vocabulary.
        parts: scores of each measure.
        scales: scale of each measure.
        weights: weight of each measure.
    """

    items: tuple[str, ...]
    parts: tuple[Related, ...]
    scales: tuple[Scale, ...]
    weights: NDArray[np.float64]

    @property
    def coverage(self) -> Coverage:
        """How many items so many of the measures know, the fullest knowledge first."""
        unknown = [set(part.coverage.unknown) for part in self.parts]
        known = np.array(
            [sum(item not in lacking for lacking in unknown) for item in self.items], dtype=np.int64
        )
        numbers = range(len(self.parts), 0, -1)
        rungs = {f"{number} of {len(self.parts)}": int((known == number).sum()) for number in numbers}
        return Coverage(
            rungs, tuple(item for item, count in zip(self.items, known, strict=True) if not count)
        )

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Weighted mean of the z-scores of every left item to every right one; NaN where no part has a score."""
        total, weight = np.zeros((len(left), len(right))), np.zeros((len(left), len(right)))
        for part, scale, share in zip(self.parts, self.scales, self.weights, strict=True):
            scores = scale.standard(part.block(left, right))
            there = ~np.isnan(scores)
            total[there] += share * scores[there]
            weight[there] += share
        mean = np.full(total.shape, np.nan)
        np.divide(total, weight, out=mean, where=weight > 0)
        return mean
