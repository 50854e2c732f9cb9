"""What a manifest may say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from cloven.verification import verify

DATA = Transactions.from_records([["flu", "fever"], ["flu", "cough"]] * 10)
RELEASE = Disassociation(k=3, utility_groups=[["flu", "fever"]]).anonymise(DATA).release


def with_parameters(**more):
    return {
        check.name for check in verify(replace(RELEASE, parameters={**RELEASE.parameters, **more})).failures
    }


def test_every_parameter_of_the_method_is_known():
    assert verify(RELEASE).ok


@pytest.mark.parametrize(
    "more",
    [
        {"input_path": "/home/dr/patients.csv"},
        {"note": "row 3 is Bob"},
        {"seed": 42},
        {"utility_groups": [["flu", "Bob"]]},
        {"utility_groups": "flu"},
        {"horizontal": "/home/dr/step.py"},
        {"sensitive": ["hiv"]},
        {"tie_order": ["Bob"]},
        {"small_clusters": "drop"},
        {"max_cluster_size": "30"},
        {"safe": "exact", "clusters_not_enumerated": RELEASE.clusters + 1},
        {"safe": "exact", "clusters_not_enumerated": -1},
        {"safe": "exact", "clusters_not_enumerated": "those of Bob"},
    ],
)
def test_anything_else_is_a_fault(more):
    assert with_parameters(**more) == {"parameters"}


def test_a_promise_of_one_candidate_is_none():
    assert "parameters" in {check.name for check in verify(replace(RELEASE, k=1)).failures}
