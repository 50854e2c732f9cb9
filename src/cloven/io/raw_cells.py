"""Cells of one column of a Parquet file or a frame: texts, or numbers where they will be numbers.

What will be categories stays exact: an integer or decimal as its digits, never by way of a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError
from cloven.model.number_blocks import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.model.schema import Column

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
