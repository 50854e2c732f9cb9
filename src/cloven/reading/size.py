"""How much a file holds, told from its beginning: the first megabyte is read, and the rest taken to be like it."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import ClovenError
from cloven.reading.cells import PARQUET
from cloven.reading.delimiters import guess_delimiter
from cloven.reading.files import Head, open_beginning
from cloven.reading.guess import first_elements
from cloven.reading.reader import format_of, read_content

if TYPE_CHECKING:
    import os

    from cloven.data.schema import Schema
    from cloven.reading.options import ReadOptions


BEGINNING = 1 << 20
# Bytes held while reading, for each byte of the unpacked file: the text and the items cut from it; values of JSON.
_HELD = {"json": 3.0, "jsonl": 3.0}
_HELD_OTHERWISE = 2.0


@dataclass(frozen=True)
class ExpectedSize:
    """What a file is expected to hold.

    Attributes:
        occurrences: items of all records together.
        records: number of records.
        content: bytes that a reader holds at its peak, beside the occurrences.
    """

    occurrences: int
    records: int
    content: float = 0.0


def expected_size(path: str | os.PathLike[str], options: ReadOptions) -> ExpectedSize | None:
    """What a file is expected to hold when it is read with these options; None if its beginning cannot be read so.

    Then reading it will say why. Of a long table whose rows are not sorted, more records are expected than there are.
    """
    source = Path(path)
    try:
        head, extension, total = open_beginning(source, BEGINNING)
        chosen = format_of(extension, str(source), options)
        if chosen == "parquet":
            return _of_parquet(source, options)
        whole = len(head) >= total
        head = head if whole else _whole_records(head, chosen)
        data, report = read_content(head, extension, str(source), replace(options, lenient=True))
    except ClovenError:
        return None
    scale = 1.0 if whole else total / max(1, len(head))
    held = _HELD.get(chosen, _HELD_OTHERWISE)
    return ExpectedSize(
        round(scale * (len(data.codes) + report.repeated_items)), round(scale * len(data)), held * total
    )


def _whole_records(head: bytes, chosen: str) -> bytes:
    """The beginning up to the end of a record."""
    if chosen == "json":
        return json.dumps(first_elements(Head(head, whole=False).text.strip())).encode()
    return head[: head.rfind(b"\n") + 1] or head


def _of_parquet(path: Path, options: ReadOptions) -> ExpectedSize | None:
    """The footer of a Parquet file counts the values of each column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.ParquetFile(path).metadata
    except (pa.ArrowException, OSError):
        return None
    named = {options.column, options.id_column, options.item_column, options.person} - {None}
    values, held = 0, 0.0
    for number in range(metadata.num_columns):
        chunks = [metadata.row_group(group).column(number) for group in range(metadata.num_row_groups)]
        if chunks and (not named or chunks[0].path_in_schema.split(".")[0] in named):
            values = max(values, sum(chunk.num_values for chunk in chunks))
            held += _HELD_OTHERWISE * sum(chunk.total_uncompressed_size for chunk in chunks)
    return ExpectedSize(values, metadata.num_rows, held + path.stat().st_size)


# How many cells a table has, told from its beginning: the first megabyte is read, and the rest taken to be like it.


def expected_cells(path: str | os.PathLike[str], schema: Schema) -> int | None:
    """Rows times columns that reading a table holds; None if its beginning cannot be read: reading it will say why.

    Of a text file every column counts, of a Parquet file those that the schema uses.
    """
    source = Path(path)
    try:
        head, extension, total = open_beginning(source, BEGINNING)
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.ParquetFile(path).metadata.num_rows) * columns
    except (pa.ArrowException, OSError):
        return None
