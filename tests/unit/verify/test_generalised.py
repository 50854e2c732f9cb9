"""Planted faults in set-generalised releases: the check that must see each of them, and no other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.policy import Policy
from cloven.verification import verify

RECORDS = [["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"], ["a"], ["d", "e"], ["x", "a"], ["x"]]
DATA = Transactions.from_records(RECORDS)
# Blocks: 0 = a; 1 = b, c; 2 = d, e; x is suppressed.
BLOCKS = np.array([0, 1, 1, 2, 2, -1])
PARAMETERS = {
    "method": "coat",
    "reading": "subsets-too",
    "max_suppressed": 0.2,
    "all_up_to": 1,
    "protected": 1,
    "largest": 1,
    "groups": 2,
    "weighted": False,
    "persons": False,
}
POLICY = Policy((("a",), ("b",)), 1, (("g", ("b", "c")), ("h", ("c", "d", "e"))))


def made(data=DATA, parameters=PARAMETERS, blocks=BLOCKS, k=3):
    return assemble(data, blocks, k=k, parameters=parameters)


def failures(result, data=DATA, policy=POLICY, release=None, key=None):
    verdict = verify(release or result.release, original=data, key=key or result.key, policy=policy)
    return [check.name for check in verdict.failures]


def array(*values):
    return np.array(values)


def test_the_release_without_faults_passes_at_every_level():
    result = made()
    assert list(result.release) == [
        (),
        (("a",),),
        (("a",),),
        (("a",), ("b", "c")),
        (("a",), ("b", "c")),
        (("b", "c"), ("d", "e")),
        (("b", "c"), ("d", "e")),
        (("d", "e"),),
    ]
    for given in (
        {},
        {"policy": POLICY},
        {"original": DATA},
        {"original": DATA, "key": result.key, "policy": POLICY},
    ):
        verdict = verify(result.release, **given)
        assert verdict.ok, str(verdict)
    assert verdict.level == "key"
    detail = {check.name: check.detail for check in verdict.checks}
    assert detail["suppressed items"] == "1 of at most 1 items suppressed; 1 record is left empty"
    with pytest.raises(ParameterError, match="a key was given without the original"):
        verify(result.release, key=result.key)


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ({"k": 0}, "k is 0, not a whole number from 1"),
        ({"k": True}, "k is True, not a whole number from 1"),
        ({"block_items": np.array([0.0, 1, 2, 3, 4])}, "block_items is not a list of whole numbers"),
        ({"row_offsets": array()[:0].astype(int)}, "row_offsets is empty, it begins with 0"),
        ({"block_labels": ("", "")}, "2 labels for 3 blocks"),
        ({"block_labels": ("", "", 7)}, "a label is not a string but [7]"),
        ({"vocabulary": ("a", "b", "c", "d", None)}, "an item is not a string but [None]"),
        ({"block_offsets": array(0, 1, 3, 4)}, "block_offsets run from 0 to 4, not from 0 to 5"),
        ({"block_offsets": array(0, 1, 1, 5)}, "block 1 has 0 entries"),
        ({"block_items": array(0, 1, 2, 3, 5)}, "block_items holds 5: out of range"),
        ({"row_blocks": array(0, 0, 0, 1, 0, 1, 1, 2, 1, 2, 3)}, "row_blocks holds 3: out of range"),
        (
            {"row_offsets": array(0, 0, 1, 2, 4, 6, 8, 9, 10)},
            "row_offsets run from 0 to 10, not from 0 to 11",
        ),
        ({"row_offsets": array(0, 0, 2, 1, 4, 6, 8, 10, 11)}, "row 2 has -1 entries"),
    ],
)
def test_arrays(fault, detail):
    verdict = verify(replace(made().release, **fault), original=DATA)
    assert [check.name for check in verdict.checks] == ["arrays"]
    assert verdict.failures[0].detail.startswith(detail)


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ({"vocabulary": ("a", "c", "b", "d", "e")}, "item 'b' does not come after 'c'"),
        ({"vocabulary": ("a", "b", "b", "d", "e")}, "item 'b' does not come after 'b'"),
        ({"block_items": array(0, 1, 1, 3, 4)}, "item 'b' is in 2 blocks instead of one; 2 such faults"),
        ({"row_blocks": array(0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1)}, "block 2 is in no row; 2 such faults"),
        ({"row_blocks": array(0, 0, 0, 1, 0, 1, 1, 2, 1, 1, 2)}, "row 6 shows a block twice"),
    ],
)
def test_partition(fault, detail):
    verdict = verify(replace(made().release, **fault), original=DATA)
    assert [check.name for check in verdict.failures] == ["partition"]
    assert verdict.failures[0].detail == detail


def test_order_of_blocks():
    release = made().release
    inside = replace(release, block_items=array(0, 2, 1, 3, 4))
    assert failures(made(), release=inside) == ["order of blocks"]
    moved = replace(
        release,
        block_offsets=array(0, 1, 3, 5),
        block_items=array(0, 3, 4, 1, 2),
        row_blocks=array(0, 0, 0, 2, 0, 2, 1, 2, 1, 2, 1),
    )
    assert "order of blocks" in failures(made(), release=moved)


def test_order_of_rows():
    release = made().release
    inside = replace(release, row_blocks=array(0, 0, 1, 0, 0, 1, 1, 2, 1, 2, 2))
    assert failures(made(), release=inside) == ["order of rows"]
    rows = replace(
        release,
        row_offsets=array(0, 0, 2, 3, 4, 6, 8, 10, 11),
        row_blocks=array(0, 1, 0, 0, 0, 1, 1, 2, 1, 2, 2),
    )
    verdict = verify(rows, original=DATA)
    assert [check.detail for check in verdict.failures] == ["row 2 should come before row 1"]


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"note": "for Bob"}, "'note' is no parameter of coat"),
        ({"reading": "loose"}, "reading cannot be 'loose'"),
        ({"max_suppressed": 2}, "max_suppressed cannot be '2'"),
        ({"groups": ["x"]}, "groups cannot be \"['x']\""),
        ({"weighted": 1}, "weighted cannot be '1'"),
        ({"protected": -1}, "protected cannot be '-1'"),
        ({"all_up_to": 2}, "all up to 2 are protected, but the largest itemset has 1"),
    ],
)
def test_parameters(change, detail):
    release = made(parameters=PARAMETERS | change, k=2).release
    verdict = verify(release)
    assert [(check.name, check.detail) for check in verdict.failures] == [("parameters", detail)]


def test_parameters_of_the_other_methods():
    for parameters in (
        PARAMETERS | {"method": "pcta", "variant": "upcta"},
        {"method": "apriori-km", "all_up_to": 1, "search": "refined", "persons": False},
        {"method": "somebody's own", "whatever": "x y", "all_up_to": 1},
    ):
        verdict = verify(made(parameters=parameters).release)
        assert verdict.ok, str(verdict)
    wrong = {"method": "apriori-km", "search": "in /home/bob"}
    assert [check.name for check in verify(made(parameters=wrong).release).failures] == ["parameters"]
    none = made(parameters=PARAMETERS, k=1).release
    assert [check.name for check in verify(none).failures] == ["parameters"]


def test_combinations_are_promised_by_the_release_or_the_policy():
    release = made(k=5).release
    assert [check.name for check in verify(release).failures] == ["combinations"]
    quiet = made(parameters={}, k=5).release
    assert verify(quiet).ok
    verdict = verify(quiet, policy=Policy(all_up_to=1))
    assert verdict.failures[0].detail == "blocks of {'a'} are together in 4 rows, k is 5"
    verdict = verify(made(parameters={}).release, policy=Policy(all_up_to=2))
    assert verdict.failures[0].detail == "blocks of {'a', 'b'} are together in 2 rows, k is 3"


def test_items_that_are_not_published():
    # Somebody who knows x and d of a record looks for d alone: three records.
    release = made(parameters={"reading": "empty-is-enough"}, k=4).release
    policy = Policy((("d", "x"),))
    alone = verify(release, policy=policy)
    assert alone.ok
    assert "cannot be decided without the original: 1 with items that are not published" in str(alone)
    with_original = verify(release, original=DATA, policy=policy)
    assert "itemsets" in [check.name for check in with_original.failures]
    unheard_of = verify(release, original=DATA, policy=Policy((("d", "zebra"),)))
    assert "itemsets" not in [check.name for check in unheard_of.failures]


def test_original_level():
    result = made()
    other = Transactions.from_records([*RECORDS[:-1], ["x", "d"]])
    verdict = verify(result.release, original=other)
    assert [(check.name, check.detail) for check in verdict.failures] == [
        ("rows", "no record gives the row: empty; 2 such faults")
    ]
    fewer = Transactions.from_records(RECORDS[:-2])
    assert [check.name for check in verify(result.release, original=fewer).failures] == ["rows"]
    renamed = replace(result.release, vocabulary=("a", "b", "c", "d", "f"))
    names = [check.name for check in verify(renamed, original=DATA).failures]
    assert names == ["items", "suppressed items"]
    tight = made(parameters=PARAMETERS | {"max_suppressed": 0.1})
    verdict = verify(tight.release, original=DATA)
    assert [check.detail for check in verdict.failures] == ["1 item is suppressed, 0 may be: {'x'}"]
    silent = made(parameters={})
    assert [check.name for check in verify(silent.release, original=DATA).failures] == ["suppressed items"]


def changed_key(**changes):
    result = made()
    return failures(result, key=replace(result.key, **changes))


def test_key_level():
    key = made().key
    swapped = key.records.copy()
    swapped[[0, -1]] = swapped[[-1, 0]]
    assert changed_key(records=swapped) == ["items of records"]
    assert changed_key(records=np.zeros_like(key.records)) == ["key arrays"]
    assert changed_key(records=key.records[1:]) == ["key arrays"]
    assert changed_key(offsets=key.offsets + 1) == ["key arrays"]
    assert changed_key(items=np.full_like(key.items, 9)) == ["key arrays"]
    items = key.items.copy()
    items[3] = 2 if items[3] == 1 else 1
    assert changed_key(items=items) == ["items of records"]
    blocks = key.items.copy()
    blocks[0] = 4
    assert changed_key(items=blocks) == ["items of records", "rows of records"]
    assert changed_key(suppressed_items=(("x",), ("y",))) == ["suppressed by record"]
    assert changed_key(suppressed_items=(("x",),)) == ["key arrays"]
    assert changed_key(suppressed_record=array(7), suppressed_items=(("x",),)) == ["suppressed by record"]
    assert changed_key(suppressed_record=key.suppressed_record[::-1]) == ["suppressed by record"]
    assert changed_key(persons=key.records) == ["persons"]
    assert changed_key(persons=key.records[1:]) == ["key arrays"]


@pytest.mark.parametrize(
    ("method", "labels", "detail"),
    [
        (
            "coat",
            ("", "Ada Lovelace", ""),
            "block 1, {'b', 'c'}, is called 'Ada Lovelace': coat has no groups",
        ),
        ("pcta", ("a", "", ""), "block 0, {'a'}, is called 'a': pcta has no groups with names"),
        ("apriori-km", ("Ada Lovelace", "", ""), "is called 'Ada Lovelace': an item by itself is no group"),
        ("apriori-km", ("", "drinks", "drinks"), "is called 'drinks': another block has the same name"),
    ],
)
def test_free_text_in_labels(method, labels, detail):
    parameters = (
        PARAMETERS if method != "apriori-km" else {"method": method, "all_up_to": 1, "search": "refined"}
    )
    release = replace(made(parameters=parameters | {"method": method}).release, block_labels=labels)
    for given in ({}, {"original": DATA}):
        verdict = verify(release, **given)
        (fault,) = (check for check in verdict.failures if check.name == "labels")
        assert detail in fault.detail


def test_names_of_groups_are_told_as_not_checked():
    parameters = {"method": "apriori-km", "all_up_to": 1, "search": "refined", "persons": False}
    release = replace(made(parameters=parameters).release, block_labels=("", "drinks", "food"))
    verdict = verify(release)
    assert [check.name for check in verdict.undecided] == ["labels"]
    assert "that 2 group names are in the owner's taxonomy" in verdict.undecided[0].detail
    assert "; 1 claim not checked at this level" in str(verdict)


PERSONS = np.array([1, 1, 2, 3, 1, 4, 5, 6])


@pytest.mark.parametrize(
    ("claimed", "persons", "failed"),
    [
        (True, None, ["persons counted"]),
        (True, PERSONS, []),
        (False, PERSONS, ["persons counted"]),
        (False, np.arange(8), []),
        (False, None, []),
    ],
)
def test_the_claim_to_count_persons(claimed, persons, failed):
    data = Transactions.from_arrays(DATA.lengths, DATA.codes, DATA.vocabulary, persons=persons)
    result = made(data, PARAMETERS | {"persons": claimed}, k=2)
    assert [check.name for check in verify(result.release, original=data).failures] == failed
    assert failures(result, data) == failed
    alone = verify(result.release)
    assert alone.ok
    assert [check.name for check in alone.undecided] == ["persons counted"] * claimed


def test_persons():
    persons = np.array([1, 1, 2, 3, 1, 4, 5, 6])
    data = Transactions.from_arrays(DATA.lengths, DATA.codes, DATA.vocabulary, persons=persons)
    result = made(data, PARAMETERS | {"persons": True})
    # Four records hold a, of two persons only.
    assert failures(result, data) == [
        "combinations by persons",
        "itemsets by persons",
        "itemsets and subsets by persons",
    ]
    fine = made(data, PARAMETERS | {"persons": True}, k=2)
    assert failures(fine, data) == []
    wrong = replace(fine.key, persons=np.roll(fine.key.persons, 1))
    assert failures(fine, data, key=wrong) == ["persons"]
    assert failures(fine, data, key=replace(fine.key, persons=None)) == ["persons counted", "persons"]
