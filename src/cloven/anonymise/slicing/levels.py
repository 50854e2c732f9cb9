"""Lower and upper protection level: which cells are so rare, or so common, that they give people away.

BinJubier et al. (2022, section 3.4.1) select cells whose "correlation coefficient" ``r`` lies in ``0 < r <= rate``
(lower) or ``1 - rate <= r < 1`` (upper), and do not say what ``r`` of a cell is. Of seven measures tried on all pairs
of attributes of Adult, one comes closest to the cells and rows that the paper prints (its Tables 3 and 4): the share of
the cell among the rows with the same first value. It is the default, ``share``; the measure can be exchanged.

So a cell is a value of a protected attribute together with the *class* it stands in: the rows with the same value of
the attribute in the middle of the column. A column of one attribute has one class, the whole table. Numbers are taken
in bins. Cells with ``r = 1`` are never selected: a class that has one value only cannot be told apart by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cloven.anonymise.slicing.coding import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable

ROUNDING = 1e-12


class CellCounts(NamedTuple):
    """Rows of each cell, of its class, with its value, and of the whole table."""

    cell: NDArray[np.int64]
    within: NDArray[np.int64]
    value: NDArray[np.int64]
    rows: int


CellMeasure: TypeAlias = Callable[[CellCounts], NDArray[np.float64]]


def _phi(n: CellCounts) -> NDArray[np.float64]:
    """Size of the correlation of "is in the class" and "has the value"."""
    spread = np.sqrt(n.within * (n.rows - n.within) * 1.0 * n.value * (n.rows - n.value))
    return np.abs(n.cell * n.rows - n.within * n.value) / np.where(spread > 0, spread, 1.0)


MEASURES: dict[str, CellMeasure] = {
    "share": lambda n: n.cell / n.within,
    "share-of-all": lambda n: n.cell / n.rows,
    "largest-share": lambda n: n.cell / np.minimum(n.within, n.value),
    "smallest-share": lambda n: n.cell / np.maximum(n.within, n.value),
    "jaccard": lambda n: n.cell / (n.within + n.value - n.cell),
    "cosine": lambda n: n.cell / np.sqrt(n.within * 1.0 * n.value),
    "phi": _phi,
}
"""Measures of a cell by name."""


@dataclass(frozen=True)
class Look:
    """One protected attribute, and the attribute whose values are the classes; None for one class."""

    attribute: int
    within: int | None


@dataclass(frozen=True, eq=False)
class Levels:
    """The cells of one protected attribute.

    Attributes:
        cell_of_row: number of the cell that each row stands in.
        measured: ``r`` of each cell.
    """

    cell_of_row: NDArray[np.int64]
    measured: NDArray[np.float64]

    def lower(self, rate: float) -> NDArray[np.bool_]:
        """Cells at the lower level."""
        return (self.measured > 0) & (self.measured <= rate + ROUNDING)

    def upper(self, rate: float) -> NDArray[np.bool_]:
        """Cells at the upper level."""
        return (self.measured >= 1 - rate - ROUNDING) & (self.measured < 1)

    def rows(self, rate: float) -> NDArray[np.bool_]:
        """Rows in a cell at either level."""
        found: NDArray[np.bool_] = (self.lower(rate) | self.upper(rate))[self.cell_of_row]
        return found


def levels(coarse: NDArray[np.int32], look: Look, measure: CellMeasure) -> Levels:
    """Measure the cells of an attribute; ``coarse`` are the codes of the table with numbers in bins."""
    value = coarse[:, look.attribute]
    rows = len(coarse)
    within = np.zeros(rows, np.int32) if look.within is None else coarse[:, look.within]
    cell_of_row = numbered((within, value), rows)
    first = np.unique(cell_of_row, return_index=True)[1]
    counts = CellCounts(
        np.bincount(cell_of_row),
        np.bincount(within)[within[first]],
        np.bincount(value)[value[first]],
        rows,
    )
    return Levels(cell_of_row, np.asarray(measure(counts), np.float64))


@dataclass(frozen=True)
class SelectedCells:
    """How much one swap rate selects of one attribute.

    Attributes:
        rate: the swap rate.
        attribute: name of the protected attribute.
        within: name of the attribute whose values are the classes; None if there is one class.
        lower_cells: cells at the lower level.
        lower_rows: rows in them.
        upper_cells: cells at the upper level.
        upper_rows: rows in them.
    """

    rate: float
    attribute: str
    within: str | None
    lower_cells: int
    lower_rows: int
    upper_cells: int
    upper_rows: int


def count_selected(
    found: Iterable[tuple[str, str | None, Levels]], rates: Iterable[float]
) -> tuple[SelectedCells, ...]:
    """Cells and rows that each swap rate selects, rate by rate."""
    looks = list(found)
    out = []
    for rate in rates:
        for attribute, within, level in looks:
            lower, upper = level.lower(rate), level.upper(rate)
            rows = np.bincount(level.cell_of_row)
            low, high = int(rows[lower].sum()), int(rows[upper].sum())
            out.append(SelectedCells(rate, attribute, within, int(lower.sum()), low, int(upper.sum()), high))
    return tuple(out)
