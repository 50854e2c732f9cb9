"""Parquet tables of releases and keys: numbers, kinds and lists of items; the same values give the same bytes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ReleaseError, shorten
from cloven.intake.files import MOST_TIMES, SMALL, content, open_plain
from cloven.intake.packing import MAX_BYTES, allowance
from cloven.intake.pages import most_bytes, parquet_file, read_parquet
from cloven.storage.atomic import PUBLIC_FILE, new_file
from cloven.storage.manifest import expect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

Written = tuple[str, "Mapping[str, str]", "Mapping[str, Any]"]
"""A table to write: name of the file, types of the columns, their values."""
ROW_GROUP = 1 << 17
TINY = 1 << 20
"""Bytes that any table may unpack to; a release in many parts has many of these."""


def read_bytes(path: Path) -> bytes:
    """Content of one file of a release; that it cannot be read is a ``ReleaseError``."""
    try:
        return content(
            path, SMALL if path.suffix == ".json" and path.stem == "manifest" else None, within=path.parent
        )
    except OSError as error:
        message = (
            f"{path}: cannot be read ({error.strerror}); name the folder or JSON file of a whole release"
        )
        raise ReleaseError(message) from error


def list_column(
    vocabulary: Sequence[str], offsets: NDArray[np.int64], codes: NDArray[np.int32]
) -> pa.ChunkedArray:
    """Rows of item codes as an Arrow column of lists of names."""
    import pyarrow as pa

    names = pa.array(vocabulary, pa.string())
    return _in_lists(offsets, codes, lambda part: names.take(pa.array(part)), pa.string())


def number_column(offsets: NDArray[np.int64], numbers: NDArray[Any]) -> pa.ChunkedArray:
    """Rows of numbers as an Arrow column of lists."""
    import pyarrow as pa

    return _in_lists(offsets, numbers, lambda part: pa.array(part, pa.int64()), pa.int64())


def _in_lists(
    offsets: NDArray[np.int64],
    values: NDArray[Any],
    turned: Callable[[NDArray[Any]], pa.Array],
    kind: pa.DataType,
) -> pa.ChunkedArray:
    """A column of lists in pieces small enough for 32-bit offsets; ``turned`` makes Arrow values of numbers."""
    import pyarrow as pa

    pieces = []
    for first in range(0, len(offsets) - 1, ROW_GROUP):
        bounds = offsets[first : first + ROW_GROUP + 1]
        inner = turned(values[bounds[0] : bounds[-1]])
        pieces.append(pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), inner))
    return pa.chunked_array(pieces, pa.list_(kind))


def write_table(
    path: Path, columns: Mapping[str, str], values: Mapping[str, Any], mode: int = PUBLIC_FILE
) -> str:
    """Write a Parquet file whose bytes depend on its values alone; return its SHA-256. Below 0 means null."""
    import pyarrow as pa

    schema = _schema(columns)
    arrays = [
        pa.array(value, field.type, mask=value < 0) if isinstance(value, np.ndarray) else value
        for field, value in zip(schema, (values[name] for name in columns), strict=True)
    ]
    table = pa.table(arrays, schema=schema)
    _write(path, table, mode, compression="zstd", compression_level=3)
    if _looks_like_a_bomb(path):
        path.unlink()
        _write(path, table, mode, compression="snappy")
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def _write(path: Path, table: pa.Table, mode: int, **packed: Any) -> None:
    import pyarrow.parquet as pq

    settings = {"use_dictionary": False, "version": "2.6", "store_schema": False, "write_statistics": False}
    with (
        new_file(path, mode) as handle,
        pq.ParquetWriter(handle, table.schema, **settings, **packed) as writer,
    ):
        writer.write_table(table, row_group_size=ROW_GROUP)


def _looks_like_a_bomb(path: Path) -> bool:
    """Whether readers would refuse what repeats itself so much; Snappy packs a run to a twentieth at best."""
    with path.open("rb") as handle:
        most = most_bytes(handle)
    return most > max(TINY, MOST_TIMES * path.stat().st_size)


def read_table(path: Path, columns: Mapping[str, str], allowed: int | None = None) -> pa.Table:
    """Read a Parquet file that must have exactly these columns, of ``allowed`` bytes unpacked at most."""

    def check(schema: pa.Schema) -> None:
        found = [(field.name, _type_name(field.type)) for field in schema]
        expect(found == list(columns.items()), str(path), "columns", columns, found)

    return parquet(path, "get the file again", check, allowed)


def read_parts(paths: Sequence[Path], columns: Mapping[str, str]) -> list[pa.Table]:
    """Read a table that lies in parts; together they must find the room in memory that one file must."""
    allowed = allowed_of(paths)
    tables = []
    for path in paths:
        tables.append(read_table(path, columns, allowed))
        allowed = max(0, allowed - tables[-1].nbytes)
    return tables


def allowed_of(paths: Sequence[Path]) -> int:
    """Bytes that parts of a table may unpack to: of some that repeat themselves much more than of others."""
    return allowance(MAX_BYTES, sum(path.stat().st_size for path in paths if path.is_file()))[0]


def parquet(
    path: Path, instead: str, check: Callable[[pa.Schema], None] | None = None, allowed: int | None = None
) -> pa.Table:
    """A Parquet file of a release, or of what belongs to one, if it is no bomb and memory has room for it.

    ``check`` looks at its columns before they are read; ``instead`` is what to do where it cannot be read; ``allowed``
    is how many bytes it may unpack to, if it is known otherwise.
    """
    import pyarrow as pa

    try:
        with open_plain(path, within=path.parent) as handle:
            if check is not None:
                check(parquet_file(handle).schema_arrow)
            room = allowance(MAX_BYTES, path.stat().st_size)[0] if allowed is None else allowed
            table = read_parquet(handle, room)
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = shorten(" ".join(str(getattr(error, "strerror", None) or error).split()), 200)[1:-1]
        message = f"{path}: cannot be read as Parquet ({reason}); {instead}"
        raise ReleaseError(message) from error
    return table


def whole_numbers(
    table: pa.Table, column: str, path: Path, *, below: int | None = None, null: bool = False
) -> NDArray[np.int64]:
    """A column of numbers from 0, below a limit if there is one; -1 stands for null where null is allowed."""
    import pyarrow as pa

    values = table.column(column).cast(pa.int64())
    expect(null or not values.null_count, str(path), column, "without null", f"{values.null_count} nulls")
    valid = values.drop_null().to_numpy()
    wrong = valid[(valid < 0) | (valid >= (np.iinfo(np.int64).max if below is None else below))]
    limit = "from 0" if below is None else f"from 0 to below {below}"
    expect(not len(wrong), str(path), column, limit, wrong[:1].tolist())
    numbers: NDArray[np.int64] = valid if not values.null_count else values.fill_null(-1).to_numpy()
    return numbers


def expect_counting(table: pa.Table, column: str, path: Path) -> None:
    """Refuse a column that does not count its rows: 0, 1, 2, ..."""
    numbers = whole_numbers(table, column, path)
    wrong = np.flatnonzero(numbers != np.arange(len(numbers)))
    if len(wrong):
        expect(False, str(path), f"{column} of row {wrong[0]}", str(wrong[0]), numbers[wrong[0]])


def item_lists(table: pa.Table, path: Path) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[str, ...]]:
    """The column ``items`` as offsets, codes and the names in use, ascending by code point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets, values = _out_of_lists(table, "items", path, pa.string())
    names = values.unique()
    order = pc.sort_indices(names)  # bytes of UTF-8 sort like code points
    rank = np.empty(len(names), np.int32)
    rank[order.to_numpy()] = np.arange(len(names), dtype=np.int32)
    codes = rank[pc.index_in(values, value_set=names).to_numpy()] if len(names) else rank
    return offsets, codes, tuple(names.take(order).to_pylist())


def name_lists(table: pa.Table, path: Path) -> tuple[tuple[str, ...], ...]:
    """The column ``items`` as names, without null."""
    import pyarrow as pa

    _out_of_lists(table, "items", path, pa.string())  # refuses null
    return tuple(map(tuple, table.column("items").to_pylist()))


def text_column(table: pa.Table, column: str, path: Path) -> tuple[str, ...]:
    """A column of text without null."""
    found = table.column(column)
    expect(not found.null_count, str(path), column, "without null", f"{found.null_count} nulls")
    return tuple(found.to_pylist())


def in_vocabulary(names: Sequence[str], vocabulary: Sequence[str], path: Path) -> NDArray[np.int32]:
    """Codes of names that a key speaks of, in the vocabulary of its release."""
    code_of = {name: code for code, name in enumerate(vocabulary)}
    for name in names:
        if name not in code_of:
            message = f"{path}: item {shorten(name)} is not in the release; use the key that belongs to it"
            raise ReleaseError(message)
    return np.fromiter((code_of[name] for name in names), np.int32, len(names))


def number_lists(
    table: pa.Table, column: str, path: Path, below: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A column of lists of numbers from 0 to below a limit, as offsets and numbers."""
    import pyarrow as pa

    offsets, values = _out_of_lists(table, column, path, pa.int64())
    numbers = values.to_numpy()
    wrong = numbers[(numbers < 0) | (numbers >= below)]
    expect(not len(wrong), str(path), column, f"from 0 to below {below}", wrong[:1].tolist())
    return offsets, numbers.astype(np.int32)


def _out_of_lists(
    table: pa.Table, column: str, path: Path, kind: pa.DataType
) -> tuple[NDArray[np.int64], pa.ChunkedArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = table.column(column)
    expect(not lists.null_count, str(path), column, "lists without null", f"{lists.null_count} null lists")
    values = pa.chunked_array([piece.flatten() for piece in lists.chunks], kind)
    inner = "text" if kind == pa.string() else "numbers"
    wanted = f"lists of {inner} without null"
    expect(not values.null_count, str(path), column, wanted, f"{values.null_count} nulls")
    return np.concatenate(([0], np.cumsum(pc.list_value_length(lists).to_numpy(), dtype=np.int64))), values


def _schema(columns: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    types = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "string": pa.string(),
        "list": pa.list_(pa.string()),
        "numbers": pa.list_(pa.int64()),
    }
    return pa.schema([pa.field(name, types[kind]) for name, kind in columns.items()])


def _type_name(kind: pa.DataType) -> str:
    import pyarrow as pa

    if not pa.types.is_list(kind):
        return str(kind)
    return {pa.string(): "list", pa.int64(): "numbers"}.get(kind.value_type, str(kind))
