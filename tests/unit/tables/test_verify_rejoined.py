"""The promise of a replay-proof Mondrian: kept by those that are, and by no others that say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.data.schema import Blocks
from cloven.data.table import Attribute, Table, ValueTree
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.methods.constraints import EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.verify.replay_classes import NAME
from cloven.verification.verdict import NOT_CHECKED

LETTERS = tuple("abcdef")
TREE = ValueTree((*LETTERS, "ab", "c-f", "*"), np.array([6, 6, 7, 7, 7, 7, 8, 8, 8], np.int32), 6)
DEMANDS = ((), (EntropyL(1.7),), (RecursiveL(2.0, 2),), (TCloseness(0.3),), (TCloseness(0.35, "ordered"),))


def people(rows, seed):
    """Numbers, numbers in blocks, values with a tree and without; the illness goes with age."""
    rng = np.random.default_rng(seed)
    blocks = Blocks(np.arange(0.0, 30.0, 5.0), np.arange(4.0, 34.0, 5.0))
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{n:02}" for n in range(50)), np.arange(50.0)),
        Attribute(
            "pay", "quasi-identifier", tuple(f"{n:02}" for n in range(30)), np.arange(30.0), blocks=blocks
        ),
        Attribute("letter", "quasi-identifier", LETTERS, None, TREE),
        Attribute("town", "quasi-identifier", ("x", "y", "z")),
        Attribute("illness", "sensitive", ("cold", "flu", "gout")),
    )
    age = rng.integers(50, size=rows)
    ill = np.where(rng.random(rows) < 0.6, age // 17, rng.integers(3, size=rows))
    others = [rng.integers(size, size=rows) for size in (30, 6, 3)]
    return Table(attributes, np.column_stack([age, *others, ill]).astype(np.int32), np.arange(rows))


def check(release, *more):
    return next(each for each in cv.verify_table(release, *more).checks if each.name == NAME)


@pytest.mark.parametrize("constraints", DEMANDS)
@pytest.mark.parametrize("seed", range(4))
def test_what_the_rule_makes_passes(constraints, seed):
    table = people(400, seed)
    result = Mondrian(k=4, l=2, constraints=constraints, partition="replay-proof").anonymise(table)
    verdict = cv.verify_table(shown_release(result.release), table, result.key)
    assert verdict.ok, str(verdict)
    found = check(shown_release(result.release), table)
    assert found.examined > 1
    assert found.decided


@pytest.mark.parametrize("constraints", DEMANDS)
def test_other_classes_that_say_they_are_replay_proof_fail(constraints):
    table = people(400, 1)
    release = shown_release(Mondrian(k=4, l=2, constraints=constraints).anonymise(table).release)
    saying = replace(release, parameters={**release.parameters, "partition": "replay-proof"})
    assert cv.verify_table(release, table).ok
    found = check(saying, table)
    assert not found.passed
    assert "classes that the rule does not make" in found.detail


def test_what_cannot_be_decided_is_said():
    table = people(200, 2)
    strict = Mondrian(k=4, l=2, partition="replay-proof").anonymise(table).release
    relaxed = Mondrian(k=4, l=2, partition="replay-proof", mode="relaxed", seed=1).anonymise(table).release
    for found, why in (
        (check(strict), "give the original"),
        (check(relaxed, table), "lots decided about equal rows"),
    ):
        assert found.passed
        assert not found.decided
        assert NOT_CHECKED in found.detail
        assert why in found.detail


def test_an_unknown_partition_is_no_parameter():
    release = Mondrian(k=4, l=2).anonymise(people(100, 1)).release
    assert "partition" not in release.parameters
    wrong = replace(release, parameters={**release.parameters, "partition": "secret"})
    assert "partition cannot be 'secret'" in str(cv.verify_table(wrong))
