"""The law of small files: however few records there are, every command answers, or refuses in a line."""

from __future__ import annotations

import json
import random

import pytest

REFUSED = (2, 3)
"""Ends of a command that says what is wrong with what it was given."""


def baskets(count):
    """Some things of ten, the first ones more often."""
    rng = random.Random(count)
    things = [f"thing {number}" for number in range(10)]
    return [sorted({rng.choice(things[: rng.randint(1, 10)]) for _ in range(5)}) for _ in range(count)]


def long_tailed(count):
    """Many things that few have, so that parts of records are shared among clusters."""
    rng = random.Random(1)
    weights = [1 / (number + 1) for number in range(40)]
    return [
        sorted({f"thing {number}" for number in rng.choices(range(40), weights, k=rng.randint(2, 9))})
        for _ in range(count)
    ]


def alike(count):
    return [["one", "two"]] * count


def answered(ended):
    """One JSON object, or one line that says what to do."""
    if ended.code in REFUSED:
        ended.refused(ended.code)
    else:
        assert ended.code in (0, 1), ended
        assert isinstance(ended.json, dict)
    return ended.code not in REFUSED


@pytest.fixture
def few(tmp_path):
    """Write records to a file."""

    def write(records):
        path = tmp_path / "few.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return write


SIZES = (1, 2, 5, 20, 32, 45, 60)


@pytest.mark.parametrize("records", [*map(baskets, SIZES), alike(32), *map(long_tailed, (20, 60))], ids=len)
def test_few_records_are_audited_or_refused(cloven, few, tmp_path, records):
    file = few(records)
    for number, how in enumerate((("--no-attack",), (), ("--methods", "coat"))):
        folder = tmp_path / f"out{number}"
        done = answered(cloven("audit", file, "--quick", "--no-advise", *how, "-o", folder, "--json"))
        assert done == (folder / "report.html").exists()


@pytest.mark.parametrize("records", [*map(baskets, SIZES), alike(32)], ids=len)
def test_releases_of_few_records_are_looked_at_or_refused(cloven, few, tmp_path, records):
    file, out = few(records), tmp_path / "out"
    made = cloven("anonymise", "disassociation", file, "-k", 3, "-m", 2, "-o", out, "--json")
    if not answered(made):
        return
    private = ("--private", tmp_path / "out.private")
    assert cloven("verify", out, "--original", file, *private, "--json").code == 0
    for command in (
        ("verify", out),
        ("utility", file, out),
        ("count", out, records[0][0]),
        ("attack", out),
        ("attack", out, "-o", tmp_path / "guesses"),
        ("attack", out, "--method", "vpa"),
        ("breach", out),
        ("breach", out, "--exact"),
        ("breach", out, "--original", file, *private),
        ("link", out, records[0][0]),
        ("reconstruct", out, "-o", tmp_path / "again.jsonl"),
    ):
        answered(cloven(*command, "--json"))


@pytest.mark.parametrize("records", [alike(5), baskets(32)], ids=len)
def test_settings_for_few_records_are_searched_or_refused(cloven, few, tmp_path, records):
    places = ("-o", tmp_path / "out", "--study", tmp_path / "study")
    answered(cloven("tune", few(records), *places, "--trials", 2, "--json"))
