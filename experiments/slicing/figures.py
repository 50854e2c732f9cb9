"""Figures of the experiments on slicing: all runs by place, and the tables that are kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.harness.figures import Estimate, Series, by_place, estimate, slope_of
from experiments.slicing.data import ADULT, EDUCATION, MAIN_RATES, OCCUPATION, RATES, swapped
from experiments.slicing.runs import DIMENSIONS, NEAREST, WITH, WITHOUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from experiments.harness.figures import Row, Table, Tables
    from experiments.slicing.runs import About, Run, Selected

RISKS = {
    "drr_soft": ("chance", "control"),
    "drr_strict": ("chance",),
    "drr_soft_matches": ("chance",),
    "drr_strict_matches": (),
    "confidence": ("alone", "others", "chance", "control"),
    "left": (),
}
"""Measures of risk, and what is kept beside each."""
WORTH = ("utility", "query with", "query without", "pairs")
"""Measures of worth that are kept with their intervals."""
MEANS = ("invalid", "rules", "learned", "balanced", "exchanged", "groups", "largest")
BY_OVERLAP = ("drr_soft", "drr_strict", "confidence")
CELLS = ("lower_cells", "lower_rows", "upper_cells", "upper_rows")


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, what swap rates select, and what the data sets are."""

    runs: Sequence[Run]
    selected: Sequence[Selected]
    about: Sequence[About]

    @cached_property
    def _found(self) -> Mapping[tuple[Any, ...], Series]:
        return by_place(
            ((run.method, run.overlap, measure, side), (run.data, run.seed), value)
            for run in self.runs
            for measure, sides in run.found.items()
            for side, value in sides.items()
        )

    @cached_property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(one.name for one in self.about)

    def of(self, data: str) -> About:
        """What one data set is."""
        return next(one for one in self.about if one.name == data)

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

    def mean(
        self, method: str, measure: str, side: str = "value", data: str | Iterable[str] | None = None
    ) -> float:
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

    def slope(self, measure: str) -> Estimate:
        """Change of a measure of the upper/lower-level method on Adult from each swap rate to the next."""
        return slope_of([self.at(swapped(rate), measure, data=ADULT) for rate in RATES]).estimate

    def cells(self, data: str, rate: float, overlap: int, field: str) -> Estimate:
        """A count of Tables 3 and 4 for the pair of attributes that comes nearest to the paper's."""
        within, attribute = NEAREST
        return estimate(
            float(getattr(one, field))
            for one in self.selected
            if (one.data, one.overlap, one.attribute, one.within) == (data, overlap, attribute, within)
            and np.isclose(one.rate, rate)
        )

    @cached_property
    def upper(self) -> list[tuple[int, int]]:
        """Cells and rows of the upper level of the same pair, of every table of Education, at 1 to 10 %."""
        within, attribute = NEAREST
        return [
            (one.upper_cells, one.upper_rows)
            for one in self.selected
            if (one.data, one.attribute, one.within) == (EDUCATION, attribute, within)
            and one.rate in RATES[:4]
        ]


def tables(figures: Figures) -> Tables:
    """What is kept: methods, risk and utility by overlap, queries, cells and data sets."""
    return {
        "methods": [
            row
            for data in figures.data
            for method in figures.methods
            if figures.at(method, "drr_soft", data=data)
            for row in (method_row(figures, data, method),)
        ],
        "overlaps": overlaps(figures),
        "utility": utilities(figures),
        "queries": queries(figures),
        "cells": cells(figures),
        "protected": protected(figures),
        "data": [data_row(one) for one in figures.about],
    }


def _spread(name: str, found: Estimate) -> Row:
    """A mean and its interval; nothing where there is none."""
    ends = (found.low, found.high) if found.has_interval else (None, None)
    mean = found.mean if found.pairs else None
    return dict(zip((name, f"{name}_low", f"{name}_high"), (mean, *ends), strict=True))


def method_row(figures: Figures, data: str, method: str) -> Row:
    """A method at the largest overlap: risks with what stands beside them, and what its releases are worth."""

    def at(measure: str, side: str = "value") -> Estimate:
        return figures.at(method, measure, side, data).estimate

    row: Row = {"data": data, "method": method, "samples": len(figures.at(method, "drr_soft", data=data))}
    for measure, sides in RISKS.items():
        row |= _spread(measure, at(measure)) | {f"{measure}_{side}": at(measure, side).mean for side in sides}
    for measure in WORTH:
        row |= _spread(measure, at(measure))
    row |= {f"query {name}_median": at(f"query {name}", "median").mean for name in (WITH, WITHOUT)}
    return row | {measure: at(measure).mean for measure in MEANS}


def overlaps(figures: Figures) -> Table:
    """Figures 5 and 6: risk by the number of people in both tables."""
    return [
        {"data": data, "method": method, "overlap": overlap, "measure": measure, "mean": found.mean}
        for measure in BY_OVERLAP
        for data in figures.data
        for method in figures.methods
        for overlap in figures.overlaps
        for found in (figures.at(method, measure, "value", data, overlap).estimate,)
        if found.pairs and figures.at(method, measure, "value", data, figures.overlaps[0])
    ]


def utilities(figures: Figures) -> Table:
    """Figures 3 and 4: utility as printed of Education, by the size of its tables."""
    rows: Table = []
    for method in figures.methods:
        for overlap in figures.overlaps:
            found = figures.at(method, "utility", "value", EDUCATION, overlap).estimate
            if found.pairs and (method not in map(swapped, RATES) or method in map(swapped, MAIN_RATES)):
                size = figures.about[0].rows + overlap
                row: Row = {"method": method, "rows": size}
                rows.append(row | _spread("utility", found))
    return rows


def queries(figures: Figures) -> Table:
    """Figure 8: error of counts by the number of quasi-identifiers that are asked about."""
    rows: Table = []
    for name in (WITH, WITHOUT):
        for method in figures.methods:
            for number in DIMENSIONS:
                found = figures.at(method, f"query {number} {name}", data=OCCUPATION).estimate
                if found.pairs:
                    row: Row = {"sensitive value": name, "method": method, "quasi-identifiers": number}
                    rows.append(row | _spread("error", found))
    return rows


def cells(figures: Figures) -> Table:
    """Tables 3 and 4: cells and rows that a swap rate selects of the pair that comes nearest to the paper's."""
    rows: Table = []
    for rate in RATES:
        for overlap in figures.overlaps:
            row: Row = {"rate": rate, "rows": figures.about[0].rows + overlap}
            for field in CELLS:
                row |= _spread(field, figures.cells(EDUCATION, rate, overlap, field))
            rows.append(row)
    return rows


def protected(figures: Figures) -> Table:
    """The same of the attributes that the method protects by default; which these are can differ between samples."""
    last = [
        one
        for one in figures.selected
        if one.overlap == figures.overlaps[-1] and (one.within, one.attribute) != NEAREST
    ]
    rows: Table = []
    for data, attribute in dict.fromkeys((one.data, one.attribute) for one in last):
        for rate in RATES:
            here = [one for one in last if (one.data, one.attribute, one.rate) == (data, attribute, rate)]
            row: Row = {
                "data": data,
                "attribute": attribute,
                "samples": len({one.seed for one in here}),
                "rate": rate,
            }
            rows.append(
                row | {field: sum(getattr(one, field) for one in here) / len(here) for field in CELLS}
            )
    return rows


def data_row(about: About) -> Row:
    """A data set: its rows, its sensitive attribute, and the largest l that its tables allow."""
    value, rows = about.most_common
    possible = ", ".join(f"{l} in {about.possible.count(l)}" for l in sorted(set(about.possible)))
    return {
        "data": about.name,
        "all_rows": about.all_rows,
        "rows": about.rows,
        "sensitive": about.sensitive,
        "values": about.values,
        "most_common": value,
        "share": rows / about.all_rows,
        "possible_l": possible,
        "l": about.l,
    }
