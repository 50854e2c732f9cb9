"""Bad input: one line that names file, line and value; or, leniently, a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cloven.errors import InputError, ParameterError
from cloven.reading import ReadOptions, read, read_reported

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


CASES = [
    ("blank.csv", "a,b\n\nc,,d\n", {}, 3, "blank item", "'c,,d'"),
    ("end.csv", "a,b\na,\n", {}, 2, "blank item", "'a,'"),
    ("quoted.csv", 'a\n"x\ny",b\nc," "\n', {}, 4, "blank item", "'c,\" \"'"),
    ("nbsp.csv", "a,b\na,\u00a0\n", {}, 2, "blank item", r"'a,\xa0'"),
    ("latin.csv", b"a,b\nx,caf\xe9\n", {}, 2, "not UTF-8", r"'x,caf\\xe9'"),
    ("nul.csv", b"a,b\nc\x00,d\n", {}, 2, "NUL bytes", None),
    ("open.csv", 'a,b\nc,"d\ne,f\n', {}, 2, "never closed", "'c,\"d'"),
    ("after.csv", 'a,b\n"c"d,e\n', {}, 2, "text after a closing quote", "'\"c\"d,e'"),
    (
        "wide.csv",
        "a,b\n" + ",".join("abcdef") + "\n",
        {"max_record_length": 5},
        2,
        "6 items",
        "'a,b,c,d,e,f'",
    ),
    (
        "wrong.csv",
        "a;b\nc;d\n",
        {"delimiter": ","},
        1,
        "most likely: format='lines', delimiter=';' ",
        "'a;b'",
    ),
    ("wrong.dat", "a,b\nc,d\n", {}, 1, "most likely: format='lines', delimiter=',' ", "'a,b'"),
    ("wrong.tsv", "1 2 3\n4 5\n", {}, 1, "most likely: format='fimi' ", "'1 2 3'"),
    ("cut.txt", "1 -1 -2\n2 -1\n", {"format": "spmf"}, 2, "-2", "'2 -1'"),
    ("twice.txt", "1 -1 -2\n2 -2 3 -2\n", {"format": "spmf"}, 2, "-2", "'2 -2 3 -2'"),
    ("null.jsonl", '["a"]\n["b", null]\n', {}, 2, "null item", None),
    ("mixed.jsonl", '["a"]\n["b", 1]\n', {}, 2, "mixed types: int after str", None),
    ("float.jsonl", "[1]\n[2.5]\n", {}, 2, "float", "'[2.5]'"),
    ("bool.jsonl", '["a"]\n[true]\n', {}, 2, "found bool", "'[true]'"),
    ("text.jsonl", '["a"]\n"b"\n', {}, 2, "expected a list", None),
    ("nolist.jsonl", '["a"]\nnull\n', {}, 2, "null where a list", "'null'"),
    ("broken.jsonl", '["a"]\n["b"\n', {}, 2, "not JSON", "'[\"b\"'"),
    ("blank.jsonl", '["a"]\n[" "]\n', {}, 2, "blank item", None),
    ("latin.jsonl", b'["a"]\n["\xe9"]\n', {}, 2, "not UTF-8", None),
    ("half.jsonl", '["a"]\n["\\ud800"]\n', {}, 2, "surrogate", None),
    ("broken.json", '[["a"],\n["b"]', {}, 2, "not JSON", None),
    ("lines.json", '["a"]\n["b"]\n', {}, 2, "format='jsonl'", None),
    ("latin.json", b'[["a"],\n["\xe9"]]', {}, 2, "not UTF-8", None),
    (
        "id.csv",
        "id,item\n1,a\n ,b\n",
        {"id_column": "id", "item_column": "item"},
        3,
        "column 'id' is blank",
        "' ,b'",
    ),
    ("item.csv", "id,item\n\n1,a\n2,\n", {"id_column": "id", "item_column": "item"}, 4, "blank item", "'2,'"),
    (
        "cells.csv",
        "id,item\n1,a\n2\n",
        {"id_column": "id", "item_column": "item"},
        3,
        "1 cells where the header has 2",
        "'2'",
    ),
    (
        "person.csv",
        "id,item,who\n1,a,x\n1,b,x\n1,c,y\n",
        {"id_column": "id", "item_column": "item", "person": "who"},
        4,
        "another person",
        "'1,c,y'",
    ),
    ("list.csv", "n,items\n1,a|b\n2,a||b\n", {"column": "items"}, 3, "blank item", "'2,a||b'"),
    ("head.csv", '"id,item\n1,a\n', {"id_column": "id", "item_column": "item"}, 1, "never closed", None),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "line", "reason", "value"), CASES, ids=[c[0] for c in CASES]
)
def test_names_file_line_and_value(tmp_path, name, content, options, line, reason, value) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert reason in message
    assert "\n" not in message
    assert value is None or message.endswith(f"(got {value})")


def test_the_first_fault_wins_whatever_its_kind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv:2: .*closing quote"):
        read(write(tmp_path, "a.csv", 'a,b\n"c"d\ne,,f\n'))
    with pytest.raises(InputError, match=r"b\.csv:2: blank"):
        read(write(tmp_path, "b.csv", 'a,b\ne,,f\n"c"d\n'))
    with pytest.raises(InputError, match=r"c\.csv:2: blank"):
        read(write(tmp_path, "c.csv", "i,x\n1,\n2\n"), id_column="i", item_column="x")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.dat", b"", "the file is empty"),
        ("a.jsonl", b"", "the file is empty"),
        ("a.json", b"[]", "the file is empty"),
        ("a.json", b'{"a": 1}', "expected an array"),
        ("a.csv", b"\n\n \n", "only 3 empty records"),
        ("a.csv", b"\x1f\x8b\x08\x00abc", "not text but .gz data"),
        ("a.csv", "a,b\n".encode("utf-16"), "UTF-16"),
        ("a.data", b"a,b\n", "cannot tell the format"),
        ("a.parquet", b"PAR1 and no more", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_is_no_data_is_refused(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.csv: no such file"):
        read(tmp_path / "absent.csv")
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(InputError, match=r"folder\.csv: is a folder"):
        read(folder)


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", "id,drug\n1,a\n", {"id_column": "id", "item_column": "item"}),
        ("a.csv", "id,drug\n1,a\n", {"column": "item"}),
        ("a.jsonl", '{"id": 1, "drug": ["a"]}\n', {"column": "item"}),
        ("a.jsonl", '{"id": 1, "drug": ["a"]}\n', {}),
        ("a.json", '[{"id": 1, "drug": ["a"]}]', {"column": "item"}),
    ],
)
def test_a_missing_column_lists_those_there_are(
    tmp_path: Path, name: str, content: str, options: dict
) -> None:
    with pytest.raises(InputError, match="the columns are 'id', 'drug'"):
        read(write(tmp_path, name, content), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"format": "excel"},
        {"delimiter": "ab"},
        {"delimiter": '"'},
        {"id_column": "id"},
        {"item_column": "id"},
        {"column": "a", "id_column": "b", "item_column": "c"},
        {"max_record_length": 0},
        {"person": "who"},
        {"format": "lines", "column": "x"},
        {"format": "fimi", "delimiter": ","},
        {"format": "long"},
        {"format": "table"},
    ],
)
def test_options_that_cannot_be_met(tmp_path: Path, options: dict) -> None:
    with pytest.raises(ParameterError):
        read(write(tmp_path, "a.csv", "a,b\n"), **options)


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="twice"):
        read(write(tmp_path, "a.csv", "id,x,x\n1,a,b\n"), id_column="id", item_column="x")


def test_lenient_skips_counts_and_reports(tmp_path: Path) -> None:
    content = b'a,b\n"c"d\ne,,f\nx,caf\xe9\ng\n,\n' + b'"h"i\n' * 6 + b'"open\nlast,a\n'
    data, report = read_reported(write(tmp_path, "a.csv", content), ReadOptions(lenient=True))
    assert [sorted(record) for record in data] == [["a", "b"], ["e", "f"], ["g"], ["a", "last"]]
    assert data.source_rows.tolist() == [0, 2, 4, 13]
    assert (report.skipped, report.blank_items, report.empty_records) == (9, 3, 1)
    assert [line for line, _ in report.examples] == [2, 4, 7, 8, 9]
    assert "not UTF-8" in report.examples[1][1]


def test_lenient_long_rows(tmp_path: Path) -> None:
    content = "id,item\n1,a\n,b\n2,\n1,c\n3\n2,d\n"
    options = ReadOptions(id_column="id", item_column="item", lenient=True)
    data, report = read_reported(write(tmp_path, "a.csv", content), options)
    assert [sorted(record) for record in data] == [["a", "c"], ["d"]]
    assert (report.skipped, report.blank_items) == (2, 1)
    assert [line for line, _ in report.examples] == [3, 6]


def test_lenient_with_nothing_left_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv:1: no record is left, 1 were skipped"):
        read(write(tmp_path, "a.csv", '"a"b\n'), lenient=True)


def test_a_delimiter_that_looks_wrong_must_be_meant(tmp_path):
    path = write(tmp_path, "a.csv", "a;b\nc;d\n")
    with pytest.raises(InputError, match="format='lines', delimiter=';' "):
        read(path, delimiter=",", lenient=True)
    data = read(path, format="lines", delimiter=",")
    assert [sorted(record) for record in data] == [["a;b"], ["c;d"]]


def test_a_long_record_of_a_long_table_names_its_first_line(tmp_path: Path) -> None:
    content = "id,item\n1,a\n2,b\n2,c\n2,d\n"
    with pytest.raises(InputError, match=r"a\.csv:3: 3 items in one record"):
        read(write(tmp_path, "a.csv", content), id_column="id", item_column="item", max_record_length=2)
