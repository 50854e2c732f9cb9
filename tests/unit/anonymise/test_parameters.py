"""Parameters are checked when a method is made, and tell no more than the method when it is published."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.methods import Disassociation

DATA = Transactions.from_records([["flu", "fever"], ["flu", "cough"], ["flu", "fever"], ["flu"]] * 5)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": True}, "k must be"),
        ({"k": 2.5}, "2.5"),
        ({"m": 0}, "m must be"),
        ({"k": 20, "max_cluster_size": 30}, "at least 39"),
        ({"small_clusters": "drop"}, "add, abandon"),
        ({"reading": "loose"}, "occurring"),
        ({"horizontal": "horpart"}, "an object with partition"),
        ({"horizontal": object()}, "partition"),
        ({"refine": "no"}, "'no'"),
        ({"sensitive": "Smith"}, "collection of item names"),
        ({"sensitive": {3}}, "got 3"),
        ({"utility_groups": "flu"}, "collection of groups"),
        ({"utility_groups": ("flu", "x")}, "collection of item names"),
        ({"tie_order": "random"}, "first-seen"),
        ({"block_records": 3}, "block_records"),
        ({"rare_items": "drop"}, "rare_items must be one of withhold, list, cluster"),
        ({"root_chunks": "many"}, "root_chunks must be one of single, several"),
    ],
)
def test_wrong_parameters_are_refused_at_once(parameters, words):
    with pytest.raises(ParameterError, match=words):
        Disassociation(**parameters)


def test_numpy_numbers_become_plain_ones():
    method = Disassociation(k=np.int64(5), max_cluster_size=np.int32(30))
    assert json.dumps(method.parameters)
    assert type(method.k) is int


def test_a_misspelt_sensitive_item_is_an_error():
    with pytest.raises(ParameterError, match="'fluu'"):
        Disassociation(k=3, sensitive={"fluu"}).anonymise(DATA)
    method = Disassociation(k=3, sensitive={"fluu", "flu"}, ignore_unknown=True, rare_items="cluster")
    release = method.anonymise(DATA).release
    assert all("flu" in cluster.term_chunk for cluster in release.iter_clusters())
    assert release.parameters["sensitive"] == 2


@pytest.mark.parametrize("rare", ["withhold", "list"])
def test_a_sensitive_item_stands_alone_at_the_root(rare):
    release = Disassociation(k=3, sensitive={"flu"}, rare_items=rare).anonymise(DATA).release
    shown = {
        item
        for each in release.iter_clusters()
        for chunk in each.record_chunks
        for row in chunk
        for item in row
    }
    assert "flu" not in shown
    root = release.joint(release.root)
    counted, named = (("flu",),) * 20 in root.shared_chunks, "flu" in root.term_chunk
    # With a list no record is empty: what fills them must be an item without a count.
    assert (counted, named) == ((True, False) if rare == "withhold" else (False, True))


def test_chunks_of_the_root_are_no_matter_where_there_is_none():
    assert "root_chunks" not in Disassociation(rare_items="cluster").parameters
    assert Disassociation().parameters["root_chunks"] == "single"
    assert Disassociation().parameters["rare_items"] == "withhold"


def test_parameters_name_nobody():
    method = Disassociation(
        k=3, tie_order=("Secret Person", "flu"), utility_groups=[["flu", "Secret Person"]]
    )
    assert "Secret" not in json.dumps(method.anonymise(DATA).release.parameters)
    assert Disassociation(tie_order="first-seen").parameters["unsafe"]


class Step:
    """A plugged-in step that answers what it was given."""

    def __init__(self, answer):
        self.answer = answer

    def partition(self, part):
        return self.answer


@pytest.mark.parametrize(
    "answer", [[0] * 19, np.zeros(20), np.zeros((20, 1), int), [0] * 10 + [2] * 10, [0] * 19 + [1]]
)
def test_a_step_that_gives_nonsense_is_named(answer):
    with pytest.raises(ParameterError, match=r"Step\.partition"):
        Disassociation(k=3, horizontal=Step(answer)).anonymise(DATA)


def test_a_list_of_numbers_is_fine():
    release = Disassociation(k=3, horizontal=Step([0] * 10 + [1] * 10)).anonymise(DATA).release
    assert release.clusters == 2
    assert release.parameters["horizontal"] == "Step"


@pytest.mark.parametrize(
    "broken",
    [
        {"vocabulary": ("b", "a")},
        {"codes": np.array([0, 5], np.int32)},
        {"codes": np.array([1, 0], np.int32)},
        {"offsets": np.array([0, 1])},
        {"source_rows": np.array([1, 2])},
        {"persons": np.array([1, 2])},
    ],
)
def test_data_that_is_not_sorted_is_refused(broken):
    good = {"offsets": np.array([0, 2]), "codes": np.array([0, 1], np.int32), "vocabulary": ("a", "b")}
    Transactions(**good)
    with pytest.raises(InputError, match="from_records"):
        Transactions(**{**good, **broken})


def test_arrays_of_the_caller_stay_writable():
    codes = np.array([0, 1], np.int32)
    Transactions(np.array([0, 2]), codes, ("a", "b"))
    codes[0] = 0
