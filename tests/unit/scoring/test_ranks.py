"""Ranks against a sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloven.statistics.ranks import FEW, nth_largest


@given(st.lists(st.integers(-3, 3) | st.integers(-99, 99), min_size=1, max_size=3 * FEW), st.data())
def test_nth_largest_against_a_sort(values, data):
    n = data.draw(st.integers(1, len(values)))
    assert nth_largest(np.array(values, float), n) == sorted(values, reverse=True)[n - 1]
