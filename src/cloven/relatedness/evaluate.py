"""How well a measure of relatedness agrees with people, on all pairs and for rare and frequent words apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.benchmark import Benchmark, read_benchmark
from cloven.relatedness.correlation import Correlation, correlations, ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Relatedness

__all__ = ["Benchmark", "Evaluation", "FrequencyBin", "by_frequency", "evaluate", "read_benchmark"]


@dataclass(frozen=True)
class Evaluation:
    """Agreement of a measure with people.

    Attributes:
        measure: name of the measure.
        benchmark: name of the word pairs.
        pairs: all pairs.
        scored: pairs that have a score; both coefficients are over these.
        pearson: linear agreement, which a scale that is bent lowers.
        spearman: agreement of the orders.
        unscored: pairs without a score.
    """

    measure: str
    benchmark: str
    pairs: int
    scored: int
    pearson: Correlation
    spearman: Correlation
    unscored: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "measure": self.measure,
            "benchmark": self.benchmark,
            "pairs": self.pairs,
            "scored": self.scored,
            "pearson": self.pearson.to_dict(),
            "spearman": self.spearman.to_dict(),
            "unscored": [list(pair) for pair in self.unscored],
        }


@dataclass(frozen=True)
class FrequencyBin:
    """Agreement on pairs whose rarer word is about equally frequent.

    Attributes:
        low: least frequency of the rarer word.
        high: largest frequency of the rarer word.
        pairs: pairs with a score.
        unscored: pairs without one.
        error: mean distance of the measure's rank of a pair from people's, as a share of all ranks.
        error_half: half of a 95 % interval of that mean.
        bias: mean of (measure's rank - people's rank); below 0, the measure finds these pairs too little related.
        bias_half: half of a 95 % interval of that mean.
    """

    low: float
    high: float
    pairs: int
    unscored: int
    error: float
    error_half: float
    bias: float
    bias_half: float


def evaluate(
    measure: Relatedness,
    benchmark: Benchmark,
    rng: np.random.Generator | None = None,
    *,
    resamples: int = 2_000,
    confidence: float = 0.95,
) -> Evaluation:
    """Compare a measure with people; ``rng`` draws the bootstrap samples, from the operating system if not given."""
    if resamples < 1 or not 0 < confidence < 1:
        message = (
            f"resamples must be at least 1 and confidence between 0 and 1 (got {resamples} and {confidence})"
        )
        raise ParameterError(message)
    scores = benchmark.scores(measure)
    known = ~np.isnan(scores)
    source = np.random.default_rng() if rng is None else rng
    linear, ranked = correlations(
        scores[known], benchmark.human[known], source, resamples=resamples, confidence=confidence
    )
    unscored = tuple(benchmark.pairs[pair] for pair in np.flatnonzero(~known).tolist())
    return Evaluation(
        measure.name, benchmark.name, len(benchmark), int(known.sum()), linear, ranked, unscored
    )


def by_frequency(
    measure: Relatedness,
    benchmark: Benchmark,
    frequency: Mapping[str, float],
    bins: int | Sequence[float] = 5,
) -> tuple[FrequencyBin, ...]:
    """Errors of a measure from pairs with rare words to pairs with frequent ones.

    Args:
        measure: the measure.
        benchmark: pairs scored by people.
        frequency: how frequent each word is; 0 where it is missing.
        bins: so many bins with about equally many scored pairs (fewer where frequencies are equal), or the frequencies
            at which a new one starts. A bin without any pair is left out.
    """
    scores = benchmark.scores(measure)
    known = ~np.isnan(scores)
    rarer = np.array([min(frequency.get(word, 0) for word in pair) for pair in benchmark.pairs], np.float64)
    gaps = np.full(len(benchmark), np.nan)
    gaps[known] = (ranks(scores[known]) - ranks(benchmark.human[known])) / known.sum()
    number = np.searchsorted(_edges(rarer[known], bins), rarer, side="right")
    return tuple(_bin(rarer[number == one], gaps[number == one]) for one in np.unique(number))


def _edges(rarer: NDArray[np.float64], bins: int | Sequence[float]) -> NDArray[np.float64]:
    """Frequencies at which the second and later bins start."""
    if not isinstance(bins, int):
        return np.unique(np.asarray(bins, np.float64))
    if bins < 1:
        message = f"bins must be at least 1 (got {bins})"
        raise ParameterError(message)
    ordered = np.sort(rarer)
    return np.unique(ordered[[len(ordered) * one // bins for one in range(1, bins)]])


def _bin(rarer: NDArray[np.float64], gaps: NDArray[np.float64]) -> FrequencyBin:
    there = gaps[~np.isnan(gaps)]
    return FrequencyBin(
        float(rarer.min()),
        float(rarer.max()),
        len(there),
        len(gaps) - len(there),
        *_mean(np.abs(there)),
        *_mean(there),
    )


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and half of its 95 % interval; NaN where there are too few values."""
    mean = float(values.mean()) if len(values) else np.nan
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return mean, float(half)
