"""Delimited text: one record per line (FIMI and SPMF too), and tables with a header, long or with lists in cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.reading.guess import (
    Column,
    check_delimiter,
    guess_delimiter,
    refuse_table,
    refuse_words_between_others,
)
from cloven.reading.raw import LongRows, RawRecords, decode_names, missing_column, name_faults
from cloven.reading.tokens import TextPlaces, Tokens, quote_faults, tokenise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.reading.options import ReadOptions
    from cloven.reading.raw import Place


def read_lines(text: bytes, source: str, options: ReadOptions, delimiter: str) -> RawRecords:
    """Records of delimited lines, with RFC 4180 quotes; a space stands for any white space."""
    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    if options.format is None or options.delimiter is None:
        check_delimiter(text, delimiter, tokens.lengths, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    if options.format is None:
        refuse_table(tokens.lengths, codes, names, delimiter, source)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults, quote_faults(tokens))


def read_fimi(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Records of items separated by white space; quotes have no meaning."""
    tokens = tokenise(text, " ", merge=True, quotes=False)
    if options.format is None:
        check_delimiter(text, " ", tokens.lengths, source)
        refuse_words_between_others(text, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults)


def read_spmf(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Sequences of SPMF: ``-1`` ends an item set, ``-2`` the record; #, % or @ starts a comment line."""
    raw = read_fimi(text, source, replace(options, format="spmf"))
    comment, wrong = _spmf_lines(raw)
    rows = np.repeat(np.arange(len(raw.lengths)), raw.lengths)
    marks = [code for code, name in enumerate(raw.names) if name in {"-1", "-2"}]
    items = ~comment[rows] & ~np.isin(raw.codes, marks)
    records = np.flatnonzero(~comment)
    return RawRecords(
        np.bincount(rows[items], minlength=len(raw.lengths))[records].astype(np.int64),
        raw.codes[items],
        raw.names,
        lambda record, item: raw.place(int(records[record]), item),
        raw.item_faults,
        dict.fromkeys(np.flatnonzero(wrong[records]).tolist(), "an SPMF record must end with one -2"),
    )


def _spmf_lines(raw: RawRecords) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which lines are comments, and which do not end with the only ``-2`` of the line."""
    filled = np.flatnonzero(raw.lengths)
    last = np.cumsum(raw.lengths)[filled] - 1
    first = last - raw.lengths[filled] + 1
    signs = [code for code, name in enumerate(raw.names) if name[0] in "#%@"]
    is_end = np.isin(raw.codes, [code for code, name in enumerate(raw.names) if name == "-2"])
    comment, wrong = np.zeros((2, len(raw.lengths)), bool)
    comment[filled] = np.isin(raw.codes[first], signs)
    wrong[filled] = ~is_end[last] | (np.add.reduceat(is_end, first, dtype=np.int64) != 1)
    return comment, wrong & ~comment


# Delimited text with a header: long tables, and tables with a list of items in one column.


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

    def labels(self, name: str) -> tuple[NDArray[np.int64], list[bytes]]:
        """Number of each row's label in an id or person column, and the labels; blank ones are faults."""
        codes, cells = self.column(name)
        blank = [code for code, cell in enumerate(cells) if not cell.strip()]
        for row in np.flatnonzero(np.isin(codes, blank)).tolist():
            self.faults.setdefault(row, f"column {name!r} is blank")
        return codes, cells


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


def read_long(text: bytes, source: str, options: ReadOptions, delimiter: str) -> LongRows:
    """Rows of a long table; blank lines count for nothing."""
    if options.id_column is None or options.item_column is None:
        message = "format 'long' needs id_column and item_column"
        raise ParameterError(message)
    table = _open_table(text, delimiter, source)
    ids, labels = table.labels(options.id_column)
    items, raw_names = table.column(options.item_column)
    persons = None if options.person is None else table.labels(options.person)[0]
    names, item_faults = decode_names(raw_names)
    filled = np.flatnonzero((items >= 0) | np.isin(np.arange(table.rows), list(table.faults)))
    place = _Picked(table, filled)
    faults = {int(np.searchsorted(filled, row)): reason for row, reason in table.faults.items()}
    lengths = (items[filled] >= 0).astype(np.int64)
    codes = items[items >= 0]
    rows = RawRecords(
        lengths, codes, names, place, item_faults, faults, None if persons is None else persons[filled]
    )
    return LongRows(rows, ids[filled], labels)


@dataclass(frozen=True)
class _Picked:
    """Places of some rows of a table."""

    table: _Table
    rows: NDArray[np.int64]

    def __call__(self, row: int, _item: int = -1) -> Place:
        return self.table.where(int(self.rows[row]))


YES, NO = (
    frozenset(("1", "1.0", "true", "t", "yes", "y", "x")),
    frozenset(("0", "0.0", "", "false", "f", "no", "n")),
)
"""What the cells of a wide table say, in small letters."""


def read_wide(text: bytes, source: str, options: ReadOptions, delimiter: str) -> RawRecords:
    """Records of a table with a column for each item, whose cells say whether it is there; others are left out."""
    table = _open_table(text, delimiter, source)
    persons = None if options.person is None else table.labels(options.person)[0]
    held, items = [], []
    for name in dict.fromkeys(table.header):
        if name != options.person and (there := _flags(table, name)) is not None:
            items.append(name.strip())
            held.append(there)
    if not items:
        message = "no column says whether an item is there, with 0 and 1, yes and no or the like"
        raise InputError(message, source=source)
    rows, codes = np.nonzero(np.column_stack(held))
    lengths = np.bincount(rows, minlength=table.rows).astype(np.int64)
    return RawRecords(
        lengths, codes.astype(np.int64), items, table.where, name_faults(items), table.faults, persons
    )


def _flags(table: _Table, name: str) -> NDArray[np.bool_] | None:
    """Which rows have an item; None of a column that holds mostly other values, such as the number of a row."""
    codes, cells = table.column(name)
    said = [cell.decode(errors="replace").strip().lower() for cell in cells]
    other = [number for number, word in enumerate(said) if word not in YES and word not in NO]
    if Column(name, 0, ()).named_record or 2 * len(other) > len(said) or not any(said):
        return None
    for row in np.flatnonzero(np.isin(codes, other)).tolist():
        table.faults.setdefault(row, f"column {name!r} says neither yes nor no; write 1 or 0")
    there = np.array([word in YES for word in said] + [False], np.bool_)
    return there[codes]  # a bad row has code -1


def read_table(text: bytes, source: str, options: ReadOptions, delimiter: str) -> RawRecords:
    """Records of a table whose column holds a list of items in one cell, such as ``flu|fever``."""
    if options.column is None:
        message = "format 'table' needs column, the one that holds the items"
        raise ParameterError(message)
    table = _open_table(text, delimiter, source)
    codes, cells = table.column(options.column)
    persons = None if options.person is None else table.labels(options.person)[0]
    within = options.item_delimiter or guess_delimiter(b"\n".join(cells), spaces=False)
    # NUL cannot stand in a cell (the file would have been refused), so it can end one. What stands behind the last
    # delimiter is no item.
    ends = (within + " \t").encode()
    lists = tokenise(
        b"".join(cell.rstrip(ends) + b"\0" for cell in cells), within, merge=within == " ", record_end="\0"
    )
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
