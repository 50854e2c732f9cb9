"""What speaks for a table with a header: one item per row, or a list of items in a cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from cloven.io.readers.columns import Column, best_pairs
from cloven.io.readers.guessing import CANDIDATES
from cloven.io.readers.unplaced import Suggestion, delimiter_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloven.io.readers.head import Head

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
