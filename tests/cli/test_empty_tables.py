"""A table from which noise has taken every row, from the command line: written, verified, audited, and no success."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.storage.release import read_release

SCHEMA = """
[columns.town]
role = "quasi-identifier"
values = ["x", "y"]

[columns.age]
role = "quasi-identifier"
range = [0, 99]
round = 10

[columns.illness]
role = "sensitive"
values = ["flu", "gout", "rare"]
"""


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = [
        f"{'xy'[rng.integers(2)]},{rng.integers(20, 80)},{('flu', 'gout')[rng.integers(2)]}"
        for _ in range(60)
    ]
    (tmp_path / "people.csv").write_text("town,age,illness\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.toml").write_text(SCHEMA)
    return "people.csv", "--schema", "people.toml"


@pytest.fixture
def empty(cloven, people):
    """A folder with an empty table, and the seed that makes one."""
    for seed in range(30):
        options = ("--eps", 0.001, "--specialisations", 0, "--seed", seed, "-o", f"out{seed}")
        ended = cloven("anonymise", "diffgen", *people, *options, "--csv", f"out{seed}.csv")
        assert ended.code == 0, ended.err
        if not len(read_release(f"out{seed}")):
            return f"out{seed}", seed, ended
    pytest.fail("no seed takes every row away")


def test_it_is_written_and_verifies_and_nothing_can_be_measured_on_it(cloven, people, empty, tmp_path):
    out, _, ended = empty
    assert "noise has taken every row away: the table is empty" in ended.err
    assert "to run again because of that is to choose by looking" in ended.err
    assert (tmp_path / f"{out}.csv").read_text() == "town,age,illness\n"
    given = ("--original", people[0], "--private", f"{out}.private", *people[1:], "--allow-seeded")
    assert cloven("verify", out, *given).code == 0
    ended = cloven("utility", people[0], out, *people[1:])
    warned, said = ended.err.splitlines()
    assert "fails verification: not seeded" in warned  # lots were drawn with a seed
    assert (ended.code, said.startswith("cloven: the release holds no row")) == (2, True)


def test_an_audit_says_that_nothing_is_left(cloven, people, empty, tmp_path):
    _, seed, _ = empty
    setting = f"diffgen:eps=0.001,specialisations=0,seed={seed}"
    ended = cloven(
        "audit", *people, "--methods", setting, "--quick", "--seed", 1, "--verbose", "-o", "audited"
    )
    assert ended.code == 1, ended.err
    assert "x The release is empty: nothing is left in it" in ended.out
    assert "nothing is left" in (tmp_path / "audited.private/report.html").read_text()
    # Totals of the rows are no business of the public, beside a promise that is about noise.
    assert "nothing is left" not in (tmp_path / "audited/report.html").read_text()


def test_the_ledger_adds_up_and_says_what_it_leaves_out(cloven, people):
    first = cloven("anonymise", "diffgen", *people, "--eps", 0.1, "-o", "first")
    assert "in total" not in first.err
    done = cloven("publish", "first", "--anyway")
    assert "1 published differentially private release of the data" in done.out
    second = cloven("anonymise", "diffgen", *people, "--eps", 0.2, "-o", "second")
    assert (
        "warning: with this the published releases of this data cost eps = 0.3 in total (0.1 + 0.2)"
        in second.err
    )
    assert "can combine them" not in second.err
    listed = cloven("ledger", ".")
    assert "costs eps = 0.1 in total; 1 draft that was not published is not counted (eps = 0.2)" in listed.out
    cloven("publish", "second", "--anyway")
    found = cloven("ledger", ".", "--json").json["budgets"]
    assert [(each["epsilon"], each["releases"]) for each in found] == [(0.3, 2)]
    listed = cloven("ledger", ".")
    assert "cost eps = 0.3 in total" in listed.out
    assert "can combine them" not in listed.err
    assert cloven("anonymise", "mondrian", *people, "-k", 5, "-o", "coarse").code == 0
    assert cloven("publish", "coarse", "--anyway").code == 0
    assert "can combine them" in cloven("ledger", ".").err


def test_an_audit_adds_up_what_was_released_before(cloven, people):
    cloven("anonymise", "diffgen", *people, "--eps", 0.1, "-o", "first")
    cloven("publish", "first", "--anyway")
    options = ("--methods", "diffgen:eps=0.2,specialisations=0", "--quick", "--no-advise", "--seed", 1)
    ended = cloven("audit", *people, *options, "--verbose", "-o", "audited")
    assert ended.code in (0, 1), ended.err
    assert "with this the published releases of this data cost eps = 0.3 in total (0.1 + 0.2)" in ended.err
    assert "beside an earlier release" not in ended.out
