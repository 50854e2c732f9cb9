"""Standard input, workbooks and databases: the same data as from a text file, and nothing is run or fetched."""

from __future__ import annotations

import builtins
import io
import sqlite3
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

import cloven as cv
from cloven.errors import InputError
from cloven.intake.packing import Budget, whole
from cloven.intake.stores import as_text

duckdb = pytest.importorskip("duckdb")
openpyxl = pytest.importorskip("openpyxl")

ROWS = [
    ("age", "born", "weight", "illness"),
    (31, "1989-05-25", 70.5, "flu"),
    (25, "1995-01-02", 81.0, 'gout, "chronic"'),
    (44, None, 66.0, "flu"),
]
TEXT = 'age,born,weight,illness\n31,1989-05-25,70.5,flu\n25,1995-01-02,81,"gout, ""chronic"""\n44,,66,flu\n'


def workbook(path: Path, **sheets: list[tuple[object, ...]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def sqlite(path: Path, **tables: list[tuple[object, ...]]) -> Path:
    with sqlite3.connect(path) as base:
        for name, (header, *rows) in tables.items():
            base.execute(f'CREATE TABLE "{name}" ({", ".join(map(str, header))})')
            base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(header))})', rows)  # noqa: S608 - names of this test
    base.close()
    return path


def duck(path: Path, **tables: list[tuple[object, ...]]) -> Path:
    with duckdb.connect(str(path)) as base:
        for name, (header, *rows) in tables.items():
            base.execute(f'CREATE TABLE "{name}" ({", ".join(f"{each} VARCHAR" for each in header)})')
            base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(header))})', rows)  # noqa: S608 - names of this test
    return path


MAKERS = {"people.xlsx": workbook, "people.db": sqlite, "people.duckdb": duck}


@pytest.mark.parametrize("name", MAKERS)
def test_one_sheet_or_table_is_read_as_the_text_of_it(tmp_path, name):
    path = MAKERS[name](tmp_path / name, people=ROWS)
    expected = TEXT if name != "people.duckdb" else TEXT.replace("81,", "81.0,").replace("66,", "66.0,")
    assert whole(path, 1 << 20) == (expected.encode(), ".csv")
    schema = cv.Schema.of(["age"], ["illness"])
    assert cv.read_table(path, schema).row(2) == ("44", "flu")


@pytest.mark.parametrize("name", MAKERS)
def test_one_of_several_is_named(tmp_path, name):
    path = MAKERS[name](
        tmp_path / name, people=ROWS, visits=[("id", "item"), ("1", "tea"), ("1", "jam"), ("2", "tea")]
    )
    found = cv.read(f"{path}#visits", id_column="id", item_column="item")
    assert [sorted(record) for record in found] == [["jam", "tea"], ["tea"]]
    with pytest.raises(
        InputError, match=rf"2 (sheet|table)s \(people, visits\); name one, such as {name}#people"
    ):
        cv.read(path)
    with pytest.raises(
        InputError, match=r"has no (sheet|table) of that name; it has people, visits \(got 'other'\)"
    ):
        cv.read(f"{path}#other")


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_none_is_refused_in_a_line(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"nothing of that kind")
    with pytest.raises(InputError, match="cannot be read as a"):
        cv.read(path)
    path.unlink()
    with pytest.raises(InputError, match="no such file; check the path"):
        cv.read(path)


@pytest.mark.parametrize("name", MAKERS)
def test_a_name_with_a_number_sign_is_read_as_the_message_writes_it(tmp_path, name):
    sheets = {"People #1": [("id", "item"), ("1", "tea"), ("2", "jam")], "other": ROWS}
    path = MAKERS[name](tmp_path / name, **sheets)
    with pytest.raises(InputError, match=f"name one, such as {name}#People #1"):
        cv.read(path)
    assert len(cv.read(f"{path}#People #1", id_column="id", item_column="item")) == 2
    moved = path.rename(tmp_path / f"of #3 {name}")
    assert len(cv.read(f"{moved}#People #1", id_column="id", item_column="item")) == 2
    with pytest.raises(InputError, match="no such file"):
        cv.read(f"{path}#People #1")


def test_a_file_whose_name_has_a_number_sign_is_that_file(tmp_path):
    path = tmp_path / "baskets.csv#2"
    path.write_text("a,b\nc,a\n")
    assert len(cv.read(path, format="lines", delimiter=",")) == 2


def test_days_and_empty_rows_of_a_workbook(tmp_path):
    rows = [
        ("born", "seen"),
        (datetime(1989, 5, 25), datetime(2024, 1, 2, 13, 30)),  # noqa: DTZ001 - as workbooks have them
        (None, None),
        (None, "x"),
    ]
    content, _ = whole(workbook(tmp_path / "days.xlsx", days=rows), 1 << 20)
    assert content == b"born,seen\n1989-05-25,2024-01-02 13:30:00\n,x\n"


def test_views_and_virtual_tables_are_not_read(tmp_path):
    path = sqlite(tmp_path / "clinic.db", people=ROWS)
    with sqlite3.connect(path) as base:
        base.execute("CREATE VIEW everything AS SELECT * FROM people, people AS b")
        base.execute("CREATE VIRTUAL TABLE found USING fts5(words)")
    base.close()
    with pytest.raises(InputError, match="no table of that name"):
        whole(Path(f"{path}#everything"), 1 << 20)
    with pytest.raises(InputError, match="no table of that name"):
        whole(Path(f"{path}#found"), 1 << 20)


def test_binary_values_are_refused(tmp_path):
    path = sqlite(tmp_path / "clinic.db", scans=[("id", "picture"), (1, b"\x00\x01")])
    with pytest.raises(InputError, match="holds bytes, not one value per cell"):
        whole(path, 1 << 20)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(tmp_path):
    path = workbook(tmp_path / "bomb.xlsx", a=ROWS)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/large.xml", bytes(200 << 20))
    with pytest.raises(InputError, match="bytes once unpacked"):
        whole(path, 8 << 30)
    with pytest.raises(InputError, match="bytes once unpacked"):
        as_text(sqlite(tmp_path / "much.db", people=ROWS * 50), Budget("much.db", 1000))


def test_without_the_library_the_line_to_type_is_told(tmp_path, monkeypatch):
    path, other = workbook(tmp_path / "a.xlsx", a=ROWS), duck(tmp_path / "a.duckdb", a=ROWS)
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name.partition(".")[0] in ("openpyxl", "duckdb"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r'type pip install "cloven\[excel\]"'):
        cv.read(path)
    with pytest.raises(InputError, match="type pip install duckdb"):
        cv.read(other)


class Piped(io.TextIOWrapper):
    pass


def test_standard_input_is_read_within_its_budget(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(b"tea,jam\ntea\n")))
    assert len(cv.read("-")) == 2
    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(b"tea,jam\n" * 1000)))
    with pytest.raises(InputError, match="standard input: holds more than 100 bytes"):
        cv.read("-", max_bytes=100)


@pytest.mark.parametrize("address", ["https://example.org/a.csv", "s3://bucket/a.parquet", "ftp://x/y.csv"])
def test_addresses_are_refused_in_words(address):
    with pytest.raises(InputError, match="is an address, and Cloven fetches nothing; download it first"):
        cv.read(address)
    with pytest.raises(InputError, match="is an address"):
        cv.read_table(address, cv.Schema.of(["a"], ["b"]))
