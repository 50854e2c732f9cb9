"""Correlation of two columns with intervals.

Pearson's and Spearman's coefficients; percentile bootstrap over pairs (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13); Fisher's z with variance 1 / (n - 3), for ranks (1 + r^2 / 2) / (n - 3) (Bonett and
Wright, Psychometrika 65, 2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, isnan, nan, sqrt, tanh
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Interval = tuple[float, float]
_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Correlation:
    """A coefficient and what it may be in truth.

    Attributes:
        value: the coefficient; NaN if a column is constant.
        bootstrap: percentile interval over resampled pairs.
        fisher: interval by Fisher's z; NaN with fewer than 4 pairs.
    """

    value: float
    bootstrap: Interval
    fisher: Interval

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"value": self.value, "bootstrap": list(self.bootstrap), "fisher": list(self.fisher)}


def correlations(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    resamples: int = 2_000,
    confidence: float = 0.95,
) -> tuple[Correlation, Correlation]:
    """Pearson's and Spearman's coefficients of two columns without gaps."""
    linear, ranked = [], []
    step = max(1, _CELLS_AT_ONCE // max(1, len(x)))
    for start in range(0, resamples, step):
        drawn = rng.integers(len(x), size=(min(step, resamples - start), len(x)))
        linear.append(pearson(x[drawn], y[drawn]))
        ranked.append(pearson(ranks(x[drawn]), ranks(y[drawn])))
    found = []
    for value, sampled, of_ranks in (
        (pearson(x, y), linear, False),
        (pearson(ranks(x), ranks(y)), ranked, True),
    ):
        draws = np.concatenate(sampled)
        bootstrap = _percentiles(draws[~np.isnan(draws)], confidence)
        fisher = fisher_interval(float(value), len(x), confidence, of_ranks=of_ranks)
        found.append(Correlation(float(value), bootstrap, fisher))
    return found[0], found[1]


def pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's coefficient along the last axis; NaN where a column is constant.

    >>> float(pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0])).round(4))
    0.9934
    """
    level = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    spread = [np.sqrt((column**2).sum(axis=-1)) for column in level]
    # A constant column leaves rounding only; its spread is then nothing beside its size.
    size = [np.abs(column).max(axis=-1) * sqrt(x.shape[-1]) for column in (x, y)]
    constant = (spread[0] <= 1e-14 * size[0]) | (spread[1] <= 1e-14 * size[1])
    product = np.where(constant, 1.0, spread[0] * spread[1])
    coefficient = (level[0] * level[1]).sum(axis=-1) / product
    return np.where(constant, np.nan, np.clip(coefficient, -1.0, 1.0))


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    >>> ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    found: NDArray[np.float64] = rankdata(values, axis=-1)
    return found


def fisher_interval(
    value: float, pairs: int, confidence: float = 0.95, *, of_ranks: bool = False
) -> Interval:
    """Interval of a coefficient by Fisher's z.

    >>> low, high = fisher_interval(0.75, 30)
    >>> round(low, 3), round(high, 3)
    (0.534, 0.874)
    """
    if isnan(value) or pairs < 4:
        return nan, nan
    if abs(value) >= 1:
        return value, value
    variance = (1 + value * value / 2 if of_ranks else 1.0) / (pairs - 3)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    return tanh(atanh(value) - reach), tanh(atanh(value) + reach)


def _percentiles(draws: NDArray[np.float64], confidence: float) -> Interval:
    if not len(draws):
        return nan, nan
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
