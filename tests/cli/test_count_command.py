"""``cloven count``."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def release(cloven, tmp_path):
    cloven("sample", "-o", tmp_path / "clinic.csv")
    ended = cloven("anonymise", "disassociation", tmp_path / "clinic.csv", "-o", tmp_path / "out")
    assert ended.code == 0
    return tmp_path / "out"


def test_it_says_three_numbers(cloven, release):
    ended = cloven("count", release, "asthma", "inhaler")
    assert (ended.code, ended.err) == (0, "")
    assert re.findall(r"certain  15 |likely   23 \[15 - 42\] |not measured|at most  42 ", ended.out) == [
        "certain  15 ", "likely   23 [15 - 42] ", "not measured", "at most  42 ",
    ]  # fmt: skip
    found = cloven("count", release, "asthma", "inhaler", "--json").json
    assert (found["certain"], found["low"], found["high"], found["at_most"]) == (15, 15, 42, 42)


def test_bad_input_gets_one_line(cloven, release):
    for words, said in (
        (("asthmaa",), "did you mean 'asthma'?"),
        (("asthma", "asthma"), "named twice"),
        ((), "ITEM"),
    ):
        cloven("count", release, *words).refused(2, said)


def test_an_owner_can_measure(cloven, tmp_path):
    cloven("sample", "-o", tmp_path / "clinic.csv")
    made = cloven(
        "anonymise", "disassociation", tmp_path / "clinic.csv", "-o", tmp_path / "out", "--measure-counts"
    )
    assert made.code == 0
    assert "as the owner measured" in cloven("count", tmp_path / "out", "asthma", "inhaler").out
    assert cloven("verify", tmp_path / "out").code == 0


def test_nothing_is_measured_of_few_records(cloven, tmp_path):
    """Of a dozen records somebody who knows all but one could tell that one by the figures."""
    cloven("sample", "-o", tmp_path / "clinic.csv")
    lines = (tmp_path / "clinic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "few.csv").write_text("".join(lines[:900]), encoding="utf-8")
    made = cloven(
        "anonymise", "disassociation", tmp_path / "few.csv", "-o", tmp_path / "out", "--measure-counts"
    )
    made.refused(2, "from 1,000 records on", "leave --measure-counts out")
    assert not (tmp_path / "out").exists()
