"""Measures as ratios of sums over units, and intervals that know that answers inside a unit go together.

Bootstrap over units (B. Efron, Annals of Statistics 7, 1979; percentile intervals). Where a handful of units is all
there is, resampling them says little: then Student's t over units, with the jackknife for its error (R. G. Miller,
Biometrika 61, 1974). Units that happen to agree would make it too narrow, so a share gets no less than
Wilson's interval, which takes the counted things as independent, and a difference of shares no less than two of them
combined (R. G. Newcombe, Statistics in Medicine 17, 1998, pages 873-890). Of a single unit nobody can tell how units
differ: a share may then be anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, hypot, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.statistics.findings import Finding
from cloven.statistics.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Floats, Longs


FEW = 10
"""With fewer units the bootstrap is not asked at all."""
MANY = 30
"""With fewer units it is still too narrow, so Student's t has a say."""
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

    numerator: Floats
    denominator: Floats
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
        cls, unit: Longs, numerator: Floats, denominator: Floats, count: int, *, share: bool = True
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


def resampled(tallies: Sequence[Tally], rng: np.random.Generator, draws: int = 1000) -> Floats:
    """Values of all tallies in bootstrap samples of the units, one row for each sample.

    All tallies see the same samples, so that their differences are paired. NaN where a sample has no denominator.
    """
    if draws < 2:
        message = f"draws must be at least 2 (got {draws})"
        raise ParameterError(message)
    if not tallies:
        return np.empty((draws, 0))
    columns, numbers = _different(
        [each for tally in tallies for each in (tally.numerator, tally.denominator)]
    )
    above, below = numbers[::2], numbers[1::2]
    units = len(columns)
    values = np.full((draws, len(tallies)), np.nan)
    block = max(1, _CELLS // max(1, units))
    for start in range(0, draws if units else 0, block):
        rows = min(block, draws - start)
        picked = rng.integers(0, units, (rows, units)) + np.arange(0, rows * units, units)[:, None]
        weights = np.bincount(picked.ravel(), minlength=rows * units).reshape(rows, units).astype(float)
        sums = weights @ columns
        bottom = sums[:, below]
        np.divide(sums[:, above], bottom, out=values[start : start + rows], where=bottom > 0)
    return values


def _different(columns: Sequence[Floats]) -> tuple[Floats, Longs]:
    """The different ones among these columns as a table, and where each stands in it.

    Most denominators are there many times, for the attack, chance and control, and for every scope that has all.
    """
    known: dict[bytes, int] = {}
    numbers = [known.setdefault(column.tobytes(), len(known)) for column in columns]
    firsts = np.unique(numbers, return_index=True)[1]
    return np.stack([columns[at] for at in firsts.tolist()], axis=1), np.array(numbers)


def estimate(tally: Tally, samples: Floats) -> Estimate:
    """Value and interval of a tally, given its column of ``resampled``."""
    value = tally.value
    if value is None:
        return Estimate(None, None, None)
    error = _standard_error(tally)
    if error is None:
        return Estimate(value, *((0.0, 1.0) if tally.share else (None, None)))
    half = error * _student(tally.units)
    low, high = value - half, value + half
    if tally.units >= MANY:
        low, high = map(float, np.nanpercentile(samples, (2.5, 97.5)))
    elif tally.units >= FEW:
        low, high = _hull((low, high), tuple(map(float, np.nanpercentile(samples, (2.5, 97.5)))))
    # Units that agree by chance show no spread, and neither does what never, or always, happened.
    if tally.share and (tally.units < FEW or min(value, 1 - value) < 1e-12):
        low, high = _hull((low, high), _as_share(tally))
    return Estimate(value, max(0.0, low), min(1.0, high) if tally.share else high)


def _hull(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, float]:
    return min(one[0], other[0]), max(one[1], other[1])


def difference(tally: Tally, other: Tally, samples: Floats, other_samples: Floats) -> Difference:
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
        unknown = 1.0 if tally.share and other.share else None
        return Difference(value, None if unknown is None else -unknown, unknown, None)
    half = error * _student(units)
    low, high = value - half, value + half
    if tally.share and other.share and np.any(_pull(tally) != _pull(other)):
        low, high = _hull((low, high), _apart(tally, other, first, second))
    return Difference(value, max(-1.0, low) if tally.share else low, high, _z(value, error))


def _apart(tally: Tally, other: Tally, first: float, second: float) -> tuple[float, float]:
    """Newcombe's interval of the difference of two shares that are taken as independent."""
    (low, high), (other_low, other_high) = _as_share(tally), _as_share(other)
    value = first - second
    return (
        value - hypot(first - low, other_high - second),
        value + hypot(high - first, second - other_low),
    )


def _as_share(tally: Tally) -> tuple[float, float]:
    """Wilson's interval; fractions (ties in expectation) widen it rather than move it."""
    successes, trials = float(tally.numerator.sum()), ceil(tally.count - 1e-9)
    low = wilson(max(0, floor(successes + 1e-9)), trials)[0]
    high = wilson(min(trials, ceil(successes - 1e-9)), trials)[1]
    return low, high


def _standard_error(tally: Tally, other: Tally | None = None) -> float | None:
    """Standard error over units by leaving each out in turn; None for a single unit."""
    units = tally.units if other is None else min(tally.units, other.units)
    if units < 2:
        return None
    pull = _pull(tally) if other is None else _pull(tally) - _pull(other)
    return sqrt((units - 1) / units * float((pull * pull).sum()))


def _pull(tally: Tally) -> Floats:
    """How far the ratio moves if a unit is left out; a large unit weighs more than linearisation would say."""
    rest = np.maximum(tally.count - tally.denominator, 1e-300)
    return (tally.numerator - (tally.value or 0.0) * tally.denominator) / rest


def _student(units: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, 0.975))


def _z(value: float, error: float) -> float | None:
    if error > 1e-12:
        return value / error
    return 0.0 if abs(value) < 1e-12 else None


# From tallies to findings: values, intervals, lift and paired differences, all from the same bootstrap samples.


_NOTHING = Estimate(None, None, None)
_NO_DIFFERENCE = Difference(None, None, None, None)
Sampled = tuple[Tally, "Floats"]


def summarised(
    values: Tallies, chance: Tallies, control: Tallies, rng: np.random.Generator, draws: int
) -> tuple[Finding, ...]:
    """One finding for each measure and scope; chance and control may know only some of them, or none."""
    tables = (values, chance, control)
    tallies = [table[name] for table in tables for name in table]
    samples = iter(resampled(tallies, rng, draws).T)
    sampled = [{name: (table[name], next(samples)) for name in table} for table in tables]
    return tuple(
        _finding(name, sampled[0][name], sampled[1].get(name), sampled[2].get(name)) for name in values
    )


def _finding(
    name: tuple[str, str], value: Sampled, chance: Sampled | None, control: Sampled | None
) -> Finding:
    here, guessing, shuffled = (_estimated(each) for each in (value, chance, control))
    over_chance, over_control = (_difference(value, other) for other in (chance, control))
    lift = here.value / guessing.value if here.value is not None and guessing.value else None
    measure, scope = name
    return Finding(
        measure,
        scope,
        *here,
        *guessing,
        *shuffled,
        lift,
        *over_chance,
        *over_control,
        value[0].count,
        value[0].units,
    )


def _estimated(sampled: Sampled | None) -> Estimate:
    return _NOTHING if sampled is None else estimate(*sampled)


def _difference(value: Sampled, other: Sampled | None) -> Difference:
    return _NO_DIFFERENCE if other is None else difference(value[0], other[0], value[1], other[1])
