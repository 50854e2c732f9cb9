"""Who is behind published rows, against trying every assignment; and who is taken out of a table."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cloven.data.table import Attribute, Table
from cloven.errors import ParameterError
from cloven.kinds.tables.foreign import links
from cloven.kinds.tables.foreign.cells import Cell
from cloven.kinds.tables.foreign.links import (
    NOBODY,
    Shown,
    by_fit,
    by_names,
    by_numbers,
    fewest_fits,
    fitting,
    in_order,
)
from cloven.kinds.tables.foreign.outsiders import SHARE, ClassOutsiders

VALUES = 4
CELLS = st.lists(
    st.sets(st.integers(0, VALUES - 1), min_size=1).map(lambda held: np.array(sorted(held), np.int32)),
    min_size=1,
    max_size=4,
)


@st.composite
def tables(draw):
    """Up to five people with two attributes, and as many rows or fewer with any cells."""
    people = draw(st.lists(st.tuples(*[st.integers(0, VALUES - 1)] * 2), min_size=1, max_size=5))
    cells = [draw(CELLS) for _ in range(2)]
    rows = draw(
        st.lists(
            st.tuples(*(st.integers(0, len(each) - 1) for each in cells)), min_size=1, max_size=len(people)
        )
    )
    shown = Shown(
        tuple(tuple(Cell("", "set", codes) for codes in each) for each in cells), np.array(rows, np.int32)
    )
    return shown, np.array(people, np.int32)


def holds(shown, people, row, person):
    return all(people[person, c] in shown.cells[c][shown.codes[row, c]].codes for c in range(2))


@given(tables())
def test_as_many_rows_as_possible_are_linked_and_all_links_fit(both):
    shown, people = both
    found = by_fit(shown, people)
    linked = found[found != NOBODY]
    assert len(set(linked.tolist())) == len(linked)
    assert all(holds(shown, people, row, person) for row, person in enumerate(found) if person != NOBODY)
    most = max(
        sum(holds(shown, people, row, person) for row, person in enumerate(chosen))
        for chosen in permutations(range(len(people)), len(shown))
    )
    assert len(linked) == most


@given(tables(), st.data())
def test_fitting_is_holding_every_value(both, data):
    shown, people = both
    person = np.array(
        data.draw(st.lists(st.integers(-1, len(people) - 1), min_size=len(shown), max_size=len(shown)))
    )
    expected = [
        each != NOBODY and holds(shown, people, row, each) for row, each in enumerate(person.tolist())
    ]
    assert fitting(shown, people, person).tolist() == expected


@given(tables())
def test_fewest_fits_are_those_of_counting(both):
    shown, people = both
    fit = np.array(
        [[holds(shown, people, row, person) for person in range(len(people))] for row in range(len(shown))]
    )
    found = fewest_fits(shown, people)
    assert (found.rows, found.people) == (fit.sum(axis=0).min(), fit.sum(axis=1).min())


def test_the_order_of_the_original_is_noticed():
    people = np.array([[0], [1], [2]], np.int32)
    plain = tuple(Cell(str(code), "value", np.array([code], np.int32)) for code in range(3))
    assert in_order(Shown((plain,), np.array([[0], [1], [2]], np.int32)), people)
    assert not in_order(Shown((plain,), np.array([[1], [0], [2]], np.int32)), people)
    everything = (Cell("*", "nothing", np.arange(3, dtype=np.int32)),)
    assert not in_order(Shown((everything,), np.zeros((3, 1), np.int32)), people)  # any order fits


def test_names_have_to_be_unique_and_known():
    assert by_names(["c", "a"], ["a", "b", "c"]).tolist() == [2, 0]
    assert by_names(["d"], ["a", "b"]) is None
    assert by_names(["a"], ["a", "a"]) is None
    assert [each.tolist() for each in by_numbers(["0", "2"], 3)] == [[0, 2]]
    assert [each.tolist() for each in by_numbers(["1", "2"], 3)] == [[1, 2], [0, 1]]
    assert by_numbers(["1.5", "2"], 3) == by_numbers(["x", "2"], 3) == by_numbers(["7"], 3) == ()


def test_too_many_possibilities_are_refused(monkeypatch):
    monkeypatch.setattr(links, "MOST_PAIRS", 5)
    people = np.arange(6, dtype=np.int32)[:, None]
    everything = (Cell("*", "nothing", np.arange(6, dtype=np.int32)),)
    with pytest.raises(ParameterError, match="more than 5 pairs"):
        by_fit(Shown((everything,), np.zeros((2, 1), np.int32)), people)


class Keeps:
    """A method that gives the rows that are left."""

    def anonymise(self, data):
        return data.source_rows


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(1, 9), st.integers(0, 5))
def test_of_every_class_its_share_is_taken_out_and_nobody_twice(sizes, count, seed):
    rows = sum(sizes)
    assume(rows >= 10)
    attribute = Attribute("age", "quasi-identifier", ("1",))
    data = Table((attribute,), np.zeros((rows, 1), np.int32), np.arange(rows))
    number = np.repeat(np.arange(len(sizes)), sizes)
    splits = ClassOutsiders(data, Keeps(), number, count, seed).splits
    assert len(splits) == count
    taken = np.concatenate([split.outsiders for split in splits])
    assert len(np.unique(taken)) == len(taken)
    for split in splits:
        assert not split.remade
        assert np.array_equal(np.sort(np.concatenate([split.members, split.outsiders])), np.arange(rows))
        assert np.array_equal(split.result, split.members)
        out = np.bincount(number[split.outsiders], minlength=len(sizes))
        assert (np.abs(out - SHARE * np.array(sizes)) < 1 + 1e-9).all()
        assert (out[np.array(sizes) <= 10] <= 1).all()


def test_somebody_with_several_rows_is_taken_out_with_all_of_them():
    attribute = Attribute("age", "quasi-identifier", ("1",))
    persons = np.repeat(np.arange(20), 2)
    data = Table((attribute,), np.zeros((40, 1), np.int32), np.arange(40), persons)
    for split in ClassOutsiders(data, Keeps(), np.arange(40) // 4, 3).splits:
        assert not set(persons[split.members]) & set(persons[split.outsiders])


def test_too_few_people_are_refused():
    attribute = Attribute("age", "quasi-identifier", ("1",))
    data = Table((attribute,), np.zeros((9, 1), np.int32), np.arange(9))
    with pytest.raises(ParameterError, match="too few to take some out"):
        ClassOutsiders(data, Keeps(), np.zeros(9, np.int64), 3).splits  # noqa: B018
