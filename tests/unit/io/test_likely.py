"""Files that cannot be placed: the right way to read them is among the three named, and all of them work."""

from __future__ import annotations

import gzip
import io
import json
import random
import sqlite3
import tarfile
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import ClovenError, InputError
from cloven.reading import UnplacedError, read
from cloven.reading.guess import likely
from tests.effort import tries

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = ["whole milk", "rye bread", "butter", "jam", "tea", "fig roll", "salt", "plums"]


def baskets(count: int, items: list[str]) -> list[list[str]]:
    """Records with skewed items, none empty."""
    rng = random.Random(7)
    return [sorted({rng.choice(items[: rng.randint(1, len(items))]) for _ in range(4)}) for _ in range(count)]


WORDS = baskets(60, ITEMS)
ONE_WORD = [[item.replace(" ", "-") for item in record] for record in WORDS]
NUMBERS = baskets(60, [str(number) for number in range(1, 30)])
MANY = baskets(20_000, ITEMS)


def joined(records: list[list[str]], delimiter: str) -> bytes:
    return "".join(delimiter.join(record) + "\n" for record in records).encode()


def long_table(records: list[list[str]], header: str, row: str, delimiter: str = ",") -> bytes:
    rows = [
        row.format(number, f"p{number % 9}", item) for number, record in enumerate(records) for item in record
    ]
    return ("\n".join([header, *rows]) + "\n").replace(",", delimiter).encode()


def cells(records: list[list[str]], delimiter: str, inner: str, quote: str = "") -> bytes:
    rows = [
        delimiter.join([str(n), "x" * (n % 3 + 1), quote + inner.join(each) + quote])
        for n, each in enumerate(records)
    ]
    return ("\n".join([delimiter.join(["customer", "grade", "basket"]), *rows]) + "\n").encode()


def wide(records: list[list[str]], no: str, yes: str, delimiter: str = ",") -> bytes:
    rows = [[str(n), *(yes if item in each else no for item in ITEMS)] for n, each in enumerate(records, 1)]
    return ("\n".join(delimiter.join(row) for row in [["visit", *ITEMS], *rows]) + "\n").encode()


def parquet(**columns: list[object]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def rows_of(records: list[list[str]]) -> dict[str, list[object]]:
    pairs = [(number, item) for number, record in enumerate(records) for item in record]
    return {
        "visit": [number for number, _ in pairs],
        "price": [number / 7 for number, _ in pairs],
        "drug": [item for _, item in pairs],
    }


@dataclass(frozen=True)
class Case:
    name: str
    content: bytes
    format: str
    records: list[list[str]]
    first: bool = True  # whether the right way must be named first


CASES = [
    Case("commas", joined(WORDS, ","), "lines", WORDS),
    Case("semicolons", joined(WORDS, ";"), "lines", WORDS),
    Case("tabs", joined(WORDS, "\t"), "lines", WORDS),
    Case("bars", joined(WORDS, "|"), "lines", WORDS),
    Case("many lines", joined(MANY, ","), "lines", MANY),
    Case("quotes", b"".join(b'"' + b'","'.join(map(str.encode, r)) + b'"\n' for r in WORDS), "lines", WORDS),
    Case("crlf", joined(WORDS, ";").replace(b"\n", b"\r\n"), "lines", WORDS),
    Case("mark", b"\xef\xbb\xbf" + joined(WORDS, ";"), "lines", WORDS),
    Case("words between spaces", joined(ONE_WORD, " "), "lines", ONE_WORD),
    Case(
        "one item per line",
        joined([record[:1] for record in WORDS], ","),
        "lines",
        [r[:1] for r in WORDS],
        False,
    ),
    Case("fimi", joined(NUMBERS, " "), "fimi", NUMBERS),
    Case("spmf", "".join(" -1 ".join(r) + " -1 -2\n" for r in NUMBERS).encode(), "spmf", NUMBERS),
    Case("long", long_table(WORDS, "order,customer,item", "{},{},{}"), "long", WORDS),
    Case("long, many", long_table(MANY, "order,customer,item", "{},{},{}"), "long", MANY),
    Case(
        "long, measures",
        long_table(WORDS, "invoice_no,date,productName", "{0},2024-01-02,{2}"),
        "long",
        WORDS,
    ),
    Case(
        "long, odd names",
        long_table(WORDS, 'A b,C\'s,D "x"', "{},{},{}").replace(b'D "x"', b"D"),
        "long",
        WORDS,
    ),
    Case("long, semicolons", long_table(WORDS, "visit,diagnosis", "{0},{2}", ";"), "long", WORDS),
    Case("long, tabs", long_table(WORDS, "user_id,movie", "{0},{2}", "\t"), "long", WORDS),
    Case("long, numbers", long_table(NUMBERS, "tid,item", "{0},{2}"), "long", NUMBERS),
    Case("table", cells(WORDS, ";", "|"), "table", WORDS),
    Case("wide", wide(WORDS, "0", "1"), "wide", WORDS),
    Case("wide, words", wide(WORDS, "no", "yes", ";"), "wide", WORDS),
    Case("table, quoted cells", cells(WORDS, ",", ",", '"'), "table", WORDS),
    Case("table, commas in cells", cells(WORDS, "\t", ","), "table", WORDS),
    Case("json", json.dumps(WORDS).encode(), "json", WORDS),
    Case("json, many", json.dumps(MANY).encode(), "json", MANY),
    Case("json, indented", json.dumps(WORDS, indent=2).encode(), "json", WORDS),
    Case(
        "json objects",
        json.dumps([{"id": 1, "found": each} for each in WORDS], indent=1).encode(),
        "json",
        WORDS,
    ),
    Case("json lines", b"".join(json.dumps(each).encode() + b"\n" for each in WORDS), "jsonl", WORDS),
    Case("objects", b"".join(json.dumps({"a": 1, "b": r}).encode() + b"\n" for r in WORDS), "jsonl", WORDS),
    Case("parquet", parquet(items=WORDS), "parquet", WORDS),
    Case("parquet, two lists", parquet(tags=[["x"]] * 60, items=WORDS), "parquet", WORDS, False),
    Case("parquet, long", parquet(**rows_of(WORDS)), "parquet", WORDS),
]


def options_of(suggestion) -> dict[str, str]:
    return dict(suggestion.options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("ending", ["", ".log.gz"])
def test_the_right_format_is_among_the_three_and_all_of_them_work(
    tmp_path: Path, case: Case, ending: str
) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(gzip.compress(case.content) if ending.endswith(".gz") else case.content)
    with pytest.raises(UnplacedError, match="cannot tell the format") as caught:
        read(path)
    found = caught.value.suggestions
    assert 1 <= len(found) <= 3
    right = Transactions.from_records(case.records)
    as_read = [read(path, **options_of(each)) for each in found]
    assert right in as_read
    assert found[as_read.index(right)].options["format"] == case.format
    assert not case.first or as_read[0] == right
    assert "\n" not in str(caught.value)
    for each in found:
        assert all(f"{name}={value!r}" in str(caught.value) for name, value in each.options.items())


KNOWN_ENDINGS = [
    ("a.csv", "long", "looks like a table with a header"),
    ("a.txt", "spmf", None),
    ("a.csv", "spmf", "looks like SPMF"),
    ("a.csv", "json", "looks like JSON"),
    ("a.csv", "json lines", "looks like JSON"),
    ("a.txt", "objects", "looks like JSON"),
    ("a.dat", "json lines", "looks like JSON"),
    ("a.json", "json lines", "not JSON: Extra data"),
    ("a.json", "objects", "not JSON: Extra data"),
    ("a.json", "commas", "not JSON"),
    ("a.json", "json objects", "name the column"),
    ("a.jsonl", "commas", "the lines are not JSON"),
    ("a.jsonl", "json, indented", "the lines are not JSON"),
    ("a.jsonl", "objects", "name the column"),
    ("a.csv", "parquet", "not text but Parquet"),
    ("a.jsonl", "parquet, long", "not text but Parquet"),
    ("a.parquet", "semicolons", "cannot be read as Parquet"),
    ("a.parquet", "parquet, long", "no column holds lists"),
    ("a.parquet", "parquet, two lists", "several columns hold lists"),
    ("a.dat", "commas", "numbers between spaces, but ','"),
    ("a.tsv", "semicolons", "gives one item per line"),
]


@pytest.mark.parametrize(("name", "content", "problem"), KNOWN_ENDINGS)
def test_an_ending_that_misleads(tmp_path: Path, name: str, content: str, problem: str | None) -> None:
    case = next(case for case in CASES if case.name == content)
    right = Transactions.from_records(case.records)
    path = tmp_path / name
    path.write_bytes(case.content)
    if problem is None:
        assert read(path) == right
        return
    with pytest.raises(UnplacedError, match=problem) as caught:
        read(path)
    assert right in [read(path, **options_of(each)) for each in caught.value.suggestions]


def test_a_column_is_not_named_twice_and_what_was_refused_can_be_insisted_on(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(long_table(WORDS, "order,customer,item", "{},{},{}"))
    with pytest.raises(UnplacedError) as caught:
        read(path)
    assert options_of(caught.value.suggestions[0]) == {
        "format": "long",
        "delimiter": ",",
        "id_column": "order",
        "item_column": "item",
    }
    assert options_of(caught.value.suggestions[-1]) == {"format": "lines", "delimiter": ","}
    assert "customer" in read(path, format="lines", delimiter=",").vocabulary


def sqlite(folder: Path) -> bytes:
    with sqlite3.connect(folder / "made.db") as connection:
        connection.execute("create table items (id, item)")
    connection.close()
    return (folder / "made.db").read_bytes()


def workbook(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return out.getvalue()


def tar(folder: Path) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("note.txt"))
    return out.getvalue()


FOREIGN = [
    (tar, "a tar archive; if it holds documents, cloven text FILE"),
    (sqlite, "an SQLite database; export the table"),
    (workbook, "an Excel workbook; save the sheet as CSV"),
    (lambda _: b"%PDF-1.7\n%...", "a PDF file"),
    (lambda _: b"BZh91AY&SY" + bytes(20), "bzip2 data; unpack it first"),
    (lambda _: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(9), "an old Excel or Word file"),
    (lambda _: "flu,fever\n".encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    (lambda _: ("flu,fever\n" * 9).encode("utf-16-be"), "UTF-16 text; save it as UTF-8"),
    (lambda _: ("flu,fever\n" * 9).encode("utf-32"), "UTF-32 text; save it as UTF-8"),
    (lambda _: bytes(range(256)) * 4, "a binary file; export"),
    (lambda _: b"<!DOCTYPE html>\n<html></html>\n", "HTML or XML"),
    (lambda _: b'<?xml version="1.0"?>\n<a/>\n', "HTML or XML"),
]


@pytest.mark.parametrize(("make", "words"), FOREIGN, ids=[words for _, words in FOREIGN])
@pytest.mark.parametrize("name", ["a.data", "a.parquet"])
def test_a_file_of_another_program_is_named(tmp_path: Path, name: str, make, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(make(tmp_path))
    with pytest.raises(InputError) as caught:
        read(path)
    assert words in str(caught.value)
    assert "most likely" not in str(caught.value)


NOTES = [
    (b'{"records": [["a", "b"], ["c"]]}', "take the array out of it: jq .records FILE"),
    (b'{"p1": ["a", "b"], "p2": ["c"]}', r"make an array of them: jq '[.[]]' FILE"),
    (b'{"version": 1}', "only an array of records"),
    (b'[{"id": 1, "item": "a"}, {"id": 1, "item": "b"}]', "hold no list of items"),
    (b"", "empty or blank"),
    (b" \n\n", "empty or blank"),
]


@pytest.mark.parametrize(("content", "words"), NOTES)
def test_what_cannot_be_read_gets_a_way_out_instead(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.data"
    path.write_bytes(content)
    with pytest.raises(UnplacedError) as caught:
        read(path)
    assert words.replace("\\", "") in str(caught.value)
    assert not caught.value.suggestions


def test_names_that_cannot_stand_in_a_message_are_not_suggested() -> None:
    content = json.dumps([{"a\nb": ["x"], "c": ["y"]}] * 3).encode()
    assert [options_of(each) for each in likely(content).suggestions] == [{"format": "json", "column": "c"}]


@settings(deadline=None, max_examples=tries(200))
@given(
    st.one_of(st.binary(max_size=200), st.text(alphabet='ab12,;\t| -\n"[]{}:', max_size=120).map(str.encode))
)
def test_any_bytes_get_suggestions_that_read_them(tmp_path_factory, content: bytes) -> None:
    found = likely(content)
    assert found.note or found.suggestions or content
    path = tmp_path_factory.getbasetemp() / "any.bytes"
    path.write_bytes(content)
    for each in found.suggestions:
        try:
            assert len(read(path, **options_of(each), lenient=True))
        except ClovenError as error:
            pytest.fail(f"{each}: {error}")


def test_an_attribute_is_no_column_of_records(tmp_path: Path) -> None:
    rng = random.Random(3)
    rows = [
        f"{rng.randint(17, 90)},{rng.choice(['BA', 'MSc', 'none'])},{rng.choice('fm')},{rng.choice(ITEMS)}"
        for _ in range(200)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,education,sex,likes", *rows]) + "\n")
    with pytest.raises(UnplacedError) as caught:
        read(path)
    assert "cloven schema FILE -o SCHEMA" in str(caught.value)
    assert "id_column" not in str(caught.value)


def test_a_table_of_documents_is_for_the_text_command(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    note = "came in with a cough that had lasted for days and was sent home with advice and a prescription"
    path.write_text("\n".join(["id,note", *(f"{n},{note} {n}" for n in range(30))]) + "\n")
    with pytest.raises(UnplacedError, match="cloven text FILE --text-column 'note'"):
        read(path)


def test_what_stands_behind_the_last_delimiter_of_a_cell_is_no_item(tmp_path: Path) -> None:
    path = tmp_path / "keywords.csv"
    path.write_text('id,keywords\n1,"flu, fever,"\n2,"flu,cough, "\n3,gout\n')
    found = read(path, column="keywords", item_delimiter=",")
    assert [sorted(record) for record in found] == [["fever", "flu"], ["cough", "flu"], ["gout"]]


def test_cells_of_a_wide_table_that_say_neither(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("row,milk,jam\n1,1,0\n2,0,2\n3,1,1\n")
    with pytest.raises(InputError, match=r"wide\.csv:3: column 'jam' says neither yes nor no"):
        read(path, format="wide")
    assert [sorted(record) for record in read(path, format="wide", lenient=True)] == [
        ["milk"],
        ["jam", "milk"],
    ]
    path.write_text("age,weight\n31,70\n42,80\n")
    with pytest.raises(InputError, match="no column says whether an item is there"):
        read(path, format="wide")
