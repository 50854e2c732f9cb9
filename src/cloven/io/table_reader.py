"""Tables of persons from CSV (any delimiter; gzip, zstd or zip), Parquet, or any frame that narwhals knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

from cloven.errors import InputError
from cloven.io.number_texts import has_leading_zero, plain_number
from cloven.io.table_columns import RawColumns, read_columns
from cloven.io.table_domains import KEPT, Place, encode
from cloven.model.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.model.schema import Missing, Schema

MAX_BYTES = 1 << 34
REMEDY = 'choose missing = "drop" or (categories) "keep" in the schema'


@dataclass(frozen=True)
class MissingValues:
    """What was found and done about missing values of one column.

    >>> print(MissingValues("work", 1_836, 32_561, "drop"))
    column 'work' has no value in 1,836 of 32,561 rows: these rows were left out
    """

    column: str
    rows: int
    of: int
    policy: Missing

    def __str__(self) -> str:
        which = "this row was" if self.rows == 1 else "these rows were"
        done = {
            "refuse": f"only described, {REMEDY}",
            "drop": f"{which} left out",
            "keep": f"kept as the value {KEPT!r}",
        }[self.policy]
        return f"column {self.column!r} has no value in {self.rows:,} of {_rows(self.of)}: {done}"


@dataclass(frozen=True)
class LoadedTable:
    """A table, and what was done to get it.

    Attributes:
        table: the rows.
        missing: columns that had missing values, and what was done.
        dropped: rows left out for that.
        ignored: columns that the data have and the table does not.
        remarks: what else the owner should look at.
    """

    table: Table
    missing: tuple[MissingValues, ...]
    dropped: int
    ignored: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def report(self) -> tuple[str, ...]:
        """One line for everything worth telling."""
        lines = list(map(str, self.missing))
        if self.dropped:
            lines.append(f"{_rows(self.dropped)} left out, {_rows(len(self.table))} read")
        if self.ignored:
            lines.append(f"not read: {', '.join(self.ignored)}")
        return (*lines, *self.remarks)


def read_table(data: str | Path | Any, schema: Schema, *, max_bytes: int = MAX_BYTES) -> Table:
    """Read a table; see ``load_table`` for what was done about missing values.

    >>> import pyarrow as pa
    >>> from cloven.model.schema import Schema
    >>> frame = pa.table({"age": [31, 25, 31], "illness": ["flu", "gout", "flu"]})
    >>> table = read_table(frame, Schema.of(["age"], ["illness"]))
    >>> table, table.row(1)
    (Table(3 rows, 2 attributes), ('25', 'gout'))
    """
    return load_table(data, schema, max_bytes=max_bytes).table


def load_table(
    data: str | Path | Any, schema: Schema, *, max_bytes: int = MAX_BYTES, overview: bool = False
) -> LoadedTable:
    """Read a table and tell what was done about missing values.

    Args:
        data: path of a file, or a frame.
        schema: what each column is.
        max_bytes: how much a packed file may unpack to.
        overview: tell of missing values that the schema refuses, and leave them missing.
    """
    raw = read_columns(data, schema, max_bytes)
    rows = len(next(iter(raw.cells.values())))
    if not rows:
        message = "no rows below the header"
        raise InputError(message, source=raw.source)
    gone = {column.name: _gone(raw, column.name, schema) for column in schema.used}
    stays = np.ones(rows, np.bool_)
    missing = []
    for column in schema.used:
        policy, count = column.missing or schema.missing, int(gone[column.name].sum())
        if count:
            missing.append(MissingValues(column.name, count, rows, policy))
        if policy == "drop":
            stays &= ~gone[column.name]
    refused = [each.column for each in missing if each.policy == "refuse"]
    if refused and not overview:
        raise _refused(raw, {name: gone[name] for name in refused})
    if not stays.any():
        lack = "the only row lacks" if rows == 1 else f"all {rows:,} rows lack"
        message = f"{lack} a value ({missing[0].column!r} in {missing[0].rows:,}); nothing is left"
        raise InputError(message, source=raw.source)
    table = _encoded(raw, schema, gone, np.flatnonzero(stays))
    used = {column.name for column in schema.read}
    ignored = tuple(name for name in raw.names if name not in used)
    return LoadedTable(table, tuple(missing), rows - len(table), ignored, _twins(table))


def _rows(number: int) -> str:
    return f"{number:,} row" if number == 1 else f"{number:,} rows"


def _twins(table: Table) -> tuple[str, ...]:
    """Columns with values that look the same and are not: letters with accents can be stored in two ways."""
    lines = []
    for attribute in table.attributes:
        seen: set[str] = set()
        for value in () if attribute.numbers is not None else attribute.values:
            plain = value if value.isascii() else normalize("NFC", value)
            if plain in seen:
                lines.append(
                    f"column {attribute.name!r} has values that look the same and differ in how letters are stored"
                    f" (Unicode), such as {plain!r}: they count as different; store them alike (NFC)"
                )
                break
            seen.add(plain)
    return tuple(lines)


def _encoded(
    raw: RawColumns, schema: Schema, gone: dict[str, NDArray[np.bool_]], rows: NDArray[np.int64]
) -> Table:
    """The rows that stay; domains hold only what they hold."""
    place = Place(raw.source, None if raw.lines is None else raw.lines[rows])
    attributes, codes = [], []
    for column in schema.used:
        cells = raw.cells[column.name]
        kept = [cells[row] for row in rows.tolist()] if isinstance(cells, list) else cells[rows]
        keep = (column.missing or schema.missing) == "keep"
        attribute, found = encode(
            column, kept, gone[column.name][rows], place, keep=keep, missing_values=schema.missing_values
        )
        attributes.append(attribute)
        codes.append(found)
    persons = _persons(raw, schema, rows, place)
    return Table(tuple(attributes), np.column_stack(codes).astype(np.int32), rows, persons)


def _persons(
    raw: RawColumns, schema: Schema, rows: NDArray[np.int64], place: Place
) -> NDArray[np.int64] | None:
    """Number of the person behind each row, if a column says so."""
    if schema.person is None:
        return None
    nobody = np.flatnonzero(_gone(raw, schema.person, schema)[rows])
    cells = raw.cells[schema.person]
    if len(nobody):
        message = (
            f"column {schema.person!r} says who a row is about, and is empty in {len(nobody):,} of {len(rows):,} rows,"
            " first here; fill it in, or leave these rows out"
        )
        raise place.error(message, int(nobody[0]), str(cells[rows[nobody[0]]]))
    named: Any = [str(cells[row]) for row in rows.tolist()] if isinstance(cells, list) else cells[rows]
    if isinstance(cells, list):
        numbers = [None if has_leading_zero(text) else plain_number(text) for text in named]
        named = numbers if all(number is not None for number in numbers) else named  # 3.0 is 3
    return np.unique(np.asarray(named), return_inverse=True)[1].astype(np.int64)


def _gone(raw: RawColumns, name: str, schema: Schema) -> NDArray[np.bool_]:
    cells = raw.cells[name]
    if isinstance(cells, list):
        none = {None, *schema.missing_values}
        return np.fromiter((cell in none for cell in cells), np.bool_, len(cells))
    numbers = [number for text in schema.missing_values if (number := plain_number(text)) is not None]
    return np.isnan(cells) | np.isin(cells, numbers)


def _refused(raw: RawColumns, gone: dict[str, NDArray[np.bool_]]) -> InputError:
    """All columns that lack values, at the first row that lacks one."""
    name, lost = min(gone.items(), key=lambda each: int(np.argmax(each[1])))
    first = int(np.argmax(lost))
    told = f"column {name!r} has no value in {int(lost.sum()):,} of {len(lost):,} rows"
    if len(gone) > 1:
        counts = ", ".join(f"{column!r} in {int(rows.sum()):,}" for column, rows in gone.items())
        told = f"{len(gone)} columns have no value in some of {len(lost):,} rows: {counts}"
    message = f"{told}, first here; {REMEDY}"
    return Place(raw.source, raw.lines).error(message, first, str(raw.cells[name][first]))
