"""Refining data of which nothing is left: clear words."""

from __future__ import annotations

import pytest

import cloven as cv
from cloven.errors import ParameterError
from experiments.hierarchical import Hierarchical


def test_no_cluster_at_all_is_said():
    method = cv.Disassociation(
        k=3, m=2, max_cluster_size=5, small_clusters="suppress", refine=True, horizontal=Hierarchical()
    )
    with pytest.raises(ParameterError, match="every cluster is below k = 3"):
        method.anonymise(cv.Transactions.from_records([[name] for name in "abcdef"]))
