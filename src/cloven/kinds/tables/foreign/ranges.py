"""Ranges of a published column that overlap without one lying in the other: their ends may tell who is meant.

Classes that were made together part the people, or one holds another. A range that was drawn around each value, such as
five years up and down, does neither: it holds many people, and its middle is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.foreign.cells import span_of
from cloven.kinds.tables.foreign.links import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.foreign.cells import Cell

MOST_LOOKS = 2000
"""Different looks of rows that are held against all others; of more, so many at even distances."""


def quasi_identifiers(read: Shown, data: Table) -> Shown:
    """The published rows by what is known of people alone."""
    known = list(data.positions("quasi-identifier"))
    return Shown(tuple(read.cells[place] for place in known), read.codes[:, known])


def overlapping(shown: Shown, names: Sequence[str]) -> tuple[str, ...]:
    """Columns in which two rows that one person may fit have ranges that overlap, and neither holds the other.

    Rows that nobody fits both of may have such ranges: where men are parted at 40 and women at 50, nothing overlaps.
    """
    columns = [_Ranges(cells) for cells in shown.cells]
    crossed = [place for place, column in enumerate(columns) if column.crosses_any]
    if not crossed:
        return ()
    looks = np.unique(shown.codes, axis=0)
    step = -(-len(looks) // MOST_LOOKS)
    found: set[int] = set()
    for look in looks[::step].tolist():
        left = [place for place in crossed if place not in found]
        if not left:
            break
        if any(columns[place].crossing(look[place]).any() for place in left):
            met = _met(columns, look, looks)
            found |= {place for place in left if columns[place].crossing(look[place])[met[:, place]].any()}
    return tuple(names[place] for place in sorted(found))


def _met(columns: Sequence[_Ranges], look: list[int], looks: NDArray[np.int32]) -> NDArray[np.int32]:
    """Looks that share a value with one of them in every column."""
    for place, column in enumerate(columns):
        looks = looks[column.sharing(look[place])[looks[:, place]]]
    return looks


@dataclass(frozen=True, eq=False)
class _Ranges:
    """The cells of one column, to hold each against all."""

    cells: tuple[Cell, ...]

    @cached_property
    def crosses_any(self) -> bool:
        """Whether any two ranges cross."""
        return any(self.crossing(number).any() for number in np.flatnonzero(~np.isnan(self.ends[0])).tolist())

    def crossing(self, number: int) -> Flags:
        """Cells whose range begins inside this one and ends outside, or the other way; a shared end is no overlap."""
        low, high = self.ends
        at, to = low[number], high[number]
        crossing: Flags = ((at < low) & (low < to) & (to < high)) | ((low < at) & (at < high) & (high < to))
        return crossing

    def sharing(self, number: int) -> Flags:
        """Cells that hold a value of this one."""
        codes, starts = self._values
        held = np.zeros(int(codes.max()) + 1, np.bool_)
        held[self.cells[number].codes] = True
        sharing: Flags = np.logical_or.reduceat(held[codes], starts)
        return sharing

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Low and high end of each range; NaN for cells that are none, which cross nothing."""
        spans = [span_of(cell.text) if cell.how == "range" else None for cell in self.cells]
        low = [np.nan if span is None else span.low for span in spans]
        high = [np.nan if span is None else span.high for span in spans]
        return np.array(low, np.float64), np.array(high, np.float64)

    @cached_property
    def _values(self) -> tuple[Longs, Longs]:
        """The values of all cells one after the other, and where those of each start."""
        sizes = np.array([len(cell.codes) for cell in self.cells], np.int64)
        return np.concatenate([cell.codes for cell in self.cells]).astype(np.int64), np.cumsum(sizes) - sizes
