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
    assert found["alone"] == 1.0
    assert found["groups"] == [{"size": 1, "rows": 20}]
