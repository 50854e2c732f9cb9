"""Association of attributes, by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import contingency as reference

from cloven.data.table import Attribute
from cloven.kinds.tables.methods.columns import association, binned, contingency, value_bins


@pytest.mark.parametrize("sizes", [(2, 2), (3, 5), (7, 2)])
def test_agrees_with_cramers_v(sizes):
    rng = np.random.default_rng(sum(sizes))
    left, right = (rng.integers(size, size=200).astype(np.int32) for size in sizes)
    v = reference.association(reference.crosstab(left, right).count, method="cramer")
    assert contingency(left, right) == pytest.approx(v**2)
    least = min(sizes)
    assert contingency(left, right, "min") == pytest.approx(v**2 * (least - 1) / least)


def test_values_that_do_not_occur_do_not_count(make_table):
    table = make_table({"a": "xxyyz", "b": "ppqqq"})
    assert association(table.take(np.arange(4)))[0, 1] == pytest.approx(1.0)


def test_order_of_strength_depends_on_the_normalisation(make_table):
    table = make_table({"a": "ssttssttsttt", "b": "ssttsstttsst", "c": "uvwwuvwwvwuu", "d": "uvwwuvwwwuvv"})
    usual, printed = association(table), association(table, normalisation="min")
    assert printed[0, 1] == pytest.approx(usual[0, 1] / 2)
    assert printed[2, 3] == pytest.approx(usual[2, 3] * 2 / 3)


def test_bins_of_equal_width_and_frequency():
    numbers = Attribute("n", "quasi-identifier", tuple("01239"), np.array([0.0, 1, 2, 3, 9]))
    codes = np.array([0, 0, 0, 0, 1, 2, 3, 4], np.int32)
    assert value_bins(numbers, codes, 3).tolist() == [0, 0, 0, 1, 2]
    assert value_bins(numbers, codes, 2, "frequency").tolist() == [0, 1, 1, 1, 1]
    assert value_bins(numbers, codes, 5).tolist() == [0, 1, 2, 3, 4]  # few enough to stay as they are


def test_binned_codes_have_no_gaps(make_table):
    table = make_table({"n": ["0", "1", "2", "50", "100"], "t": "abcab"}, numbers=("n",))
    assert binned(table, 4).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [2, 1]]
