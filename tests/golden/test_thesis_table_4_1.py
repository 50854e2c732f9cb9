"""Table 4.1 of the semantic-attack thesis: the correlations hold, the formula and a claim beside them do not."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.relatedness.evaluation import evaluate
from cloven.relatedness.vectors import Vectors
from experiments.table_4_1 import (
    PRINTED,
    ROWS,
    measured,
    miller_charles,
    printed_methods,
    thesis_table_4_1,
)


@pytest.fixture(scope="module")
def methods():
    return printed_methods(np.random.default_rng(1))


def test_the_printed_correlations_are_pearsons(methods):
    assert [round(found.pearson.value, 4) for found in methods] == [0.7164, 0.7523, 0.7199, 0.6459]
    assert tuple(round(found.pearson.value, 2) for found in methods) == PRINTED


def test_by_rank_the_last_measure_is_the_first(methods):
    assert [round(found.spearman.value, 3) for found in methods] == [0.687, 0.692, 0.748, 0.801]


def test_the_formula_printed_beside_is_the_covariance(methods):
    assert [round(found.covariance, 4) for found in methods] == [0.0545, 0.0566, 0.0477, 0.0503]


def test_not_every_pair_from_number_10_on_scores_above_every_pair_before(methods):
    assert [found.below for found in methods] == [9, 4, 7, 9]
    assert [found.level for found in methods] == [2, 0, 0, 0]


def test_the_pairs_are_30_and_ordered_by_people(methods):
    human = miller_charles().human
    assert len(ROWS) == len({row[:2] for row in ROWS}) == 30
    assert (np.diff(human) >= 0).all()
    assert {found.scored for found in methods} == {30}


def test_intervals_hold_the_values_and_are_wide(methods):
    for found in methods:
        for coefficient in (found.pearson, found.spearman):
            for low, high in (coefficient.bootstrap, coefficient.fisher):
                assert low < coefficient.value < high
                assert 0.15 < high - low < 0.6


class Length:
    """A measure that everybody can check: minus the difference in length, unknown for words with a w."""

    name = "length"

    def relate(self, items):
        self.lengths = np.array([np.nan if "w" in item else len(item) for item in items])
        return self

    def block(self, left, right):
        return -np.abs(self.lengths[left][:, None] - self.lengths[right][None, :])


def test_any_measure_stands_beside_the_printed_ones():
    page, found = thesis_table_4_1([Length()], np.random.default_rng(1))
    assert len(found) == 5
    assert found[4].scored == sum("w" not in first + second for first, second, *_ in ROWS) < 30
    expected = evaluate(Length(), miller_charles(), np.random.default_rng(1))
    assert found[4].pearson.value == expected.pearson.value
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 5
    assert rows[2].startswith("| NGD' | 30 of 30 | 0.72 | 0.716 (")
    assert rows[2].endswith("| 0.0545 | 9 + 2 |")
    assert rows[6].startswith(f"| length | {found[4].scored} of 30 | - |")


@pytest.mark.data
def test_glove_of_100_dimensions(data_dir):
    """The thesis names no dimension; its own column is not reproduced by this file."""
    path = data_dir / "vectors" / "glove_6b_100d_150k.npy"
    if not path.exists():
        pytest.skip(f"no {path}")
    (found,) = measured([Vectors(path)], np.random.default_rng(1))
    assert found.scored == 30
    assert found.pearson.value == pytest.approx(0.634, abs=0.001)
