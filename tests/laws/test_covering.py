"""Which rows published parts cover, against trying every row with every part."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.kinds.tables.verify.original import Held, count_covered, pairs_covered
from tests.effort import tries


@st.composite
def cases(draw):
    """Cells of some attributes as sets of values, parts of them, and distinct rows; -1 is a value nobody holds."""
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    cells = [
        draw(st.lists(st.sets(st.integers(0, width - 1), min_size=1), min_size=1, max_size=4))
        for width in widths
    ]
    parts = draw(st.lists(st.tuples(*(st.integers(0, len(each) - 1) for each in cells)), max_size=6))
    rows = draw(
        st.lists(st.tuples(*(st.integers(-1, width - 1) for width in widths)), max_size=8, unique=True)
    )
    return cells, parts, rows


def held(cells):
    first, offsets, members = [0], [], []
    for attribute in cells:
        offsets.append(len(members))
        for cell in attribute:
            members += sorted(cell)
            offsets.append(len(members))
        first.append(len(offsets))
    return Held(np.array(first, np.int64), np.array(offsets, np.int64), np.array(members, np.int32))


@settings(max_examples=tries(150), deadline=None)
@given(cases(), st.integers(1, 3))
def test_ranges_that_are_left_out_cover_nothing(case, weight):
    cells, parts, rows = case
    width = len(cells)
    fits = [[all(row[a] in cells[a][part[a]] for a in range(width)) for row in rows] for part in parts]
    given_parts = np.array(parts, np.int32).reshape(-1, width)
    given_rows = np.array(rows, np.int32).reshape(-1, width)
    covered = np.zeros(len(rows), np.int64)
    found = count_covered(held(cells), given_parts, given_rows, np.full(len(rows), weight), covered)
    assert found.tolist() == [weight * sum(each) for each in fits]
    assert covered.tolist() == [int(any(each[row] for each in fits)) for row in range(len(rows))]
    pairs = pairs_covered(held(cells), given_parts, given_rows)
    assert sorted(map(tuple, pairs.tolist())) == sorted(
        (row, part) for part in range(len(parts)) for row in range(len(rows)) if fits[part][row]
    )
