"""Forms of methods: every option has a field, what is typed becomes the method, what is wrong is told beside it."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

import cloven as cv
from cloven.registry import anonymisers, table_anonymisers
from cloven.studio.forms import (
    ABOUT,
    ELSEWHERE,
    NEEDS_FILES,
    NOT_ASKED,
    defaults,
    elsewhere,
    fields_of,
    made,
    methods_for,
    not_offered,
)
from cloven.studio.meaning import sentences
from cloven.values import options_of

EVERY = {**anonymisers(), **table_anonymisers()}
API_ONLY = {"horizontal", "ignore_unknown", "tie_order", "weights", "seeded", "check", "taxonomy"}
"""For experiments and programs; the taxonomy belongs to a method that is not offered, which is said, too."""
USABLE = [name for name in EVERY if name not in NEEDS_FILES]


@pytest.mark.parametrize("name", USABLE)
def test_every_option_has_a_field(name):
    asked = {
        key
        for key, each in options_of(EVERY[name]).items()
        if each.value.content in (None, "items") and key not in ("seed", "block_records")
    }
    assert asked <= {each.name for each in fields_of(EVERY[name])}
    assert name in ABOUT


@pytest.mark.parametrize("name", USABLE)
def test_the_form_as_it_stands_makes_the_usual_method(name):
    shape = "sets" if name in methods_for("sets") else "table"
    typed = {each.name: each.default for each in fields_of(EVERY[name])}
    method, told = made(shape, name, typed)
    assert told.errors == {}
    assert method == EVERY[name]()


def test_what_is_typed_becomes_the_method():
    typed = {
        "k": "7",
        "m": "3",
        "max_cluster_size": "unlimited",
        "refine": "yes",
        "sensitive": "hiv\n flu \n\n",
    }
    usual = {each.name: each.default for each in fields_of(cv.Disassociation)}
    method, _ = made("sets", "disassociation", usual | typed)
    assert (method.k, method.m, method.max_cluster_size, method.refine) == (7, 3, None, True)
    assert method.sensitive == {"hiv", "flu"}


@pytest.mark.parametrize(
    ("name", "field", "value", "says"),
    [
        ("disassociation", "k", "five", "whole number"),
        ("disassociation", "k", "", "empty"),
        ("disassociation", "k", "1", "at least 2"),
        ("disassociation", "m", "0", "m must"),
        ("disassociation", "max_cluster_size", "large", "whole number"),
        ("disassociation", "rare_items", "eat", "one of"),
        ("slicing", "l", "1", "from 2"),
        ("diffgen", "eps", "-1", "number"),
        ("ul", "swap_rate", "80%", "at most 50"),
    ],
)
def test_a_message_stands_beside_its_field(name, field, value, says):
    shape = "sets" if name in methods_for("sets") else "table"
    usual = {each.name: each.default for each in fields_of(EVERY[name])}
    method, told = made(shape, name, usual | {field: value})
    assert method is None
    assert list(told.errors) == [field]
    assert says in told.errors[field]


def test_an_unknown_method_is_told_above_the_form():
    method, told = made("sets", "slicing", {})
    assert method is None
    assert "" in told.errors


def test_what_the_data_suggest_stands_in_the_fields():
    summary = {"suggested": {"method": "disassociation", "k": 5, "m": 1, "max_cluster_size": 40}}
    assert defaults("sets", summary, "disassociation")["max_cluster_size"] == "40"
    assert defaults("sets", summary, "coat")["m"] == "2"
    table = {"suggested": {"setting": "slicing:l=3"}, "largest_l": 4, "sure_l": 3}
    assert defaults("table", table, "slicing")["l"] == "3"
    assert defaults("table", table, "anatomy")["l"] == "3"


@pytest.mark.parametrize("shape", ["sets", "table"])
def test_whatever_has_no_field_is_said_in_words(shape):
    every = {"sets": anonymisers, "table": table_anonymisers}[shape]()
    assert set(every) == set(methods_for(shape)) | set(not_offered(shape))
    for name, maker in methods_for(shape).items():
        asked = {each.name for each in fields_of(maker)} | set(NOT_ASKED) | API_ONLY
        left = {each.name for each in fields(maker)} - asked
        assert left == {each for each in ELSEWHERE if each in left}, (
            f"{name}: no field and no word for {left}"
        )
        assert len(elsewhere(maker)) == len(left)


@pytest.mark.parametrize("method", ["disassociation", "coat", "ul", "mondrian"])
def test_what_stands_elsewhere_is_an_option_of_the_command(method):
    from typer.testing import CliRunner

    from cloven.cli.app import app

    shown = CliRunner().invoke(app, ["anonymise", method, "--help"], env={"COLUMNS": "200"}).output
    said = elsewhere({**methods_for("sets"), **methods_for("table")}[method])
    assert said
    for flag in re.findall("--[a-z-]+", " ".join(said)):
        assert flag in shown


ODD = (
    "", " ", "0", "-1", "--1", "1", "2", "7", "9" * 25, "9" * 5_000, "1e400", "1e300", "1000", "nan", "inf", "-inf",
    "²", "٣", "\uff15", "1.5", "\0", "<b>", "'\"", "\u202e", "a" * 5_000, "%", "none", "unlimited", "yes",
    "../x", "1,2", "0x10", "1_000", "\n", "=cmd()", "2147483648", "9223372036854775808", "1e-320",
    "-0", "+5", "a/b+c", "/", "+",
)  # fmt: skip
SUMMARIES = {
    "sets": {"shape": "sets", "records": 90, "items": 6, "occurrences": 200, "singled_out": [], "rare": []},
    "table": {
        "shape": "table",
        "records": 9,
        "alone": 0.5,
        "known": ["a"],
        "sensitive": ["b"],
        "largest_l": 4,
    },
}


@pytest.mark.parametrize("shape", SUMMARIES)
@pytest.mark.parametrize("typed", ODD, ids=range(len(ODD)))
def test_whatever_is_typed_is_taken_or_told(shape, typed):
    for name, maker in methods_for(shape).items():
        usual = {each.name: each.default for each in fields_of(maker)}
        for field in usual:
            built, told = made(shape, name, {**usual, field: typed})
            assert (built is None) == bool(told.errors)
            assert built is None or all(sentences(built, SUMMARIES[shape]))
