"""Cells as runs of neighbouring values: a range is a single run, however many values it holds.

What is asked of cells (how much of them is meant, what their rows say about each value) is answered by sums over runs,
so that it costs no more for ranges of a million numbers than for ranges of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain


@dataclass(frozen=True, eq=False)
class CellRuns:
    """The cells of one attribute.

    Attributes:
        first: first value of each run, cell after cell.
        last: last value of each run.
        offsets: where the runs of each cell start.
        sizes: how many values each cell holds.
        values: how many values there are.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    values: int

    @classmethod
    def of(cls, domain: CellDomain) -> CellRuns:
        """The runs of a published domain.

        >>> from cloven.model.published_table import CellDomain
        >>> domain = CellDomain("age", False, tuple("1234"), np.arange(4.0), ("1..3", "{1, 4}"),
        ...     np.array([0, 3, 5]), np.array([0, 1, 2, 0, 3], np.int32))
        >>> runs = CellRuns.of(domain)
        >>> runs.first.tolist(), runs.last.tolist(), runs.offsets.tolist()
        ([0, 0, 3], [2, 0, 3], [0, 1, 3])
        """
        edges, members = domain.member_offsets, domain.members
        sizes, values = np.diff(edges), len(domain.values)
        first, last = (members[ends].astype(np.int64) for ends in (edges[:-1], edges[1:] - 1))
        if (last - first == sizes - 1).all():  # nothing but ranges: no need to look inside
            return cls(first, last, np.arange(len(edges)), sizes, values)
        begins = np.ones(len(members), np.bool_)
        np.not_equal(members[1:], members[:-1] + 1, out=begins[1:])
        begins[edges[:-1]] = True
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(members)) - 1
        return cls(
            members[starts].astype(np.int64),
            members[ends].astype(np.int64),
            np.searchsorted(starts, edges),
            sizes,
            values,
        )

    @property
    def single(self) -> bool:
        """Whether every cell is one value."""
        return bool((self.sizes == 1).all())

    @property
    def cell_of_run(self) -> NDArray[np.int64]:
        """The cell that each run belongs to."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.offsets))

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Whether each value is in some cell."""
        steps = np.bincount(self.first, minlength=self.values + 1)
        steps -= np.bincount(self.last + 1, minlength=self.values + 1)
        return np.cumsum(steps)[:-1] > 0

    def stand_for(self, values: NDArray[np.int64], cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether a cell stands for a value, one by one; values below 0 are in no cell. Both are broadcast.

        >>> from cloven.model.published_table import CellDomain
        >>> domain = CellDomain("age", False, tuple("1234"), np.arange(4.0), ("1..3", "{1, 4}"),
        ...     np.array([0, 3, 5]), np.array([0, 1, 2, 0, 3], np.int32))
        >>> CellRuns.of(domain).stand_for(np.array([1, 1, 3, -2]), np.array([0, 1, 1, 0])).tolist()
        [True, False, True, False]
        """
        values, cells = np.broadcast_arrays(values, np.asarray(cells, np.int64))
        # Runs stand cell after cell, in each cell in ascending order: one search finds the run that may hold a value.
        ends = self.cell_of_run * self.values + self.last
        at = np.searchsorted(ends, cells * self.values + np.maximum(values, 0))
        inside = (values >= 0) & (at < self.offsets[cells + 1])
        found: NDArray[np.bool_] = inside & (self.first[np.minimum(at, len(self.first) - 1)] <= values)
        return found

    def mean_in_cells(self, per_value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean over the values of each cell of a number that each value has."""
        before = np.concatenate(([0.0], np.cumsum(per_value)))
        totals = np.add.reduceat(before[self.last + 1] - before[self.first], self.offsets[:-1])
        means: NDArray[np.float64] = totals / self.sizes
        return means

    def over_values(self, per_cell: NDArray[Any]) -> NDArray[np.float64]:
        """What cells have, shared out evenly among their values; any number of columns."""
        each = (per_cell.T / self.sizes).T[self.cell_of_run]
        out = np.zeros((self.values + 1, *per_cell.shape[1:]))
        np.add.at(out, self.first, each)
        if self.single:
            return out[:-1]
        np.subtract.at(out, self.last + 1, each)
        covers = np.zeros(out.shape, np.int64)  # whole numbers tell for certain what no cell reaches
        np.add.at(covers, self.first, each != 0)
        np.subtract.at(covers, self.last + 1, (each != 0).astype(np.int64))
        shared: NDArray[np.float64] = np.cumsum(out, axis=0)[:-1]
        return np.where(np.cumsum(covers, axis=0)[:-1] > 0, np.maximum(shared, 0.0), 0.0)
