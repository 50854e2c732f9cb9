"""One block on one worker: the steps of the papers, and what comes of them as a row for each cluster.

The block is sorted by content as all records are in memory, so the kernels see the same arrays and give the
same labels. What the root takes is not known here: leftovers travel with their cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of, take_rows
from cloven.kinds.disassociated.methods.assembly import cluster_tails, cut, grouped_rows, term_chunks, tokens
from cloven.kinds.disassociated.methods.labelling import Records, Terms, label_block
from cloven.kinds.disassociated.methods.repair import lots_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.assembly import Labels, Rows
    from cloven.kinds.disassociated.methods.disassociation import Disassociation

CLUSTERS = (
    "block int, cluster int, size bigint, content binary, record array<bigint>, rank array<bigint>,"
    " chunk array<int>, member array<int>, length array<int>, item array<int>,"
    " left_member array<int>, left_item array<int>"
)
"""A cluster (-1: the records that are left out) in the words of Spark.

``content`` sorts like the canonical order. ``record`` and ``rank`` tell of each member its number in the source and its
place among all records by content. Then every published row: chunk, member that it comes from, number of items, items;
and every occurrence that is left over: member and item.
"""


@dataclass(frozen=True)
class Work:
    """What a worker must know to label any block.

    Attributes:
        method: the method.
        place: place of each item among equally frequent ones.
        terms: utility group of each term, and whether it is barred.
    """

    method: Disassociation
    place: NDArray[np.int32]
    terms: Terms

    def clusters(self, block: int, table: pa.Table) -> pa.Table:
        """The clusters of one block, given its records (``record``, ``rank``, ``codes``)."""
        rank = table.column("rank").to_numpy()
        order = np.argsort(rank)
        offsets, codes = take_rows(*rows_of(table.column("codes")), order)
        labels = label_block(
            self.method,
            Records(offsets, self.place[codes], np.empty(0, np.int64)),
            self.terms,
            lots_of(None),
        )
        named = (table.column("record").to_numpy()[order], rank[order])
        return _table(block, offsets, codes, labels, named, listed=self.method.rare_items == "cluster")


def rows_of(column: Any) -> tuple[Longs, NDArray[Any]]:
    """A column of lists as row starts and values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    values = [np.asarray(piece.flatten().to_numpy(zero_copy_only=False)) for piece in pieces]
    lengths = [np.asarray(pc.list_value_length(piece).to_numpy(zero_copy_only=False)) for piece in pieces]
    empty = np.empty(0, np.int32)
    return offsets_of(np.concatenate([empty, *lengths])), np.concatenate(values) if values else empty


def lists_of(offsets: Longs, values: NDArray[Any]) -> pa.Array:
    """Row starts and values as a column of lists."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values))


def _table(
    block: int,
    offsets: Longs,
    codes: NDArray[np.int32],
    labels: Labels,
    named: tuple[Longs, Longs],
    *,
    listed: bool,
) -> pa.Table:
    """A row for each cluster; the last one is that of the records that are left out, if there are any."""
    import pyarrow as pa

    count = len(labels.cluster_joint)
    cluster_of = np.where(labels.cluster_of < 0, count, labels.cluster_of)
    members = np.argsort(cluster_of, kind="stable")
    size = np.bincount(cluster_of, minlength=count + 1).astype(np.int64)
    starts = offsets_of(size)
    place = np.empty(len(members), np.int64)
    place[members] = np.arange(len(members)) - starts[cluster_of[members]]

    record, _, chunk, start, items = cut(offsets, codes, labels.cluster_of, labels.joint, labels.chunk)
    rows, part = grouped_rows(np.flatnonzero(chunk >= 0), cluster_of[record], chunk, start, items)
    row_starts = np.searchsorted(rows.owner, np.arange(count + 2))
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    left = np.flatnonzero((labels.chunk == -1) | (labels.cluster_of[owner] < 0))
    left = left[np.argsort(cluster_of[owner[left]], kind="stable")]
    left_starts = np.searchsorted(cluster_of[owner[left]], np.arange(count + 2))
    terms = left[: left_starts[count]] if listed else left[:0]
    content = _content(count, rows, size, cluster_of[owner[terms]], codes[terms])
    shown = np.append(np.arange(count), -1)
    table = pa.table({
        "block": pa.array(np.full(count + 1, block, np.int32)),
        "cluster": pa.array(shown.astype(np.int32)),
        "size": pa.array(size),
        "content": content,
        "record": lists_of(starts, named[0][members]),
        "rank": lists_of(starts, named[1][members]),
        "chunk": lists_of(row_starts, rows.chunk.astype(np.int32)),
        "member": lists_of(row_starts, place[record[part]].astype(np.int32)),
        "length": lists_of(row_starts, np.diff(rows.offsets).astype(np.int32)),
        "item": lists_of(rows.offsets[row_starts], rows.items.astype(np.int32)),
        "left_member": lists_of(left_starts, place[owner[left]].astype(np.int32)),
        "left_item": lists_of(left_starts, codes[left].astype(np.int32)),
    })  # fmt: skip
    return table if size[count] else table.slice(0, count)


def _content(count: int, rows: Rows, size: Longs, owner: Longs, listed: NDArray[np.int32]) -> pa.Array:
    """Content of each cluster as bytes that sort like the canonical order; of the one left out, none."""
    import pyarrow as pa

    terms = term_chunks(owner, listed, count, int(listed.max(initial=0)) + 1)
    found = tokens(count, rows, *cluster_tails(size[:count], *terms))
    starts = np.append(found.offsets, found.offsets[-1]) * 4
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(found.values.astype(">u4"))]
    return pa.Array.from_buffers(pa.binary(), count + 1, buffers)
