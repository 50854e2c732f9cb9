"""``cloven schema``, and what an audit of a table takes where nobody says it."""

from __future__ import annotations

import tomllib

import pytest

from cloven.kinds.tables.kind import suggested
from cloven.kinds.tables.methods.slicing import largest_l
from cloven.reading.schema_file import read_schema
from cloven.reading.tables import read_table
from cloven.settings import parse_setting
from cloven.statistics.outsiders import Outsiders


def test_a_schema_is_written_and_the_next_command_named(cloven, people, tmp_path):
    out = tmp_path / "proposed.toml"
    ended = cloven("schema", people, "-o", out)
    assert ended.code == 0
    assert f"cloven audit {people} --schema {out}" in ended.out
    roles = {name: each["role"] for name, each in tomllib.loads(out.read_text())["columns"].items()}
    assert roles == dict.fromkeys(("age", "sex", "work"), "quasi-identifier") | {"illness": "sensitive"}
    cloven("schema", people, "-o", out).refused(4, "proposed.toml")
    assert cloven("schema", people).out == out.read_text()
    assert [each["name"] for each in cloven("schema", people, "--json").json["columns"]] == list(roles)


@pytest.fixture
def skewed(tmp_path):
    """A table in which most have one illness."""

    def made(common, others):
        path, schema = tmp_path / "skewed.csv", tmp_path / "skewed.toml"
        ills = ["flu"] * common + [f"ill{n % 10}" for n in range(others)]
        path.write_text("age,illness\n" + "".join(f"{20 + n % 40},{ill}\n" for n, ill in enumerate(ills)))
        schema.write_text('[columns]\nage = "quasi-identifier"\nillness = "sensitive"\n')
        return read_table(path, read_schema(schema))

    return made


def test_the_data_decide_about_method_and_l(skewed):
    assert suggested(skewed(90, 30))[0] == "mondrian:l=2", "more than half have it"
    setting, why = suggested(skewed(40, 120))
    assert (setting, why.partition(":")[0]) == ("slicing:l=3", "l=3")
    assert "25.0 % of the rows have illness = 'flu'" in why
    assert suggested(skewed(10, 110))[0] == "slicing"


def test_l_leaves_room_for_the_trial_without_some_people(skewed):
    """Where 33.3 % have one value, a fifth of the people less may leave more than a third of them."""
    data = skewed(500, 1000)
    (setting, why), largest = suggested(data), largest_l(data)
    assert (setting, largest) == ("slicing:l=2", 3)
    assert "room to audit" in why
    for common in (497, 330, 199):  # of 1,000: just enough for l = 2, 3, 5
        method = parse_setting(suggested(skewed(common, 1000 - common))[0])
        for seed in range(10):
            assert Outsiders(skewed(common, 1000 - common), method, seed=seed).splits


def test_l_that_is_said_is_never_overridden(skewed, cloven, tmp_path):
    """The data suggest mondrian:l=2 and slicing:l=3 here, and the owner asks for more, or for another method."""
    given = (
        "audit",
        tmp_path / "skewed.csv",
        "--schema",
        tmp_path / "skewed.toml",
        "--quick",
        "--no-advise",
        "--json",
    )
    for number, (rows, options, words) in enumerate((
        ((90, 30), ("-k", 10, "-l", 5), ("mondrian:k=10", "l=5")),
        ((40, 120), (), ("slicing:", "l=3")),
        ((40, 120), ("--methods", "slicing"), ("slicing:", "l=3")),
        ((40, 120), ("--methods", "slicing:l=2"), ("slicing:", "l=2")),
        ((40, 120), ("--swap-rate", 0.1), ("ul:", "l=3", "swap_rate=0.1")),
        ((40, 120), ("--partition", "strict"), ("slicing:", "partition=strict")),
    )):  # fmt: skip
        skewed(*rows)
        ended = cloven(*given, *options, "--no-attack", "-o", tmp_path / f"out{number}")
        assert ended.code == 1
        assert all(word in ended.json["outcomes"][0]["name"] for word in words)


def test_options_of_other_methods_are_refused(cloven, people, schema, tmp_path):
    given = ("audit", people, "--schema", schema, "-o", tmp_path / "out")
    cloven(*given, "--methods", "mondrian", "--swap-rate", 0.1).refused(
        2, "--swap-rate is for ul", "--methods ul"
    )
    cloven("audit", people, "-l", 3, "-o", tmp_path / "out").refused(2, "-l is for tables")


def test_a_schema_that_no_audit_takes_sends_nobody_on(cloven, tmp_path):
    table, out = tmp_path / "missing.csv", tmp_path / "missing.toml"
    table.write_text("v,sex\n" + "?,NA\n" * 20)
    ended = cloven("schema", table, "-o", out)
    assert "no audit takes it before a column is a quasi-identifier" in ended.out
    assert "cloven audit" not in ended.out
