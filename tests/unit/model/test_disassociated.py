"""A release says what it does not have."""

from __future__ import annotations

import pytest

import cloven as cv
from cloven.errors import ParameterError

ROWS = [["a", "b", "x"], ["a", "b"], ["a", "c"], ["a", "b"], ["a", "y", "b"]]


def release(rare_items):
    data = cv.Transactions.from_records(ROWS)
    return cv.Disassociation(k=2, m=2, rare_items=rare_items, max_cluster_size=5).anonymise(data).release


def test_where_there_is_no_root_asking_for_it_says_so():
    papers = release("cluster")
    with pytest.raises(ParameterError, match=r"no joint -1 \(what is rare stands in clusters here"):
        papers.joint(papers.root)


def test_a_joint_that_is_not_there_is_refused():
    found = release("list")
    assert found.joint(found.root).term_chunk == ("c", "x", "y")
    with pytest.raises(ParameterError, match="no joint 7; there are 1 joints, from 0"):
        found.joint(7)
