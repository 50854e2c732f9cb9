"""Records picked by number: what is left is as if it had been read so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from tests.effort import tries

RECORDS = st.lists(st.sets(st.sampled_from("abcdefg"), min_size=1), min_size=1, max_size=12)


@settings(max_examples=tries(60), deadline=None)
@given(records=RECORDS, lots=st.lists(st.integers(0, 99), max_size=15), told=st.booleans())
def test_records_are_picked_in_the_order_given(records, lots, told):
    data = Transactions.from_records(records)
    persons = np.arange(len(data)) // 2 if told else None
    data = Transactions(data.offsets, data.codes, data.vocabulary, persons, data.source_rows + 5, 3)
    index = np.array([lot % len(data) for lot in lots], np.int64)
    found = data.take(index)
    wanted = Transactions.from_records([records[at] for at in index.tolist()])
    assert found.vocabulary == wanted.vocabulary
    assert [sorted(record) for record in found] == [sorted(record) for record in wanted]
    assert found.codes.dtype == np.int32
    assert found.source_rows.tolist() == (index + 5).tolist()
    assert found.empty_records == 0
    assert persons is None or found.persons.tolist() == persons[index].tolist()


def test_a_mask_picks_what_it_marks():
    data = Transactions.from_records([["a"], ["b", "c"], ["a", "c"]])
    assert [sorted(record) for record in data.take(np.array([True, False, True]))] == [["a"], ["a", "c"]]


@pytest.mark.parametrize("number", [-1, 3])
def test_records_that_are_not_there_are_refused(number):
    data = Transactions.from_records([["a"], ["b", "c"], ["a", "c"]])
    with pytest.raises(IndexError, match="3 records"):
        data.take(np.array([0, number]))
