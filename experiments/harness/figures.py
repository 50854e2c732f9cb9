"""Figures: means with intervals over many runs, and the tables that are kept of an experiment as CSV.

Of many runs there is one value for each pair of data set and sample. Differences are taken inside a pair first; their
mean has a 95 % interval by Student's t over all pairs. A trend is the least-squares slope of a pair over the steps of
a sweep.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from io import StringIO
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

Value = str | int | float | None
Row = dict[str, Value]
Table = list[Row]
"""Rows of one CSV file; all have the same columns."""
Tables = dict[str, Table]
"""All that is kept of an experiment, by file name."""
Pair = tuple[str, int]
"""Name of the data and seed of the sample."""


class Estimate(NamedTuple):
    """A mean over pairs with its 95 % interval; without an interval where there are fewer than two pairs."""

    mean: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self:.3f}"

    def __format__(self, form: str) -> str:
        """Mean and interval, if there is one, each in the same form.

        >>> f"{Estimate(0.5, 0.25, 0.75, 9):+.2f}", f"{Estimate.exact(0.123):.1%}"
        ('+0.50 (+0.25 to +0.75)', '12.3%')
        """
        form = form or ".3f"
        interval = f" ({self.low:{form}} to {self.high:{form}})" if self.has_interval else ""
        return f"{self.mean:{form}}{interval}"

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """A figure without an interval."""
        return cls(value, -np.inf, np.inf, 1)

    @property
    def has_interval(self) -> bool:
        """Whether it is known how far the mean could move."""
        return isfinite(self.low) and isfinite(self.high)


def estimate(values: Iterable[float]) -> Estimate:
    """Mean and interval of values, one for each pair.

    >>> f"{estimate([1.0, 2.0, 3.0]):.3f}"
    '2.000 (-0.484 to 4.484)'
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


NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
DIGITS = 6
"""Decimals of a kept figure."""


def as_csv(table: Table) -> str:
    r"""A table as text.

    >>> as_csv([{"data": "shop", "share": 0.1234561, "none": None}])
    'data,share,none\nshop,0.123456,\n'
    """
    text = StringIO()
    writer = csv.DictWriter(text, list(table[0]) if table else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _kept(value) for name, value in row.items()} for row in table)
    return text.getvalue()


def parse_csv(text: str) -> Table:
    r"""The table again: what looks like a number is one, and an empty cell is None.

    >>> parse_csv("data,share,none\nshop,0.5,\n")
    [{'data': 'shop', 'share': 0.5, 'none': None}]
    """
    return [{name: _parsed(cell) for name, cell in row.items()} for row in csv.DictReader(StringIO(text))]


def read_tables(folder: Path) -> Tables:
    """Every CSV file of a folder."""
    return {file.stem: parse_csv(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.csv"))}


def number(value: Value) -> float:
    """A cell that must be a number."""
    if isinstance(value, str) or value is None:
        raise TypeError(value)
    return value


def _kept(value: Value) -> Value:
    if isinstance(value, bool):
        raise TypeError(value)  # would be read as a word
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0 if isfinite(value) else None
    return value


def _parsed(cell: str) -> Value:
    if not NUMBER.fullmatch(cell):
        return cell or None
    return int(cell) if re.fullmatch(r"-?\d+", cell) else float(cell)
