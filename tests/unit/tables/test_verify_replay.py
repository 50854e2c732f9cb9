"""The promise of replay-proof buckets: kept by those that are, and by no others that say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.verify import replay_buckets
from cloven.kinds.tables.verify.checker import verify_table
from tests.effort import THOROUGH

NAME = "cut as promised"


def people(rows, seed):
    """What one suffers from goes with age, so that plain cuts tell."""
    rng = np.random.default_rng(seed)
    age, ills = rng.integers(18, 80, rows), np.array(["acne", "flu", "gout", "mumps", "ulcer", "zoster"])
    ill = np.where(rng.random(rows) < 0.5, (age - 18) // 11, rng.integers(0, 6, rows))
    given = {
        "age": age,
        "sex": rng.choice(["f", "m"], rows),
        "work": rng.choice(list("abcde"), rows),
        "ill": ills[ill],
    }
    return cv.read_table(pa.table(given), cv.Schema.of(["age", "sex", "work"], ["ill"]))


def made(table, partition, l, seed):
    return cv.Slicing(k=4, l=l, partition=partition, check="bucket", companions=0, seed=seed).anonymise(table)


def saying(release, **parameters):
    return replace(release, parameters=dict(release.parameters) | {"seeded": False} | parameters)


def judged(verdict):
    return next((check for check in verdict.checks if check.name == NAME), None)


@pytest.mark.parametrize("l", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rows", [60, 250])
def test_replay_proof_buckets_pass(rows, l):
    for seed in range(8):
        table = people(rows, seed)
        found = made(table, "replay-proof", l, seed)
        verdict = cv.verify_table(saying(found.release), table, found.key)
        assert verdict.ok, str(verdict)
        assert judged(verdict).decided


@pytest.mark.parametrize("partition", ["adaptive", "strict", "relaxed", "stratified"])
@pytest.mark.parametrize("l", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_other_buckets_that_say_they_are_replay_proof_fail(partition, l):
    for seed in range(3 if THOROUGH else 1):
        table = people(300, seed)
        found = made(table, partition, l, seed)
        assert cv.verify_table(saying(found.release), table).ok  # all else is as it should be
        for key in (None, found.key):
            verdict = cv.verify_table(saying(found.release, partition="replay-proof"), table, key)
            assert [check.name for check in verdict.failures] == [NAME]


def test_a_rare_lot_is_no_fault(monkeypatch):
    """Few rows of an axis with two values are far from normal: a draw in a thousand is seven deviations away."""
    monkeypatch.setattr(replay_buckets, "FAR", 2.0)  # so that rare lots are met in few releases
    given = {"age": range(20, 80), "sex": ["f", "m"] * 30, "ill": list("abcde") * 12}
    table = cv.read_table(
        pa.table(given | {"more": ["yes"] * 30 + ["no"] * 30}),
        cv.Schema.of(["age", "sex"], ["ill", "more"]),
    )
    for seed in range(40):
        method = cv.Slicing(k=4, l=3, together="jointly", partition="replay-proof", check="bucket", seed=seed)
        verdict = cv.verify_table(saying(method.anonymise(table).release), table)
        assert verdict.ok, str(verdict)
        assert judged(verdict).decided


def test_the_release_alone_says_what_it_cannot_check():
    found = made(people(80, 1), "replay-proof", 2, 1)
    verdict = cv.verify_table(saying(found.release))
    assert verdict.ok
    assert [check.name for check in verdict.undecided] == [NAME]
    assert "give the original" in judged(verdict).detail
    assert judged(cv.verify_table(saying(found.release, partition="strict"))) is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"check": "matching"}, "check = 'bucket'"),
        ({"companions": 1, "columns": None}, "companions were chosen"),
    ],
)
def test_parameters_that_contradict_it_fail_from_the_release_alone(parameters, words):
    found = made(people(80, 1), "replay-proof", 2, 1)
    check = judged(cv.verify_table(saying(found.release, **parameters)))
    assert not check.passed
    assert words in check.detail


def test_two_sensitive_columns_are_followed_exactly():
    rng, rows = np.random.default_rng(3), 120
    given = {
        "age": rng.integers(18, 80, rows),
        "sex": rng.choice(["f", "m"], rows),
        "ill": rng.permutation(np.resize(list("uvwxyz"), rows)),
        "pay": rng.permutation(np.resize(list("abcdef"), rows)),
    }
    table = cv.read_table(pa.table(given), cv.Schema.of(["age", "sex"], ["ill", "pay"]))
    columns = (("age", "sex"), ("ill",), ("pay",))
    for partition, passed in (("replay-proof", True), ("adaptive", False)):
        method = cv.Slicing(k=2, l=2, columns=columns, partition=partition, check="bucket", seed=1)
        release = saying(method.anonymise(table).release, partition="replay-proof")
        verdict = cv.verify_table(release, table)
        assert judged(verdict).passed is passed, str(verdict)


@pytest.mark.parametrize("seed", range(4))
def test_values_that_go_with_quasi_identifiers_are_no_cut(seed):
    """Dealt rows stand sorted in their buckets, values beside ages that are not theirs: nothing was cut by that."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, 2_000)
    habit = np.where(age < 15, 3, np.where(rng.random(2_000) < 0.2, 0, rng.integers(0, 3, 2_000)))
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{number:02d}" for number in range(80)), np.arange(80.0)),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("work", "quasi-identifier", ("none", "office", "plant", "shop")),
        Attribute("habit", "sensitive", ("former", "never", "smokes", "unknown")),
    )
    work = np.where(age < 15, 0, rng.integers(1, 4, 2_000))
    codes = np.column_stack([age, rng.integers(0, 2, 2_000), work, habit]).astype(np.int32)
    table = Table(attributes, codes, np.arange(2_000))
    result = cv.Slicing(k=6, l=2, partition="replay-proof", seed=seed).anonymise(table)
    assert verify_table(result.release, table, result.key, allow_seeded=True).ok


@pytest.mark.parametrize("seed", range(4))
def test_a_value_that_one_group_alone_has_is_no_cut(seed):
    """Whoever has no employer has no occupation: rows that were dealt can be cut less often than values dealt again."""
    rng = np.random.default_rng(seed)
    rows = 2_000
    employer = rng.choice(["none", "private", "self", "state"], rows, p=[0.17, 0.6, 0.13, 0.1])
    work = np.where(employer == "none", "(missing)", rng.choice(list("abcdefgh"), rows))
    table = cv.read_table(
        pa.table({
            "age": rng.integers(17, 80, rows).astype(str).tolist(),
            "employer": employer.tolist(),
            "region": rng.choice(list("nesw"), rows).tolist(),
            "work": work.tolist(),
        }),
        cv.Schema.of(["age", "employer", "region"], ["work"]),
    )  # fmt: skip
    result = cv.Slicing(k=5, l=3, partition="replay-proof", seed=seed).anonymise(table)
    with_key = verify_table(result.release, table, result.key, allow_seeded=True)
    assert with_key.ok, str(with_key)
    assert judged(with_key).decided
    without = verify_table(result.release, table, allow_seeded=True)
    assert without.ok, str(without)


def test_who_was_dealt_by_lot_is_not_known_without_the_key():
    """Where lots decided about equal rows, nobody but the owner can say who is on which side."""
    table = people(400, 2)
    found = made(table, "replay-proof", 2, 2)
    shown = judged(verify_table(found.release, table, allow_seeded=True))
    assert shown.passed
    assert shown.decided or "give the key" in shown.detail
    assert judged(verify_table(found.release, table, found.key, allow_seeded=True)).decided
