"""How many cells a table has, told from its beginning: the first megabyte is read, and the rest taken to be like it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import ClovenError
from cloven.io.readers.guessing import guess_delimiter
from cloven.io.readers.opening import open_beginning
from cloven.io.readers.sizing import BEGINNING
from cloven.io.table_columns import PARQUET

if TYPE_CHECKING:
    import os

    from cloven.model.schema import Schema


def expected_cells(path: str | os.PathLike[str], schema: Schema) -> int | None:
    """Rows times columns that reading a table holds; None if its beginning cannot be read: reading it will say why.

    Of a text file every column counts, of a Parquet file those that the schema uses.
    """
    source = Path(path)
    try:
        head, extension, total = open_beginning(source, BEGINNING)
        if extension in PARQUET or head[:4] == b"PAR1":
            return _of_parquet(source, len(schema.read))
        text = head.decode("utf-8-sig", errors="ignore")
        delimiter = schema.delimiter or guess_delimiter(head, spaces=False)
        first = next(csv.reader(text.split("\n", 1)[:1], delimiter=delimiter), [])
    except (ClovenError, csv.Error):
        return None
    rows = head.count(b"\n") * total / max(1, len(head))
    return round(rows * len(first))


def _of_parquet(path: Path, columns: int) -> int | None:
    """The footer of a Parquet file counts its rows; one that is packed once more is left to the reader."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.ParquetFile(path).metadata.num_rows) * columns
    except (pa.ArrowException, OSError):
        return None
