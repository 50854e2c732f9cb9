"""Tables of persons from CSV (any delimiter; gzip, zstd or zip), Parquet, or any frame that narwhals knows."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

from cloven.data.number_blocks import number_text
from cloven.data.table import Table
from cloven.errors import InputError
from cloven.figures import many
from cloven.reading.columns import missing_column
from cloven.reading.delimiters import guess_delimiter
from cloven.reading.files import open_bytes
from cloven.reading.table_domains import KEPT, Place, encode, has_leading_zero, plain_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.schema import Column, Missing, Schema


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
    >>> from cloven.data.schema import Schema
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
    return many(number, "row")


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


# Raw columns of a table: texts from delimited files, numbers or texts from Parquet files and frames.


PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, eq=False)
class RawColumns:
    """Cells as read.

    Attributes:
        source: where they come from, for messages.
        names: all columns that the source has.
        cells: the columns asked for: texts with None where there is nothing, or numbers with NaN.
        lines: line of each row in a text file; None elsewhere.
    """

    source: str
    names: tuple[str, ...]
    cells: dict[str, list[str | None] | NDArray[np.float64]]
    lines: NDArray[np.int64] | None = None


def read_columns(data: Any, schema: Schema, max_bytes: int) -> RawColumns:
    """The columns that a schema uses, from a path or a frame."""
    if not isinstance(data, str | Path):
        return _from_frame(data, schema)
    path = Path(data)
    content, extension = open_bytes(path, max_bytes)
    if extension in PARQUET or content[:4] == b"PAR1":
        return _from_parquet(content, str(path), schema)
    return _from_text(content, str(path), schema)


def _wanted(names: Sequence[str], schema: Schema, source: str) -> list[str]:
    """Columns to read; every column that the schema names must be there."""
    for column in schema.columns:
        if column.name not in names:
            raise missing_column(column.name, names, source)
        if list(names).count(column.name) > 1:
            message = f"column {column.name!r} stands twice in the header; rename one"
            raise InputError(message, source=source)
    return [column.name for column in schema.read]


def _from_text(content: bytes, source: str, schema: Schema) -> RawColumns:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = "is not UTF-8; save the file as UTF-8"
        raise InputError(message, source=source, line=line) from error
    delimiter = schema.delimiter or guess_delimiter(content, spaces=False)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    rows, lines = [], []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        message = f"cannot be read as a table: {error}"
        raise InputError(message, source=source, line=reader.line_num) from error
    if not rows:
        message = "is empty; a table begins with a line of the names of its columns"
        raise InputError(message, source=source)
    names = schema.header or tuple(name.strip() for name in rows[0])
    if schema.header is None:
        rows, lines = rows[1:], lines[1:]
    wanted = _wanted(names, schema, source)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(names):
            message = f"{len(row)} cells where the header has {len(names)}"
            raise InputError(message, source=source, line=line, value=delimiter.join(row))
    places = {name: names.index(name) for name in wanted}
    cells: dict[str, Any] = {name: [row[place].strip() for row in rows] for name, place in places.items()}
    return RawColumns(source, names, cells, np.array(lines, np.int64))


def _from_parquet(content: bytes, source: str, schema: Schema) -> RawColumns:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        names = tuple(file.schema_arrow.names)
        table = file.read(columns=_wanted(names, schema, source))
    except (pa.ArrowException, OSError) as error:
        message = f"cannot be read as Parquet: {' '.join(str(error).split())}"
        raise InputError(message, source=source) from error
    cells = {column.name: arrow_cells(table.column(column.name), column, source) for column in schema.read}
    return RawColumns(source, names, cells)


def _from_frame(data: Any, schema: Schema) -> RawColumns:
    import narwhals as nw

    source = "frame"
    try:
        known = nw.from_native(data)
        frame = known.collect(backend="pyarrow") if isinstance(known, nw.LazyFrame) else known
        columns = list(frame.columns)
    except TypeError as error:
        message = "not a table; pass a path, or a pandas, Polars, PyArrow or DuckDB frame"
        raise InputError(message, source=source, value=type(data).__name__) from error
    except nw.exceptions.DuplicateError as error:
        listed = [str(name) for name in getattr(data, "column_names", getattr(data, "columns", ()))]
        twice = next((name for name in listed if listed.count(name) > 1), "?")
        message = f"column {twice!r} stands twice in the frame; rename one"
        raise InputError(message, source=source) from error
    names = tuple(map(str, columns))
    _wanted(names, schema, source)
    cells = {
        column.name: _frame_cells(frame.get_column(columns[names.index(column.name)]), column, source)
        for column in schema.read
    }
    return RawColumns(source, names, cells)


def _frame_cells(cells: Any, column: Column, source: str) -> list[str | None] | NDArray[np.float64]:
    """Cells of a column of a frame; what Arrow cannot hold goes by way of Python's own values."""
    import narwhals as nw
    import pyarrow as pa

    if cells.dtype in (nw.Object, nw.Unknown):
        return object_cells(cells.to_list(), column, source)
    try:
        arrow = cells.to_arrow()
    except pa.ArrowException:
        return object_cells(cells.to_list(), column, source)
    held = arrow.type.value_type if pa.types.is_dictionary(arrow.type) else arrow.type
    if isinstance(held, pa.BaseExtensionType):
        return object_cells(cells.to_list(), column, source)
    return arrow_cells(arrow, column, source)


# Cells of one column of a Parquet file or a frame: texts, or numbers where they will be numbers.
#
# What will be categories stays exact: an integer or decimal as its digits, never by way of a float.


if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.data.schema import Column

    Cells = list[str | None] | NDArray[np.float64]


def arrow_cells(cells: pa.Array | pa.ChunkedArray, column: Column, source: str) -> Cells:
    """Cells of an Arrow column: numbers with NaN where there is nothing, or texts with None."""
    import pyarrow as pa

    kind = cells.type
    try:
        if pa.types.is_dictionary(kind):
            cells, kind = cells.cast(kind.value_type), kind.value_type
        if pa.types.is_decimal(kind):
            return _decimals(cells.to_pylist(), column, source)
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return _numbers(cells, column, source)
        if _has_text(kind):
            return [text if text is None else text.strip() for text in cells.cast(pa.string()).to_pylist()]
        if isinstance(kind, pa.BaseExtensionType):
            return object_cells(cells.to_pylist(), column, source)
    except pa.ArrowException as error:
        raise _unreadable(column, str(kind), source) from error
    raise _unreadable(column, str(kind), source)


def object_cells(cells: Iterable[Any], column: Column, source: str) -> list[str | None]:
    """Python values as text, None for all that stands for nothing."""
    return [_text(cell, column, source) for cell in cells]


def _has_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    is_ = pa.types
    text = is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind)
    temporal = is_.is_temporal(kind) and not is_.is_interval(kind)
    return bool(text or temporal or is_.is_boolean(kind) or is_.is_null(kind))


def _numbers(cells: pa.Array | pa.ChunkedArray, column: Column, source: str) -> Cells:
    import pyarrow as pa

    if pa.types.is_integer(cells.type):
        if column.kind == "category":
            texts: list[str | None] = cells.cast(pa.string()).to_pylist()
            return texts
        try:
            cells = cells.cast(pa.float64())
        except pa.ArrowInvalid as error:
            raise _inexact(column, source) from error
    numbers: NDArray[np.float64] = cells.cast(pa.float64()).fill_null(np.nan).to_numpy()
    if column.kind == "category":
        return [None if number != number else number_text(number) for number in numbers.tolist()]
    return numbers


def _decimals(cells: list[Decimal | None], column: Column, source: str) -> Cells:
    if column.kind == "category":
        return [None if cell is None else _digits(cell) for cell in cells]
    exact = {cell for cell in cells if cell is not None}
    if len({float(cell) for cell in exact}) < len(exact):
        raise _inexact(column, source)
    return np.array([np.nan if cell is None else float(cell) for cell in cells], np.float64)


def _digits(cell: Decimal) -> str:
    """All digits of a decimal, and no zeros behind the point.

    >>> from decimal import Decimal
    >>> _digits(Decimal("1.50")), _digits(Decimal("200"))
    ('1.5', '200')
    """
    text = format(cell, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _text(value: Any, column: Column, source: str) -> str | None:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    kind: Any = type(value)
    several = not isinstance(value, str) and (hasattr(value, "__len__") or hasattr(value, "__iter__"))
    nameless = kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__
    if several or nameless:
        raise _unreadable(column, kind.__name__, source)
    return None if value != value else str(value).strip()


def _inexact(column: Column, source: str) -> InputError:
    message = f"column {column.name!r} holds a number that is too long or infinite; choose kind = 'category'"
    return InputError(message, source=source)


def _unreadable(column: Column, kind: str, source: str) -> InputError:
    message = (
        f"column {column.name!r} holds {kind}, not one value per row; choose another column or ignore it"
    )
    return InputError(message, source=source)
