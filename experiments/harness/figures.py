"""Figures of many runs: one value for each pair of data set and sample.

Differences are taken inside a pair first; their mean has a 95 % interval by Student's t over all pairs. A trend is the
least-squares slope of a pair over the steps of a sweep.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Pair = tuple[str, int]
"""Name of the data and seed of the sample."""


class Estimate(NamedTuple):
    """A mean over pairs with its 95 % interval; without an interval where there are fewer than two pairs."""

    mean: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"

    @property
    def signed(self) -> str:
        """With a sign, for differences."""
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f})"

    @property
    def short(self) -> str:
        """Mean and half of the interval, for tables."""
        return f"{self.mean:.3f} ±{(self.high - self.low) / 2:.3f}"

    @property
    def percent(self) -> str:
        """As a percentage."""
        return f"{100 * self.mean:.1f} %"


def estimate(values: Iterable[float]) -> Estimate:
    """Mean and interval of values, one for each pair.

    >>> estimate([1.0, 2.0, 3.0]).short
    '2.000 ±2.484'
    """
    from scipy.stats import t

    numbers = np.array(list(values), np.float64)
    if not len(numbers):
        return Estimate(np.nan, np.nan, np.nan, 0)
    mean = float(numbers.mean())
    if len(numbers) < 2:
        return Estimate(mean, -np.inf, np.inf, len(numbers))
    half = float(t.ppf(0.975, len(numbers) - 1) * numbers.std(ddof=1) / np.sqrt(len(numbers)))
    return Estimate(mean, mean - half, mean + half, len(numbers))


class Series(dict[Pair, float]):
    """One number for each pair; arithmetic keeps pairs that both sides have."""

    def __sub__(self, other: Series) -> Series:
        return Series({pair: self[pair] - other[pair] for pair in self if pair in other})

    @property
    def estimate(self) -> Estimate:
        """Mean over the pairs."""
        return estimate(self.values())


def mean_of(parts: Sequence[Series]) -> Series:
    """Mean of several series, pair by pair."""
    return _folded(parts, np.mean)


def spread_of(parts: Sequence[Series]) -> Series:
    """Largest minus smallest of several series, pair by pair."""
    return _folded(parts, lambda values: float(np.ptp(values)))


def slope_of(parts: Sequence[Series]) -> Series:
    """Least-squares slope over series at consecutive steps, pair by pair: change for each step.

    >>> one, two = Series({("a", 1): 0.2}), Series({("a", 1): 0.5})
    >>> round(slope_of([one, two])["a", 1], 3)
    0.3
    """
    place = np.arange(len(parts)) - (len(parts) - 1) / 2
    return _folded(parts, lambda values: float(place @ np.array(values) / (place @ place)))


def _folded(parts: Sequence[Series], fold: Callable[[list[float]], float]) -> Series:
    pairs = [pair for pair in parts[0] if all(pair in part for part in parts)]
    return Series({pair: float(fold([part[pair] for part in parts])) for pair in pairs})


def by_place(
    values: Iterable[tuple[tuple[Any, ...], Pair, float | None]],
) -> Mapping[tuple[Any, ...], Series]:
    """Series of numbers by the place that they belong to; what is not defined is left out.

    >>> by_place([(("k", 2), ("a", 1), 0.5), (("k", 2), ("a", 2), None)])["k", 2]
    {('a', 1): 0.5}
    """
    found: defaultdict[tuple[Any, ...], Series] = defaultdict(Series)
    for place, pair, value in values:
        if value is not None and np.isfinite(value):
            found[place][pair] = float(value)
    return dict(found)
