"""Releases that somebody prepared: every command ends in one line with code 1 or 3, never with a fault of ours."""

from __future__ import annotations

import hashlib
import json
import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.cli.ending import run
from reliability.readers import RECORDS

DATA = cv.Transactions.from_records(RECORDS)
COMMANDS = {
    "verify": ["verify", "out"],
    "reconstruct": ["reconstruct", "out", "-o", "again.jsonl"],
    "breach": ["breach", "out"],
    "link": ["link", "out", "--item", "flu"],
    "attack": ["attack", "out"],
    "utility": ["utility", "data.csv", "out"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("made")
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(DATA), place / "out", original=DATA)
    (place / "data.csv").write_text("\n".join(",".join(sorted(record)) for record in RECORDS) + "\n")
    return place


@pytest.fixture
def release(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "out"


def ended(command, capsys):
    """How a command ends; what it complains about is one line."""
    code = run(COMMANDS[command])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    assert len([line for line in told.err.splitlines() if not line.startswith("warning")]) <= 1
    return code


def manifest_with(release, change):
    manifest = json.loads((release / "manifest.json").read_text())
    change(manifest)
    text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    (release / "manifest.json").write_text(text)


def table_with(release, file, column, value):
    """Another value in the first row of a table, and a manifest that knows of it."""
    table = pq.read_table(release / file)
    at = table.column_names.index(column)
    values = [value, *table.column(at).to_pylist()[1:]]
    rewrite(release, file, table.set_column(at, column, pa.array(values, table.schema.field(at).type)))


def rewrite(release, file, table):
    """Another table, and a manifest that knows of it."""
    pq.write_table(
        table,
        release / file,
        use_dictionary=False,
        compression="zstd",
        store_schema=False,
        write_statistics=False,
    )
    digest = hashlib.sha256((release / file).read_bytes()).hexdigest()
    manifest_with(release, lambda manifest: manifest["files"].update({file: digest}))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "written", ["1e999", "-1e999", str(10**400), str(2**63), "NaN", '"\\ud800"', "[" * 5000]
)
@pytest.mark.parametrize("field", ["k", "counts", "parameters"])
def test_numbers_and_texts_that_programs_stumble_over(release, command, written, field, capsys):
    manifest_with(release, lambda manifest: manifest.update({field: "HERE"}))
    path = release / "manifest.json"
    path.write_text(path.read_text().replace('"HERE"', written))
    assert ended(command, capsys) == (1 if command == "verify" else 3)


@pytest.mark.parametrize("command", COMMANDS)
def test_clusters_of_billions_of_records(release, command, capsys):
    """A few bytes say so, and an array for each record would take gigabytes."""
    size, large = pq.read_table(release / "clusters.parquet").column("size")[0].as_py(), 2**31 - 1
    table_with(release, "clusters.parquet", "size", large)
    manifest_with(release, lambda manifest: manifest["counts"].update(records=25 - size + large))
    assert ended(command, capsys) in (
        (1, 3) if command in ("verify", "reconstruct", "attack", "utility") else (0, 1, 3)
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["manifest.json", "chunks.parquet", "clusters.parquet"])
@pytest.mark.parametrize("kind", ["missing", "pipe", "folder", "device", "elsewhere", "empty", "text"])
def test_files_that_are_none(release, command, name, kind, capsys):
    path = release / name
    path.rename(release.parent / "moved")
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "elsewhere":
            path.symlink_to(release.parent / "moved")
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_text("PAR1 what a file PAR1")
    assert ended(command, capsys) == (1 if command == "verify" else 3)


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_that_were_swapped(release, command, capsys):
    (release / "chunks.parquet").rename(release / "other")
    (release / "clusters.parquet").rename(release / "chunks.parquet")
    (release / "other").rename(release / "clusters.parquet")
    assert ended(command, capsys) == (1 if command == "verify" else 3)


def test_a_name_of_an_item_commands_no_terminal(release, capsys):
    """Even where the release is fine: what is told of it is escaped."""
    records = [["flu\x1b[2J", "fever\u202e"], ["flu\x1b[2J", "fever\u202e"], ["flu\x1b[2J"]] * 4
    data = cv.Transactions.from_records(records)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), release.parent / "odd", original=data)
    for words in (["verify", "odd"], ["link", "odd", "--item", "flu\x1b[2J"], ["breach", "odd", "--json"]):
        assert run(words) == 0
        told = capsys.readouterr()
        assert not {"\x1b", "\u202e"} & set(told.out + told.err)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["manifest.json", "chunks.parquet", "README.md"])
def test_a_link_that_leads_to_itself(release, command, name, capsys):
    (release / name).unlink(missing_ok=True)
    (release / name).symlink_to(name)
    passed_over = name == "README.md" and command != "verify"
    assert ended(command, capsys) == (0 if passed_over else 1 if command == "verify" else 3)


@pytest.mark.parametrize("command", COMMANDS)
def test_rows_in_another_order(release, command, capsys):
    """Compiled code takes the rows of a cluster as one stretch, and once wrote beyond its arrays."""
    rows = pq.read_table(release / "chunks.parquet")
    rewrite(release, "chunks.parquet", rows.take(list(range(rows.num_rows))[::-1]))
    code = run(COMMANDS[command])
    told = capsys.readouterr()
    assert code == (1 if command == "verify" else 3)
    assert "order of rows" in told.out + told.err


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("method", "John.Smith.has.HIV"),
        ("method", "john smith"),
        ("method", "x" * 41),
        ("version", "call-555-1234"),
        ("version", "0.1.0 John Smith"),
    ],
)
def test_free_text_in_a_manifest(release, field, text, capsys):
    manifest_with(release, lambda manifest: manifest.update({field: text}))
    assert run(["verify", "out"]) == 1
    assert f"{field} should be" in capsys.readouterr().out
    assert run(["count", "out", "flu"]) == 3


def test_a_method_that_nobody_knows_is_not_passed_over(release, capsys):
    """Its name and its parameters may say anything."""
    manifest_with(release, lambda manifest: manifest.update(method="john"))
    manifest_with(release, lambda manifest: manifest["parameters"].update(note="has HIV"))
    (release / "README.md").unlink(missing_ok=True)
    run(["verify", "out"])
    assert "'john' is no method of Cloven" in capsys.readouterr().out


def test_a_number_of_itemsets_that_is_a_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cv.write_release(cv.Coat(k=3).anonymise(DATA), tmp_path / "out", original=DATA)
    manifest_with(tmp_path / "out", lambda manifest: manifest["parameters"].update(protected="all"))
    assert run(["verify", "out"]) == 1
    assert "protected should be a number of itemsets" in capsys.readouterr().out
