"""Parquet: a list column, or an id column and an item column."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from cloven.errors import InputError
from cloven.io.readers.arrow import list_records, long_rows, only_list_column
from cloven.io.readers.tables import missing_column
from cloven.io.readers.unplaced import UnplacedError

if TYPE_CHECKING:
    from cloven.io.readers.long import LongRows
    from cloven.io.readers.options import ReadOptions
    from cloven.io.readers.raw import RawRecords


def read_parquet(content: bytes, source: str, options: ReadOptions) -> RawRecords | LongRows:
    """Records of a Parquet file; only the columns needed are unpacked."""
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        columns = file.schema_arrow.names
        column = options.column
        if column is None and options.id_column is None:
            column = only_list_column(file.schema_arrow.empty_table(), source)
        named = (column, options.id_column, options.item_column, options.person)
        needed = [name for name in dict.fromkeys(named) if name is not None]
        for name in needed:
            if name not in columns:
                raise missing_column(name, columns, source)
        _check_size(file, needed, source, options.max_bytes)
        table = file.read(columns=needed)
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        message = f"cannot be read as Parquet: {reason}"
        kind = InputError if content.startswith(b"PAR1") else UnplacedError
        raise kind(message, source=source) from error
    if column is not None:
        return list_records(table, column, options.person, source)
    return long_rows(table, str(options.id_column), str(options.item_column), options.person, source)


def _check_size(file: pq.ParquetFile, columns: list[str], source: str, max_bytes: int) -> None:
    """Parquet packs its pages, so the limit on unpacked bytes holds inside it too."""
    size = 0
    for group in range(file.metadata.num_row_groups):
        for number in range(file.metadata.num_columns):
            chunk = file.metadata.row_group(group).column(number)
            if chunk.path_in_schema.split(".")[0] in columns:
                size += chunk.total_uncompressed_size
    if size > max_bytes:
        message = f"unpacks to more than {max_bytes:,} bytes; raise max_bytes if that is right"
        raise InputError(message, source=source, value=f"{size:,} bytes")
