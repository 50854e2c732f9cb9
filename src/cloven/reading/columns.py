"""Which columns of a table hold the record and the item: by their names, and by what stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.reading.delimiters import guess_delimiter
from cloven.reading.raw import RawRecords, Settled, decode_names, settle
from cloven.reading.tokens import TextPlaces, Tokens, quote_faults, tokenise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.reading.options import ReadOptions
    from cloven.reading.raw import Place


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
    if score < 0 or not (record.repeats or named):
        return Pair(record, item, 0.0)
    return Pair(
        record, item, (0.5 + 0.08 * min(5.0, score)) * (0.4 + 0.6 * once) * (1.0 if record.repeats else 0.5)
    )


# Long tables: one item per row; rows with the same id make a record, wherever they stand.


@dataclass(frozen=True)
class LongRows:
    """Rows of a long table.

    Attributes:
        rows: each row as a record of one item (of none where the row is bad); ``persons`` by row.
        ids: number of each row's record, in order of first appearance.
    """

    rows: RawRecords
    ids: NDArray[np.int64]


def settle_long(table: LongRows, source: str, *, lenient: bool, max_record_length: int) -> Settled:
    """Group rows into records, refusing or leaving out what is bad."""
    rows = replace(table.rows, record_faults=person_faults(table) | dict(table.rows.record_faults))
    first = settle(rows, source, lenient=lenient, max_record_length=max_record_length)
    raw = _group(first, table.ids)
    second = settle(raw, source, lenient=lenient, max_record_length=max_record_length)
    return replace(
        second,
        blank_items=first.blank_items,
        skipped=first.skipped + second.skipped,
        examples=(first.examples + second.examples)[: max(len(first.examples), len(second.examples))],
    )


def _group(settled: Settled, ids: NDArray[np.int64]) -> RawRecords:
    kept = ids[settled.kept]
    found, starts, numbers = np.unique(kept, return_index=True, return_inverse=True)
    owners = np.repeat(numbers, settled.lengths)
    order = np.argsort(owners, kind="stable")
    rows, persons = settled.kept[starts], settled.raw.persons

    def place(record: int, _item: int) -> Place:
        return settled.raw.place(int(rows[record]), -1)

    return RawRecords(
        np.bincount(owners, minlength=len(found)).astype(np.int64),
        settled.codes[order],
        settled.raw.names,
        place,
        persons=None if persons is None else persons[rows],
    )


def person_faults(table: LongRows) -> dict[int, str]:
    """Rows that give a record another person than its first row does."""
    persons = table.rows.persons
    if persons is None:
        return {}
    good = np.flatnonzero((persons >= 0) & (table.ids >= 0))
    _, starts, numbers = np.unique(table.ids[good], return_index=True, return_inverse=True)
    other = good[persons[good] != persons[good][starts][numbers]]
    return dict.fromkeys(
        other.tolist(), "the id belongs to another person in an earlier row; use one person per id"
    )


# Delimited text with a header: long tables, and tables with a list of items in one column.


_SHOWN_COLUMNS = 20


def missing_column(name: str, columns: Iterable[str], source: str) -> InputError:
    """The error for a column that is not there; lists those that are."""
    there = list(columns)
    more = f" and {len(there) - _SHOWN_COLUMNS} more" if len(there) > _SHOWN_COLUMNS else ""
    listed = ", ".join(repr(column) for column in there[:_SHOWN_COLUMNS])
    return InputError(f"no column {name!r}; the columns are {listed}{more}", source=source)


@dataclass(frozen=True)
class _Table:
    """Cells of a text table below its header."""

    tokens: Tokens
    header: tuple[str, ...]
    place: TextPlaces
    source: str
    first: int  # record number of the first row
    faults: dict[int, str]  # by row; grows while columns are looked up

    @property
    def rows(self) -> int:
        return len(self.tokens.lengths) - self.first

    def where(self, row: int, _item: int = -1) -> Place:
        return self.place(row + self.first)

    def column(self, name: str) -> tuple[NDArray[np.int64], list[bytes]]:
        """Code of each row's cell in a column (-1 in bad rows), and the distinct cells."""
        if name not in self.header:
            raise missing_column(name, self.header, self.source)
        if self.header.count(name) > 1:
            message = f"column {name!r} stands twice in the header; rename one"
            raise InputError(message, source=self.source)
        codes = np.full(self.rows, -1, np.int64)
        lengths = self.tokens.lengths
        good = np.flatnonzero(lengths[self.first :] == len(self.header))
        starts = np.cumsum(lengths) - lengths
        codes[good], cells = self.tokens.encode(starts[good + self.first] + self.header.index(name))
        return codes, cells

    def labels(self, name: str) -> NDArray[np.int64]:
        """Number of each row's label in an id or person column; blank ones are faults."""
        codes, cells = self.column(name)
        blank = [code for code, cell in enumerate(cells) if not cell.strip()]
        for row in np.flatnonzero(np.isin(codes, blank)).tolist():
            self.faults.setdefault(row, f"column {name!r} is blank")
        return codes


def _open_table(text: bytes, delimiter: str, source: str) -> _Table:
    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    place, faults = TextPlaces(text, tokens), quote_faults(tokens)
    filled = np.flatnonzero((tokens.lengths > 0) | (tokens.faults != 0))
    if not len(filled):
        message = "no header; the file is empty or blank"
        raise InputError(message, source=source)
    first = int(filled[0]) + 1
    if first - 1 in faults:
        raise place(first - 1).error(faults[first - 1], source)
    at = tokens.offsets[: int(tokens.lengths[first - 1]) + 1]
    cells = [tokens.data[start:end].tobytes() for start, end in pairwise(at)]
    header = tuple(cell.decode(errors="backslashreplace") for cell in cells)
    faults = {record - first: reason for record, reason in faults.items()}
    lengths = tokens.lengths[first:]
    for row in np.flatnonzero((lengths != len(header)) & (lengths > 0)).tolist():
        faults.setdefault(row, f"{lengths[row]} cells where the header has {len(header)}")
    return _Table(tokens, header, place, source, first, faults)


def read_long(text: bytes, delimiter: str, source: str, options: ReadOptions) -> LongRows:
    """Rows of a long table; blank lines count for nothing."""
    if options.id_column is None or options.item_column is None:
        message = "format 'long' needs id_column and item_column"
        raise ParameterError(message)
    table = _open_table(text, delimiter, source)
    ids = table.labels(options.id_column)
    items, raw_names = table.column(options.item_column)
    persons = None if options.person is None else table.labels(options.person)
    names, item_faults = decode_names(raw_names)
    filled = np.flatnonzero((items >= 0) | np.isin(np.arange(table.rows), list(table.faults)))
    place = _Picked(table, filled)
    faults = {int(np.searchsorted(filled, row)): reason for row, reason in table.faults.items()}
    lengths = (items[filled] >= 0).astype(np.int64)
    codes = items[items >= 0]
    rows = RawRecords(
        lengths, codes, names, place, item_faults, faults, None if persons is None else persons[filled]
    )
    return LongRows(rows, ids[filled])


@dataclass(frozen=True)
class _Picked:
    """Places of some rows of a table."""

    table: _Table
    rows: NDArray[np.int64]

    def __call__(self, row: int, _item: int = -1) -> Place:
        return self.table.where(int(self.rows[row]))


def read_table(text: bytes, delimiter: str, source: str, options: ReadOptions) -> RawRecords:
    """Records of a table whose column holds a list of items in one cell, such as ``flu|fever``."""
    if options.column is None:
        message = "format 'table' needs column, the one that holds the items"
        raise ParameterError(message)
    table = _open_table(text, delimiter, source)
    codes, cells = table.column(options.column)
    persons = None if options.person is None else table.labels(options.person)
    within = options.item_delimiter or guess_delimiter(b"\n".join(cells), spaces=False)
    # NUL cannot stand in a cell (the file would have been refused), so it can end one.
    lists = tokenise(b"".join(cell + b"\0" for cell in cells), within, merge=within == " ", record_end="\0")
    item_codes, raw_names = lists.encode()
    names, item_faults = decode_names(raw_names)
    list_lengths = np.append(lists.lengths, 0)  # a bad row (code -1) has an empty list
    lengths = list_lengths[codes]
    starts = (np.cumsum(list_lengths) - list_lengths)[codes]
    shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    wrong = quote_faults(lists)
    for row in np.flatnonzero(np.isin(codes, list(wrong))).tolist():
        table.faults.setdefault(row, wrong[int(codes[row])])
    return RawRecords(
        lengths,
        item_codes[shift + np.arange(len(shift))],
        names,
        table.where,
        item_faults,
        table.faults,
        persons,
    )
