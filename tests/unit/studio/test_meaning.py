"""Sentences on what parameters mean, held against plain counting."""

from __future__ import annotations

from collections import Counter

import pytest

import cloven as cv
from cloven import figures
from cloven.studio.meaning import sentences
from cloven.studio.reading_work import describe
from cloven.studio.worker import Teller


def percent(share):
    return figures.percent(share).replace(" ", "\u00a0")


@pytest.fixture(scope="module")
def teller(tmp_path_factory):
    with (tmp_path_factory.mktemp("told") / "events").open("wb") as file:
        yield Teller(file.fileno())


@pytest.fixture(scope="module")
def clinic(teller):
    job = {"place": None, "reading": {"shape": "sets", "options": {}, "schema": ""}, "schema": "unused"}
    return describe(job, teller)


@pytest.mark.parametrize("k", [2, 5, 17])
def test_rare_items_are_counted_as_by_hand(clinic, k):
    support = Counter(item for record in cv.sample("clinic") for item in record)
    rare = [count for count in support.values() if count < k]
    said = " ".join(sentences(cv.Disassociation(k=k), clinic))
    assert f"{len(rare)} items of {len(support)} are held by fewer than {k} people and withheld" in said
    assert f"{percent(sum(rare) / support.total())} of all entries" in said


def test_what_is_known_and_the_size_of_groups_are_told(clinic):
    said = " ".join(sentences(cv.Disassociation(k=4, m=2, max_cluster_size=100), clinic))
    assert "any 2 items of a person is left with at least 4 people" in said
    assert "groups of at most 100, so that there are 10 groups or more" in said
    found = cv.describe(cv.sample("clinic"), m=2).singled_out[1]
    assert f"single out {percent(found.share)}" in said


def test_more_known_than_was_looked_for_is_told_of_what_was(clinic):
    assert "3 items are enough" in sentences(cv.Disassociation(m=6), clinic)[0]


def test_an_l_that_cannot_be_met_is_told(tmp_path, teller):
    file = tmp_path / "people.csv"
    file.write_text("age,illness\n" + "".join(f"{20 + i},{'flu' if i % 2 else 'gout'}\n" for i in range(20)))
    schema = '[columns]\nage = "quasi-identifier"\nillness = "sensitive"\n'
    job = {
        "place": str(file),
        "reading": {"shape": "table", "options": {}, "schema": schema},
        "schema": str(tmp_path / "schema.toml"),
    }
    found = describe(job, teller)
    assert found["largest_l"] == 2
    assert "allow l up to 2" in " ".join(sentences(cv.Slicing(l=4), found))
    assert "allow" not in " ".join(sentences(cv.Slicing(l=2), found))
    assert "once in 2" in " ".join(sentences(cv.Slicing(l=2), found))
    assert found["alone"] == 1.0
    assert found["groups"] == [{"size": 1, "rows": 20}]
