"""``cloven count``."""

from __future__ import annotations

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
    assert ended.out.splitlines()[1:] == [
        "  certain  15            as the release shows",
        "  likely   23 [15 - 42]  held the true count in 95 % of all cases or more on other data; not measured"
        " on this",
        "  at most  42            more cannot be",
    ]
    found = cloven("count", release, "asthma", "inhaler", "--json").json
    assert (found["certain"], found["low"], found["high"], found["at_most"]) == (15, 15, 42, 42)


def test_the_folder_of_an_audit_stands_for_the_release_inside(cloven, release):
    audit = release.parent / "audit"
    audit.mkdir()
    release.rename(audit / "published")
    assert cloven("count", audit, "asthma", "inhaler", "--json").json["certain"] == 15


def test_bad_input_gets_one_line(cloven, release):
    for words, said in (
        (("asthmaa",), "did you mean 'asthma'?"),
        (("asthma", "asthma"), "named twice"),
        ((), "ITEM"),
    ):
        ended = cloven("count", release, *words)
        assert ended.code == 2
        assert said in ended.err
        assert len(ended.err.splitlines()) == 1


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
