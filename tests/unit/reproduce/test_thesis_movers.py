"""Word mover's distance against a linear programme that cancels nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from experiments.thesis.movers import Vectors, movers_distances

WORDS = 12


def transport(a, b, matrix):
    """The full problem: weights 1/n and 1/m, common words left in."""
    ways = np.array([[np.sqrt(((matrix[i] - matrix[j]) ** 2).sum()) for j in b] for i in a])
    n, m = ways.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    sums = np.concatenate((np.full(n, 1 / n), np.full(m, 1 / m)))
    return linprog(ways.ravel(), A_eq=np.vstack((rows, columns)), b_eq=sums).fun


def needs_pot(*lengths):
    """Two words on each side and unequal lengths go to POT."""
    if len(set(lengths)) > 1:
        pytest.importorskip("ot", reason="word mover's distance of unequal records needs POT")


@given(
    st.sets(st.integers(0, WORDS - 1), min_size=1, max_size=7),
    st.sets(st.integers(0, WORDS - 1), min_size=1, max_size=7),
    st.integers(0, 2**32),
)
def test_distance_is_the_least_transport(first, second, seed):
    needs_pot(len(first), len(second))
    # Small whole numbers: words with equal vectors and ties between ways.
    matrix = np.random.default_rng(seed).integers(0, 3, (WORDS, 2)).astype(float)
    a, b = np.array(sorted(first)), np.array(sorted(second))
    found = movers_distances([a], [b], Vectors(matrix, np.ones(WORDS, bool)))
    assert found[0] == pytest.approx(transport(a, b, matrix), abs=1e-9)


def test_unknown_words_are_left_out():
    matrix = np.array([[0.0], [1.0], [9.0], [np.nan]])
    vectors = Vectors(matrix, np.array([True, True, True, False]))
    left = [np.array([0, 3]), np.array([3]), np.array([], int), np.array([0, 2])]
    right = [np.array([1, 3]), np.array([0]), np.array([], int), np.array([0, 2])]
    found = movers_distances(left, right, vectors)
    np.testing.assert_array_equal(found, [1.0, np.nan, np.nan, 0.0])
