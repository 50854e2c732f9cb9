"""Commands that answer from a release say first if it does not keep its promise, and answer what can be answered."""

from __future__ import annotations

import json

import pytest

from cloven.storage.manifest import manifest_bytes

SETS = {
    "count": ("count", "out", "asthma"),
    "link": ("link", "out", "--item", "asthma"),
    "breach": ("breach", "out"),
    "attack": ("attack", "out", "--method", "random"),
    "score": ("score", "out", "guesses", "--private", "out.private"),
    "reconstruct": ("reconstruct", "out", "-o", "again.jsonl"),
    "utility": ("utility", "clinic.csv", "out", "--reconstructions", 1),
}
TABLES = {
    "count": ("count", "out", "sex=f"),
    "reconstruct": ("reconstruct", "out", "-o", "again.csv"),
    "utility": ("utility", "people.csv", "out", "--schema", "schema.toml"),
    "attack compose": (
        "attack",
        "compose",
        "out",
        "other",
        "--known",
        "people.csv",
        "--schema",
        "schema.toml",
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)


def broken(place):
    """It now promises more than it keeps; nothing else is changed."""
    path = place / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_bytes(manifest_bytes({**manifest, "k": 400}))


def told(ended):
    """Warnings that speak of the promise, each of which comes before all others."""
    lines = ended.err.splitlines()
    found = [line for line in lines if "fails verification" in line]
    assert lines[: len(found)] == found
    return found


def both(cloven, words, place):
    """What a command answers from the sound release, and from the broken one."""
    sound = cloven(*words)
    assert sound.code == 0, sound
    assert told(sound) == []
    broken(place)
    for written in place.parent.glob("again.*"):
        written.unlink()
    return sound, cloven(*words)


@pytest.mark.parametrize("name", SETS)
def test_sets(cloven, clinic, tmp_path, name):
    (tmp_path / "clinic.csv").write_bytes(clinic.read_bytes())
    cloven("anonymise", "disassociation", "clinic.csv", "-k", 3, "-o", "out")
    if name == "score":
        cloven("attack", "out", "--method", "random", "-o", "guesses")
    _, ended = both(cloven, SETS[name], tmp_path / "out")
    (line,) = told(ended)
    assert "cluster size" in line
    assert line.endswith("run cloven verify out")
    assert cloven("verify", "out").code == 1


@pytest.mark.parametrize("name", TABLES)
def test_tables(cloven, people, schema, tmp_path, name):
    for given, copy in ((people, "people.csv"), (schema, "schema.toml")):
        (tmp_path / copy).write_bytes(given.read_bytes())
    for out, k in (("out", 4), ("other", 6)):
        cloven("anonymise", "mondrian", "people.csv", "--schema", "schema.toml", "-k", k, "-l", 2, "-o", out)
    _, ended = both(cloven, TABLES[name], tmp_path / "out")
    assert ended.code == 0, ended
    (line,) = told(ended)
    assert "cloven verify out" in line


def test_a_file_that_was_changed_is_told_too(cloven, clinic, tmp_path):
    cloven("anonymise", "disassociation", clinic, "-k", 3, "-o", "out")
    (tmp_path / "out" / "notes.txt").write_text("to do")
    (line,) = told(cloven("count", "out", "asthma"))
    assert "files" in line
