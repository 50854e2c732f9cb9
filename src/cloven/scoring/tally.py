"""Measures as ratios of sums over units, and intervals that know that answers inside a unit go together.

Bootstrap over units (B. Efron, Annals of Statistics 7, 1979; percentile intervals); where a handful of units is all
there is, it says little: shares then get Wilson's interval, which takes the counted things as independent, and other
ratios and differences Student's t over units (linearised ratio: W. G. Cochran, Sampling Techniques, 1977, section
6.4). Differences of shares inside one single unit combine two of Wilson's intervals (R. G. Newcombe, Statistics in
Medicine 17, 1998, pages 873-890).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, hypot, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FEW = 10
_CELLS = 4_000_000  # weights drawn at once: 32 MB


class Estimate(NamedTuple):
    """A value with a 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


class Difference(NamedTuple):
    """A paired difference with a 95 % interval, and how many standard errors it is away from 0."""

    value: float | None
    low: float | None
    high: float | None
    z: float | None


@dataclass(frozen=True, eq=False)
class Tally:
    """One measure: its value is the sum of the numerators by the sum of the denominators.

    Attributes:
        numerator: sum over each unit.
        denominator: how many were summed in each unit.
        share: whether every single summand lies in 0..1, so that Wilson's interval is safe (it is exact for counts
            and too wide for anything between).

    >>> Tally(np.array([1.0, 2.0]), np.array([2.0, 4.0])).value
    0.5
    """

    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]
    share: bool = True

    @property
    def value(self) -> float | None:
        """The ratio; None if there was nothing to measure."""
        count = self.count
        return float(self.numerator.sum()) / count if count > 0 else None

    @property
    def count(self) -> float:
        """Sum of the denominators."""
        return float(self.denominator.sum())

    @property
    def units(self) -> int:
        """Units that had something to measure."""
        return int(np.count_nonzero(self.denominator))

    @classmethod
    def of(
        cls,
        unit: NDArray[np.int64],
        numerator: NDArray[np.float64],
        denominator: NDArray[np.float64],
        count: int,
        *,
        share: bool = True,
    ) -> Tally:
        """Sum numerators and denominators over ``count`` units."""
        return cls(
            np.bincount(unit, numerator, count).astype(float),
            np.bincount(unit, denominator, count).astype(float),
            share,
        )

    @classmethod
    def mean(cls, runs: Sequence[Tally]) -> Tally:
        """Several runs as one: means of numerators and of denominators."""
        if not runs:
            message = "no runs to take the mean of; give at least one"
            raise ParameterError(message)
        return cls(
            np.mean([run.numerator for run in runs], axis=0),
            np.mean([run.denominator for run in runs], axis=0),
            runs[0].share,
        )


Tallies = dict[tuple[str, str], Tally]
"""Tallies by measure and scope."""


def resampled(tallies: Sequence[Tally], rng: np.random.Generator, draws: int = 1000) -> NDArray[np.float64]:
    """Values of all tallies in bootstrap samples of the units, one row for each sample.

    All tallies see the same samples, so that their differences are paired. NaN where a sample has no denominator.
    """
    if draws < 2:
        message = f"draws must be at least 2 (got {draws})"
        raise ParameterError(message)
    if not tallies:
        return np.empty((draws, 0))
    tops = np.stack([tally.numerator for tally in tallies], axis=1)
    bottoms = np.stack([tally.denominator for tally in tallies], axis=1)
    units = len(tops)
    values = np.full((draws, len(tallies)), np.nan)
    block = max(1, _CELLS // max(1, units))
    for start in range(0, draws if units else 0, block):
        rows = min(block, draws - start)
        picked = rng.integers(0, units, (rows, units)) + np.arange(0, rows * units, units)[:, None]
        weights = np.bincount(picked.ravel(), minlength=rows * units).reshape(rows, units).astype(float)
        top, bottom = weights @ tops, weights @ bottoms
        np.divide(top, bottom, out=values[start : start + rows], where=bottom > 0)
    return values


def estimate(tally: Tally, samples: NDArray[np.float64]) -> Estimate:
    """Value and interval of a tally, given its column of ``resampled``."""
    value = tally.value
    if value is None:
        return Estimate(None, None, None)
    if tally.units >= FEW:
        low, high = np.nanpercentile(samples, (2.5, 97.5))
        return Estimate(value, float(low), float(high))
    if tally.share:
        return Estimate(value, *_as_share(tally))
    error = _standard_error(tally)
    if error is None:
        return Estimate(value, None, None)
    half = error * _student(tally.units)
    return Estimate(value, max(0.0, value - half), value + half)


def difference(
    tally: Tally, other: Tally, samples: NDArray[np.float64], other_samples: NDArray[np.float64]
) -> Difference:
    """``tally`` minus ``other``, paired over units, given their columns of ``resampled``."""
    first, second = tally.value, other.value
    if first is None or second is None:
        return Difference(None, None, None, None)
    value = first - second
    units = min(tally.units, other.units)
    if units >= FEW:
        apart = samples - other_samples
        low, high = map(float, np.nanpercentile(apart, (2.5, 97.5)))
        return Difference(value, low, high, _z(value, float(np.nanstd(apart, ddof=1))))
    error = _standard_error(tally, other)
    if error is None:
        return _in_one_unit(tally, other, first, second)
    half = error * _student(units)
    return Difference(value, value - half, value + half, _z(value, error))


def _in_one_unit(tally: Tally, other: Tally, first: float, second: float) -> Difference:
    value = first - second
    if not tally.share:
        return Difference(value, None, None, None)
    (low, high), (other_low, other_high) = _as_share(tally), _as_share(other)
    spread = first * (1 - first) / tally.count + second * (1 - second) / other.count
    error = sqrt(max(0.0, spread))
    return Difference(
        value,
        value - hypot(first - low, other_high - second),
        value + hypot(high - first, second - other_low),
        _z(value, error),
    )


def _as_share(tally: Tally) -> tuple[float, float]:
    """Wilson's interval; fractions (ties in expectation) widen it rather than move it."""
    successes, trials = float(tally.numerator.sum()), ceil(tally.count - 1e-9)
    low = wilson(max(0, floor(successes + 1e-9)), trials)[0]
    high = wilson(min(trials, ceil(successes - 1e-9)), trials)[1]
    return low, high


def _standard_error(tally: Tally, other: Tally | None = None) -> float | None:
    """Standard error over units by linearisation; None for a single unit."""
    units = tally.units if other is None else min(tally.units, other.units)
    if units < 2:
        return None
    pull = _pull(tally) if other is None else _pull(tally) - _pull(other)
    return sqrt(units / (units - 1) * float((pull * pull).sum()))


def _pull(tally: Tally) -> NDArray[np.float64]:
    """How far each unit pulls the ratio away from its value."""
    return (tally.numerator - (tally.value or 0.0) * tally.denominator) / tally.count


def _student(units: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, 0.975))


def _z(value: float, error: float) -> float | None:
    if error > 1e-12:
        return value / error
    return 0.0 if abs(value) < 1e-12 else None
