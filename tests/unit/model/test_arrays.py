"""Tables and counts in place of comparisons give the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cloven as cv
from cloven.data import arrays
from cloven.data.arrays import (
    MANY,
    among,
    ascend,
    distinct,
    lexicographic_order,
    offsets_of,
    order_inside,
    places,
    stable_order,
    take_rows,
)
from cloven.data.transactions import Transactions
from cloven.verification.claims import compare_neighbours

FAR = st.one_of(st.integers(-20, 20), st.sampled_from([-(2**63), 2**63 - 1, -(2**62), 2**62]))


@given(st.lists(FAR, max_size=20), st.lists(FAR, max_size=20), st.sampled_from([np.int64, np.int8]))
def test_among_is_membership(values, known, kind):
    values = [value for value in values if np.iinfo(kind).min <= value <= np.iinfo(kind).max]
    found = among(np.array(values, kind), np.array(known, np.int64))
    assert found.tolist() == [value in known for value in values]


@given(st.sets(st.integers(-9, 9), min_size=1), st.data())
def test_places_are_indices(known, data):
    ordered = sorted(known)
    values = data.draw(st.lists(st.sampled_from(ordered)))
    found = places(np.array(ordered), np.array(values, np.int64))
    assert found.tolist() == [ordered.index(value) for value in values]


@example([[], [1, 1]], 0)  # nothing stands before the first list
@given(
    st.lists(st.lists(st.integers(0, 4), max_size=3) | st.sets(st.integers(0, 4)).map(sorted)),
    st.integers(0, 1),
)
def test_lists_ascend_if_each_is_a_sorted_set(lists, more):
    lengths, values = np.array([len(each) for each in lists], np.int64), list(itertools.chain(*lists))
    right = more == 0 and all(each == sorted(set(each)) for each in lists)
    assert ascend(lengths, np.array(values + [9] * more, np.int32)) == right


@given(st.lists(FAR, max_size=30))
def test_counted_order_is_sorted_order(keys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "MANY", 1)
        found = stable_order(np.array(keys, np.int64))
    assert found.tolist() == sorted(range(len(keys)), key=keys.__getitem__)


def test_long_lists_are_counted():
    keys = np.random.default_rng(3).integers(-50, 50, MANY)
    assert np.array_equal(stable_order(keys), np.argsort(keys, kind="stable"))


@given(st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=2, max_size=8))
def test_neighbours_compare_like_lists(rows):
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    items = np.array([item for row in rows for item in row], np.int64)
    found = compare_neighbours(offsets, items, np.arange(len(rows) - 1))
    assert found.tolist() == [(left > right) - (left < right) for left, right in itertools.pairwise(rows)]


@st.composite
def many_lists(draw):
    """Lists that begin alike: keys are equal, and so long that a key does not hold all of a list."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    many, longest, items = draw(st.integers(0, 300)), draw(st.integers(0, 9)), draw(st.integers(1, 5))
    far = draw(st.sampled_from([1, 1_000, 2**30 // 5]))  # wide items leave room for few in a key
    rows = [(rng.integers(0, items, rng.integers(0, longest + 1)) * far).tolist() for _ in range(many)]
    flat = np.array([item for row in rows for item in row], np.int32)
    return rows, offsets_of(np.array([len(row) for row in rows], np.int64)), flat


@given(many_lists())
def test_lists_are_sorted_as_python_sorts_them(lists):
    rows, offsets, items = lists
    order = lexicographic_order(offsets, items)
    assert order.tolist() == sorted(range(len(rows)), key=rows.__getitem__)
    bounds, taken = take_rows(offsets, items, order)
    assert [taken[a:b].tolist() for a, b in itertools.pairwise(bounds)] == sorted(rows)


@given(many_lists(), st.lists(st.integers(0, 300)))
def test_lists_are_sorted_inside_groups(lists, cuts):
    rows, offsets, items = lists
    groups = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    expected = [at for a, b in itertools.pairwise(groups) for at in sorted(range(a, b), key=rows.__getitem__)]
    assert order_inside(np.array(groups), offsets, items).tolist() == expected


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=8), st.booleans())
def test_records_of_arrays_are_those_of_sets(lists, ascending):
    """Whether items come in order, which is seen without sorting, or not; empty records go."""
    lists = [sorted(set(each)) if ascending else each for each in lists]
    lengths, codes = np.array([len(each) for each in lists], np.int64), list(itertools.chain(*lists))
    data = Transactions.from_arrays(lengths, np.array(codes, np.int32), tuple("abcdef"))
    assert list(data) == [{"abcdef"[code] for code in each} for each in lists if each]
    assert data.empty_records == sum(not each for each in lists)


@given(st.lists(FAR, max_size=20), st.booleans())
def test_distinct_values_ascend(values, ascending):
    values = sorted(values) if ascending else values
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


@pytest.mark.parametrize("lengths", [[1], [1, 2], []])
def test_lengths_that_do_not_add_up_are_refused(lengths):
    with pytest.raises(cv.InputError, match="must add up to the number of codes, 2, got"):
        Transactions.from_arrays(np.array(lengths, np.int64), np.array([0, 1], np.int32), ("a", "b"))


def test_lengths_are_whole_numbers():
    with pytest.raises(TypeError):
        Transactions.from_arrays(np.array([1.5, 1.0]), np.array([0, 1], np.int32), ("a", "b"))
