"""Records on their way in: kept once as they were read, counted, coded, recognised, ranked by content.

A frame may give other rows, or the same in another order, each time it is evaluated. So it is evaluated once, into the
working folder; all that follows, the check against the original too, reads what was kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import distinct, offsets_of
from cloven.data.recognition import LEAST_ITEMS, content_hashes, item_hashes, spelt_pieces
from cloven.errors import InputError
from cloven.intake.urls import file_url
from cloven.storage.fingerprint import SIZE, Sketch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs

SOURCE = "source"
"""Where the records are kept as they were read."""
AT_ONCE = 1 << 16
"""Records that a worker looks at in one go."""
_HALF = np.uint64(1 << 63)
"""Exchanges signed and unsigned numbers so that both sort alike."""


@dataclass(frozen=True)
class Source:
    """What was read, in numbers.

    Attributes:
        names: all items, ascending by code point.
        held: how many records hold each.
        files: the files that hold the records, in the order of the source.
        start: number of the first record of each file.
        records: how many have items.
        empty: how many have none.
    """

    names: tuple[str, ...]
    held: Longs
    files: tuple[str, ...]
    start: tuple[int, ...]
    records: int
    empty: int

    @property
    def counts(self) -> dict[str, int]:
        """As a receipt tells them."""
        return {"read_records": self.records, "empty_records": self.empty}


def keep(source: Any, place: str) -> None:
    """Evaluate the frame of a source once, and keep its records in the order of the source."""
    frame = source.frame if source.in_order else source.frame.orderBy("record")
    frame.select("items").write.parquet(place)


def count(session: Any, folder: Path, source: str, most: int) -> Source:
    """Count kept records and their items; what is no item, and records that cannot be right, are refused."""
    from pyspark.sql import functions as f

    files = tuple(str(file.absolute()) for file in sorted(folder.glob("part-*.parquet")))
    if not files:
        message = "no records with items"
        raise InputError(message, source=source)
    size = f.size("items")
    kept = session.read.parquet(file_url(folder))
    rows = (
        kept.groupBy(f.col("_metadata.file_name").alias("file"))
        .agg(
            f.count(f.lit(1)).alias("rows"),
            f.count(f.when(size > 0, 1)).alias("filled"),
            f.count(f.when(f.col("items").isNull(), 1)).alias("null"),
            f.max(size).alias("longest"),
        )
        .collect()
    )
    nulls, longest = sum(row["null"] for row in rows), max((row["longest"] or 0 for row in rows), default=0)
    found = (
        _on_each(session, files, _item_counts, "item string, many bigint")
        .groupBy("item")
        .agg(f.sum("many").alias("many"))
        .toArrow()
    )
    held = dict(zip(found.column("item").to_pylist(), found.column("many").to_pylist(), strict=True))
    _refuse(held, nulls, longest, source, most)
    names, many = tuple(sorted(held)), {row["file"]: row["rows"] for row in rows}
    start = offsets_of(np.array([many.get(Path(file).name, 0) for file in files], np.int64))
    filled = sum(row["filled"] for row in rows)
    return Source(
        names,
        np.array([held[name] for name in names], np.int64),
        files,
        tuple(start[:-1].tolist()),
        filled,
        int(start[-1]) - filled,
    )


def _on_each(
    session: Any, files: tuple[str, ...], function: Callable[[int, str], pa.Table], schema: str
) -> Any:
    """What workers make of each file."""

    def called(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from function(number, files[number]).to_batches()

    return session.range(len(files), numPartitions=len(files)).mapInArrow(called, schema)


def _item_counts(_number: int, file: str) -> pa.Table:
    """How many records of a file hold each item."""
    import pyarrow as pa

    held: Counter[str | None] = Counter()
    for lengths, found in _lists(file):
        names = [*found.dictionary.to_pylist(), None]
        codes = found.indices.fill_null(len(names) - 1).to_numpy(zero_copy_only=False).astype(np.int64)
        pairs = distinct(np.repeat(np.arange(len(lengths)), lengths) * len(names) + codes)
        many = np.bincount(pairs % len(names), minlength=len(names)).tolist()
        held.update({name: number for name, number in zip(names, many, strict=True) if number})
    return pa.table({
        "item": pa.array(list(held), pa.string()), "many": pa.array(list(held.values()), pa.int64())
    })  # fmt: skip


def _lists(file: str) -> Iterator[tuple[Longs, Any]]:
    """Lengths of the lists of a file, and their items as a dictionary and places in it; a few lists at a time."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(file).iter_batches(AT_ONCE, columns=["items"]):
        column = batch.column(0)
        lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        yield lengths, column.flatten().cast(pa.string()).dictionary_encode()


def _refuse(held: dict[str | None, int], nulls: int, longest: int, source: str, most: int) -> None:
    reason = None
    if nulls:
        reason = f"{nulls:,} rows are null where a list of items should be; give them an empty list"
    elif None in held:
        reason = "null item; remove it"
    elif not all(name is None or name.strip() for name in held):
        reason = "blank item; remove it"
    elif longest > most:
        reason = (
            f"{longest:,} items in one record, more than max_record_length={most:,}; is the column right?"
        )
    elif not held:
        reason = "no records with items"
    if reason is not None:
        raise InputError(reason, source=source)


def code(session: Any, source: Source, names: Any, folder: Path) -> None:
    """Write kept records as codes, a file for each of theirs; ``names`` is broadcast.

    ``record`` is the number in the source, ``content`` the codes as unsigned numbers of four bytes, high byte first,
    which sort like lists of codes, and ``mark`` what a record that may stand out is known by.
    """
    import pyarrow as pa

    place, start = str(folder.absolute()), source.start
    folder.mkdir()

    def written(number: int, file: str) -> pa.Table:
        return pa.table({"rows": pa.array([_write_coded(number, file, start[number], names.value, place)])})

    _on_each(session, source.files, written, "rows bigint").collect()


def _write_coded(number: int, file: str, first: int, names: tuple[str, ...], folder: str) -> int:
    """Write the records of one file as codes, apart, and move that to its place; how many they are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema({"record": pa.int64(), "content": pa.binary(), "mark": pa.int64()})
    code_of, width, of_item = {name: code for code, name in enumerate(names)}, len(names), item_hashes(names)
    total, unfinished = 0, Path(folder) / f".{token_hex(8)}"
    with pq.ParquetWriter(unfinished, schema) as writer:
        for lengths, found in _lists(file):
            known = np.array([code_of[name] for name in found.dictionary.to_pylist()], np.int64)
            rows = np.repeat(np.arange(len(lengths)), lengths)
            pairs = distinct(rows * width + known[found.indices.to_numpy(zero_copy_only=False)])
            offsets = offsets_of(np.bincount(pairs // width, minlength=len(lengths)))
            codes = (pairs % width).astype(np.int32)
            record = pa.array(first + total + np.arange(len(lengths)))
            columns = [record, packed(offsets, codes), _marks(offsets, codes, of_item)]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
            total += len(lengths)
    unfinished.replace(Path(folder) / f"part-{number:08}.parquet")
    return total


def _marks(offsets: Longs, codes: NDArray[np.int32], of_item: NDArray[np.uint64]) -> pa.Array:
    """By what records that may stand out are recognised; null for the others."""
    import pyarrow as pa

    lengths, mark = np.diff(offsets), np.zeros(len(offsets) - 1, np.int64)
    filled = lengths > 0
    hashes = content_hashes(np.append(offsets[:-1][filled], offsets[-1]), codes, of_item)
    mark[filled] = (hashes ^ _HALF).view(np.int64)
    return pa.array(mark, mask=lengths < LEAST_ITEMS)


def packed(offsets: Longs, codes: NDArray[np.int32]) -> pa.Array:
    """Rows of codes as bytes that sort like them."""
    import pyarrow as pa

    starts = pa.py_buffer((offsets * 4).astype(np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, starts, pa.py_buffer(codes.astype(">u4"))]
    )


def unpacked(column: Any) -> tuple[Longs, NDArray[np.int32]]:
    """Row starts and codes of a column of such bytes."""
    import pyarrow as pa

    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    lengths, codes = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for piece in pieces:
        _, starts, content = piece.buffers()
        bounds = np.frombuffer(starts, np.int32)[piece.offset : piece.offset + len(piece) + 1]
        lengths.append(np.diff(bounds).astype(np.int64) // 4)
        if content is not None:
            inside = np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]]
            codes.append(inside.view(">u4").astype(np.int32))
    return offsets_of(np.concatenate(lengths)), np.concatenate(codes)


# What the owner knows the data by: the same values as are found with all records in memory.


def fingerprint(session: Any, folder: Path, names: Any, source: Source) -> str:
    """Fingerprint of coded records, by one worker that reads them one after another, twice; nobody holds them."""
    import pyarrow as pa

    place, records, occurrences = str(folder), source.records, int(source.held.sum())

    def told(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            digest = sha256()
            starts = chain((np.zeros(1, np.int64),), _running(Path(place)))
            pieces = (codes for _, codes in _pieces(Path(place)))
            for part in spelt_pieces(starts, pieces, (), names.value, records, occurrences):
                digest.update(part)
            yield pa.RecordBatch.from_arrays([pa.array([digest.hexdigest()])], ["told"])

    return str(session.range(1, numPartitions=1).mapInArrow(told, "told string").collect()[0][0])


def _pieces(folder: Path) -> Iterator[tuple[Longs, NDArray[np.int32]]]:
    """Records of a folder in their order, those without items left out."""
    import pyarrow.parquet as pq

    for file in sorted(folder.glob("part-*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(columns=["content"]):
            offsets, codes = unpacked(batch.column(0))
            lengths = np.diff(offsets)
            yield lengths[lengths > 0], codes


def _running(folder: Path) -> Iterator[Longs]:
    total = 0
    for lengths, _ in _pieces(folder):
        ends = total + np.cumsum(lengths)
        total = int(ends[-1]) if len(ends) else total
        yield ends


def sketch(coded: Any) -> Sketch:
    """Sample those who stand out."""
    from pyspark.sql import functions as f

    alone = (
        coded.where(f.col("mark").isNotNull())
        .groupBy("mark")
        .count()
        .where(f.col("count") == 1)
        .select("mark")
    )
    told = alone.mapInArrow(_smallest, "many bigint, marks array<bigint>").collect()
    marks = np.sort(np.array([mark for row in told for mark in row["marks"]], np.int64))[:SIZE]
    return Sketch(sum(row["many"] for row in told), marks.view(np.uint64) ^ _HALF)


def _smallest(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """How many marks a partition has, and the smallest."""
    import pyarrow as pa

    many, smallest = 0, np.empty(0, np.int64)
    for batch in batches:
        many += len(batch)
        smallest = np.sort(np.concatenate((smallest, batch.column("mark").to_numpy())))[:SIZE]
    marks = pa.array([smallest.tolist()], pa.list_(pa.int64()))
    yield pa.RecordBatch.from_arrays([pa.array([many], pa.int64()), marks], ["many", "marks"])


# Rare items go before anything else is done.


def without(frame: Any, rare: Longs) -> Any:
    """Records without some items (``content``), and what they had of them (``gone``)."""
    return frame.select("record", "content").mapInArrow(
        lambda batches: _without(batches, rare), "record bigint, content binary, gone binary"
    )


def _without(batches: Iterator[pa.RecordBatch], rare: Longs) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        offsets, codes = unpacked(batch.column("content"))
        goes = np.isin(codes, rare)
        both = [
            packed(np.concatenate(([0], np.cumsum(chosen)))[offsets], codes[chosen])
            for chosen in (~goes, goes)
        ]
        yield pa.RecordBatch.from_arrays([batch.column("record"), *both], ["record", "content", "gone"])
