"""Refining small data, which runs without the compiler: the same as compiled, and clear words where nothing is left."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cloven as cv
from cloven.errors import ParameterError
from experiments.hierarchical import Hierarchical

JOINED = """
import cloven as cv
records = [
    ["i04"], ["i01", "i05"], ["i07"], ["i09"], ["i04", "i06", "i10"], ["i00"], ["i08", "i11"], ["i00"], ["i00"],
    ["i05", "i12"], ["i00"], ["i10"], ["i11"],
]
method = cv.Disassociation(k=2, m=3, max_cluster_size=3, refine=True, join_terms="listed")
print(method.anonymise(cv.Transactions.from_records(records)).release.joints)
clinic = cv.Disassociation(k=5, m=2, refine=True).anonymise(cv.sample("clinic")).release
print(len(clinic.row_items))
"""


def test_keys_of_the_order_have_all_their_bits():
    """They hold up to 62 bits."""
    told = subprocess.run(
        [sys.executable, "-c", JOINED], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split() == ["2", "8488"]


def test_no_cluster_at_all_is_said():
    method = cv.Disassociation(
        k=3, m=2, max_cluster_size=5, small_clusters="suppress", refine=True, horizontal=Hierarchical()
    )
    with pytest.raises(ParameterError, match="every cluster is below k = 3"):
        method.anonymise(cv.Transactions.from_records([[name] for name in "abcdef"]))
