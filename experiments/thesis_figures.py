"""Figures of many runs, paired by corpus and seed, and the rule by which a claim is judged.

A figure has one value for every corpus and seed. Differences are taken inside a pair first; their mean has a 95 %
interval by Student's t over all pairs. A trend is the least-squares slope of a pair over the steps of a sweep.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from experiments.thesis_runs import Run

Pair = tuple[str, int]
"""Corpus and seed."""


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


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, found by sweep, place, attack, measure and scope."""

    runs: Sequence[Run]

    @cached_property
    def _found(self) -> Mapping[tuple[str, float, str, str], Series]:
        found: defaultdict[tuple[str, float, str, str], Series] = defaultdict(Series)
        for run in self.runs:
            for side, values in run.found.items():
                for name, value in values.items():
                    if value is not None and np.isfinite(value):
                        found[run.sweep, run.x, f"{run.tried.label}|{side}", name][run.corpus, run.seed] = (
                            value
                        )
        return found

    @cached_property
    def places(self) -> Mapping[str, tuple[float, ...]]:
        """Places of each sweep, ascending."""
        return {
            sweep: tuple(sorted({run.x for run in self.runs if run.sweep == sweep}))
            for sweep in dict.fromkeys(run.sweep for run in self.runs)
        }

    @cached_property
    def pairs(self) -> int:
        """Number of corpora times seeds."""
        return len({(run.corpus, run.seed) for run in self.runs})

    def at(
        self, sweep: str, x: float, attack: str, measure: str, scope: str = "all", side: str = "value"
    ) -> Series:
        """One figure: a number for each pair. The attack ``random`` is chance itself."""
        if attack == "random":
            attack, side = "aba/aba WE", "chance"
        return self._found.get((sweep, x, f"{attack}|{side}", f"{measure}:{scope}"), Series())

    def along(
        self,
        sweep: str,
        attack: str,
        measure: str,
        scope: str = "all",
        side: str = "value",
        most: float = np.inf,
    ) -> list[Series]:
        """The figure at all places of a sweep, up to ``most``."""
        places = [x for x in self.places[sweep] if x <= most]
        return [self.at(sweep, x, attack, measure, scope, side) for x in places]

    def over(
        self, sweep: str, attack: str, measure: str, scope: str = "all", beside: str = "chance"
    ) -> list[Series]:
        """Value minus chance (or control) at all places of a sweep."""
        places = self.places[sweep]
        return [
            self.at(sweep, x, attack, measure, scope) - self.at(sweep, x, attack, measure, scope, beside)
            for x in places
        ]
