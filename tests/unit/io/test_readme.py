"""The README of a release: made from the manifest alone, accepted to the byte, and its code runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

import cloven as cv
from cloven.storage.inspection import verify_folder
from cloven.storage.readme import README, readmes

GOLDEN = Path(__file__).parents[2] / "golden"


def _table():
    rows = 12
    people = {"age": [20, 21, 30, 33] * 3, "sex": ["f", "m"] * 6, "ill": ["flu", "gout", "cold", "flu"] * 3}
    assert len(people["sex"]) == rows
    return cv.read_table(pa.table(people), cv.Schema.of(["age", "sex"], ["ill"]))


def _sets():
    return cv.Transactions.from_records([["flu", "cough"], ["flu", "rest"], ["cough", "rest"]] * 6)


MADE = {
    "disassociated": lambda: (cv.Disassociation(k=3).anonymise(_sets()), _sets()),
    "generalised": lambda: (
        cv.AprioriKm(
            k=3, m=2, taxonomy=cv.Taxonomy.from_rows([(item, "all") for item in ("cough", "flu", "rest")])
        ).anonymise(_sets()),
        _sets(),
    ),
    "table": lambda: (cv.Mondrian(k=3).anonymise(_table()), _table()),
    "sliced": lambda: (
        cv.Slicing(k=2, l=2, columns=(("age", "sex"), ("ill",))).anonymise(_table()),
        _table(),
    ),
}


@pytest.fixture(params=MADE)
def folder(request, tmp_path):
    result, data = MADE[request.param]()
    cv.write_release(result, tmp_path / "out", original=data)
    return tmp_path / "out"


def test_it_is_written_and_accepted(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    text = (folder / README).read_bytes()
    assert text in readmes(manifest)
    assert str(manifest["counts"]["records"]).encode() in text
    assert verify_folder(folder).ok


def test_a_release_without_one_stays_sound(folder):
    (folder / README).unlink()
    assert verify_folder(folder).ok


def test_any_other_text_is_refused(folder):
    text = (folder / README).read_bytes()
    for spoilt in (text + b" ", text.replace(b"promised", b"Promised"), b"", b"\xff"):
        (folder / README).write_bytes(spoilt)
        (found,) = verify_folder(folder).failures
        assert found.name == "files"
        assert "is not the text that belongs to this manifest" in found.detail


def test_its_python_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (code,) = re.findall("```python\n(.*?)```", (folder / README).read_text(), re.DOTALL)
    release = cv.read_release(".")
    lines = [line for line in code.splitlines() if ".count(" not in line]  # asks for invented names
    exec("\n".join(lines), {})  # noqa: S102 - our own text
    asked = ["flu"] if hasattr(release, "vocabulary") else {"sex": "f"}
    found = release.count(asked)
    assert found.certain <= found.likely <= found.at_most


def test_its_sql_runs(folder, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(folder)
    (query,) = re.findall("```sql\n(.*?)```", (folder / README).read_text(), re.DOTALL)
    rows = duckdb.sql(query).fetchall()
    assert rows
    assert all(count > 0 for _, count in rows)
