"""Tables of texts: whoever reads them, Arrow or Python's csv module, gives what the module alone would give."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloven.data.schema import Column, Schema
from cloven.errors import InputError
from cloven.reading import cells as reader

BOM = "\ufeff"
LETTERS = st.text(alphabet='ab0 ",;\n\r\té\u2028\u00a0', max_size=6)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(LETTERS, min_size=width, max_size=width), max_size=8)
)


def schema(names, delimiter, header=None):
    columns = tuple(Column(name, "quasi-identifier", kind="category") for name in names)
    return Schema(columns, header=header, delimiter=delimiter)


def plainly(text, delimiter):
    """Rows that are not empty, with the lines on which they end, or the error."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    found, before = [], 0
    try:
        for row in rows:
            before = rows.line_num
            found += [(before, row)] if row else []
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            never = "a quote that opens in this row is never closed; close it, or take it out"
            return f"people.csv:{before + 1}: {never}"
        behind = "text stands behind the quote that ends a cell; write quotes inside a cell twice"
        return f"people.csv:{rows.line_num}: {behind}"
    return found


def expected(text, delimiter, names):
    """Stripped cells, row by row, with their lines; or the message about what is wrong."""
    rows = plainly(text, delimiter)
    if isinstance(rows, str):
        return rows
    if not rows:
        return "people.csv: is empty; a table begins with a line of the names of its columns"
    for line, row in rows:
        if len(row) != len(names):
            shown = f"people.csv:{line}: {len(row)} cells where the header has {len(names)}"
            return f"{shown} (got {delimiter.join(row)!r})"
    return [(line, [cell.strip() for cell in row]) for line, row in rows]


def found(folder, content, names, delimiter):
    (folder / "people.csv").write_bytes(content)
    try:
        raw = reader.read_columns(folder / "people.csv", schema(names, delimiter, names), 1 << 30)
    except InputError as error:
        return str(error).replace(f"{folder}/", "")
    columns = [raw.cells[name] for name in names]
    return [(raw.line(row), [column[row] for column in columns]) for row in range(len(columns[0]))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@given(
    rows=TABLES.filter(bool),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    bom=st.booleans(),
)
def test_what_is_written_is_read(folder, rows, delimiter, end, quoting, bom):
    """Quotes, line ends and delimiters in cells, empty cells, all line ends, with and without a byte order mark."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    names = tuple(f"c{number}" for number in range(len(rows[0])))
    content = (BOM * bom + text.getvalue()).encode()
    told = found(folder, content, names, delimiter)
    assert told == expected(text.getvalue(), delimiter, names)
    if quoting == csv.QUOTE_ALL:
        assert [row for _, row in told] == [[cell.strip() for cell in row] for row in rows]


@given(
    text=st.text(alphabet='a ",;\n\ré', max_size=30),
    delimiter=st.sampled_from(",; "),
    width=st.integers(1, 3),
)
@example(text='a"b,"c"\n', delimiter=",", width=2)
@example(text='a, "b,c"\n', delimiter=",", width=2)
@example(text='a,"b"c\n', delimiter=",", width=2)
@example(text='a,"b\n', delimiter=",", width=2)
@example(text='""\n\n""""\r"a\nb"', delimiter=",", width=1)
def test_any_text_gives_the_same_cells_or_the_same_words(folder, text, delimiter, width):
    """Quotes that stand anywhere, rows of any width, lines that are blank."""
    names = tuple(f"c{number}" for number in range(width))
    assert found(folder, text.encode(), names, delimiter) == expected(text, delimiter, names)


def refuse(*_):
    raise AssertionError


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b'\xef\xbb\xbf"a","b"\r\n"x, ""y""",""\r\n\r\n',
        b'a,b\r"line\nend",\xc3\xa9',
        b"a,b\n 1 , 2\n",
    ],
)
def test_ordinary_files_are_read_by_arrow(tmp_path, monkeypatch, content):
    (tmp_path / "people.csv").write_bytes(content)
    monkeypatch.setattr(reader, "_by_rows", refuse)
    raw = reader.read_columns(tmp_path / "people.csv", schema(["a", "b"], ","), 1 << 30)
    assert len(raw.cells["b"]) == 1


LONG = "x" * (csv.field_size_limit() + 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"a,b,c\n1,2,{LONG}\n", r"people.csv:2: a cell of this row is longer than 131,072 characters"),
        (
            f'a,b,c\n1,2,"{LONG[:99]}\n{LONG[99:]}"\n',
            r"people.csv:2: a cell of this row is longer than 131,072 characters",
        ),
        ("a,b\n1,2\n\n3\n", r"people.csv:4: 1 cells where the header has 2 \(got '3'\)"),
        ("\n", "is empty"),
    ],
)
def test_what_cannot_be_read_is_told_as_ever(tmp_path, content, words):
    (tmp_path / "people.csv").write_text(content)
    with pytest.raises(InputError, match=words):
        reader.read_columns(tmp_path / "people.csv", schema(["a", "b"], ","), 1 << 30)


def test_bytes_that_are_no_text_are_found_behind_much_that_is(tmp_path):
    content = b"a,b\n" + "é,1\n".encode() * 300_000 + b"\xc3,1\n"
    (tmp_path / "people.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"people.csv:300002: is not UTF-8"):
        reader.read_columns(tmp_path / "people.csv", schema(["a", "b"], ","), 1 << 30)
