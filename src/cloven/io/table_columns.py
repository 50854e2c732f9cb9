"""Raw columns of a table: texts from delimited files, numbers or texts from Parquet files and frames."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError
from cloven.io.raw_cells import arrow_cells, object_cells
from cloven.io.readers.guessing import guess_delimiter
from cloven.io.readers.opening import open_bytes
from cloven.io.readers.tables import missing_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.schema import Column, Schema

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
