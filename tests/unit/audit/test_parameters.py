"""What a method was told stands in what it publishes: no parameter can be forgotten on the way."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

import cloven as cv
from cloven.registry import anonymisers, table_anonymisers

# The promise, which stands beside the parameters; lots, which are marked; and what only says something of the data.
ELSEWHERE = {
    "k",
    "m",
    "seed",
    "seeded",
    "policy",
    "taxonomy",
    "domains",
    "weights",
    "horizontal",
    "rules",
    "ignore_unknown",
}
IF_CHOSEN = {"safe": "cover", "partition": "replay-proof"}
METHODS = {**anonymisers(), **table_anonymisers()}


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_of_a_method_is_published(name):
    known = {each.name for each in fields(METHODS[name])}
    told = {"policy": cv.Policy(protected=(("a",),))} if "policy" in known else {}
    told |= {each: value for each, value in IF_CHOSEN.items() if each in known}
    said = METHODS[name](**told).parameters
    missing = [each for each in sorted(known - ELSEWHERE) if each not in said]
    assert not missing, f"name {missing} in the parameters of {name}, or say above where they stand"
    json.dumps(dict(said))  # they are written as they are
