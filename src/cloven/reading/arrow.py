"""Records from Arrow columns: a list column, or an id column and an item column."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloven.errors import InputError, ParameterError
from cloven.intake import pages
from cloven.intake.packing import allowance
from cloven.reading.objects import encode_labels, encode_objects, is_null, records_from_objects
from cloven.reading.options import MAX_RECORD_LENGTH, UnplacedError, check_columns
from cloven.reading.raw import (
    LongRows,
    Place,
    RawRecords,
    missing_column,
    name_faults,
    settle,
    to_transactions,
)

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.reading.options import ReadOptions


def _column(table: pa.Table, name: str, source: str) -> pa.Array:
    """One column in one piece, dictionaries taken apart."""
    if name not in table.column_names:
        raise missing_column(name, table.column_names, source)
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # nothing to combine, or too large to
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return _plain(column)


def _plain(values: pa.Array) -> pa.Array:
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _is_list(kind: pa.DataType) -> bool:
    tests = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _only_list_column(lists: list[str], columns: list[str], source: str, error: type[InputError]) -> str:
    """The only column that holds lists."""
    if len(lists) == 1:
        return str(lists[0])
    listed = ", ".join(repr(name) for name in columns[:20])
    count = "several columns hold" if lists else "no column holds"
    message = f"{count} lists; name column, or id_column and item_column; the columns are {listed}"
    raise error(message, source=source)


def encode_items(
    values: pa.Array, column: str, source: str
) -> tuple[NDArray[np.int64], list[str], dict[int, str]]:
    """Number the distinct items of an Arrow array; null is a fault; only text and integers are allowed."""
    if pa.types.is_dictionary(values.type) and _is_text(values.type.value_type) and not values.null_count:
        # Texts that are numbered already: names that are not used, or stand twice, do no harm.
        inner, names, faults = encode_items(values.dictionary, column, source)
        return inner[values.indices.to_numpy(zero_copy_only=False)], names, faults
    values = _plain(values)
    kind = values.type
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        hint = "floats are no items (1 and 1.0 would differ); " if pa.types.is_floating(kind) else ""
        first = next((str(value) for value in values if value.is_valid), None)
        message = f"items in column {column!r} must be text or integers, not {kind}; {hint}convert them"
        raise InputError(message, source=source, value=first)
    if not pa.types.is_large_string(kind):
        values = values.cast(pa.large_string())
    encoded = values.dictionary_encode()
    try:
        found: list[str | None] = [*encoded.dictionary.to_pylist()]
    except UnicodeDecodeError as error:
        message = f"column {column!r} holds text that is not UTF-8"
        raise InputError(message, source=source) from error
    codes = encoded.indices.fill_null(len(found)).to_numpy(zero_copy_only=False).astype(np.int64)
    if values.null_count:
        found.append(None)
    return codes, [name or "" for name in found], name_faults(found)


def _labels(
    table: pa.Table, name: str, source: str, faults: dict[int, str]
) -> tuple[NDArray[np.int64], pa.Array]:
    """Number of each row's label in an id or person column, and the labels; null ones become -1 and a fault."""
    column = _column(table, name, source)
    try:
        encoded = column.dictionary_encode()
    except pa.ArrowNotImplementedError as error:
        message = f"column {name!r} must hold plain values, not {column.type}"
        raise InputError(message, source=source) from error
    codes: NDArray[np.int64] = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    if _is_text(encoded.dictionary.type):
        blank = [
            code
            for code, label in enumerate(encoded.dictionary.to_pylist())
            if label is not None and not label.strip()
        ]
        codes[np.isin(codes, blank)] = -1
    for row in np.flatnonzero(codes < 0).tolist():
        faults.setdefault(row, f"column {name!r} is null or blank")
    return codes, encoded.dictionary


def list_records(table: pa.Table, column: str, person: str | None, source: str) -> RawRecords:
    """Records of a list column."""
    lists = _column(table, column, source)
    if not _is_list(lists.type):
        hint = "of texts such as 'a, b' name the item delimiter too; for one item per row, id and item column"
        message = f"column {column!r} must hold lists of items, not {lists.type}; {hint}"
        raise InputError(message, source=source)
    faults = dict.fromkeys(
        np.flatnonzero(lists.is_null().to_numpy(zero_copy_only=False)).tolist(),
        "null where a list of items should be",
    )
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    flat = pc.list_flatten(lists)
    codes, names, item_faults = encode_items(flat, column, source)
    persons = None if person is None else _labels(table, person, source, faults)[0]

    def place(record: int, item: int) -> Place:
        return Place("row", record, str(lists[record].as_py() if item < 0 else flat[item].as_py()))

    return RawRecords(lengths, codes, names, place, item_faults, faults, persons)


def long_rows(table: pa.Table, id_column: str, item_column: str, person: str | None, source: str) -> LongRows:
    """Rows of a long table."""
    faults: dict[int, str] = {}
    ids, labels = _labels(table, id_column, source, faults)
    items = _column(table, item_column, source)
    codes, names, item_faults = encode_items(items, item_column, source)
    persons = None if person is None else _labels(table, person, source, faults)[0]
    shown = [name for name in (id_column, item_column, person) if name is not None]

    def place(row: int, _item: int) -> Place:
        return Place("row", row, str({name: table.column(name)[row].as_py() for name in shown}))

    rows = RawRecords(np.ones(len(codes), np.int64), codes, names, place, item_faults, faults, persons)
    return LongRows(rows, ids, _Spelt(labels))


class _Spelt(Sequence[bytes]):
    """Values of any type as text, spelt when somebody asks; those of one column are different as text too."""

    def __init__(self, values: pa.Array) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, at: Any) -> Any:
        return str(self._values[at].as_py()).encode()

    def __iter__(self) -> Iterator[bytes]:
        return (str(value).encode() for value in self._values.to_pylist())


# Parquet: a list column, or an id column and an item column.


def columns_needed(schema: pa.Schema, source: str, options: ReadOptions) -> tuple[str | None, list[str]]:
    """The column of lists, if it is one, and all columns that are read."""
    columns, column = schema.names, options.column
    if column is None and options.id_column is None:
        lists = [field.name for field in schema if _is_list(field.type)]
        column = _only_list_column(lists, columns, source, UnplacedError)
    named = (column, options.id_column, options.item_column, options.person)
    needed = [name for name in dict.fromkeys(named) if name is not None]
    for name in needed:
        if name not in columns:
            raise missing_column(name, columns, source)
        if columns.count(name) > 1:
            message = f"column {name!r} stands twice; rename one"
            raise InputError(message, source=source)
    return column, needed


def read_parquet(content: bytes, source: str, options: ReadOptions) -> RawRecords | LongRows:
    """Records of a Parquet file; only the columns needed are unpacked."""
    allowed, way = allowance(options.max_bytes, len(content))
    try:
        file = pages.parquet_file(io.BytesIO(content))
        column, needed = columns_needed(file.schema_arrow, source, options)
        table = pages.read_parquet(io.BytesIO(content), allowed, needed)
    except pages.TooLargeError as error:
        message = f"{error}; {way}"
        raise InputError(message, source=source) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        message = f"cannot be read as Parquet: {reason}"
        kind = InputError if content.startswith(b"PAR1") else UnplacedError
        raise kind(message, source=source) from error
    try:
        if column is not None:
            return list_records(table, column, options.person, source)
        return long_rows(table, str(options.id_column), str(options.item_column), options.person, source)
    except pa.ArrowException as error:
        message = f"its columns cannot be read as records: {' '.join(str(error).split())}"
        raise InputError(message, source=source) from error


# Transactions from any dataframe that narwhals knows: pandas, Polars, PyArrow, DuckDB.


_SOURCE = "frame"


def from_frame(
    frame: Any,
    *,
    column: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    person: str | None = None,
    item_delimiter: str | None = None,
    lenient: bool = False,
    max_record_length: int = MAX_RECORD_LENGTH,
) -> Transactions:
    """Build from a dataframe with a list column, or with an id column and an item column.

    Without any column named, the only column that holds lists is taken. Items are text or integers; null,
    blank and mixed items are errors that name the row (from 0) and the value.

    Args:
        frame: pandas, Polars, PyArrow or DuckDB.
        column: column that holds lists of items, or texts such as ``"flu, fever"`` with ``item_delimiter``.
        id_column: column that says which record a row belongs to.
        item_column: column that holds one item per row.
        person: column that says whose record it is, where one person may have several.
        item_delimiter: what separates items in texts of ``column``.
        lenient: leave out bad rows and blank items instead of raising at the first.
        max_record_length: a longer record is an error; it is most likely a wrong column.

    >>> import pyarrow as pa
    >>> frame = pa.table({"visit": [7, 8, 7], "drug": ["aspirin", "insulin", "statin"]})
    >>> [sorted(record) for record in from_frame(frame, id_column="visit", item_column="drug")]
    [['aspirin', 'statin'], ['insulin']]
    """
    check_columns(column, id_column, item_column)
    known = _eager(frame)
    if item_delimiter is None:
        raw = _raw(known, column, id_column, item_column, person)
    else:
        raw = _in_texts(known, column, person, item_delimiter)
    data = to_transactions(settle(raw, _SOURCE, lenient=lenient, max_record_length=max_record_length))
    if not len(data):
        message = "no records with items"
        raise InputError(message, source=_SOURCE)
    return data


def _in_texts(frame: nw.DataFrame[Any], column: str | None, person: str | None, sign: str) -> RawRecords:
    """Records of texts that hold items between signs; what stands behind the last sign is no item."""
    if column is None or not sign.strip(" "):
        message = "item_delimiter parts the texts of a column; name the column, and a sign such as ','"
        raise ParameterError(message)
    for name in (column, person):
        if name is not None and name not in frame.columns:
            raise missing_column(name, frame.columns, _SOURCE)
    cells = frame.get_column(column).to_list()
    lists = [_parted(cell, sign) if isinstance(cell, str) else cell for cell in cells]
    persons = None if person is None else frame.get_column(person).to_list()

    def place(row: int, _item: int = -1) -> Place:
        return Place("row", row, str(cells[row]))

    return records_from_objects(lists, place, persons)


def _parted(cell: str, sign: str) -> list[str]:
    kept = cell.rstrip(f"{sign} ")
    return [item.strip() for item in kept.split(sign)] if kept else []


def _eager(frame: Any) -> nw.DataFrame[Any]:
    import narwhals as nw

    try:
        known = nw.from_native(frame)
        eager = known.collect(backend="pyarrow") if isinstance(known, nw.LazyFrame) else known
        _ = eager.columns
    except TypeError as error:
        message = "not a dataframe; pass pandas, Polars, PyArrow or DuckDB"
        raise InputError(message, source=_SOURCE, value=type(frame).__name__) from error
    except nw.exceptions.DuplicateError as error:
        from cloven.reading.cells import twice_in_frame

        raise twice_in_frame(frame, _SOURCE) from error
    return eager


def _raw(
    frame: nw.DataFrame[Any],
    column: str | None,
    id_column: str | None,
    item_column: str | None,
    person: str | None,
) -> RawRecords | LongRows:
    for name in (column, id_column, item_column, person):
        if name is not None and name not in frame.columns:
            raise missing_column(name, frame.columns, _SOURCE)
    column = column or (None if id_column else _list_column(frame))
    needed = [name for name in dict.fromkeys((column, id_column, item_column, person)) if name is not None]
    if any(_holds_objects(frame, name) for name in needed):
        values = {name: frame.get_column(name).to_list() for name in needed}
        return _from_objects(values, column, id_column, item_column, person)

    table = frame.select(needed).to_arrow()
    if column is not None:
        return list_records(table, column, person, _SOURCE)
    return long_rows(table, str(id_column), str(item_column), person, _SOURCE)


def _list_column(frame: nw.DataFrame[Any]) -> str:
    import narwhals as nw

    names = [
        name
        for name, kind in frame.schema.items()
        if kind in (nw.List, nw.Array) or _first_is_list(frame, name)
    ]
    return _only_list_column(names, frame.columns, _SOURCE, InputError)


def _holds_objects(frame: nw.DataFrame[Any], name: str) -> bool:
    """Whether a column holds plain Python values (pandas) which Arrow may not be able to type."""
    import narwhals as nw

    return bool(frame.schema[name] == nw.Object)


def _first_is_list(frame: nw.DataFrame[Any], name: str) -> bool:
    if not _holds_objects(frame, name):
        return False
    values = frame.get_column(name).to_list()
    first = next((value for value in values if not is_null(value)), None)
    return isinstance(first, Collection) and not isinstance(first, str | bytes)


def _from_objects(
    values: dict[str, list[object]],
    column: str | None,
    id_column: str | None,
    item_column: str | None,
    person: str | None,
) -> RawRecords | LongRows:
    def place(row: int, _item: int = -1) -> Place:
        shown = {name: cells[row] for name, cells in values.items()}
        return Place("row", row, str(shown[column] if column is not None else shown))

    persons = None if person is None else values[person]
    if column is not None:
        return records_from_objects(values[column], place, persons)
    faults: dict[int, str] = {}
    ids = encode_labels(values[str(id_column)], "id", faults)
    codes, names, item_faults = encode_objects(values[str(item_column)])
    owners = None if persons is None else encode_labels(persons, "person", faults)
    rows = RawRecords(np.ones(len(codes), np.int64), codes, names, place, item_faults, faults, owners)
    return LongRows(rows, ids)
