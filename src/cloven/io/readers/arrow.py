"""Records from Arrow columns: a list column, or an id column and an item column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloven.errors import InputError
from cloven.io.readers.long import LongRows
from cloven.io.readers.raw import Place, RawRecords, name_faults
from cloven.io.readers.tables import missing_column
from cloven.io.readers.unplaced import UnplacedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def only_list_column(table: pa.Table, source: str) -> str:
    """Name of the only column that holds lists."""
    names = [field.name for field in table.schema if _is_list(field.type)]
    if len(names) != 1:
        listed = ", ".join(repr(name) for name in table.column_names[:20])
        count = "several columns hold" if names else "no column holds"
        message = f"{count} lists; name column, or id_column and item_column; the columns are {listed}"
        raise UnplacedError(message, source=source)
    return str(names[0])


def encode_items(
    values: pa.Array, column: str, source: str
) -> tuple[NDArray[np.int64], list[str], dict[int, str]]:
    """Number the distinct items of an Arrow array; null is a fault; only text and integers are allowed."""
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
        names: list[str | None] = [*encoded.dictionary.to_pylist()]
    except UnicodeDecodeError as error:
        message = f"column {column!r} holds text that is not UTF-8"
        raise InputError(message, source=source) from error
    codes = encoded.indices.fill_null(len(names)).to_numpy(zero_copy_only=False).astype(np.int64)
    if values.null_count:
        names.append(None)
    return codes, [name or "" for name in names], name_faults(names)


def _labels(table: pa.Table, name: str, source: str, faults: dict[int, str]) -> NDArray[np.int64]:
    """Number of each row's label in an id or person column; null ones become -1 and a fault."""
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
    return codes


def list_records(table: pa.Table, column: str, person: str | None, source: str) -> RawRecords:
    """Records of a list column."""
    lists = _column(table, column, source)
    if not _is_list(lists.type):
        hint = "for one item per row name id_column and item_column"
        message = f"column {column!r} must hold lists of items, not {lists.type}; {hint}"
        raise InputError(message, source=source)
    faults = dict.fromkeys(
        np.flatnonzero(lists.is_null().to_numpy(zero_copy_only=False)).tolist(),
        "null where a list of items should be",
    )
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    flat = pc.list_flatten(lists)
    codes, names, item_faults = encode_items(flat, column, source)
    persons = None if person is None else _labels(table, person, source, faults)

    def place(record: int, item: int) -> Place:
        return Place("row", record, str(lists[record].as_py() if item < 0 else flat[item].as_py()))

    return RawRecords(lengths, codes, names, place, item_faults, faults, persons)


def long_rows(table: pa.Table, id_column: str, item_column: str, person: str | None, source: str) -> LongRows:
    """Rows of a long table."""
    faults: dict[int, str] = {}
    ids = _labels(table, id_column, source, faults)
    items = _column(table, item_column, source)
    codes, names, item_faults = encode_items(items, item_column, source)
    persons = None if person is None else _labels(table, person, source, faults)
    shown = [name for name in (id_column, item_column, person) if name is not None]

    def place(row: int, _item: int) -> Place:
        return Place("row", row, str({name: table.column(name)[row].as_py() for name in shown}))

    rows = RawRecords(np.ones(len(codes), np.int64), codes, names, place, item_faults, faults, persons)
    return LongRows(rows, ids)
