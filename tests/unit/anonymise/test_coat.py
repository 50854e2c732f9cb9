"""COAT on small data: what is merged, what is suppressed, and what an impossible policy is told."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.generalised.methods.by_policy import Coat
from cloven.kinds.generalised.policy import Policy
from cloven.protocols import Choice, Real, Whole
from cloven.verification import verify

FIGURE_1 = [
    ["heart disease", "blood pressure", "icd", "weakness", "dizziness"],
    ["anesthesia", "icd", "pain", "diabetes"],
    ["gangrene", "limbs", "injury"],
    ["knee", "injury"],
]


def singles(*items):
    return tuple((item,) for item in items)


def blocks(release):
    return [release.block(number) for number in range(release.blocks)]


def generalise(records, **settings):
    data = Transactions.from_records(records)
    method = Coat(**settings)
    result = method.anonymise(data)
    verdict = verify(result.release, original=data, key=result.key, policy=method.policy)
    assert verdict.ok, str(verdict)
    return result


def test_figure_2_of_the_paper_on_attacks():
    group = ("blood pressure", "icd", "limbs", "injury")
    policy = Policy(protected=singles("blood pressure", "icd"), groups=(("conditions", group),))
    release = generalise(FIGURE_1, k=4, policy=policy).release
    general = tuple(sorted(group))
    assert [block for block in blocks(release) if len(block) > 1] == [general]
    assert set(release) == {
        tuple(sorted((general, ("heart disease",), ("weakness",), ("dizziness",)))),
        tuple(sorted((general, ("anesthesia",), ("pain",), ("diabetes",)))),
        tuple(sorted((general, ("gangrene",)))),
        tuple(sorted((general, ("knee",)))),
    }


def test_suppressed_items_leave_empty_rows_and_are_in_the_key_alone():
    records = [["a"], ["b", "a"], ["b"], ["b"], ["quinsy"]]
    policy = Policy(protected=singles("quinsy", "b"), groups=())
    result = generalise(records, k=3, policy=policy, max_suppressed=0.4)
    assert list(result.release) == [(), (("a",),), (("a",), ("b",)), (("b",),), (("b",),)]
    assert result.key.suppressed_record.tolist() == [4]
    assert result.key.suppressed_items == (("quinsy",),)
    assert result.key.records[0] == 4
    assert "quinsy" not in json.dumps(
        [result.release.parameters, result.release.vocabulary, list(result.release)]
    )


def test_budget_is_a_share_of_the_items_rounded_down():
    records = [["a"], ["b"], ["c"], ["c"], ["c"]]
    policy = Policy(protected=singles("a", "b"), groups=())
    assert len(generalise(records, k=2, policy=policy, max_suppressed=2 / 3).release.vocabulary) == 1
    with pytest.raises(ParameterError) as error:
        generalise(records, k=2, policy=policy, max_suppressed=0.6)
    assert str(error.value) == (
        "'b' has support 1, k is 2: no utility group holds anything else to merge it with, and of 1 items that may be"
        " suppressed 1 are; put 'b' into a group with more items, set max_suppressed to at least 0.667, or lower k"
        " (it reaches 1)"
    )


def test_impossible_groups_name_constraint_reason_and_remedy():
    records = [["flu", "fever"], ["flu"], ["gout"], ["mumps"], ["fever"]]
    policy = Policy(protected=(("fever", "flu"),), groups=(("g", ("fever", "flu")), ("h", ("gout", "mumps"))))
    with pytest.raises(
        ParameterError, match=r"^\('fever' or 'flu'\) has support 3, k is 4: no utility group"
    ):
        generalise(records, k=4, policy=policy)


def test_more_than_there_is():
    with pytest.raises(
        ParameterError, match="k = 3 cannot be reached: the data holds 2 records; set k to at most 2"
    ):
        generalise([["a"], ["b"]], k=3)
    with pytest.raises(ParameterError, match="which protects nobody: get more data"):
        generalise([["a"]], k=3)


def test_unknown_items_are_counted_and_named_or_ignored():
    records = [["a"], ["b"], ["c"]]
    policy = Policy(protected=(("a",), ("b", "bb"), ("zz",)), groups=(("g", ("a", "b", "c", "dd")),))
    with pytest.raises(ParameterError, match="3 items of the policy are not in the data: 'bb', 'dd', 'zz';"):
        generalise(records, k=2, policy=policy)
    release = generalise(records, k=2, policy=policy, ignore_unknown=True).release
    assert blocks(release) == [("a", "b"), ("c",)]
    loose = generalise(records, k=2, policy=policy, ignore_unknown=True, reading="empty-is-enough").release
    assert blocks(loose) == [("a", "b"), ("c",)]
    many = Policy(protected=singles(*"defghijk"))
    with pytest.raises(ParameterError, match=r"8 items .* 'd', 'e', 'f', 'g', 'h', 'i' and 2 more;"):
        generalise(records, k=2, policy=many)


def test_weights_make_an_item_cheaper_to_merge():
    records = [["e"], ["b"], ["c"]]
    policy = Policy(protected=singles("e"))
    assert blocks(generalise(records, k=2, policy=policy).release) == [("b", "e"), ("c",)]
    release = generalise(records, k=2, policy=policy, weights={"c": 0.5}).release
    assert blocks(release) == [("b",), ("c", "e")]
    assert release.parameters["weighted"] is True


def test_parameters_are_plain_and_steps_are_told():
    steps = []
    policy = Policy(protected=(("a", "b", "c"),), all_up_to=2, groups=(("g", ("a", "b", "c")),))
    method = Coat(k=2, policy=policy)
    method.anonymise(
        Transactions.from_records([["a", "b", "c"]] * 2), lambda step, share: steps.append((step, share))
    )
    assert dict.fromkeys(step for step, _ in steps) == dict.fromkeys(
        ["combinations of 1", "combinations of 2", "listed itemsets", "assemble"]
    )
    assert (method.m, method.family) == (3, "generalisation")
    assert json.loads(json.dumps(method.parameters)) == {
        "method": "coat",
        "reading": "subsets-too",
        "max_suppressed": 0.0,
        "all_up_to": 2,
        "protected": 1,
        "largest": 3,
        "groups": 1,
        "weighted": False,
    }
    space = Coat.space(Transactions.from_records([["a"]] * 200))
    assert space == {"k": Whole(2, 10), "m": Choice((2, 3)), "max_suppressed": Real(0.0, 0.2)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, "k must be a whole number from 2, got 1"),
        ({"k": True}, "k must be a whole number from 2, got True"),
        ({"k": 2.5}, "k must be a whole number from 2, got 2.5"),
        ({"policy": Policy()}, "policy must be a Policy that protects something"),
        ({"policy": "all"}, "policy must be a Policy that protects something"),
        ({"max_suppressed": 1.5}, "max_suppressed must be a share of the items from 0 to 1, got 1.5"),
        ({"max_suppressed": True}, "max_suppressed must be a share of the items from 0 to 1, got True"),
        ({"reading": "strict"}, "reading must be one of empty-is-enough, subsets-too, got 'strict'"),
        ({"weights": {"a": 0}}, "weights must lie above 0 and at most at 1, got 'a': 0"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ParameterError) as error:
        Coat(**settings)
    assert message in str(error.value)


def test_too_many_subsets():
    items = tuple(f"i{number:02}" for number in range(30))
    with pytest.raises(ParameterError, match="the first too many has 30 items"):
        generalise([list(items)] * 2, k=2, policy=Policy(protected=(items,)))
    release = generalise(
        [list(items)] * 2, k=2, policy=Policy(protected=(items,)), reading="empty-is-enough"
    ).release
    assert release.blocks == 30


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("all_up_to", [0, 2])
def test_click_stream(all_up_to, data_dir):
    from cloven.kinds.generalised.policy import random_items
    from experiments.harness.data import PUBLIC_DATA

    data = PUBLIC_DATA["BMS-WebView-2"].load(data_dir)
    policy = Policy(all_up_to=2) if all_up_to else random_items(data, 0.1, np.random.default_rng(1))
    result = Coat(k=5, policy=policy).anonymise(data)
    verdict = verify(result.release, original=data, key=result.key, policy=policy)
    assert verdict.ok, str(verdict)
    assert result.release.blocks == (214 if all_up_to else 3_298)
