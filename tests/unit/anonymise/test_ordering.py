"""Lexicographic order of compressed rows against Python's own."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.arrays import lexicographic_order, take_rows
from tests.effort import tries


@settings(max_examples=tries(400), deadline=None)
@given(
    lists=st.lists(st.lists(st.integers(0, 3), max_size=90), max_size=60),
    largest=st.sampled_from([1, 5, 300, 70_000, 2**31 - 3]),
)
def test_order_is_pythons_and_stable(lists, largest):
    lists = [[value * (largest // 4) for value in row] for row in lists]
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    values = np.array([value for row in lists for value in row], np.int64)
    order = lexicographic_order(offsets, values).tolist()
    assert order == sorted(range(len(lists)), key=lambda row: lists[row])
    bounds, taken = take_rows(offsets, values, np.array(order, np.int64))
    assert [taken[a:b].tolist() for a, b in pairwise(bounds)] == sorted(lists)
