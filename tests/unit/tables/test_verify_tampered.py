"""Parameters, labels and buckets that somebody changed by hand: named in a line, never a crash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from cloven.data.schema import Column, Schema
from cloven.errors import ReleaseError
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.utility import table_utility
from cloven.kinds.tables.verify.chances import possible_persons
from cloven.kinds.tables.verify.checker import verify_table
from cloven.kinds.tables.words import open_questions
from cloven.reading.tables import read_table

HUGE = 10**400
LEVELS = ("l", "c", "t")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    columns = {
        "age": rng.integers(20, 60, 60),
        "sex": rng.choice(["f", "m"], 60).tolist(),
        "illness": ["flu"] * 20 + ["gout"] * 20 + ["cough"] * 20,
    }
    return read_table(pa.table(columns), Schema.of(["age", "sex"], ["illness"]))


@pytest.fixture(scope="module")
def coarse(table):
    return shown_release(Mondrian(k=5, l=2).anonymise(table).release)


@pytest.fixture(scope="module")
def cut(table):
    return shown_release(Slicing(k=6, l=3, check="bucket").anonymise(table).release)


def changed(release, **parameters):
    return replace(release, parameters={**release.parameters, **parameters})


def failed(release, original=None):
    return {check.name: check.detail for check in verify_table(release, original).failures}


def demand(name="distinct-l", **levels):
    return {"demand": name, "attributes": ["illness"], **levels}


@pytest.mark.parametrize(
    "constraints",
    [
        "x", None, 5, [1], [None], [[]], [demand(l=2) | {"attributes": [["x"]]}], [demand(l=2) | {"attributes": 3}],
        [demand(l=HUGE)], [demand(l="x")], [demand(l=True)], [demand("recursive-l", c=1, l=0)],
        [demand("recursive-l", c="x", l=2)], [demand(["x"], l=2)], [demand("t-closeness", t=None, distance="equal")],
        [demand("t-closeness", t=0.5, distance=[])],
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_constraints_that_cannot_be_understood(coarse, constraints):
    assert failed(changed(coarse, constraints=constraints, l=None))


@pytest.mark.parametrize(
    "name", ["l", "check", "together", "columns", "swap_rate", "protected", "constraints"]
)
@pytest.mark.parametrize("value", [HUGE, "x", [["x"]], {"a": 1}, -1, True], ids=lambda value: str(value)[:9])
def test_odd_parameters_of_sliced_tables(cut, table, name, value):
    for method in ("slicing", "ul"):
        odd = changed(cut, method=method, **{name: value})
        assert name in failed(odd)["parameters"]
        assert not verify_table(odd, table).ok


@pytest.mark.parametrize("rate", [0, -1, "x", None, 2, True, HUGE], ids=lambda value: str(value)[:9])
def test_shares_that_are_none(coarse, table, rate):
    wrong = changed(coarse, sampling_rate=rate)
    assert "sampling_rate cannot be" in failed(wrong)["parameters"]
    with pytest.raises(ReleaseError, match="sampling_rate should be a share"):
        table_utility(table, wrong, np.random.default_rng(0))


def renamed(release, place, change):
    domain = release.domains[place]
    labels = tuple(change(label) for label in domain.labels)
    domains = list(release.domains)
    domains[place] = replace(domain, labels=labels)
    return replace(release, domains=tuple(domains))


def test_labels_that_tell_more_than_cells_are_refused_without_the_original(coarse, table):
    secret = renamed(coarse, 0, lambda label: label + " (person 7 is 23)")
    assert "(person 7 is 23)', which is not what it holds" in failed(secret)["labels"]
    sets = renamed(coarse, 1, lambda label: label.replace("}", ", Eve}"))
    assert sets.domains[1].labels == coarse.domains[1].labels or "Eve" in failed(sets)["labels"]
    assert not failed(coarse)


def test_names_of_groups_are_told_to_be_open():
    work = {"*": {"gov": ["State", "Federal"], "Private": None}}
    columns = {"work": ["State", "Federal", "Private", "Private"], "age": [1, 2, 3, 4]}
    number_tree = {"young": ["1", "2"], "old": ["3", "4"]}
    schema = Schema(
        (
            Column("work", "quasi-identifier", tree=work),
            Column("age", "quasi-identifier", tree=number_tree),
        )
    )
    release = Mondrian(k=2).anonymise(read_table(pa.table(columns), schema)).release
    found = next(check for check in verify_table(release).checks if check.name == "labels")
    assert found.passed
    assert "1 by names of groups, which need the taxonomies" in found.detail


def test_buckets_of_one_illness_are_refused_whatever_the_way_to_check(table):
    one = sliced(table, table.codes[:, 2].astype(np.int64), ((0, 1), (2,)), k=5, parameters={})
    parameters = {"method": "slicing", "l": 3, "check": "matching"}
    broken = failed(shown_release(replace(one.release, parameters=parameters)))
    assert "with a chance of at least 1, promised is at most 0.3333" in broken["possible persons"]


def test_possible_persons_are_all_combinations_of_parts(table):
    sound = (
        Slicing(k=6, l=3, check="matching", columns=(("age",), ("sex",), ("illness",)))
        .anonymise(table)
        .release
    )
    found = possible_persons(sound, [0, 1])
    pairs = {
        (bucket, age, sex)
        for bucket in range(sound.buckets)
        for age in sound.cells[sound.bucket_offsets[bucket] : sound.bucket_offsets[bucket + 1], 0].tolist()
        for sex in sound.cells[sound.bucket_offsets[bucket] : sound.bucket_offsets[bucket + 1], 1].tolist()
    }
    told = found.bucket_of_slot[found.slots[:, 0]].tolist()
    assert {(bucket, *row) for bucket, row in zip(told, found.cells.tolist(), strict=True)} == pairs
    assert not failed(sound)


def test_differential_privacy_is_said_not_to_be_checked(table):
    claim = {"format": "cloven.table/1", "promise": DiffGen().parameters["promise"]["kind"]}
    for level in ("release", "original", "key"):
        assert "a table without any noise would pass the same checks" in open_questions(claim, level, ())[0]
