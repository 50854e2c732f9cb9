"""Transactions from any dataframe that narwhals knows: pandas, Polars, PyArrow, DuckDB."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError
from cloven.io.readers.objects import is_null
from cloven.io.readers.options import MAX_RECORD_LENGTH, check_columns
from cloven.io.readers.raw import Place, RawRecords

if TYPE_CHECKING:
    import narwhals as nw

    from cloven.io.readers.long import LongRows
    from cloven.model.transactions import Transactions

_SOURCE = "frame"


def from_frame(
    frame: Any,
    *,
    column: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    person: str | None = None,
    max_record_length: int = MAX_RECORD_LENGTH,
) -> Transactions:
    """Build from a dataframe with a list column, or with an id column and an item column.

    Without any column named, the only column that holds lists is taken. Items are text or integers; null,
    blank and mixed items are errors that name the row (from 0) and the value.

    >>> import pyarrow as pa
    >>> frame = pa.table({"visit": [7, 8, 7], "drug": ["aspirin", "insulin", "statin"]})
    >>> [sorted(record) for record in from_frame(frame, id_column="visit", item_column="drug")]
    [['aspirin', 'statin'], ['insulin']]
    """
    from cloven.io.readers.long import LongRows, settle_long
    from cloven.io.readers.settle import settle, to_transactions

    check_columns(column, id_column, item_column)
    raw = _raw(_eager(frame), column, id_column, item_column, person)
    finish = settle_long if isinstance(raw, LongRows) else settle
    settled = finish(raw, _SOURCE, lenient=False, max_record_length=max_record_length)  # type: ignore[arg-type]
    data = to_transactions(settled)
    if not len(data):
        message = "no records with items"
        raise InputError(message, source=_SOURCE)
    return data


def _eager(frame: Any) -> nw.DataFrame[Any]:
    import narwhals as nw

    try:
        known = nw.from_native(frame)
    except TypeError as error:
        message = "not a dataframe; pass pandas, Polars, PyArrow or DuckDB"
        raise InputError(message, source=_SOURCE, value=type(frame).__name__) from error
    return known.collect(backend="pyarrow") if isinstance(known, nw.LazyFrame) else known


def _raw(
    frame: nw.DataFrame[Any],
    column: str | None,
    id_column: str | None,
    item_column: str | None,
    person: str | None,
) -> RawRecords | LongRows:
    from cloven.io.readers.tables import missing_column

    for name in (column, id_column, item_column, person):
        if name is not None and name not in frame.columns:
            raise missing_column(name, frame.columns, _SOURCE)
    column = column or (None if id_column else _list_column(frame))
    needed = [name for name in dict.fromkeys((column, id_column, item_column, person)) if name is not None]
    if any(_holds_objects(frame, name) for name in needed):
        values = {name: frame.get_column(name).to_list() for name in needed}
        return _from_objects(values, column, id_column, item_column, person)
    from cloven.io.readers.arrow import list_records, long_rows

    table = frame.select(needed).to_arrow()
    if column is not None:
        return list_records(table, column, person, _SOURCE)
    return long_rows(table, str(id_column), str(item_column), person, _SOURCE)


def _list_column(frame: nw.DataFrame[Any]) -> str:
    """The only column that holds lists."""
    import narwhals as nw

    names = [
        name
        for name, kind in frame.schema.items()
        if kind in (nw.List, nw.Array) or _first_is_list(frame, name)
    ]
    if len(names) == 1:
        return str(names[0])
    count = "several columns hold" if names else "no column holds"
    listed = ", ".join(repr(name) for name in frame.columns[:20])
    message = f"{count} lists; name column, or id_column and item_column; the columns are {listed}"
    raise InputError(message, source=_SOURCE)


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
    from cloven.io.readers.long import LongRows
    from cloven.io.readers.objects import encode_labels, encode_objects, records_from_objects

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
