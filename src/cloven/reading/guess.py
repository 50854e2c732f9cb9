"""How a file is most likely to be read: every format is scored on its beginning, and tried before it is named."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.errors import ClovenError
from cloven.figures import percent
from cloven.reading.columns import Column, best_pairs
from cloven.reading.delimiters import CANDIDATES, QUOTED
from cloven.reading.files import foreign, head_of, many_zeros, markup
from cloven.reading.options import FORMATS, ReadOptions
from cloven.reading.unplaced import MOST_SUGGESTIONS, Likely, Suggestion, delimiter_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cloven.reading.files import Head


_TRIED = 12
_LEAST = 0.02
_MOST_SKIPPED = 0.1
_APART = ("format", "column", "id_column")  # two ways to read a file differ in one of these
_PARQUET = b"PAR1"
_PARQUET_ROWS = 1000
_FLAGS_NOTE = (
    "it has one column for each item, with 0 and 1 in the cells; turn it into one row for each item first"
)


def likely(content: bytes) -> Likely:
    r"""The ways to read these bytes, most likely first; each was tried on the beginning of the file.

    >>> found = likely(b"order;item\n1;jam\n1;bread\n2;jam\n2;tea\n")
    >>> [suggestion.options["format"] for suggestion in found.suggestions]
    ['long', 'lines']
    >>> dict(found.suggestions[0].options)
    {'format': 'long', 'delimiter': ';', 'id_column': 'order', 'item_column': 'item'}
    """
    if content.startswith(_PARQUET):
        return _parquet(content)
    kind = foreign(content) or markup(content) or (many_zeros(content) if b"\0" in content else None)
    if kind is not None:
        return Likely(note=f"it is {kind[0]}; {kind[1]}")
    head = head_of(content)
    if not head.lines:
        return Likely(note="the file is empty or blank")
    return _text(head)


def _text(head: Head) -> Likely:
    as_json = json_suggestions(head)
    if as_json:
        return Likely(_tried(as_json, head))
    note = json_note(head)
    if note is not None:
        return Likely(note=note)
    if one_column_per_item(head):
        return Likely(note=_FLAGS_NOTE)
    tables = list(table_suggestions(head))
    weight = 1 - 0.7 * max(
        (each.score for each in tables), default=0.0
    )  # a header speaks against plain records
    lines = [replace(each, score=each.score * weight) for each in line_suggestions(head)]
    tried = _tried([*tables, *lines], head)
    return Likely(tried, None if tried else f"pass format= one of {', '.join(FORMATS)}")


def _tried(found: Iterable[Suggestion], head: Head) -> tuple[Suggestion, ...]:
    """The likeliest that read the beginning of the file; of each way to read it, the first."""
    kept: dict[tuple[str, ...], Suggestion] = {}
    likely_enough = (each for each in found if each.printable and each.score >= _LEAST)
    ranked = sorted(likely_enough, key=lambda each: -each.score)
    for each in ranked[:_TRIED]:
        parts = ("format", "delimiter") if each.options["format"] == "lines" else _APART
        way = tuple(each.options.get(part, "") for part in parts)
        if way not in kept and len(kept) < MOST_SUGGESTIONS and _reads(each, head):
            kept[way] = each
    return tuple(kept.values())


def _reads(suggestion: Suggestion, head: Head) -> bool:
    """Whether a reader told so gets records out of the beginning, and leaves little out."""
    import json

    from cloven.reading.reader import read_content

    content = head.content
    if suggestion.options["format"] == "json" and not head.whole:
        content = json.dumps(first_elements(head.text.strip())).encode()
    told: dict[str, Any] = dict(suggestion.options)
    try:
        _, report = read_content(content, "", "", ReadOptions(**told, lenient=True))
    except ClovenError:
        return False
    return report.skipped <= _MOST_SKIPPED * (report.records + report.skipped)


def _parquet(content: bytes) -> Likely:
    """Suggestions for Parquet: its columns have types, so a list column is certain."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    from cloven.reading.columns import best_pairs

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        batch = next(iter(file.iter_batches(_PARQUET_ROWS)), None)
    except (pa.ArrowException, OSError):
        return Likely(note="it begins like Parquet, but is damaged")
    names = file.schema_arrow.names
    lists = [field.name for field in file.schema_arrow if "list" in str(field.type)]
    found = [
        Suggestion({"format": "parquet", "column": name}, f"Parquet, lists in {name!r}", 1.0)
        for name in lists
    ]
    plain = [name for name in names if name not in lists]
    rows = [] if batch is None else [[str(row[name]) for name in plain] for row in batch.to_pylist()]
    for pair in best_pairs(columns_of(plain, rows)):
        options = {"format": "parquet", "id_column": pair.record.name, "item_column": pair.item.name}
        found.append(Suggestion(options, "Parquet, one item per row", pair.quality))
    note = None if found else "it is Parquet, with no column of lists and no two columns of records and items"
    return Likely(tuple(each for each in found if each.printable)[:MOST_SUGGESTIONS], note)


# What speaks for one record per line: delimited text, FIMI and SPMF.


_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_WHOLE_NUMBERS = re.compile(r"\s*-?\d+(?:\s+-?\d+)*\s*")
# Items that are words hold spaces more often than spaces part them; nothing else stands in their way.
_SPACES_PART_WORDS = 0.4
_ONE_ITEM_PER_LINE = 0.05
_MARKS_AS_ITEMS = 0.2  # -1 and -2 are hardly ever items


def line_suggestions(head: Head) -> Iterator[Suggestion]:
    """Ways to read the lines as records."""
    lines = [QUOTED.sub("q", line).strip() for line in head.lines]
    yield from _spmf([line for line in lines if line[0] not in "#%@"])
    yield from _fimi(lines)
    shares = {each: _share(each in line for line in lines) for each in (*CANDIDATES, " ")}
    for delimiter in CANDIDATES:
        share = shares[delimiter]
        if share > 0:
            # A delimiter parts records of all lengths; one that stands in few lines is more likely part of a name.
            yield delimited(delimiter, f"{_NAMES[delimiter]} in {_of_the_lines(share)}", 0.8 * share**2)
    others = max(shares[delimiter] for delimiter in CANDIDATES)
    if shares[" "] > 0:
        score = _SPACES_PART_WORDS * shares[" "] * (1 - others)
        yield delimited(" ", f"spaces in {_of_the_lines(shares[' '])}", score)
    if others < 0.5:
        yield delimited(",", "one item per line", _ONE_ITEM_PER_LINE)


def delimited(delimiter: str, reason: str, score: float) -> Suggestion:
    """Lines with this delimiter."""
    return Suggestion({"format": "lines", "delimiter": delimiter_word(delimiter)}, reason, score)


def _spmf(lines: list[str]) -> Iterator[Suggestion]:
    share = _share(line.split()[-1] == "-2" for line in lines)
    if share > 0.5:
        yield Suggestion({"format": "spmf"}, f"-2 at the end of {_of_the_lines(share)}", share)


def _fimi(lines: list[str]) -> Iterator[Suggestion]:
    share = _share(_WHOLE_NUMBERS.fullmatch(line) is not None for line in lines)
    if share > 0.5 and any(len(line.split()) > 1 for line in lines):
        marked = any("-2" in line.split() for line in lines)
        score = 0.9 * share * (_MARKS_AS_ITEMS if marked else 1)
        yield Suggestion({"format": "fimi"}, "whole numbers between spaces", score)


def _of_the_lines(share: float) -> str:
    return "every line" if share == 1 else f"{percent(share, 0)} of the lines"


def _share(found: Iterator[bool]) -> float:
    flags = list(found)
    return sum(flags) / max(1, len(flags))


# What speaks for a table with a header: one item per row, or a list of items in a cell.


_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_FLAGS = {"0", "1", "", "true", "false", "t", "f", "yes", "no", "y", "n", "x"}
_EVEN = 0.95  # share of rows that must be as wide as the header


class _Table(NamedTuple):
    delimiter: str
    columns: list[Column]
    strength: float


def table_suggestions(head: Head) -> Iterator[Suggestion]:
    """Ways to read a text as a table."""
    for table in _tables(head):
        told = {"delimiter": delimiter_word(table.delimiter)}
        for pair in best_pairs(table.columns):
            names = {"id_column": pair.record.name, "item_column": pair.item.name}
            reason = f"a header, and values of {pair.record.name!r} repeat"
            reason = reason if pair.record.repeats else "a header"
            yield Suggestion({"format": "long", **told, **names}, reason, table.strength * pair.quality)
        yield from _list_columns(table, told)


def one_column_per_item(head: Head) -> bool:
    """Whether the cells say only whether each item is there: a form that no reader takes."""
    return any(
        sum(set(map(str.lower, column.cells)) <= _FLAGS for column in table.columns) >= 3
        and sum(set(map(str.lower, column.cells)) <= _FLAGS for column in table.columns)
        >= len(table.columns) - 2
        for table in _tables(head)
    )


def columns_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Columns of a table below its header; rows of another width are left out."""
    even = [row for row in rows if len(row) == len(names)]
    return [Column(name, place, [row[place] for row in even]) for place, name in enumerate(names)]


def _tables(head: Head) -> Iterator[_Table]:
    for delimiter in (*CANDIDATES, " "):
        rows = head.rows(delimiter)
        if len(rows) < 2 or len(rows[0]) < 2:
            continue
        even = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        columns = columns_of(rows[0], rows[1:])
        strength = _header_strength(columns)
        if even >= _EVEN and strength > 0:
            yield _Table(delimiter, columns, strength * even)


def _header_strength(columns: list[Column]) -> float:
    """How much the first row looks like names of columns: names differ from what stands below them."""
    names = [column.name for column in columns]
    if len(set(names)) < len(names) or not all(name and not _NUMBER.fullmatch(name) for name in names):
        return 0.0
    if any(column.name in column.cells for column in columns):
        return 0.0
    numbers = any(column.numeric for column in columns)
    known = any(column.named_record or column.named_item for column in columns)
    return min(1.0, 0.55 + 0.3 * numbers + 0.2 * known)


def _list_columns(table: _Table, told: dict[str, str]) -> Iterator[Suggestion]:
    for column in table.columns:
        shares = {
            inner: sum(inner in cell for cell in column.cells) / max(1, len(column.cells))
            for inner in CANDIDATES
            if inner != table.delimiter
        }
        inner = max(shares, key=shares.__getitem__)
        if shares[inner] >= 0.25 and not column.decimal:
            options = {"format": "table", **told, "column": column.name}
            options["item_delimiter"] = delimiter_word(inner)
            reason = f"a header, and lists in {column.name!r}"
            yield Suggestion(options, reason, table.strength * (0.6 + 0.4 * shares[inner]))


# What speaks for JSON (one array of records) and JSON Lines (a record on each line).


_MOST = 1000


def json_suggestions(head: Head) -> list[Suggestion]:
    """Ways to read a text as JSON; none if it is not."""
    text = head.text.strip()
    if not text or text[0] not in "[{":
        return []
    by_line = [value for value in map(_parsed, head.lines) if isinstance(value, list | dict)]
    found = []
    one_object = head.whole and len(head.lines) == 1 and text[0] == "{"
    if len(by_line) > 0.5 * len(head.lines) and not one_object:
        found += list(_of_records(by_line, "jsonl", "JSON on each line", len(by_line) / len(head.lines)))
    if text[0] == "[":
        found += list(_of_records(first_elements(text), "json", "a JSON array", 1.0))
    return found


def json_note(head: Head) -> str | None:
    """Why a JSON text of another shape cannot be read, and how to make it readable."""
    text = head.text.strip()
    if text[:1] == "{" and (value := _parsed(text)) is not None:
        return _about_object(value)
    elements = first_elements(text) or [_parsed(line) for line in head.lines]
    if text[:1] in {"[", "{"} and elements and all(isinstance(each, dict) for each in elements):
        return "its JSON objects hold no list of items; one item per row is read from CSV or Parquet"
    return None


def first_elements(text: str) -> list[Any]:
    """The first elements of a JSON array; it may be cut off anywhere.

    >>> first_elements('[["a"], ["b", "c"], ["d')
    [['a'], ['b', 'c']]
    """
    decoder, at = json.JSONDecoder(), 1
    found: list[Any] = []
    while len(found) < _MOST and text[:1] == "[":
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_records(records: list[Any], format: str, what: str, share: float) -> Iterator[Suggestion]:
    if not records:
        return
    lists = sum(_holds_items(record) for record in records) / len(records)
    if lists > 0.5:
        yield Suggestion({"format": format}, f"{what}, lists of items", share * lists)
    columns = {name: 0 for record in records if isinstance(record, dict) for name in record}
    for name in columns:
        with_list = sum(isinstance(each, dict) and _holds_items(each.get(name)) for each in records)
        score = share * with_list / len(records)
        if score > 0.5:
            yield Suggestion({"format": format, "column": name}, f"{what}, objects with lists", score)


def _holds_items(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | int) for item in value)


def _about_object(value: dict[str, Any]) -> str:
    if value and all(_holds_items(each) for each in value.values()):
        return "it is one JSON object that holds lists; make an array of them: jq '[.[]]' FILE > records.json"
    arrays = [name for name, each in value.items() if isinstance(each, list) and name.isidentifier()]
    if arrays:
        return f"it is one JSON object; take the array out of it: jq .{arrays[0]} FILE > records.json"
    return "it is one JSON object; only an array of records, or a record on each line, can be read"
