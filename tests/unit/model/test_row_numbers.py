"""Numbers of rows against sorting whole rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloven.data.arrays import row_numbers

numbers = st.sampled_from((0, 1, 2, -5, 7, 2**61, -(2**61), 2**31))


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(numbers, min_size=width, max_size=width), max_size=8)
    )
)
def test_equal_rows_have_equal_numbers_in_order(rows):
    matrix = np.array(rows, np.int64).reshape(len(rows), -1 if rows else 0)
    wanted = np.unique(matrix, axis=0, return_inverse=True)[1].reshape(-1) if rows else []
    assert row_numbers(matrix).tolist() == list(wanted)
