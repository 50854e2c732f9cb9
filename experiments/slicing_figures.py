"""Figures of the experiments on slicing, found by data set, method, overlap and measure: one value for each sample.

Means and differences have a 95 % interval by Student's t over the samples, as in ``thesis_figures``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.thesis_figures import Estimate, Series, estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from experiments.slicing_runs import Run, Selected


@dataclass(frozen=True)
class About:
    """A data set in words and numbers.

    Attributes:
        name: what tables call it.
        sensitive: the attribute to be hidden.
        values: how many values it has.
        most_common: its most common value and the rows that have it.
        all_rows: rows of the whole data set.
        rows: rows of a table without shared ones.
        l: what was promised.
        possible: largest l that each table allows.
    """

    name: str
    sensitive: str
    values: int
    most_common: tuple[str, int]
    all_rows: int
    rows: int
    l: int
    possible: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, what swap rates select, and what the data sets are."""

    runs: Sequence[Run]
    selected: Sequence[Selected]
    about: Sequence[About]

    @cached_property
    def _found(self) -> Mapping[tuple[str, int, str, str], Series]:
        found: defaultdict[tuple[str, int, str, str], Series] = defaultdict(Series)
        for run in self.runs:
            for measure, sides in run.found.items():
                for side, value in sides.items():
                    if value is not None and np.isfinite(value):
                        found[run.method, run.overlap, measure, side][run.data, run.seed] = float(value)
        return found

    @cached_property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(one.name for one in self.about)

    @cached_property
    def overlaps(self) -> tuple[int, ...]:
        """Numbers of shared rows, ascending."""
        return tuple(sorted({run.overlap for run in self.runs}))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of running; those that not every sample allows come where they came."""
        return tuple(dict.fromkeys(run.method for run in self.runs))

    @cached_property
    def samples(self) -> int:
        """Samples of each data set."""
        return len({run.seed for run in self.runs})

    def at(
        self,
        method: str,
        measure: str,
        side: str = "value",
        data: str | Iterable[str] | None = None,
        overlap: int | None = None,
    ) -> Series:
        """One figure: a number for each data set and sample, at an overlap; left out, the largest."""
        wanted = self.data if data is None else (data,) if isinstance(data, str) else tuple(data)
        where = self.overlaps[-1] if overlap is None else overlap
        found = self._found.get((method, where, measure, side), Series())
        return Series({pair: value for pair, value in found.items() if pair[0] in wanted})

    def mean(self, method: str, measure: str, side: str = "value", data: str | None = None) -> float:
        """Mean over the samples, at the largest overlap."""
        return self.at(method, measure, side, data).estimate.mean

    def gap(self, one: str, other: str, measure: str, data: str | Iterable[str] | None = None) -> Estimate:
        """One method minus another, sample by sample."""
        return (self.at(one, measure, "value", data) - self.at(other, measure, "value", data)).estimate

    def beside(
        self, one: str, others: Sequence[str], measure: str, data: Iterable[str], best: str
    ) -> Estimate:
        """One method minus the ``max`` (or ``min``) of some others, sample by sample."""
        pick = max if best == "max" else min
        wanted = tuple(data)
        theirs = [self.at(other, measure, "value", wanted) for other in others]
        mine = self.at(one, measure, "value", wanted)
        return estimate(
            value - pick(each[pair] for each in theirs if pair in each) for pair, value in mine.items()
        )

    def cells(self, data: str, attribute: str, within: str | None, rate: float, field: str) -> list[Estimate]:
        """A count of Tables 3 and 4, at each overlap."""
        found = []
        for overlap in self.overlaps:
            counts = [
                getattr(one, field)
                for one in self.selected
                if (one.data, one.overlap, one.attribute, one.within) == (data, overlap, attribute, within)
                and np.isclose(one.rate, rate)
            ]
            found.append(estimate(float(count) for count in counts))
        return found
