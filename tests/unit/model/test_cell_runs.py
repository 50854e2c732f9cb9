"""Cells as runs of values, against sets of values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloven.kinds.tables.cells import CellRuns
from cloven.kinds.tables.release import CellDomain

VALUES = 6


@given(st.lists(st.sets(st.integers(0, VALUES - 1), min_size=1), min_size=1, max_size=5))
def test_a_cell_stands_for_its_values_and_no_others(cells):
    members = np.array([value for cell in cells for value in sorted(cell)], np.int32)
    offsets = np.cumsum([0, *map(len, cells)])
    labels = tuple(map(str, range(len(cells))))
    domain = CellDomain("a", False, tuple("012345"), None, labels, offsets, members)
    found = CellRuns.of(domain).stand_for(np.arange(-2, VALUES)[:, None], np.arange(len(cells))[None, :])
    assert found.tolist() == [[value in cell for cell in cells] for value in range(-2, VALUES)]
