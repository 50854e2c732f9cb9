"""Word mover's distance against a linear programme that cancels nothing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cloven.errors import ParameterError
from cloven.kinds.disassociated.score.definitions import units
from cloven.kinds.disassociated.score.movers import Vectors, check_vectors, movements, movers_distances
from cloven.kinds.disassociated.score.rebuilt import anchors, attached, disassociated
from cloven.kinds.disassociated.score.truth import truth

from .plain import attacked

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
    assert found.distance[0] == pytest.approx(transport(a, b, matrix), abs=1e-9)


def test_unknown_words_are_left_out_and_counted():
    matrix = np.array([[0.0], [1.0], [9.0], [np.nan]])
    vectors = Vectors(matrix, np.array([True, True, True, False]))
    left = [np.array([0, 3]), np.array([3]), np.array([], int), np.array([0, 2])]
    right = [np.array([1, 3]), np.array([0]), np.array([], int), np.array([0, 2])]
    found = movers_distances(left, right, check_vectors(vectors, 4))
    np.testing.assert_array_equal(found.distance, [1.0, np.nan, np.nan, 0.0])
    assert found.unknown.tolist() == [2, 1, 0, 0]


@given(attacked(items="abcde"))
def test_movements_average_over_slots(case):
    made, guess, chosen = case
    needs_pot(1, 2)
    words = made.release.vocabulary
    rng = np.random.default_rng(len(chosen))
    vectors = Vectors(rng.normal(size=(len(words), 3)), rng.random(len(words)) < 0.8)
    answers = truth(made.questions, made.release, made.key)
    true = disassociated(answers, len(words))
    shown = anchors(made.questions, made.release)
    found, left_out = movements(
        attached(guess, made.release), true, shown, vectors, units(made.questions, made.release)
    )
    for scope, kinds in (("all", ("record", "shared", "term")), ("term", ("term",))):
        distances, unknown, bare = [], 0, 0
        for slot, (_, anchor, record) in enumerate(made.slots):
            top = set() if anchor is None else made.rows[anchor][1]
            put = [made.targets[t] for t, s in chosen if s == slot]
            rebuilt = top.union(*(items for chunk, items, _ in put if chunk[0] in kinds))
            original = top | made.disassociated(record, kinds)
            codes = [[words.index(item) for item in sorted(side)] for side in (rebuilt, original)]
            known = [[code for code in side if vectors.known[code]] for side in codes]
            unknown += sum(map(len, codes)) - sum(map(len, known))
            if all(known):
                distances.append(transport(*known, vectors.matrix))
            else:
                bare += 1
        assert left_out[scope] == {"unknown_words": unknown, "records_without_words": bare}
        value = found["movers", scope].value
        assert value == (pytest.approx(np.mean(distances), abs=1e-9) if distances else None)


def test_without_pot_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot.lp", None)
    vectors = Vectors(np.random.default_rng(1).normal(size=(5, 2)), np.ones(5, bool))
    with pytest.raises(ParameterError, match=r'needs the library POT; pip install "cloven\[text\]"'):
        movers_distances([np.array([0, 1])], [np.array([2, 3, 4])], vectors)
    equal = movers_distances([np.array([0, 1])], [np.array([2, 3])], vectors)
    assert equal.distance[0] > 0


@pytest.mark.parametrize(
    ("matrix", "known", "match"),
    [
        (np.zeros((3, 2)), np.ones(3, bool), r"each of the 4 items .* \(got shapes \(3, 2\) and \(3,\)\)"),
        (np.zeros((4, 2)), np.ones(3, bool), "got shapes"),
        (np.full((4, 2), np.nan), np.ones(4, bool), "not finite"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(matrix, known, match):
    with pytest.raises(ParameterError, match=match):
        check_vectors(Vectors(matrix, known), 4)
