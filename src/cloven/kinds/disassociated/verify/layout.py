"""A release laid out for checking: rows by chunk, items of a row ascending, whatever order they came in.

So one misplaced row fails the check of the order and no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, offsets_of, read_only, take_rows
from cloven.kinds.disassociated.release import Kind
from cloven.verification.verdict import conclude, spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.verification.verdict import Check


@dataclass(frozen=True)
class Layout:
    """Rows, chunks, and the items of each chunk. A form is a row of a chunk, however many equal ones there are.

    Attributes:
        row_source: number of each row in the release; None if rows stand there as they do here.
        row_form: form of each row.
        ascending: whether items stand in the rows of the release as they do here.
        offsets: where each row starts in ``items``.
        items: item codes, strictly ascending inside a row.
        form_start: first row of each form; one longer.
        form_chunk: chunk of each form.
        form_offsets: where each form starts in ``form_items``.
        form_items: item codes of each form.
        form_local: for each entry of ``form_items``, its number among the items of the chunk.
        chunk_kind: record, term or shared.
        chunk_outside: whether it belongs to a joint: shared chunks, and the list of terms of the root.
        chunk_owner: its cluster or joint.
        chunk_number: published number of the chunk.
        chunk_form: first form of each chunk; one longer.
        pair_start: first distinct pair (chunk, item) of each chunk; one longer.
        pair_chunk: chunk of each such pair, ascending.
        pair_item: item of each such pair.
        pair_rows: in how many rows of the chunk it is.
    """

    row_source: Longs | None
    row_form: Ints
    ascending: bool
    offsets: Longs
    items: NDArray[np.int32]
    form_start: Longs
    form_chunk: Ints
    form_offsets: Longs
    form_items: NDArray[np.int32]
    form_local: NDArray[np.int32]
    chunk_kind: NDArray[np.int8]
    chunk_outside: Flags
    chunk_owner: Longs
    chunk_number: Longs
    chunk_form: Longs
    pair_start: Longs
    pair_chunk: Longs
    pair_item: Longs
    pair_rows: Longs

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.row_form)

    @property
    def copies(self) -> Longs:
        """Number of rows of each form."""
        return np.diff(self.form_start)

    @property
    def chunk_start(self) -> Longs:
        """First row of each chunk; one longer."""
        return self.form_start[self.chunk_form]

    def chunk_of(self, row: int) -> int:
        """Chunk of a row."""
        return int(self.form_chunk[self.row_form[row]])

    @property
    def ordered(self) -> bool:
        """Whether rows stand in the release as they do here."""
        return self.row_source is None

    @property
    def chunks(self) -> int:
        """Number of chunks, term chunks included."""
        return len(self.chunk_kind)

    @property
    def chunk_rows(self) -> Longs:
        """Number of rows of each chunk."""
        return np.diff(self.chunk_start)

    def chunks_of(self, kind: Kind, outside: bool, owners: int) -> Longs:
        """First chunk of one kind of each cluster (``outside``: joint), and one past the last: they stand together."""
        found = np.flatnonzero((self.chunk_outside == outside) & (self.chunk_kind == kind))
        many = np.bincount(self.chunk_owner[found], minlength=owners)
        first = np.append(found, 0)[np.cumsum(many) - many]
        return np.stack((first, first + many))

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

    def items_of(self, form: int) -> list[int]:
        """Items of one form."""
        found: list[int] = self.form_items[self.form_offsets[form] : self.form_offsets[form + 1]].tolist()
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
    offsets, items = np.asarray(release.row_offsets, np.int64), np.asarray(release.row_items, np.int32)
    columns, order = row_columns(release), None
    compared = compared_rows(columns, offsets, items)
    ascending = compared.ascending
    if not ascending:
        offsets, items = ascending_items(release)
        compared = compared_rows(columns, offsets, items)
    if (compared.group > 0).any() or (compared.within > 0).any():
        order, columns, offsets, items = _sorted_rows(columns, offsets, items)
        compared = compared_rows(columns, offsets, items)
    rows, differs = len(offsets) - 1, (compared.group != 0) | (compared.within != 0)
    form_start = np.append(np.flatnonzero(np.append(True, differs)[:rows]), rows)
    forms, begin = len(form_start) - 1, form_start[:-1]
    kind = np.int32 if rows <= np.iinfo(np.int32).max else np.int64
    row_form = np.repeat(np.arange(len(form_start) - 1, dtype=kind), np.diff(form_start))
    form_offsets, form_items = take_rows(offsets, items, begin)
    chunk_form = np.append(np.flatnonzero(np.append(True, compared.group)[begin]), forms)
    start = begin[chunk_form[:-1]]
    pairs, pair_item, pair_rows, local = _pairs(
        chunk_form, form_start, form_offsets, form_items, len(release.vocabulary)
    )
    outside = columns.cluster[start] < 0
    return Layout(
        row_source=order,
        row_form=read_only(row_form),
        ascending=ascending,
        offsets=read_only(offsets),
        items=read_only(items),
        form_start=read_only(form_start),
        form_chunk=np.repeat(np.arange(len(start), dtype=row_form.dtype), np.diff(chunk_form)),
        form_offsets=read_only(form_offsets),
        form_items=read_only(form_items),
        form_local=local,
        chunk_kind=columns.kind[start],
        chunk_outside=outside,
        chunk_owner=np.where(outside, columns.joint[start], columns.cluster[start]),
        chunk_number=columns.chunk[start].astype(np.int64),
        chunk_form=chunk_form,
        pair_start=offsets_of(pairs),
        pair_chunk=np.repeat(np.arange(len(start)), pairs),
        pair_item=pair_item,
        pair_rows=pair_rows,
    )


class Compared(NamedTuple):
    """Each row with the next.

    Attributes:
        group: -1, 0 or 1 by its chunk.
        within: -1, 0 or 1 by its items, where both are of one chunk; means something only if items ascend.
        ascending: whether the items of every row ascend, each once.
    """

    group: NDArray[np.int8]
    within: NDArray[np.int8]
    ascending: bool


def compared_rows(columns: Columns, offsets: Longs, items: NDArray[np.int32]) -> Compared:
    """Compare each row with the next."""
    group, within = np.zeros((2, max(0, len(offsets) - 2)), np.int8)
    given = Columns(*(read_only(column) for column in columns))
    rows = (read_only(offsets), read_only(items))
    ascend = at_once(lambda first, last: _compare_rows(given, *rows, first, last, group, within), offsets)
    return Compared(group, within, all(ascend))


@compiled
def _compare_rows(
    columns: Columns, offsets: Ints, items: Ints, first: int, last: int, group: Ints, within: Ints
) -> bool:
    """Compare some rows with the next; whether the items of each ascend."""
    cluster, joint, kind, chunk = columns.cluster, columns.joint, columns.kind, columns.chunk
    ascending = True
    for row in range(first, last):
        for place in range(offsets[row] + 1, offsets[row + 1]):
            ascending &= items[place - 1] < items[place]
        after = row + 1
        if after == len(cluster):
            break
        if cluster[row] != cluster[after]:  # rows of no cluster come last
            is_first = cluster[after] < 0 or 0 <= cluster[row] < cluster[after]
            group[row] = -1 if is_first else 1
        elif joint[row] != joint[after]:
            group[row] = 1 if joint[row] > joint[after] else -1
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
    return ascending


def _pairs(
    chunk_form: Longs, form_start: Longs, offsets: Longs, items: NDArray[np.int32], words: int
) -> tuple[Longs, Longs, Longs, NDArray[np.int32]]:
    """Distinct items of each chunk: how many, which, in how many rows; and of each item of forms, which it is."""
    forms, local = (form_start, read_only(offsets), read_only(items)), np.empty(len(items), np.int32)
    bounds = offsets[chunk_form]
    found = at_once(lambda first, last: _numbered(chunk_form, *forms, words, first, last, local), bounds)
    many, which, times = (np.concatenate(each) for each in zip(*found, strict=True))
    return many, which, times, local


@compiled
def _numbered(
    chunk_form: Ints,
    form_start: Ints,
    offsets: Ints,
    items: Ints,
    words: int,
    first: int,
    last: int,
    local: Ints,
) -> tuple[Ints, Ints, Ints]:
    """The items of chunks ``first`` to ``last``, ascending in each; fills ``local``."""
    size = offsets[chunk_form[last]] - offsets[chunk_form[first]]
    many, which, times = np.zeros(last - first, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    seen, rank, at = np.full(words, -1), np.empty(words, np.int32), 0
    for chunk in range(first, last):
        here = 0
        for place in range(offsets[chunk_form[chunk]], offsets[chunk_form[chunk + 1]]):
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
        for form in range(chunk_form[chunk], chunk_form[chunk + 1]):
            for place in range(offsets[form], offsets[form + 1]):
                local[place] = rank[items[place]]
                times[at + local[place]] += form_start[form + 1] - form_start[form]
        many[chunk - first] = here
        at += here
    return many, which[:at].copy(), times[:at].copy()


class Columns(NamedTuple):
    """What rows are sorted by before their items: cluster or, last, joint (-1 for none); kind, chunk."""

    cluster: NDArray[Any]
    joint: NDArray[Any]
    kind: NDArray[Any]
    chunk: NDArray[Any]


def row_columns(release: Disassociated) -> Columns:
    """The columns of a release whose arrays are sound: nothing is out of range, and each row has one owner."""
    cluster, joint = np.asarray(release.row_cluster, np.int64), np.asarray(release.row_joint, np.int64)
    kind, chunk = np.asarray(release.row_kind, np.int8), np.asarray(release.row_chunk, np.int32)
    return Columns(cluster, joint, kind, chunk)


def ascending_items(release: Disassociated) -> tuple[Longs, NDArray[np.int32]]:
    """Offsets and items with the items of each row sorted, each once."""
    words, rows = len(release.vocabulary), release.rows
    row = np.repeat(np.arange(rows), np.diff(release.row_offsets))
    row, once = np.divmod(distinct(row * words + release.row_items), words)
    return offsets_of(np.bincount(row, minlength=rows)), once.astype(np.int32)


def _sorted_rows(
    columns: Columns, offsets: Longs, items: NDArray[np.int32]
) -> tuple[Longs, Columns, Longs, NDArray[np.int32]]:
    """Sort rows by columns, then by items; only a release out of order comes here, so plain Python will do."""
    rows = [tuple(row.tolist()) for row in np.split(items, offsets[1:-1])]
    keys = list(zip((columns.cluster < 0).tolist(), *(each.tolist() for each in columns), rows, strict=True))
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
