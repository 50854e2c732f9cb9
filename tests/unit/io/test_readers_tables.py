"""Tables with named columns: long and list columns, in CSV, JSON, Parquet and dataframes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import InputError
from cloven.reading import ReadOptions, read, read_reported

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [["flu", "fever"], ["flu"], [], ["e\u0301", "é", 'a,"b"\n']]


def records(data: Transactions) -> list[list[str]]:
    return [sorted(record) for record in data]


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_rows_of_a_long_table_meet_wherever_they_stand(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.csv", 'id;drug\n7;aspirin\n8;"insulin; long"\n\n7;statin\n8;aspirin\n7;statin\n'
    )
    data, report = read_reported(path, ReadOptions(id_column="id", item_column="drug"))
    assert records(data) == [["aspirin", "statin"], ["aspirin", "insulin; long"]]
    assert (report.format, report.delimiter, report.repeated_items) == ("long", ";", 1)
    assert data.persons is None


def test_a_long_table_with_persons(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "who\tvisit\tdrug\nann\t1\ta\nbob\t2\tb\nann\t3\tc\nann\t1\td\n")
    data = read(path, id_column="visit", item_column="drug", person="who")
    assert records(data) == [["a", "d"], ["b"], ["c"]]
    assert data.persons is not None
    assert data.persons.tolist() == [0, 1, 0]
    assert data.persons.dtype == np.int64


def test_a_list_in_a_cell(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'title,genres\n"Heat, 1995",Action|Crime\nUp,\nBig,"Comedy|""a|b"""\n')
    data, report = read_reported(path, ReadOptions(column="genres", person="title"))
    assert records(data) == [["Action", "Crime"], ["Comedy", "a|b"]]
    assert data.source_rows.tolist() == [0, 2]
    assert data.persons is not None
    assert data.persons.tolist() == [0, 2]
    assert (report.format, report.empty_records) == ("table", 1)


def test_the_delimiter_inside_a_cell_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "n,items\n1,a+b c\n2,d\n")
    assert records(read(path, column="items", item_delimiter="+")) == [["a", "b c"], ["d"]]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json"])
@pytest.mark.parametrize("column", [None, "items"])
def test_json_round_trip(tmp_path: Path, name: str, column: str | None) -> None:
    values = [items if column is None else {"n": n, column: items} for n, items in enumerate(LISTS)]
    text = (
        json.dumps(values)
        if name == "a.json"
        else "".join(json.dumps(v, ensure_ascii=False) + "\n" for v in values)
    )
    data = read(write(tmp_path, name, text), column=column)
    assert data == Transactions.from_records(LISTS)
    assert (data.empty_records, data.source_rows.tolist()) == (1, [0, 1, 3])


def test_json_integers_and_persons(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.jsonl", '{"who": "x", "i": [10, 9]}\n\n{"who": "y", "i": [9]}\n{"who": "x", "i": [1]}\n'
    )
    data = read(path, column="i", person="who")
    assert records(data) == [["10", "9"], ["9"], ["1"]]
    assert data.persons is not None
    first, second, third = data.persons.tolist()
    assert first == third != second
    with pytest.raises(InputError, match=r"b\.jsonl:1: person is null"):
        read(write(tmp_path, "b.jsonl", '{"i": ["a"]}\n'), column="i", person="who")


def test_json_array_names_the_record(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.json: record 1: null item \(got 'None'\)"):
        read(write(tmp_path, "a.json", '[["a"], ["b", null]]'))


TYPES = [
    pa.list_(pa.string()),
    pa.large_list(pa.large_string()),
    pa.list_(pa.string_view()),
    pa.list_(pa.dictionary(pa.int32(), pa.string())),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_parquet_list_columns(tmp_path: Path, kind: pa.DataType) -> None:
    column = (
        pa.array(LISTS, pa.list_(pa.string())).cast(kind)
        if "dictionary" in str(kind)
        else pa.array(LISTS, kind)
    )
    pq.write_table(pa.table({"n": range(4), "items": column}), tmp_path / "a.parquet")
    for options in ({}, {"column": "items"}):
        assert read(tmp_path / "a.parquet", **options) == Transactions.from_records(LISTS)


def test_parquet_long_with_persons_and_several_row_groups(tmp_path: Path) -> None:
    table = pa.table({"v": [5, 6, 5, 7], "d": [10, 9, 9, 9], "p": ["x", "y", "x", "x"]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    data = read(tmp_path / "a.parquet", id_column="v", item_column="d", person="p")
    assert records(data) == [["10", "9"], ["9"], ["9"]]
    assert data.persons is not None
    assert data.persons.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("columns", "options", "reason"),
    [
        ({"i": [["a"], ["b", None]]}, {}, "row 1: null item (got 'None')"),
        ({"i": [["a"], None]}, {}, "row 1: null where a list"),
        ({"i": [["a"], ["b", " "]]}, {}, "row 1: blank item"),
        ({"i": [[1.5]]}, {}, "not double; floats are no items"),
        ({"i": [["a"]]}, {"column": "x"}, "no column 'x'; the columns are 'i'"),
        ({"i": [["a"]]}, {"column": "i", "person": "x"}, "no column 'x'; the columns are 'i'"),
        ({"i": ["a"]}, {"column": "i"}, "must hold lists of items, not string"),
        ({"i": ["a"]}, {}, "no column holds lists"),
        ({"i": [["a"]], "j": [["a"]]}, {}, "several columns hold lists"),
        (
            {"v": [1, None], "d": ["a", "b"]},
            {"id_column": "v", "item_column": "d"},
            "row 1: column 'v' is null",
        ),
        ({"v": [1, 2], "d": ["a", None]}, {"id_column": "v", "item_column": "d"}, "row 1: null item"),
        (
            {"v": [[1]], "d": ["a"]},
            {"id_column": "v", "item_column": "d"},
            "column 'v' must hold plain values",
        ),
        ({"i": [["a", "b", "c"]]}, {"max_record_length": 2}, "row 0: 3 items in one record"),
        ({"i": [["a"] * 4000]}, {"max_bytes": 50}, "holds more than 50 bytes once unpacked"),
        ({"i": pa.array([], pa.list_(pa.string()))}, {}, "the file is empty"),
    ],
)
def test_bad_parquet_names_row_and_value(tmp_path: Path, columns: dict, options: dict, reason: str) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


def test_lenient_parquet(tmp_path: Path) -> None:
    pq.write_table(pa.table({"i": [["a", ""], None, ["b", None], ["c"], []]}), tmp_path / "a.parquet")
    data, report = read_reported(tmp_path / "a.parquet", ReadOptions(lenient=True))
    assert records(data) == [["a"], ["c"]]
    assert (report.skipped, report.blank_items, report.empty_records) == (2, 1, 1)
    assert [row for row, _ in report.examples] == [1, 2]
