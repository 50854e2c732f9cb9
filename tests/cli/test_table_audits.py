"""``cloven audit TABLE --schema FILE``: limits, comparisons that fail, remedies that can be typed, samples."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from cloven.cli.auditing import AUDITING, QUICK_CELLS


def test_a_method_without_k_needs_a_limit(cloven, people, schema, tmp_path):
    given = ["--schema", schema, "--methods", "diffgen:eps=2,specialisations=2,domains=from-data", "--quick"]
    ended = cloven("audit", people, *given, "-o", tmp_path / "out")
    assert ended.code == 2
    assert "diffgen promises no k, so there is no limit of 1/k; give --max-risk, or -k for 1/k" in ended.err
    told = cloven("audit", people, *given, "-k", 5, "--no-advise", "-o", tmp_path / "out", "--json").json
    assert told["limits"]["max_risk"] == pytest.approx(0.2)


def test_what_the_verdict_says_to_type_can_be_typed(cloven, people, schema, tmp_path):
    given = ["--schema", schema, "--max-risk", 0.4, "--quick", "--seed", 1]
    first = cloven(
        "audit", people, *given, "--methods", "mondrian:k=2", "-o", tmp_path / "one", "--json"
    ).json
    decision = first["decision"]
    assert decision["verdict"] == "change settings", decision
    typed = shlex.split(decision["words"])
    assert typed[0] == "--methods"
    again = cloven("audit", people, *given, *typed, "-o", tmp_path / "two", "--json").json
    assert again["setting"] == decision["better"][0]
    assert again["decision"]["verdict"] == "publish"
    said = cloven("audit", people, *given, "--methods", "mondrian:k=2", "-o", tmp_path / "three").out
    assert f"give the same command with {decision['words']}" in said


def test_a_comparison_that_cannot_be_made_is_told(cloven, people, schema, tmp_path):
    ended = cloven(
        "audit", people, "--schema", schema, "--methods", "mondrian:k=4 anatomy:l=30", "--quick", "--no-advise",
        "-o", tmp_path / "out",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "anatomy:l=30: not compared, l = 30 cannot be met" in ended.out
    assert "warning: whoever guesses the most common" in ended.err or "1/k" not in ended.err


def test_a_quick_audit_takes_a_sample_of_many_cells():
    from cloven.model.table import Attribute, Table

    usual = {name: option[1] for name, option in AUDITING.options.items()}
    quick = AUDITING.build(**usual | {"quick": True})
    attributes = tuple(Attribute(f"a{n}", "quasi-identifier", ("x",)) for n in range(10))
    rows = QUICK_CELLS // 10
    for number, most in ((rows, None), (2 * rows, rows)):
        table = Table(attributes, np.zeros((number, 10), np.int32), np.arange(number))
        assert quick.effort(table).most_records == most
