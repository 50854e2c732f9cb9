"""The scripts in examples/ run, and show what they are there to show."""

from __future__ import annotations

import re
import runpy

import pytest
from doc_pages import REPOSITORY

EXAMPLES = REPOSITORY / "examples"


def audit(lines):
    assert lines[0].startswith("Transactions(1,000 records")
    assert re.fullmatch(r"\d+ checks, ok: True", lines[3])
    assert [line.split(":")[0] for line in lines[4:-1]] == [
        "a known person", "2 items of a person", "3 items of a person", "release alone", "method", "word meanings",
        "being in it",
    ]  # fmt: skip
    assert lines[-1].startswith("Do not publish this because of an attacker (a known person).")


def attack_by_meaning(lines):
    """Both kinds of knowledge beat guessing and the control."""
    for line in lines[:2]:
        right, guessing, shuffled = map(float, re.findall(r"0\.\d{3}", line))
        assert right > max(guessing, shuffled)
    assert re.fullmatch(r"the method itself: \d+ covers tell of \d+ pairs .*", lines[2])
    assert re.fullmatch(r"without covers: \d+ occurrences suppressed", lines[3])


def generalisation(lines):
    """The policy holds, and words give merged items back."""
    assert re.fullmatch(r"\d+ checks, ok: True", lines[1])
    right, guessing, shuffled = map(float, re.findall(r"0\.\d{3}", lines[3]))
    assert right > max(guessing, shuffled)


def composition_attack(lines):
    """What two releases leave is part of what one leaves; lots exchange values, and lines round, so no more is sure."""
    assert [line.split(":")[0] for line in lines[::3]] == ["mondrian", "slicing", "ul"]
    assert all(line.endswith("verified: True") for line in lines[::3])
    for line in lines[1::3]:
        one, both = map(float, re.findall(r"\d\.\d", line))
        assert 0 < both <= one
        assert 3 <= one <= 8  # l = 3 of eight illnesses
    shares = [re.fullmatch(r".* left of (\d+)%, alone of (\d+)%; .* ([\d.]+)", line) for line in lines[2::3]]
    for left, alone, chance in ((int(found[1]), int(found[2]), 100 * float(found[3])) for found in shares):
        assert alone - 1 <= chance <= left + 1  # a share of 1, 1/2, ... for each whose value is left
        assert left / 8 - 1 <= chance
    assert [found[1] for found in shares[:2]] == ["100", "100"]  # neither says anything false of anybody


def compare_table_methods(lines):
    """Five methods and another setting in order of risk, what cannot be made, and a verdict."""
    shown = [line for line in lines if "risk at most" in line]
    risks = [int(re.search(r"risk at most (\d+)%", line)[1]) for line in shown]
    assert risks == sorted(risks)
    assert len({line.split(":")[0] for line in shown}) == 5
    assert any(line.startswith("anatomy:l=6: l = 6 cannot be met") for line in lines[len(shown) : -1])
    assert lines[-1].startswith("Do not publish")


def tune_k_by_hand(lines):
    """A larger k keeps fewer pairs; a larger m keeps no more."""
    pairs = {tuple(map(int, line.split()[:3])): float(line.split()[-1][:-1]) for line in lines[1:]}
    assert pairs[3, 2, 30] > pairs[5, 2, 30] > pairs[10, 2, 30] > 0
    assert pairs[5, 1, 30] >= pairs[5, 2, 30] >= pairs[5, 3, 30]


def custom_horizontal_step(lines):
    assert [line.split(":")[0] for line in lines] == ["HorPart()", "ByRarestItem()"]
    assert all(line.endswith("verified: True") for line in lines)
    assert "9 clusters" in lines[1]  # 1,000 records in slices of at most 120


def read_a_pandas_frame(lines):
    assert lines[4] == "1,000 visits of 900 persons"
    assert "'persons in clusters'" in lines[5]
    assert lines[5].endswith("True")


def reconstruct_and_mine(lines):
    """What is certain is never above the truth."""
    rows = [line.split() for line in lines[1:]]
    assert len(rows) == 8
    assert all(int(certain) <= int(truth) for certain, _, truth, *_ in rows)
    assert all(int(certain) <= float(drawn) for certain, drawn, *_ in rows)


def what_an_attacker_finds(lines):
    found = [int(re.search(r"at least (\d+) candidates", line)[1]) for line in lines[1:]]
    assert found[0] >= found[1] >= 5
    assert found[1] >= found[2]
    assert "nothing promised" in lines[3]


CHECKS = [
    audit,
    compare_table_methods,
    composition_attack,
    custom_horizontal_step,
    generalisation,
    read_a_pandas_frame,
    reconstruct_and_mine,
    attack_by_meaning,
    tune_k_by_hand,
    what_an_attacker_finds,
]


def test_every_example_is_tested_and_listed():
    scripts = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert scripts == sorted(check.__name__ for check in CHECKS)
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\w+)\.py\)", listed) != []
    assert sorted(re.findall(r"\]\((\w+)\.py\)", listed)) == scripts


LONG = (audit, compare_table_methods)
CASES = [
    pytest.param(check, id=check.__name__, marks=[pytest.mark.slow] if check in LONG else [])
    for check in CHECKS
]


@pytest.mark.parametrize("check", CASES)
def test_example(check, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{check.__name__}.py"), run_name="__main__")
    check(capsys.readouterr().out.splitlines())
    assert list(tmp_path.iterdir()) == [], "an example must not write anything"
