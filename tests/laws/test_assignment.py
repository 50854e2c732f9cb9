"""Assignment inside kernels: the same as SciPy's, whichever of several best ones that takes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cloven.statistics.assignment import assigned
from tests.effort import tries


@settings(max_examples=tries(100))
@given(st.integers(0, 2**32), st.sampled_from((1, 3, 1000)), st.booleans())
def test_as_scipy_assigns(seed, most, fractions):
    """Few different weights make many best assignments; unequal sides leave rows or columns over."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        rows, columns = rng.integers(0, 9, 2)
        weight = rng.integers(0, most, (rows, columns), endpoint=True).astype(float)
        if fractions:
            weight += weight / rng.integers(1, 4, columns)
        expected = np.full(rows, -1)
        row, column = linear_sum_assignment(weight, maximize=True)
        expected[row] = column
        assert assigned(weight).tolist() == expected.tolist()
