"""Candidates in set-generalised releases, against plain counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.reconstruction import rows_as_documents
from tests.effort import tries


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=12),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 2)),
    st.sets(st.sampled_from("abcdefz"), min_size=1, max_size=3),
)
def test_candidates_are_rows_that_show_every_block(records, blocks, known):
    data = cv.Transactions.from_records([sorted(record) for record in records])
    number = np.array([blocks.get(item, 3) for item in data.vocabulary], np.int64)
    release = assemble(data, number, k=2, parameters={"method": "coat"}).release
    found = cv.candidates(release, known)
    there = known & set(release.vocabulary)
    wanted = [row for row in release if all(any(item in block for block in row) for item in there)]
    assert found.candidates == len(wanted)
    assert set(found.unknown) == known - there
    sure = [row for row in wanted if all((item,) in row for item in known)]
    assert found.certain == (len(sure) if known == there else 0)


def test_bad_questions_are_refused():
    release = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic")).release
    with pytest.raises(ParameterError, match="not one string"):
        cv.candidates(release, "cough")
    with pytest.raises(ParameterError, match="no item is known"):
        cv.candidates(release, [])


def test_rows_are_documents_to_learn_from():
    data = cv.Transactions.from_records([["a", "x"], ["b", "y"], ["c"], ["y"]])
    release = assemble(data, np.array([0, 0, 0, 1, 2]), k=2, parameters={"method": "coat"}).release
    assert sorted(map(sorted, rows_as_documents(release))) == [
        ["a", "b", "c"], ["a", "b", "c", "x"], ["a", "b", "c", "y"], ["y"],
    ]  # fmt: skip
    assert sorted(map(sorted, rows_as_documents(release, widest=2))) == [["x"], ["y"], ["y"]]
