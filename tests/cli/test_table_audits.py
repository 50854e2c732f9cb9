"""``cloven audit TABLE --schema FILE``: limits, comparisons that fail, remedies that can be typed, samples."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from cloven.cli.audit import Wanted
from cloven.data.table import Table


def test_a_method_without_k_is_audited_against_the_usual_limit(cloven, people, schema, tmp_path):
    given = ["--schema", schema, "--methods", "diffgen:eps=2,specialisations=2,domains=from-data", "--quick"]
    ended = cloven("audit", people, *given, "--no-advise", "--seed", 1, "-o", tmp_path / "out", "--json")
    assert ended.code == 1
    assert ended.json["limits"]["max_risk"] == pytest.approx(0.2)
    assert ended.json["decision"]["verdict"] == "do not publish"


@pytest.mark.slow
def test_what_the_verdict_says_to_type_can_be_typed(cloven, people, schema, tmp_path):
    given = ["--schema", schema, "--max-risk", 0.4, "--max-tail", 0.05, "--quick", "--seed", 1]
    first = cloven(
        "audit", people, *given, "--methods", "mondrian:k=2", "-o", tmp_path / "one", "--json"
    ).json
    decision = first["decision"]
    assert decision["verdict"] == "change settings", decision
    typed = shlex.split(decision["words"])
    assert typed[0] == "--methods"
    ended = cloven("audit", people, *given, *typed, "-o", tmp_path / "two", "--json")
    again = ended.json
    assert again["setting"] == decision["better"][0]
    assert (ended.code, again["decision"]["verdict"]) == (0, "publish")
    said = cloven("audit", people, *given, "--methods", "mondrian:k=2", "-o", tmp_path / "three").out
    assert f"give the same command with {decision['words']}" in said


def test_a_comparison_that_cannot_be_made_is_told(cloven, people, schema, tmp_path):
    ended = cloven(
        "audit", people, "--schema", schema, "--methods", "mondrian:k=4 anatomy:l=30", "--quick", "--no-advise",
        "--verbose", "-o", tmp_path / "out",
    )  # fmt: skip
    assert ended.code == 1, ended.err
    assert "anatomy:l=30: not compared, l = 30 cannot be met" in ended.out


def test_a_quick_audit_takes_a_sample_of_many_cells():
    from cloven.data.table import Attribute

    quick = Wanted(quick=True)
    attributes = tuple(Attribute(f"a{n}", "quasi-identifier", ("x",)) for n in range(10))
    rows = Table.at_a_glance // 10
    for number, most in ((rows, None), (2 * rows, rows)):
        table = Table(attributes, np.zeros((number, 10), np.int32), np.arange(number))
        assert quick.effort(table).most_records == most


def test_rules_reach_the_measures_of_every_method(cloven, people, schema, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("sex=m, illness=mumps\n")
    given = ["--schema", schema, "--rules", rules, "--quick", "--no-advise", "--no-attack", "--seed", 1]
    methods = "mondrian:k=4,l=3 ul:k=4,l=3"
    found = cloven("audit", people, *given, "--methods", methods, "-o", tmp_path / "out", "--json").json
    lines = people.read_text().splitlines()
    original = sum(",m," in line and line.endswith(",mumps") for line in lines) / 240
    assert len(found["outcomes"]) == 2
    for each in found["outcomes"]:
        assert 1 - each["measures"]["rows against rules"] == pytest.approx(original, abs=0.05)
    told = {measure["name"]: measure["value"] for measure in found["utility"]["measures"]}
    assert told["rows against rules"] == pytest.approx(original, abs=0.05)


def test_a_sample_of_a_table_is_one_of_rows(cloven, people, schema, tmp_path, monkeypatch):
    monkeypatch.setattr(Table, "at_a_glance", 400)
    given = ["--schema", schema, "--methods", "slicing:k=4,l=2", "--quick", "--no-advise", "--seed", 1]
    ended = cloven("audit", people, *given, "--max-risk", 1, "-o", tmp_path / "out")
    assert ended.code == 1, ended.err
    assert "a sample of 100 rows of 240" in ended.out
    assert "  1. Audit all 240 rows:   cloven audit " in ended.out
