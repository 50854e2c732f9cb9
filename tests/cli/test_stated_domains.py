"""What the schema states about values, on the command line."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.storage.release import read_release

STATED = """
[columns.income]
role = "quasi-identifier"
range = [0, 2000000]
round = 50000

[columns.illness]
role = "sensitive"
values = ["flu", "gout", "mumps"]
"""
BARE = '[columns]\nincome = "quasi-identifier"\nillness = "sensitive"\n'


@pytest.fixture
def earners(tmp_path):
    rng = np.random.default_rng(1)
    incomes = [*(rng.integers(20, 90, 119) * 1000).tolist(), 1987654]
    rows = [f"{income},{('flu', 'gout')[row % 2]}" for row, income in enumerate(incomes)]
    path = tmp_path / "earners.csv"
    path.write_text("income,illness\n" + "\n".join(rows) + "\n")
    (tmp_path / "stated.toml").write_text(STATED)
    (tmp_path / "bare.toml").write_text(BARE)
    return path


def test_diffgen_says_what_to_write_and_promises_nothing_without_it(cloven, earners, tmp_path):
    def run(schema, out, *more):
        return cloven(
            "anonymise", "diffgen", earners, "--schema", tmp_path / schema, "-o", tmp_path / out, *more
        )

    refused = run("bare.toml", "one")
    assert refused.code == 2
    assert "[columns.income] range = [LOWEST, HIGHEST]" in refused.err
    assert not (tmp_path / "one").exists()
    warned = run("bare.toml", "two", "--domains", "from-data", "--eps", 5)
    assert warned.code == 0, warned.err
    assert "eps promises nothing" in " ".join(warned.err.split())
    assert read_release(tmp_path / "two").parameters["promise"] is None
    made = run("stated.toml", "three", "--eps", 2, "--specialisations", 4)
    assert made.code == 0, made.err
    assert read_release(tmp_path / "three").parameters["promise"]["epsilon"] == 2.0
    ends = {end for label in read_release(tmp_path / "three").domains[0].labels for end in label.split("..")}
    assert "1987654" not in ends


def test_ends_of_ranges_that_are_somebodys_are_told(cloven, earners, tmp_path):
    def run(schema, out):
        return cloven(
            "anonymise", "mondrian", earners, "--schema", tmp_path / schema, "-k", 10, "-o", tmp_path / out
        )

    assert "of exactly one person, to the digit" in " ".join(run("bare.toml", "one").err.split())
    assert "exactly one person" not in run("stated.toml", "two").err
    assert read_release(tmp_path / "two").domains[0].labels[-1].endswith("..2000000")


def test_an_audit_tells_of_lone_ends(cloven, earners, tmp_path):
    ended = cloven(
        "audit", earners, "--schema", tmp_path / "bare.toml", "--methods", "mondrian:k=10", "--quick", "--seed", 1,
        "--verbose", "-o", tmp_path / "out",
    )  # fmt: skip
    assert "exactly one person, to the digit" in " ".join((ended.out + ended.err).split())
