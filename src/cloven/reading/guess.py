"""How a file is most likely to be read: every format is scored on its beginning, and tried before it is named."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ClovenError
from cloven.figures import percent
from cloven.intake.packing import MAX_BYTES, allowance
from cloven.intake.pages import TooLargeError, first_rows, parquet_file
from cloven.reading.files import foreign, head_of, many_zeros, markup
from cloven.reading.options import (
    FORMATS,
    MOST_SUGGESTIONS,
    Likely,
    ReadOptions,
    Suggestion,
    UnplacedError,
    delimiter_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.reading.files import Head


_TRIED = 12
_LEAST = 0.02
_MOST_SKIPPED = 0.1
_APART = ("format", "column", "id_column")  # two ways to read a file differ in one of these
_PARQUET = b"PAR1"
_PARQUET_ROWS = 1000
_PERSONS_NOTE = "if each row is one person with attributes: cloven schema FILE -o SCHEMA"
_PROSE = 80
"""Characters of a cell, on average, from which on a column holds documents."""


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
    wide = list(wide_suggestions(head))
    if wide and (tried := _tried(wide, head)):
        return Likely(tried)
    tables = list(table_suggestions(head))
    weight = 1 - 0.7 * max(
        (each.score for each in tables), default=0.0
    )  # a header speaks against plain records
    lines = [replace(each, score=each.score * weight) for each in line_suggestions(head)]
    tried = _tried([*tables, *lines], head)
    note = None if tried else f"pass format= one of {', '.join(FORMATS)}"
    return Likely(tried, table_note(head) or note)


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
    import pyarrow as pa

    try:
        file = parquet_file(io.BytesIO(content))
        batch = first_rows(io.BytesIO(content), _PARQUET_ROWS, allowance(MAX_BYTES, len(content))[0])
    except TooLargeError:
        return Likely(note="it is Parquet that unpacks to very much, so it was not looked into")
    except (pa.ArrowException, OSError, ValueError):
        return Likely(note="it begins like Parquet, but is damaged")
    named = Counter(file.schema_arrow.names)
    names = [name for name, many in named.items() if many == 1]
    lists = [field.name for field in file.schema_arrow if "list" in str(field.type) and field.name in names]
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


def wide_suggestions(head: Head) -> Iterator[Suggestion]:
    """Tables whose cells say only whether each item is there."""
    for table in _tables(head):
        flags = sum(set(map(str.lower, column.cells)) <= _FLAGS for column in table.columns)
        if flags >= max(3, len(table.columns) - 2):
            reason = "a column for each item, with yes and no in the cells"
            yield Suggestion({"format": "wide", "delimiter": delimiter_word(table.delimiter)}, reason, 1.0)


def table_note(head: Head) -> str | None:
    """What a table may be that holds no sets: documents, or a person in each row."""
    tables = list(_tables(head))
    for table in tables:
        for column in table.columns:
            if sum(map(len, column.cells)) > _PROSE * max(1, len(column.cells)) and column.name.isprintable():
                name = repr(column.name)
                return f"if {name} holds documents: cloven text FILE --text-column {name} -o OUT.jsonl"
    return _PERSONS_NOTE if any(len(table.columns) > 1 for table in tables) else None


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
            for inner in CANDIDATES  # the delimiter of the table too: quotes go around such cells
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


# Which columns of a table hold the record and the item: by their names, and by what stands in them.


_RECORD_WORDS = re.compile(
    r"ids?|tid|nr|no|key|orders?|baskets?|carts?|trans(action)?s?|txn|invoices?|bill|receipt|customers?|clients?|users?|"
    r"members?|patients?|persons?|visitors?|visits?|admissions?|cases?|sessions?|records?|households?|documents?|doc|"
    r"query|queries|trips?"
)
_ITEM_WORDS = re.compile(
    r"items?|products?|articles?|sku|ingredients?|drugs?|medications?|diagnos[ei]s|diseases?|symptoms?|findings?|icd|"
    r"procedures?|codes?|terms?|tags?|words?|keywords?|labels?|topics?|skills?|movies?|films?|songs?|books?|titles?|"
    r"pages?|urls?|genres?|categor(y|ies)|descriptions?|names?|values?"
)
_MEASURE_WORDS = re.compile(
    r"date|time|datetime|timestamp|day|month|year|price|cost|amount|total|quantity|qty|count|rating|score|age|weight|"
    r"dose|units?"
)
_COMPARED = 12
_FEW_RECORDS = 0.05
"""Share of the rows that records must be, where no name says that a column holds records: else it is an attribute."""
_CLOSE = 0.6
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WHOLE = re.compile(r"[-+]?\d+")
_DECIMAL = re.compile(r"[-+]?\d*[.,]\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class Column:
    """One column: its name, its place and the cells that were looked at."""

    name: str
    place: int
    cells: Sequence[str]

    def _named(self, words: re.Pattern[str]) -> bool:
        """Whether one of these words is in its name; ``product_id`` and ``productId`` are alike."""
        return any(words.fullmatch(word.lower()) for word in _WORD.findall(self.name))

    @property
    def named_item(self) -> bool:
        """Whether the name speaks of items."""
        return self._named(_ITEM_WORDS)

    @property
    def named_record(self) -> bool:
        """Whether the name speaks of records; ``product_id`` does not."""
        return self._named(_RECORD_WORDS) and not self.named_item

    @cached_property
    def numeric(self) -> bool:
        """Whether every cell is a whole number."""
        return bool(self.cells) and all(_WHOLE.fullmatch(cell) for cell in self.cells)

    @cached_property
    def decimal(self) -> bool:
        """Whether most cells are decimal numbers, dates or times: no items, no records."""
        return sum(_DECIMAL.fullmatch(cell) is not None for cell in self.cells) > 0.5 * len(self.cells)

    @cached_property
    def distinct(self) -> int:
        """Number of different cells."""
        return len(set(self.cells))

    @property
    def repeats(self) -> bool:
        """Whether some cell stands in several rows."""
        return self.distinct < len(self.cells)

    @property
    def as_record(self) -> float:
        """How well it would say which record a row belongs to."""
        measure = self.decimal or self._named(_MEASURE_WORDS)
        return 2 * self.named_record + self.repeats - 2 * self.named_item - 3 * measure - 0.1 * self.place

    @property
    def as_item(self) -> float:
        """How well it would hold the items."""
        measure = self.decimal or self._named(_MEASURE_WORDS)
        constant = self.distinct < 2 < len(self.cells)
        return 2 * self.named_item + (not self.numeric) - 2 * self.named_record - 3 * measure - 2 * constant


class Pair(NamedTuple):
    """A column of records and a column of items."""

    record: Column
    item: Column
    quality: float


def best_pairs(columns: Sequence[Column]) -> list[Pair]:
    """The likeliest columns of a long table, and the next best for another column of records; none if no two would do.

    >>> table = [Column("order", 0, ["1", "1", "2"]), Column("price", 1, ["0.5", "2.0", "0.5"]),
    ...          Column("product", 2, ["jam", "tea", "jam"])]
    >>> [(pair.record.name, pair.item.name) for pair in best_pairs(table)]
    [('order', 'product')]
    """
    likely = sorted(columns, key=lambda column: -max(column.as_record, column.as_item))[:_COMPARED]
    pairs = [pair for record, item in permutations(likely, 2) if (pair := _pair(record, item)).quality > 0]
    best: dict[str, Pair] = {}
    for pair in sorted(pairs, key=lambda pair: -pair.quality):
        best.setdefault(pair.record.name, pair)
    found = list(best.values())
    return found[:1] + [pair for pair in found[1:2] if pair.quality > _CLOSE * found[0].quality]


def _pair(record: Column, item: Column) -> Pair:
    """In a long table an item stands once in a record, and a record in several rows."""
    rows = list(zip(record.cells, item.cells, strict=True))
    once = len(set(rows)) / max(1, len(rows))
    score = record.as_record + item.as_item
    named = record.named_record and item.named_item
    few = record.distinct < max(3, _FEW_RECORDS * len(rows)) and not record.named_record
    if score < 0 or few or not (record.repeats or named):
        return Pair(record, item, 0.0)
    return Pair(
        record, item, (0.5 + 0.08 * min(5.0, score)) * (0.4 + 0.6 * once) * (1.0 if record.repeats else 0.5)
    )


# The delimiter of a text, from its first lines; and what is refused because another one or another format is likelier.


_SAMPLE_BYTES = 1 << 18
_SAMPLE_LINES = 1000
# White space comes last: names of items hold spaces far more often than the others.
CANDIDATES = ("\t", "|", ";", ",")
QUOTED = re.compile(r'"(?:[^"]|"")*"')
_INTEGERS = re.compile(r"\s*\d+(?: +\d+)+\s*")


def first_lines(text: bytes) -> list[str]:
    """The first lines that are not blank, with quoted items taken out (they may hold any delimiter)."""
    head = text[:_SAMPLE_BYTES]
    if len(head) < len(text):
        head = head[: head.rfind(b"\n") + 1] or head
    lines = QUOTED.sub("q", head.decode(errors="replace")).split("\n")
    return [line for line in lines if line.strip()][:_SAMPLE_LINES]


def guess_delimiter(text: bytes, *, spaces: bool) -> str:
    r"""The delimiter that most of the first lines hold; a comma if there is none.

    ``spaces`` allows white space to separate items that are not numbers, when no other delimiter occurs.

    >>> guess_delimiter(b"whole milk;butter, salted\nrye bread;jam\n", spaces=True)
    ';'
    """
    lines = first_lines(text)
    shares = _shares(lines)
    best = max(CANDIDATES, key=shares.__getitem__)
    if shares[best] > 0:
        return best
    if shares[" "] > 0 or (spaces and any(" " in line.strip() for line in lines)):
        return " "
    return ","


def looks_like_spmf(text: bytes) -> bool:
    """Whether every one of the first lines ends with the ``-2`` of an SPMF sequence."""
    lines = [line for line in first_lines(text) if line[0] not in "#%@"]
    return bool(lines) and all(line.split()[-1] == "-2" for line in lines)


def check_delimiter(text: bytes, delimiter: str, lengths: NDArray[np.int64], source: str) -> None:
    """Raise if nearly all lines give one item while another delimiter stands in most of them."""
    filled = lengths[lengths > 0]
    if not len(filled) or np.count_nonzero(filled == 1) <= 0.95 * len(filled):
        return
    lines = first_lines(text)
    shares = _shares(lines)
    other = max((c for c in (*CANDIDATES, " ") if c != delimiter), key=shares.__getitem__)
    if shares[other] > 0.5:
        line = next(number for number, line in enumerate(text.split(b"\n"), 1) if other.encode() in line)
        shown = text.split(b"\n", line)[line - 1].decode(errors="backslashreplace").rstrip("\r")
        message = f"delimiter {delimiter!r} gives one item per line, while {other!r} stands in most lines"
        meant = _meant(delimiter, "if there is one item in each line")
        raise UnplacedError(message, source=source, line=line, value=shown, meant=meant)


def refuse_table(
    lengths: NDArray[np.int64], codes: NDArray[np.int64], names: Sequence[str], delimiter: str, source: str
) -> None:
    """Raise if lines look like a table with a header: read as records, its ids and its header would become items.

    Nearly all lines are as wide as the first, and the cells of the first stand in no other line.
    """
    rows = lengths[lengths > 0]
    if len(rows) < 5 or rows[0] < 2 or np.count_nonzero(rows == rows[0]) < 0.99 * len(rows):
        return
    header = codes[: rows[0]]
    if np.isin(codes[rows[0] :], header).any():
        return
    cells = ", ".join(names[code] for code in header.tolist())
    message = "looks like a table with a header, not like one record per line"
    meant = _meant(delimiter, "if the first line is a record too")
    raise UnplacedError(message, source=source, line=1, value=cells, meant=meant)


def refuse_words_between_others(text: bytes, source: str) -> None:
    """Raise if FIMI holds no numbers, and another delimiter in most lines: that would stick to the items."""
    lines = first_lines(text)
    shares = _shares(lines)
    other = max(CANDIDATES, key=shares.__getitem__)
    if shares[other] > 0.5 > shares[" "]:
        message = f"FIMI has numbers between spaces, but {other!r} stands in most lines"
        raise UnplacedError(message, source=source, value=lines[0])


def refuse_other_formats(text: bytes, source: str) -> None:
    """Raise if a text that would be read as plain records is JSON, SPMF or HTML: their marks would become items."""
    found = "JSON" if json_suggestions(head_of(text)) else "SPMF" if looks_like_spmf(text) else None
    if markup(text) is not None:
        found = "HTML or XML"
    if found is not None:
        shown = text.lstrip().split(b"\n", 1)[0].decode(errors="backslashreplace").rstrip("\r")
        message = f"looks like {found}, not like plain records"
        raise UnplacedError(message, source=source, value=shown)


def _meant(delimiter: str, reason: str) -> Suggestion:
    return Suggestion({"format": "lines", "delimiter": delimiter_word(delimiter)}, reason, 0.0)


def _shares(lines: list[str]) -> dict[str, float]:
    """Share of lines that hold each delimiter; white space counts only between integers."""
    total = max(1, len(lines))
    shares = {c: sum(c in line.strip() for line in lines) / total for c in CANDIDATES}
    shares[" "] = sum(_INTEGERS.fullmatch(line) is not None for line in lines) / total
    return shares
