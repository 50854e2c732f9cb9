"""What differentially private releases of the same people cost together."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.data.schema import Column, Schema
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.reading.tables import read_table
from cloven.storage.ledger import Ledger, adds_up, budgets, own_entry, total, warnings
from cloven.storage.ledger_file import Note, epsilon_of, note
from cloven.storage.publication import publish
from cloven.storage.release import write_release

SCHEMA = Schema(
    (
        Column("town", "quasi-identifier", values=("x", "y", "z")),
        Column("age", "quasi-identifier", range=(0, 99), round=10),
        Column("street", "quasi-identifier", values=tuple(f"street {number:03}" for number in range(200))),
        Column("illness", "sensitive", values=("flu", "gout")),
    )
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def people():
    draw = np.random.default_rng(3)
    rows = {
        "town": draw.choice(["x", "y", "z"], 300),
        "age": draw.integers(0, 99, 300),
        "street": [f"street {number:03}" for number in draw.integers(0, 200, 300)],
        "illness": draw.choice(["flu", "gout"], 300),
    }
    return read_table(pa.table(rows), SCHEMA)


def draft(data, out, **settings):
    made = DiffGen(specialisations=1, **settings).anonymise(data)
    write_release(made, out, original=data, allow_seeded=True)


def release(data, out, **settings):
    """Make and publish; what a seed made does not verify, so that it is noted by hand."""
    draft(data, out, **settings)
    note(Path(f"{out}.private"), Note.now())


def told(data, out):
    known, own = Ledger.read("."), own_entry(out)
    earlier = known.earlier(data, own)
    costs = adds_up(own.epsilon, earlier, known.drafts(own))
    return warnings(earlier, epsilon=own.epsilon), costs


@given(spent=st.lists(st.decimals("0.001", 10, places=3), max_size=8))
def test_sums_are_those_of_the_numbers_as_they_are_written(spent):
    assert total(map(float, spent)) == float(sum(map(Fraction, spent), Fraction(0)))


def test_releases_of_the_same_data_add_up(people):
    release(people, "first", eps=0.1)
    assert told(people, "first") == ([], [])
    release(people, "second", eps=0.2)
    assert told(people, "second") == (
        [],
        ["with this the published releases of this data cost eps = 0.3 in total (0.1 + 0.2)"],
    )
    (found,) = budgets(Ledger.read(".").entries)
    assert (found.total, found.spent, found.drafts) == (0.3, (0.1, 0.2), ())


def test_drafts_are_not_counted_and_told(people):
    for make, name, eps in ((release, "first", 0.1), (draft, "second", 0.2), (draft, "third", 0.4)):
        make(people, name, eps=eps)
    _, (costs,) = told(people, "third")
    assert (
        "eps = 0.5 in total (0.1 + 0.4); 1 draft that was not published is not counted (eps = 0.2)" in costs
    )
    shutil.rmtree("first.private")
    note(Path("third.private"), Note.now())
    draft(people, "fourth", eps=0.1)
    (found,) = budgets(Ledger.read(".").entries)
    assert found.to_dict() == {
        "input_sha256": found.input_sha256,
        "epsilon": 0.4,
        "releases": 1,
        "draft_epsilon": 0.3,
        "drafts": 2,
    }


def test_runs_with_the_same_bytes_cost_twice_unless_a_seed_made_them(people):
    """Two runs that both leave nothing look alike and are two answers; a seed gives the same noise again."""
    empty = next(
        seed
        for seed in range(60)
        if not len(DiffGen(eps=0.001, specialisations=1, seed=seed).anonymise(people).release)
    )
    for name in ("first", "second"):
        release(people, name, eps=0.001, seed=empty)
    said, costs = told(people, "second")
    assert costs == []
    assert said[0].startswith("this very release was published")
    for name in ("first", "second"):
        path = Path(f"{name}.private", "receipt.json")
        receipt = json.loads(path.read_text())
        receipt["release"]["parameters"]["seeded"] = False
        path.write_text(json.dumps(receipt))
    assert told(people, "second") == (
        [],
        ["with this the published releases of this data cost eps = 0.002 in total (0.001 + 0.001)"],
    )


def test_other_data_with_some_of_the_people_adds_up_for_those(people):
    release(people.take(np.arange(200)), "spring", eps=0.1)
    summer = people.take(np.arange(80, 300))
    release(summer, "summer", eps=0.5)
    _, costs = told(summer, "summer")
    assert costs == [
        "with this the published releases of people who are in all of them cost eps = 0.6 in total (0.1 + 0.5)"
    ]


def test_a_release_without_the_promise_has_no_cost_and_is_combined(people):
    write_release(cv.Mondrian(k=5).anonymise(people), "coarse", original=people)
    publish("coarse", anyway=True)
    assert own_entry("coarse").epsilon is None
    release(people, "noisy", eps=0.1)
    said, costs = told(people, "noisy")
    assert "somebody who has both can combine them" in said[0]
    assert costs == []
    assert [budget.total for budget in budgets(Ledger.read(".").entries)] == [0.1]
    write_release(cv.Mondrian(k=6).anonymise(people), "coarser", original=people)
    said, costs = told(people, "coarser")
    assert (len(said), costs) == (2, [])


@pytest.mark.parametrize("epsilon", [None, "0.3", True, 0, -1, float("inf"), float("nan")])
def test_an_epsilon_that_is_no_number_is_none(epsilon):
    promise = {"kind": "differential privacy", "epsilon": epsilon}
    assert epsilon_of({"promise": promise}) is None


def test_domains_that_are_read_off_the_rows_promise_nothing(people):
    release(people, "first", eps=0.1, domains="from-data")
    assert own_entry("first").epsilon is None
    assert budgets(Ledger.read(".").entries) == ()
