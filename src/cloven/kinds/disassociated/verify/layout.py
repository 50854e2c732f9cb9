"""A release laid out for checking: rows by chunk, items of a row ascending, whatever order they came in.

So one misplaced row fails the check of the order and no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, offsets_of, places, read_only, stable_order, take_rows
from cloven.kinds.disassociated.release import Kind
from cloven.verification.verdict import conclude, spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.verification.verdict import Check


@dataclass(frozen=True)
class Layout:
    """Rows, chunks, and the items of each chunk.

    Attributes:
        row_source: number of each row in the release.
        row_chunk: chunk of each row.
        row_repeats: whether a row equals the one before it in its chunk.
        ordered: whether rows stand in the release as they do here.
        ascending: whether items stand in the rows of the release as they do here.
        offsets: where each row starts in ``items``.
        items: item codes, strictly ascending inside a row.
        local: for each entry of ``items``, its number among the items of the chunk.
        chunk_kind: record, term or shared.
        chunk_outside: whether it belongs to a joint: shared chunks, and the list of terms of the root.
        chunk_owner: its cluster or joint.
        chunk_number: published number of the chunk.
        chunk_start: first row of each chunk; one longer.
        pair_chunk: chunk of each distinct pair (chunk, item), ascending.
        pair_item: item of each such pair.
        pair_rows: in how many rows of the chunk it is.
    """

    row_source: Longs
    row_chunk: Longs
    row_repeats: Flags
    ordered: bool
    ascending: bool
    offsets: Longs
    items: NDArray[np.int32]
    local: NDArray[np.int32]
    chunk_kind: NDArray[np.int8]
    chunk_outside: Flags
    chunk_owner: Longs
    chunk_number: Longs
    chunk_start: Longs
    pair_chunk: Longs
    pair_item: Longs
    pair_rows: Longs

    @property
    def chunks(self) -> int:
        """Number of chunks, term chunks included."""
        return len(self.chunk_kind)

    @property
    def chunk_rows(self) -> Longs:
        """Number of rows of each chunk."""
        return np.diff(self.chunk_start)

    def pairs_of(self, kind: Kind) -> tuple[Longs, Longs]:
        """Owner and item of every distinct pair (chunk, item) in chunks of one kind, the list of the root left out."""
        wanted = (self.chunk_kind == kind) & (self.chunk_outside == (kind == Kind.SHARED))
        pairs = wanted[self.pair_chunk]
        return self.chunk_owner[self.pair_chunk[pairs]], self.pair_item[pairs]

    @property
    def listed(self) -> Longs:
        """Items of the list of terms of the root, ascending."""
        chunks = self.chunk_outside & (self.chunk_kind == Kind.TERM)
        items: Longs = self.pair_item[chunks[self.pair_chunk]]
        return items

    def items_of(self, row: int) -> list[int]:
        """Items of one row."""
        found: list[int] = self.items[self.offsets[row] : self.offsets[row + 1]].tolist()
        return found

    def place(self, chunk: int) -> str:
        """Where a chunk is, in words."""
        kind, owner = Kind(self.chunk_kind[chunk]), self.chunk_owner[chunk]
        if kind == Kind.TERM and self.chunk_outside[chunk]:
            return f"joint {owner}, list of terms"
        if kind == Kind.TERM:
            return f"cluster {owner}, term chunk"
        where = "joint" if kind == Kind.SHARED else "cluster"
        return f"{where} {owner}, {kind.name.lower()} chunk {self.chunk_number[chunk]}"


def lay_out(release: Disassociated) -> Layout:
    """Group and sort the rows of a release whose arrays are sound."""
    offsets, items, ascending = ascending_items(release)
    columns, order = row_columns(release), np.arange(release.rows)
    group, within = compared_rows(columns, offsets, items)
    ordered = not ((group > 0).any() or (within > 0).any())
    if not ordered:
        order, columns, offsets, items = _sorted_rows(columns, offsets, items)
        group, within = compared_rows(columns, offsets, items)
    new_chunk = np.append(True, group != 0)[: len(order)]
    start = np.flatnonzero(new_chunk)
    chunk_start = np.append(start, len(order))
    pairs, pair_item, pair_rows, local = _pairs(offsets[chunk_start], items, len(release.vocabulary))
    return Layout(
        row_source=order,
        row_chunk=np.cumsum(new_chunk) - 1,
        row_repeats=np.append(False, (group == 0) & (within == 0))[: len(order)],
        ordered=ordered,
        ascending=ascending,
        offsets=read_only(offsets),
        items=read_only(items),
        local=local,
        chunk_kind=columns.kind[start],
        chunk_outside=columns.outside[start],
        chunk_owner=columns.owner[start],
        chunk_number=columns.chunk[start].astype(np.int64),
        chunk_start=chunk_start,
        pair_chunk=np.repeat(np.arange(len(start)), pairs),
        pair_item=pair_item,
        pair_rows=pair_rows,
    )


def compared_rows(
    columns: Columns, offsets: Longs, items: NDArray[np.int32]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Each row with the next: -1, 0 or 1 by its chunk, and by its items where both are of one chunk."""
    group, within = np.zeros((2, max(0, len(offsets) - 2)), np.int8)
    given = Columns(*(read_only(column) for column in columns))
    rows = (read_only(offsets), read_only(items))
    at_once(lambda first, last: _compare_rows(given, *rows, first, last, group, within), offsets)
    return group, within


@compiled
def _compare_rows(
    columns: Columns, offsets: Ints, items: Ints, first: int, last: int, group: Ints, within: Ints
) -> None:
    outside, owner, kind, chunk = columns.outside, columns.owner, columns.kind, columns.chunk
    for row in range(first, min(last, len(group))):
        after = row + 1
        if outside[row] != outside[after]:
            group[row] = 1 if outside[row] else -1
        elif owner[row] != owner[after]:
            group[row] = 1 if owner[row] > owner[after] else -1
        elif kind[row] != kind[after]:
            group[row] = 1 if kind[row] > kind[after] else -1
        elif chunk[row] != chunk[after]:
            group[row] = 1 if chunk[row] > chunk[after] else -1
        else:
            left, middle, right, end = offsets[row], offsets[after], offsets[after], offsets[after + 1]
            while left < middle and right < end and items[left] == items[right]:
                left += 1
                right += 1
            if left < middle:
                within[row] = 1 if right == end or items[left] > items[right] else -1
            elif right < end:
                within[row] = -1


def _pairs(
    bounds: Longs, items: NDArray[np.int32], words: int
) -> tuple[Longs, Longs, Longs, NDArray[np.int32]]:
    """Distinct items of each chunk: how many, which, in how many rows; and of each occurrence, which of them it is.

    Items of a chunk stand together, from one of ``bounds`` to the next.
    """
    items, local = read_only(items), np.empty(len(items), np.int32)
    found = at_once(lambda first, last: _numbered(bounds, items, words, first, last, local), bounds)
    many, which, times = (np.concatenate(each) for each in zip(*found, strict=True))
    return many, which, times, local


@compiled
def _numbered(
    bounds: Ints, items: Ints, words: int, first: int, last: int, local: Ints
) -> tuple[Ints, Ints, Ints]:
    """The items of chunks ``first`` to ``last``, ascending in each; fills ``local``."""
    size = bounds[last] - bounds[first]
    many, which, times = np.zeros(last - first, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    seen, rank, at = np.full(words, -1), np.empty(words, np.int32), 0
    for chunk in range(first, last):
        here = 0
        for place in range(bounds[chunk], bounds[chunk + 1]):
            if seen[items[place]] != chunk:
                seen[items[place]] = chunk
                which[at + here] = items[place]
                here += 1
        if here * here < 4 * words:
            for place in range(at + 1, at + here):
                item, back = which[place], place
                while back > at and which[back - 1] > item:
                    which[back] = which[back - 1]
                    back -= 1
                which[back] = item
        else:
            back = at
            for item in range(words):
                if seen[item] == chunk:
                    which[back] = item
                    back += 1
        for number in range(here):
            rank[which[at + number]] = number
            times[at + number] = 0
        for place in range(bounds[chunk], bounds[chunk + 1]):
            local[place] = rank[items[place]]
            times[at + local[place]] += 1
        many[chunk - first] = here
        at += here
    return many, which[:at].copy(), times[:at].copy()


class Columns(NamedTuple):
    """What rows are sorted by before their items: those of joints last, cluster or joint, kind, chunk."""

    outside: NDArray[Any]
    owner: NDArray[Any]
    kind: NDArray[Any]
    chunk: NDArray[Any]


def row_columns(release: Disassociated) -> Columns:
    """The columns of a release whose arrays are sound: nothing is out of range."""
    outside = release.row_cluster < 0
    owner = np.asarray(np.where(outside, release.row_joint, release.row_cluster), np.int64)
    kind, chunk = np.asarray(release.row_kind, np.int8), np.asarray(release.row_chunk, np.int32)
    return Columns(outside, owner, kind, chunk)


def ascending_items(release: Disassociated) -> tuple[Longs, NDArray[np.int32], bool]:
    """Offsets and items with the items of each row sorted, each once; and whether they are so in the release."""
    offsets, items = np.asarray(release.row_offsets, np.int64), np.asarray(release.row_items, np.int32)
    falls = items[1:] <= items[:-1]
    falls[offsets[1:-1] - 1] = False
    ascending = not falls.any()
    if not ascending:
        words = len(release.vocabulary)
        row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        row, once = np.divmod(distinct(row * words + items), words)
        offsets = offsets_of(np.bincount(row, minlength=len(offsets) - 1))
        items = once.astype(np.int32)
    return offsets, items, ascending


def _sorted_rows(
    columns: Columns, offsets: Longs, items: NDArray[np.int32]
) -> tuple[Longs, Columns, Longs, NDArray[np.int32]]:
    """Sort rows by columns, then by items; only a release out of order comes here, so plain Python will do."""
    rows = [tuple(row.tolist()) for row in np.split(items, offsets[1:-1])]
    keys = list(zip(*(column.tolist() for column in columns), rows, strict=True))
    order = np.array(sorted(range(len(rows)), key=keys.__getitem__), np.int64)
    lengths = np.diff(offsets)[order]
    flat = np.array([item for row in order.tolist() for item in rows[row]], np.int32)
    ordered = Columns(*(column[order] for column in columns))
    return order, ordered, np.append(0, np.cumsum(lengths)), flat


# The tree of joints: which joints lie above a cluster or a joint.


@dataclass(frozen=True)
class JointTree:
    """Parents of joints and the innermost joint of clusters; -1 stands for none.

    Only for releases whose joints have no cycle: everything here climbs until it reaches a root.
    """

    parent: Longs
    cluster_joint: Longs

    def climb(self, joint: Longs) -> Iterator[tuple[Longs, Longs]]:
        """From each joint to its root: (positions in ``joint``, the joint reached), one step at a time."""
        index = np.flatnonzero(joint >= 0)
        here = joint[index].astype(np.int64)
        while index.size:
            yield index, here
            here = self.parent[here]
            index, here = index[here >= 0], here[here >= 0]

    def depth(self) -> Longs:
        """Number of joints above each joint."""
        depth = np.zeros(len(self.parent), np.int64)
        for index, _ in self.climb(self.parent):
            depth[index] += 1
        return depth


def check_tree(release: Disassociated) -> tuple[Check, JointTree | None]:
    """No joint lies above itself, and each but the root has two children or more; with a cycle there is no tree."""
    parent = np.asarray(release.joint_parent, np.int64)
    members = np.asarray(release.cluster_joint, np.int64)
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    children += np.bincount(members[members >= 0], minlength=len(parent))
    endless = _endless(parent)
    few = (children < 2) & (np.arange(len(parent)) != release.root)
    faults = [
        spot(endless, lambda at: f"joint {at} leads into a cycle of joints"),
        spot(few, lambda at: f"joint {at} has {children[at]} children instead of two or more"),
    ]
    found = conclude("joint tree", "release", len(parent), faults, f"{len(parent):,} joints, no cycle")
    return found, None if endless.any() else JointTree(parent, members)


def _endless(parent: Longs) -> Flags:
    """Joints from which no root is reached, after as many steps as there are joints (doubling each time)."""
    # one sentinel at the end stands for "no parent" and points to itself
    ancestor = np.append(np.where(parent < 0, len(parent), parent), len(parent))
    for _ in range(len(parent).bit_length()):
        ancestor = ancestor[ancestor]
    endless: Flags = ancestor[:-1] != len(parent)
    return endless


# Parts of a key, each joined with the row it is in and the cluster of its record.


@dataclass(frozen=True)
class Parts:
    """One entry for each part of the key, by record.

    Attributes:
        record: source position of its record, ascending.
        cluster: cluster of its record.
        row: its row in the layout.
        chunk: its chunk in the layout.
        owner: cluster or joint of that chunk.
        outside: whether it belongs to a joint.
        offsets: where the items of each part start.
        items: item codes, by part and ascending.
    """

    record: Longs
    cluster: Longs
    row: Longs
    chunk: Longs
    owner: Longs
    outside: Flags
    offsets: Longs
    items: NDArray[np.int32]

    def place_of(self, entry: int) -> tuple[int, int]:
        """The part that an entry of ``items`` belongs to, and its item."""
        return int(np.searchsorted(self.offsets, entry, side="right")) - 1, int(self.items[entry])


def join_parts(layout: Layout, key: Key) -> Parts:
    """Look up row, chunk and cluster of every part of a key whose arrays are sound."""
    record, source = np.asarray(key.record, np.int64), np.asarray(key.release_row, np.int64)
    offsets, items = np.asarray(key.offsets, np.int64), np.asarray(key.items, np.int32)
    if (record[1:] < record[:-1]).any():
        order = stable_order(record)
        record, source = record[order], source[order]
        offsets, items = take_rows(offsets, items, order)
    falls = items[1:] < items[:-1]
    falls[offsets[1:-1] - 1] = False
    if falls.any():
        items = items[np.lexsort((items, np.repeat(np.arange(len(record)), np.diff(offsets))))]
    row = source
    if not layout.ordered:
        position = np.empty(len(layout.row_source), np.int64)
        position[layout.row_source] = np.arange(len(position))
        row = position[source]
    offsets, row = read_only(offsets), read_only(row)
    chunk, owner = np.empty(len(row), np.int64), np.empty(len(row), np.int64)
    outside = np.empty(len(row), bool)
    of_chunks = (layout.row_chunk, layout.chunk_owner, layout.chunk_outside)
    at_once(lambda first, last: _look_up(row, *of_chunks, first, last, chunk, owner, outside), offsets)
    return Parts(
        record=record,
        cluster=key.record_cluster[places(key.records, record)],
        row=row,
        chunk=chunk,
        owner=owner,
        outside=outside,
        offsets=offsets,
        items=read_only(items),
    )


@compiled
def _look_up(
    row: Ints,
    row_chunk: Ints,
    chunk_owner: Ints,
    chunk_outside: Flags,
    first: int,
    last: int,
    chunk: Ints,
    owner: Ints,
    outside: Flags,
) -> None:
    """Chunk of some parts, its owner, and whether that is a joint."""
    for part in range(first, last):
        chunk[part] = row_chunk[row[part]]
    for part in range(first, last):
        owner[part], outside[part] = chunk_owner[chunk[part]], chunk_outside[chunk[part]]
