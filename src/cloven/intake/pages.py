"""How much a Parquet file unpacks to, told by its pages and not by its footer, which may lie.

A reader takes memory by the header of each page (format: Apache Parquet, ``parquet.thrift``), and by the values that
refer to a dictionary: twenty thousand references to one text of a megabyte are 300 bytes of file and 20 GB of memory.
So the headers are walked first; they are small structs in Thrift's compact protocol, of which only sizes are kept.
Where the pages begin is read from the footer in the same way: asked for a column of a damaged one, pyarrow 26 ends the
process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

_DICTIONARY = 2
_FRONT_CODED = 7  # each value says how much of the one before it begins with
_WIDEST = 16  # bytes of a number in memory, and its share of offsets and marks
_SHORT_HEADER = 512  # most are shorter
_MOST_COLUMNS = 10_000
_HEADER = 1 << 16  # bytes in which the header of a page must end; statistics in it can be long texts
_DEEPEST = 16


class PagesError(ValueError):
    """The pages of a file are not where its footer says, or their headers cannot be read."""


@dataclass(frozen=True)
class Pages:
    """Pages of one column in one row group.

    Attributes:
        unpacked: bytes of all pages once unpacked.
        values: how many values they hold.
        dictionary: bytes of the dictionary that values refer to, each perhaps to all of it; 0 without one.
        front_coded: bytes that values may take who begin like others, each perhaps with all bytes of its page.
    """

    unpacked: int
    values: int
    dictionary: int
    front_coded: int = 0


@dataclass(frozen=True)
class Chunk:
    """One column in one row group, as the footer tells.

    Attributes:
        start: where its pages begin in the file.
        packed: bytes of its pages there.
        unpacked: bytes of them once unpacked, which may be a lie.
        values: how many values they hold.
        dictionary: whether it has one.
        more: whether it has statistics, or names another file.
    """

    start: int
    packed: int
    unpacked: int
    values: int
    dictionary: bool
    more: bool


def chunks_of(handle: BinaryIO) -> list[list[Chunk]]:
    """What the footer says of each column in each row group.

    Raises:
        PagesError: it cannot be read.
    """
    end = handle.seek(0, 2)
    handle.seek(max(0, end - 8))
    length = int.from_bytes(handle.read(8)[:4], "little")
    handle.seek(max(0, end - 8 - length))
    written = handle.read(length)
    columns = len(
        _part(_struct(written, 0, last=2)[0], 2, list)
    )  # which stand before all that is said of them
    if columns > _MOST_COLUMNS:
        message = f"it has {columns:,} columns, more than {_MOST_COLUMNS:,}"
        raise PagesError(message)
    footer, _ = _struct(written, 0)
    groups = _part({4: [], **footer}, 4, list)
    rows = [_size(_is_struct(group), 3) for group in groups]
    found = [[_chunk(column) for column in _part(group, 1, list)] for group in groups]
    fewest = [min((chunk.values for chunk in group), default=0) for group in found]
    # Each column has a value, or a mark that there is none, for every row.
    if _size(footer, 3) != sum(rows) or any(many > least for many, least in zip(rows, fewest, strict=True)):
        message = "its rows are not as its footer says"
        raise PagesError(message)
    _refuse_overlap([chunk for group in found for chunk in group], end)
    return found


def _refuse_overlap(chunks: list[Chunk], end: int) -> None:
    """Columns that share their pages would be unpacked again and again."""
    at = 0
    for chunk in sorted(chunks, key=lambda each: (each.start, each.packed)):
        if chunk.packed and (chunk.start < at or chunk.start + chunk.packed > end):
            message = "its columns overlap, or end behind its end"
            raise PagesError(message)
        at = max(at, chunk.start + chunk.packed)


def _chunk(column: Any) -> Chunk:
    told = _part(column, 3, dict)
    starts = [_size({11: 0, **told}, field) for field in (9, 11)]
    return Chunk(
        start=min((start for start in starts if start > 0), default=0),
        packed=_size(told, 7),
        unpacked=_size(told, 6),
        values=_size(told, 5),
        dictionary=starts[1] > 0,
        more=12 in told or 1 in column,
    )


def pages_of(handle: BinaryIO, chunk: Chunk) -> Pages:
    """Walk the pages of one column in one row group.

    Raises:
        PagesError: they cannot be walked.
    """
    at, end = chunk.start, chunk.start + chunk.packed
    unpacked = values = dictionary = front_coded = 0
    while at < end:
        header, length = _header(handle, at)
        size, packed = _size(header, 2), _size(header, 3)
        unpacked += size
        if header.get(1) == _DICTIONARY:
            dictionary += size
        else:
            here = max((_size(_part(header, each, dict), 1) for each in (5, 8) if each in header), default=0)
            values += here
            if _FRONT_CODED in (
                _part({5: {}, **header}, 5, dict).get(2),
                _part({8: {}, **header}, 8, dict).get(4),
            ):
                front_coded += here * size
        at += length + packed
    if at != end or values < chunk.values:
        message = "its pages are not as its footer says"
        raise PagesError(message)
    return Pages(unpacked, values, dictionary, front_coded)


def _header(handle: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    """The header of the page that begins there, and its length."""
    handle.seek(at)
    try:
        return _struct(handle.read(_SHORT_HEADER), 0)
    except PagesError:
        handle.seek(at)
        return _struct(handle.read(_HEADER), 0)


def _is_struct(value: Any) -> dict[int, Any]:
    return _part({0: value}, 0, dict)  # type: ignore[no-any-return]


def _part(struct: Any, field: int, kind: type) -> Any:
    value = struct.get(field) if isinstance(struct, dict) else None
    if not isinstance(value, kind):
        message = "a part of it is missing"
        raise PagesError(message)
    return value


def _size(struct: dict[int, Any], field: int) -> int:
    value = struct.get(field)
    if not isinstance(value, int) or value < 0:
        message = "a page has no size"
        raise PagesError(message)
    return value


def _struct(content: bytes, at: int, depth: int = 0, last: int | None = None) -> tuple[dict[int, Any], int]:
    """Whole numbers, structs and lists of a struct by field, and where it ends; texts are passed over.

    With ``last``, what follows that field is not looked at.
    """
    found: dict[int, Any] = {}
    field = 0
    try:
        while (lead := content[at]) != 0:
            at += 1
            step, kind = lead >> 4, lead & 15
            if step:
                field += step
            else:
                number, at = _varint(content, at)
                field = _signed(number)
            found[field], at = _value(content, at, kind, depth)
            if field == last:
                break
    except IndexError as error:
        message = "a header does not end"
        raise PagesError(message) from error
    return found, at + 1


def _value(content: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):  # a truth value is in its kind
        return kind == 1, at
    if kind == 3:
        return content[at], at + 1
    if kind in (4, 5, 6):
        number, at = _varint(content, at)
        return _signed(number), at
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _varint(content, at)
        return None, at + length
    if depth >= _DEEPEST:
        message = "a header is nested too deeply"
        raise PagesError(message)
    if kind in (9, 10):
        return _list(content, at, depth)
    if kind == 12:
        return _struct(content, at, depth + 1)
    message = f"a header has a field of kind {kind}"
    raise PagesError(message)


def _list(content: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    count, kind = content[at] >> 4, content[at] & 15
    at += 1
    if count == 15:
        count, at = _varint(content, at)
    found = []
    for _ in range(min(count, len(content))):
        if kind in (1, 2):  # in a list a truth value has a byte of its own
            value, at = content[at] == 1, at + 1
        else:
            value, at = _value(content, at, kind, depth + 1)
        found.append(value)
    return found, at


def _varint(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while shift < 70:
        byte = content[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
    message = "a header has a number without end"
    raise PagesError(message)


def _signed(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


class TooLargeError(ValueError):
    """A file unpacks to more than is allowed."""


def read_parquet(handle: BinaryIO, limit: int, columns: Sequence[str] | None = None) -> pa.Table:
    """These columns of a Parquet file (by default all), if they take at most ``limit`` bytes.

    Raises:
        TooLargeError: they would take more; they were not read.
        PagesError: the file cannot be read as Parquet.
    """
    import pyarrow as pa

    file = parquet_file(handle)
    try:
        certain, referred = _bounds(handle, file.metadata.schema, columns)
        _refuse_above(limit, certain)
        if certain + sum(referred.values()) <= limit:
            table = file.read(columns, use_threads=False)
        else:
            coded = _by_groups(_opened(handle, referred), columns)
            _refuse_above(limit, certain + sum(map(_text_bytes, coded.columns)))
            table = coded.cast(pa.schema([file.schema_arrow.field(name) for name in coded.column_names]))
        table.validate(full=True)  # texts in UTF-8, lists that end where the next begins
        return table
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise PagesError(" ".join(str(error).split()) or type(error).__name__) from error


def _by_groups(file: pq.ParquetFile, columns: Sequence[str] | None) -> pa.Table:
    """A file whose texts stay numbered: pyarrow does not join lists of them over row groups."""
    import pyarrow as pa

    groups = range(file.num_row_groups)
    read = [file.read_row_group(number, columns, use_threads=False) for number in groups]
    return pa.concat_tables(read) if read else file.read(columns, use_threads=False)


def most_bytes(handle: BinaryIO) -> int:
    """Bytes that a Parquet file takes at most once it is read: what readers hold against their limits."""
    certain, referred = _bounds(handle, parquet_file(handle).metadata.schema, None)
    return certain + sum(referred.values())


def first_rows(handle: BinaryIO, rows: int, limit: int) -> pa.RecordBatch | None:
    """So many rows of a Parquet file, None if it has none; refused like the whole of it.

    Raises:
        TooLargeError: the file would take more than ``limit`` bytes.
        PagesError: it cannot be read as Parquet.
    """
    import pyarrow as pa

    file = parquet_file(handle)
    try:
        certain, referred = _bounds(handle, file.metadata.schema, None)
        _refuse_above(limit, certain)
        batch = next(iter(_opened(handle, referred).iter_batches(rows, use_threads=False)), None)
        if batch is not None:
            batch.validate(full=True)
            _refuse_above(limit, sum(_text_bytes(pa.chunked_array([column])) for column in batch.columns))
    except (pa.ArrowException, OSError) as error:
        raise PagesError(" ".join(str(error).split()) or type(error).__name__) from error
    return batch


def parquet_file(handle: BinaryIO) -> pq.ParquetFile:
    """A Parquet file whose footer can be read.

    Raises:
        PagesError: it cannot.
    """
    import pyarrow as pa

    chunks_of(handle)  # what it says of itself must fit before pyarrow believes it
    try:
        file = _opened(handle)
        _ = file.schema_arrow.names, file.metadata.created_by, file.metadata.metadata
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise PagesError(" ".join(str(error).split()) or type(error).__name__) from error
    return file


def _opened(handle: BinaryIO, read_dictionary: Iterable[str] = ()) -> pq.ParquetFile:
    """A Parquet file that is read by this thread alone.

    A thread of pyarrow that lets go of the handle while Python ends takes the process with it (exit code 134).
    """
    import pyarrow.parquet as pq

    return pq.ParquetFile(handle, read_dictionary=list(read_dictionary), pre_buffer=False)


def _bounds(
    handle: BinaryIO, schema: pq.ParquetSchema, columns: Sequence[str] | None
) -> tuple[int, dict[str, int]]:
    """Bytes that columns take in any case, and at most beyond that, by path of the texts that a dictionary holds."""
    certain, referred = 0, {}
    groups = chunks_of(handle)
    if any(len(group) != len(schema) for group in groups):
        message = "its columns are not as its footer says"
        raise PagesError(message)
    for column in range(len(schema)):
        leaf = schema.column(column)
        if columns is not None and not any(f"{leaf.path}.".startswith(f"{name}.") for name in columns):
            continue
        found = [pages_of(handle, group[column]) for group in groups]
        width = max(_WIDEST, leaf.length or 0) * (1 + leaf.max_repetition_level)
        certain += sum(pages.unpacked + pages.values * width + pages.front_coded for pages in found)
        if leaf.physical_type == "BYTE_ARRAY" and any(pages.dictionary for pages in found):
            referred[leaf.path] = sum(pages.values * pages.dictionary for pages in found)
    return certain, referred


def _text_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of the texts that a column refers to, once each is written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for piece in column.chunks:
        values = piece.flatten() if pa.types.is_list(piece.type) else piece
        if pa.types.is_dictionary(values.type):
            lengths = pc.binary_length(values.dictionary).cast(pa.int64())
            total += pc.sum(lengths.take(values.indices)).as_py() or 0
    return total


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        message = f"holds more than {limit:,} bytes once unpacked"
        raise TooLargeError(message)
