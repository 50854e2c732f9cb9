"""What workers write: parts of tables, each whole or not there, and what they tell of them.

A part is written apart and then moved to its place, so a task that is run twice, or dies, leaves one part or none; its
bytes depend on its content alone, so it does not matter which of the two it was.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.kinds.disassociated.files import CHUNKS, CLUSTERS, part_name
from cloven.kinds.disassociated.release import KINDS, Kind
from cloven.kinds.disassociated.spark.clusters import lists_of, rows_of
from cloven.storage.atomic import PRIVATE_FILE, PUBLIC_FILE
from cloven.storage.parquet import list_column, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs

WRITTEN = "name string, sha256 string"
"""What is told of a file that was written."""
LEFT = "item int, rank bigint, record bigint, cluster bigint"
"""Occurrences that no record chunk took; ``cluster`` is -1 where the whole record is left out."""
OUTER = 1 << 31
"""Added to the number of a root chunk to say where it stands among the parts of a record."""


@dataclass(frozen=True)
class Writer:
    """Where the parts of tables go, and the names of the items.

    Attributes:
        folder: the folder to fill.
        scratch: a folder beside it, for what is being written.
        names: all items by code.
        private: whether only the owner may read them.
    """

    folder: str
    scratch: str
    names: tuple[str, ...]
    private: bool = False

    def write(
        self, table: str, part: int, columns: Mapping[str, str], values: Mapping[str, Any]
    ) -> tuple[str, str]:
        """Write a part; its name and SHA-256."""
        name = part_name(table, part)
        place = Path(self.scratch) / f"{secrets.token_hex(8)}-{name}"
        digest = write_table(place, columns, values, PRIVATE_FILE if self.private else PUBLIC_FILE)
        place.replace(Path(self.folder) / name)
        return name, digest

    def items(self, offsets: Longs, codes: NDArray[Any]) -> Any:
        """Rows of codes as lists of names."""
        return list_column(self.names, offsets, codes.astype(np.int32))


def written(files: list[tuple[str, str]]) -> pa.Table:
    """What is told of files."""
    import pyarrow as pa

    return pa.table({"name": [name for name, _ in files], "sha256": [digest for _, digest in files]})


def publish_clusters(writer: Writer, part: int, table: pa.Table, *, rooted: bool) -> pa.Table:
    """Write the clusters of a part, in the order of their numbers, and their chunks."""
    table = table.sort_by("number")
    number, size = table.column("number").to_numpy(), table.column("size").to_numpy()
    clusters = {"cluster": number, "size": size, "joint": np.full(len(number), 0 if rooted else -1)}
    files = [writer.write("clusters", part, CLUSTERS, clusters)]
    starts, chunk = rows_of(table.column("chunk"))
    _, length = rows_of(table.column("length"))
    _, items = rows_of(table.column("item"))
    owner = np.repeat(np.arange(len(number)), np.diff(starts))
    kind = np.full(len(owner), Kind.RECORD, np.int8)
    if not rooted:
        owner, chunk, kind, length, items = _with_terms(table, owner, chunk, kind, length, items)
    values = {
        "cluster": number[owner],
        "joint": np.full(len(owner), -1),
        "chunk": chunk,
        "kind": _kind_names(kind),
        "items": writer.items(offsets_of(length), items),
    }
    return written([*files, writer.write("chunks", part, CHUNKS, values)])


def _with_terms(
    table: pa.Table,
    owner: Longs,
    chunk: NDArray[Any],
    kind: NDArray[np.int8],
    length: NDArray[Any],
    items: NDArray[Any],
) -> tuple[Any, ...]:
    """Rows with the term chunk of each cluster behind its record chunks."""
    left_starts, left = rows_of(table.column("left_item"))
    width = int(left.max(initial=0)) + 1
    pairs = np.unique(np.repeat(np.arange(table.num_rows), np.diff(left_starts)) * width + left)
    has, many = np.unique(pairs // width, return_counts=True)
    owners = np.concatenate((owner, has))
    kinds = np.concatenate((kind, np.full(len(has), Kind.TERM, np.int8)))
    lengths = np.concatenate((length, many))
    order = np.argsort(owners * 2 + kinds, kind="stable")
    starts = offsets_of(lengths)[:-1][order]
    flat = np.concatenate((items, pairs % width))
    inner = np.arange(lengths.sum()) - np.repeat(offsets_of(lengths[order])[:-1], lengths[order])
    chunks = np.concatenate((chunk, np.zeros(len(has), np.int64)))[order]
    return (
        owners[order],
        chunks,
        kinds[order],
        lengths[order],
        flat[np.repeat(starts, lengths[order]) + inner],
    )


@dataclass(frozen=True)
class Root:
    """The root in numbers: item of each of its chunks, and where the rows of each start among all of them."""

    item: Longs
    start: Longs

    def publish(self, writer: Writer, first: int, many: int, rows: int) -> tuple[str, str]:
        """Write part ``many`` of the rows of the root, which stands behind ``first`` parts of clusters."""
        at = np.arange(many * rows, min((many + 1) * rows, int(self.start[-1])))
        chunk = np.searchsorted(self.start, at, "right") - 1
        values = {
            "cluster": np.full(len(at), -1),
            "joint": np.zeros(len(at), np.int64),
            "chunk": chunk,
            "kind": _kind_names(np.full(len(at), Kind.SHARED, np.int8)),
            "items": writer.items(np.arange(len(at) + 1), self.item[chunk]),
        }
        return writer.write("chunks", first + many, CHUNKS, values)


def key_rows(table: pa.Table, *, rooted: bool) -> pa.Table:
    """What each record contributes to the chunks of its cluster."""
    import pyarrow as pa

    number, size = table.column("number").to_numpy(), table.column("size").to_numpy()
    _, record = rows_of(table.column("record"))
    first = offsets_of(size)[:-1]
    starts, chunk = rows_of(table.column("chunk"))
    _, member = rows_of(table.column("member"))
    _, length = rows_of(table.column("length"))
    _, items = rows_of(table.column("item"))
    owner = np.repeat(np.arange(len(number)), np.diff(starts))
    new = np.ones(len(owner), bool)
    new[1:] = (owner[1:] != owner[:-1]) | (chunk[1:] != chunk[:-1])
    begins = np.maximum.accumulate(np.where(new, np.arange(len(owner)), 0))
    found = key_table(
        record[first[owner] + member], chunk, number[owner], chunk, Kind.RECORD,
        np.arange(len(owner)) - begins, offsets_of(length), items,
    )  # fmt: skip
    if rooted:
        return found
    left_starts, left = rows_of(table.column("left_item"))
    _, left_member = rows_of(table.column("left_member"))
    left_owner = np.repeat(np.arange(len(number)), np.diff(left_starts))
    who = first[left_owner] + left_member
    order = np.lexsort((left, who))
    people, many = np.unique(who[order], return_counts=True)
    cluster = number[np.searchsorted(first, people, "right") - 1]
    zero = np.zeros(len(people), np.int64)
    terms = key_table(record[people], zero - 1, cluster, zero, Kind.TERM, zero, offsets_of(many), left[order])
    return pa.concat_tables((found, terms))


def key_table(
    record: Longs, turn: NDArray[Any], cluster: Longs, chunk: NDArray[Any], kind: Kind, row: Longs,
    offsets: Longs, items: NDArray[Any], joint: int = -1,
) -> pa.Table:  # fmt: skip
    """Entries of the key, and their ``turn`` among those of their record."""
    import pyarrow as pa

    many = len(record)
    return pa.table({
        "record": pa.array(record, pa.int64()),
        "turn": pa.array(turn, pa.int64()),
        "cluster": pa.array(cluster, pa.int64()),
        "joint": pa.array(np.full(many, joint), pa.int64()),
        "chunk": pa.array(chunk, pa.int32()),
        "kind": pa.array(np.full(many, int(kind)), pa.int32()),
        "row": pa.array(row, pa.int64()),
        "items": lists_of(offsets, items.astype(np.int32)),
    })  # fmt: skip


def left_rows(table: pa.Table) -> pa.Table:
    """Every occurrence that is left over."""
    import pyarrow as pa

    starts, item = rows_of(table.column("left_item"))
    _, member = rows_of(table.column("left_member"))
    _, record = rows_of(table.column("record"))
    _, rank = rows_of(table.column("rank"))
    owner = np.repeat(np.arange(table.num_rows), np.diff(starts))
    who = offsets_of(table.column("size").to_numpy())[:-1][owner] + member
    return pa.table({
        "item": pa.array(item, pa.int32()),
        "rank": pa.array(rank[who], pa.int64()),
        "record": pa.array(record[who], pa.int64()),
        "cluster": pa.array(table.column("cluster").to_numpy()[owner].astype(np.int64)),
    })  # fmt: skip


def write_rows(writer: Writer, name: str, part: int, columns: Mapping[str, str], table: pa.Table) -> pa.Table:
    """Write a part of a table of the private folder whose rows tell their ``number``."""
    return written([write_private(writer, name, part, columns, table.sort_by("number"))])


def write_private(
    writer: Writer, name: str, part: int, columns: Mapping[str, str], table: pa.Table
) -> tuple[str, str]:
    """Write rows of the private folder: numbers as they are, kinds and items by their names."""
    values: dict[str, Any] = {}
    for column, kind in columns.items():
        found = table.column(column)
        if kind == "list":
            values[column] = writer.items(*rows_of(found))
        elif column == "kind":
            values[column] = _kind_names(found.to_numpy())
        else:
            values[column] = found if kind == "string" else found.to_numpy()
    return writer.write(name, part, columns, values)


def in_batches(batches: Iterator[pa.RecordBatch], turned: Any) -> Iterator[pa.RecordBatch]:
    """``turned`` makes another table of each batch."""
    import pyarrow as pa

    for batch in batches:
        yield from turned(pa.Table.from_batches([batch])).to_batches()


def _kind_names(kind: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.array(KINDS).take(pa.array(kind))
