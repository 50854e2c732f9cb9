"""Cells of the columns of a table, as a CSV file, a Parquet file or a frame holds them.

Texts are held as codes into the different ones: a column has far fewer of these than rows.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cloven.data.schema import Column, Schema, number_text
from cloven.errors import ClovenError, InputError
from cloven.intake.files import open_plain
from cloven.intake.packing import allowance, beginning, whole
from cloven.intake.pages import PagesError, TooLargeError, parquet_file, read_parquet
from cloven.intake.stores import is_store
from cloven.reading.files import BEGINNING
from cloven.reading.guess import guess_delimiter
from cloven.reading.raw import Place, missing_column
from cloven.reading.tokens import refuse_zeros

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    import pyarrow as pa
    from numpy.typing import NDArray


PARQUET = (".parquet", ".pq")
_TEXTS = ("category", "date", "code")
"""Kinds of columns that stay exact texts."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Cells that are texts.

    Attributes:
        held: different texts, and None for nothing; some may stand in no cell.
        codes: place of each cell's text among them.
    """

    held: list[str | None] | pa.Array
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, cells: Iterable[str | None]) -> Texts:
        """Build from plain texts.

        >>> Texts.of(["flu", None, "flu"]).codes.tolist()
        [0, 1, 0]
        """
        code_of: dict[str | None, int] = {}
        codes = np.fromiter((code_of.setdefault(cell, len(code_of)) for cell in cells), np.int32)
        return cls(list(code_of), codes)

    @property
    def values(self) -> list[str | None]:
        """The different texts in plain Python; made anew each time, as they take much more room there."""
        found: list[str | None] = self.held if isinstance(self.held, list) else self.held.to_pylist()
        return found

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        return self.values[int(self.codes[row])]

    def take(self, rows: NDArray[np.int64]) -> Texts:
        """Some of the cells."""
        return Texts(self.held, self.codes[rows])

    def counts(self) -> NDArray[np.int64]:
        """How many cells hold each of the values."""
        return np.bincount(self.codes, minlength=len(self.held))

    def are(self, texts: Collection[str | None]) -> NDArray[np.bool_]:
        """Whether each cell is one of these texts."""
        wanted = np.array([value in texts for value in self.values], np.bool_)
        return wanted[self.codes] if len(wanted) else np.zeros(len(self), np.bool_)

    def stripped(self) -> Texts:
        """The same without white space around the texts."""
        if isinstance(self.held, list):
            plain = Texts.of(text if text is None else text.strip() for text in self.held)
            return Texts(plain.held, plain.codes[self.codes]) if len(self) else self
        import pyarrow.compute as pc

        trimmed = pc.utf8_trim_whitespace(self.held)
        if trimmed.equals(self.held):
            return self
        coded = trimmed.dictionary_encode("encode")
        return Texts(coded.dictionary, np.from_dlpack(coded.indices).astype(np.int32)[self.codes])


if TYPE_CHECKING:
    Cells: TypeAlias = Texts | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RawColumns:
    """Cells as read.

    Attributes:
        source: where they come from, for messages.
        names: all columns that the source has.
        cells: the columns asked for: texts, or numbers with NaN where there is nothing.
        line: finds the line of a row in a text file; None elsewhere.
    """

    source: str
    names: tuple[str, ...]
    cells: dict[str, Cells]
    line: Callable[[int], int] | None = None


@dataclass(frozen=True, eq=False)
class Where:
    """Where some rows of a table stand, for messages."""

    raw: RawColumns
    rows: NDArray[np.int64]

    def error(self, message: str, row: int, value: str) -> InputError:
        """An error about one of the rows."""
        if self.raw.line is None:
            return Place("row", row, value).error(message, self.raw.source)
        return Place("line", self.raw.line(int(self.rows[row])), value).error(message, self.raw.source)


def read_columns(data: Any, schema: Schema, max_bytes: int) -> RawColumns:
    """The columns that a schema uses, from a path or a frame."""
    if not isinstance(data, str | Path):
        return _from_frame(data, schema)
    path = Path(data)
    content, extension = whole(path, max_bytes)
    if extension in PARQUET or content[:4] == b"PAR1":
        return _from_parquet(content, str(path), schema, max_bytes)
    return _from_text(content, str(path), schema)


def read_every_column(
    data: Any, max_bytes: int, header: Sequence[str] | None = None, delimiter: str | None = None
) -> RawColumns:
    """All columns of a table as texts, whatever they are; ``header`` names those of a text without a header line."""
    if not isinstance(data, str | Path):
        return _from_frame(data, _of_texts(tuple(map(str, _framed(data).columns)), "frame"))
    path = Path(data)
    content, extension = whole(path, max_bytes)
    if extension in PARQUET or content[:4] == b"PAR1":
        try:
            names = tuple(parquet_file(io.BytesIO(content)).schema_arrow.names)
        except PagesError as error:
            message = f"cannot be read as Parquet: {error}"
            raise InputError(message, source=str(path)) from error
        return _from_parquet(content, str(path), _of_texts(names, str(path)), max_bytes)
    refuse_zeros(content, str(path))
    _refuse_other_encodings(content, str(path))
    sign = delimiter or guess_delimiter(content, spaces=False)
    first = _first_row(_Rows(content, sign, str(path)))
    names = tuple(header or (name.strip() for name in first))
    return _from_text(content, str(path), _of_texts(names, str(path), sign, header))


def _of_texts(
    names: Sequence[str], source: str, delimiter: str | None = None, header: Sequence[str] | None = None
) -> Schema:
    """A schema that takes every column as it is."""
    from cloven.data.schema import Column, Schema

    for name in (name for name, times in Counter(names).items() if times > 1):
        raise _twice(name, source)
    columns = tuple(Column(name, "quasi-identifier", "category") for name in names)
    return Schema(columns, header=None if header is None else tuple(header), delimiter=delimiter)


def _wanted(names: Sequence[str], schema: Schema, source: str) -> list[str]:
    """Columns to read; every column that the schema names must be there."""
    times = Counter(names)
    for column in schema.columns:
        if column.name not in times:
            raise missing_column(column.name, names, source)
        if times[column.name] > 1:
            raise _twice(column.name, source)
    return [column.name for column in schema.read]


def _twice(name: str, source: str) -> InputError:
    return InputError(f"column {name!r} stands twice in the header; rename one", source=source)


# Delimited text. Arrow reads what it reads just as Python's csv module does; the module itself, which is slower, reads
# the rest, says what is wrong with a file, and finds the line of a row.


def _from_text(content: bytes, source: str, schema: Schema) -> RawColumns:
    refuse_zeros(content, source)
    _refuse_other_encodings(content, source)
    delimiter = schema.delimiter or guess_delimiter(content, spaces=False)
    plain = _is_plain(content, delimiter)
    rows = _Rows(content, delimiter, source)
    if not plain:
        rows.check()
    first = _first_row(rows)
    names = schema.header or tuple(name.strip() for name in first)
    place_of = {name: place for place, name in enumerate(names)}
    places = {name: place_of[name] for name in _wanted(names, schema, source)}
    above = int(schema.header is None)  # rows of the header
    texts = _by_arrow(content, delimiter, len(names), places) if plain else None
    texts = texts or _by_rows(rows, len(names), places)
    cells: dict[str, Cells] = {
        name: Texts(found.held, found.codes[above:]).stripped() for name, found in texts.items()
    }
    return RawColumns(source, names, cells, lambda row: next(islice(rows, above + row, None))[0])


def _refuse_other_encodings(content: bytes, source: str) -> None:
    decoder, step = codecs.getincrementaldecoder("utf-8")(), 1 << 20
    for start in range(0, 0 if content.isascii() else len(content), step):
        block = content[start : start + step]
        try:
            decoder.decode(block, final=start + step >= len(content))
        except UnicodeDecodeError as error:
            at = (
                start + len(block) - len(error.object) + error.start
            )  # the object begins with what was left over
            message = "is not UTF-8; save the file as UTF-8"
            raise InputError(message, source=source, line=content.count(b"\n", 0, at) + 1) from error


@dataclass(frozen=True)
class _Rows:
    """Rows of a text that are not empty, as Python's csv module reads them, each with the line on which it ends."""

    content: bytes
    delimiter: str
    source: str

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        text = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=self.delimiter, skipinitialspace=True, strict=True)
        before = 0  # the line on which the last row ended
        try:
            for row in reader:
                before = reader.line_num
                if row:
                    yield before, row
        except csv.Error as error:
            line, why = _fault(str(error), before + 1, reader.line_num)
            raise InputError(why, source=self.source, line=line) from error

    def check(self) -> None:
        """Raise if some row cannot be read, whatever else is wrong."""
        for _ in self:
            pass


def _fault(told: str, first: int, last: int) -> tuple[int, str]:
    """The line that is wrong, of the lines of a row, and what is wrong with it, in words of ours."""
    if "unexpected end" in told:
        return first, "a quote that opens in this row is never closed; close it, or take it out"
    if "field larger" in told:
        most = f"a cell of this row is longer than {csv.field_size_limit():,} characters"
        return first, f"{most}; close the quote that may be open, or leave its column out"
    if "expected after" in told:
        return last, "text stands behind the quote that ends a cell; write quotes inside a cell twice"
    return last, f"cannot be read as a table: {told}; correct the line"


def _first_row(rows: _Rows) -> list[str]:
    for _, row in rows:
        return row
    message = "is empty; a table begins with a line of the names of its columns"
    raise InputError(message, source=rows.source)


def _is_plain(content: bytes, delimiter: str) -> bool:
    """Whether Arrow reads what Python's csv module does: quotes go around whole cells, and no cell is very long."""
    if not delimiter.isascii() or delimiter in " \0":
        return False
    longest = csv.field_size_limit()
    if max(map(len, io.BytesIO(content)), default=0) > longest:
        return False
    if b'"' not in content:
        return True
    # At most 128 runs of at most an equal share of the longest cell.
    apart = re.escape(delimiter.encode()) + rb"\r\n"
    run = rb'[^"]{0,%d}+' % (longest // 128 - 2)
    opens, closes = rb'(?:(?<![^%b])|(?<=\A\xef\xbb\xbf))"' % apart, rb'"(?![^%b])' % apart
    pattern = rb'(?:[^"]++|%b%b(?:""%b){0,127}+%b)*+' % (opens, run, run, closes)
    return re.fullmatch(pattern, content) is not None


def _by_arrow(
    content: bytes, delimiter: str, width: int, places: Mapping[str, int]
) -> dict[str, Texts] | None:
    """Some columns of all rows; None if Arrow cannot read them, or rows are not as wide as they should be."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    kind = pa.dictionary(pa.int32(), pa.string())
    chosen = [str(place) for place in places.values()]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            arrow_csv.ReadOptions(column_names=list(map(str, range(width))), use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in content),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(chosen, kind), include_columns=chosen, null_values=[]
            ),
        )
    except pa.ArrowException:
        return None
    return {name: _encoded(table.column(str(place))) for name, place in places.items()}


def _by_rows(rows: _Rows, width: int, places: Mapping[str, int]) -> dict[str, Texts]:
    """The same, from Python's csv module; rows of another width are refused."""
    code_of: dict[str, dict[str, int]] = {name: {} for name in places}
    codes = {name: array("i") for name in places}
    for line, row in rows:
        if len(row) != width:
            message = f"{len(row)} cells where the header has {width}"
            raise InputError(message, source=rows.source, line=line, value=rows.delimiter.join(row))
        for name, place in places.items():
            known = code_of[name]
            codes[name].append(known.setdefault(row[place], len(known)))
    return {name: Texts(list(code_of[name]), np.frombuffer(codes[name], np.int32)) for name in places}


def _encoded(cells: pa.Array | pa.ChunkedArray) -> Texts:
    """Texts of an Arrow column that holds texts or dictionaries of them."""
    import pyarrow as pa

    if isinstance(cells, pa.Array):
        cells = pa.chunked_array([cells])
    coded = (
        cells.unify_dictionaries()
        if pa.types.is_dictionary(cells.type)
        else cells.dictionary_encode("encode")
    )
    held = coded.chunk(0).dictionary if coded.num_chunks else []
    return Texts(
        held, np.concatenate([np.empty(0, np.int32), *(np.from_dlpack(c.indices) for c in coded.chunks)])
    )


def _from_parquet(content: bytes, source: str, schema: Schema, max_bytes: int) -> RawColumns:
    handle, (allowed, way) = io.BytesIO(content), allowance(max_bytes, len(content))
    try:
        names = tuple(parquet_file(handle).schema_arrow.names)
        table = read_parquet(handle, allowed, _wanted(names, schema, source))
    except TooLargeError as error:
        message = f"{error}; {way}"
        raise InputError(message, source=source) from error
    except PagesError as error:
        message = f"cannot be read as Parquet: {error}"
        raise InputError(message, source=source) from error
    cells = {column.name: _arrow_cells(table.column(column.name), column, source) for column in schema.read}
    return RawColumns(source, names, cells)


def _framed(data: Any) -> Any:
    """A frame as narwhals has it."""
    import narwhals as nw

    source = "frame"
    try:
        known = nw.from_native(data)
        frame = known.collect(backend="pyarrow") if isinstance(known, nw.LazyFrame) else known
        _ = frame.columns
    except TypeError as error:
        message = "not a table; pass a path, or a pandas, Polars, PyArrow or DuckDB frame"
        raise InputError(message, source=source, value=type(data).__name__) from error
    except nw.exceptions.DuplicateError as error:
        raise twice_in_frame(data, source) from error
    return frame


def twice_in_frame(data: Any, source: str) -> InputError:
    """The error for a frame with two columns of one name."""
    listed = [str(name) for name in getattr(data, "column_names", getattr(data, "columns", ()))]
    twice = next((name for name, times in Counter(listed).items() if times > 1), "?")
    return InputError(f"column {twice!r} stands twice in the frame; rename one", source=source)


def _from_frame(data: Any, schema: Schema) -> RawColumns:
    frame, source = _framed(data), "frame"
    columns = list(frame.columns)
    names = tuple(map(str, columns))
    _wanted(names, schema, source)
    named = dict(zip(names, columns, strict=True))
    cells = {
        column.name: _frame_cells(frame.get_column(named[column.name]), column, source)
        for column in schema.read
    }
    return RawColumns(source, names, cells)


def _frame_cells(cells: Any, column: Column, source: str) -> Cells:
    """Cells of a column of a frame; what Arrow cannot hold goes by way of Python's own values."""
    import narwhals as nw
    import pyarrow as pa

    if cells.dtype in (nw.Object, nw.Unknown):
        return _object_cells(cells.to_list(), column, source)
    try:
        arrow = cells.to_arrow()
    except pa.ArrowException:
        return _object_cells(cells.to_list(), column, source)
    held = arrow.type.value_type if pa.types.is_dictionary(arrow.type) else arrow.type
    if isinstance(held, pa.BaseExtensionType):
        return _object_cells(cells.to_list(), column, source)
    return _arrow_cells(arrow, column, source)


# Cells of one column of a Parquet file or a frame: texts, or numbers where they will be numbers.
#
# What will be categories stays exact: an integer or decimal as its digits, never by way of a float.


def _arrow_cells(cells: pa.Array | pa.ChunkedArray, column: Column, source: str) -> Cells:
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
            return _without_zeros(_encoded(cells.cast(pa.string())).stripped(), column, source)
        if isinstance(kind, pa.BaseExtensionType):
            return _object_cells(cells.to_pylist(), column, source)
    except pa.ArrowException as error:
        raise _unreadable(column, str(kind), source) from error
    raise _unreadable(column, str(kind), source)


def _object_cells(cells: Iterable[Any], column: Column, source: str) -> Texts:
    """Python values as text, None for all that stands for nothing."""
    return _without_zeros(Texts.of(_text(cell, column, source) for cell in cells), column, source)


def _hold_zeros(held: list[str | None] | pa.Array) -> bool:
    if isinstance(held, list):
        return any("\0" in text for text in held if text)
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(held, "\0")).as_py())


def _without_zeros(texts: Texts, column: Column, source: str) -> Texts:
    """The same, unless a text holds a NUL character: programs that read the published table would cut it there."""
    if not _hold_zeros(texts.held):
        return texts
    for row in np.flatnonzero(texts.are({text for text in texts.values if text and "\0" in text}))[
        :1
    ].tolist():
        message = f"column {column.name!r} holds a text with a NUL character; take it out"
        raise Place("row", row, str(texts[row])).error(message, source)
    return texts


def _has_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    is_ = pa.types
    text = is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind)
    temporal = is_.is_temporal(kind) and not is_.is_interval(kind)
    return bool(text or temporal or is_.is_boolean(kind) or is_.is_null(kind))


def _numbers(cells: pa.Array | pa.ChunkedArray, column: Column, source: str) -> Cells:
    import pyarrow as pa

    if pa.types.is_integer(cells.type):
        if column.kind in _TEXTS:
            return _encoded(cells.cast(pa.string()))
        try:
            cells = cells.cast(pa.float64())
        except pa.ArrowInvalid as error:
            raise _inexact(column, source) from error
    numbers: NDArray[np.float64] = cells.cast(pa.float64()).fill_null(np.nan).to_numpy()
    if column.kind in _TEXTS:
        return Texts.of(None if number != number else number_text(number) for number in numbers.tolist())
    return numbers


def _decimals(cells: list[Decimal | None], column: Column, source: str) -> Cells:
    if column.kind in _TEXTS:
        return Texts.of(None if cell is None else _digits(cell) for cell in cells)
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


# How many cells a table has, told from its beginning: the first megabyte is read, and the rest taken to be like it.


def expected_cells(path: str | os.PathLike[str], schema: Schema) -> int | None:
    """Rows times columns that reading a table holds; None if its beginning cannot be read: reading it will say why.

    Of a text file every column counts, of a Parquet file those that the schema uses.
    """
    source = Path(path)
    if is_store(source):
        return None
    try:
        head, extension, total = beginning(source, BEGINNING)
        if extension in PARQUET or head[:4] == b"PAR1":
            return _cells_of_parquet(source, len(schema.read))
        text = head.decode("utf-8-sig", errors="ignore")
        delimiter = schema.delimiter or guess_delimiter(head, spaces=False)
        first = next(csv.reader(text.split("\n", 1)[:1], delimiter=delimiter), [])
    except (ClovenError, csv.Error):
        return None
    rows = head.count(b"\n") * total / max(1, len(head))
    return round(rows * len(first))


def _cells_of_parquet(path: Path, columns: int) -> int | None:
    """The footer of a Parquet file counts its rows; one that is packed once more is left to the reader."""
    try:
        with open_plain(path) as handle:
            return int(parquet_file(handle).metadata.num_rows) * columns
    except (OSError, PagesError):
        return None
