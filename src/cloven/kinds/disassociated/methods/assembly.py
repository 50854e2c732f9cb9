"""Turn labelled occurrences into the published release and the owner's key, in canonical order."""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import (
    distinct,
    lexicographic_order,
    offsets_of,
    order_inside,
    run_starts,
    stable_order,
    take_rows,
)
from cloven.kinds.disassociated.release import Disassociated, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs


_SHORT = 64
# Occurrences that are sorted by insertion.


class Labels(NamedTuple):
    """Where every occurrence of the data goes.

    Attributes:
        cluster_of: cluster of each record, -1 when it is left out.
        joint: joint of each occurrence in a shared chunk, -1 otherwise.
        chunk: chunk of each occurrence in its joint or cluster, -1 for the term chunk (of its cluster, or the list of
            the root), below that if it is not published.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent of each joint, -1 for none.
        root: the joint above all clusters, -1 if leftovers stay in their clusters.
    """

    cluster_of: Longs
    joint: Ints
    chunk: NDArray[np.int32]
    cluster_joint: Longs
    joint_parent: Longs
    root: int = -1


class Parts(NamedTuple):
    """What each record contributes to each published row; parts are sorted by record."""

    record: Longs
    release_row: Longs
    offsets: Longs
    items: NDArray[np.int32]


def cut(
    offsets: Longs, items: NDArray[np.int32], cluster_of: Longs, joint: Ints, chunk: NDArray[np.int32]
) -> tuple[Longs, Longs, NDArray[np.int32], Longs, NDArray[np.int32]]:
    """Cut every record into parts: one for each chunk it appears in, term chunk included (chunk -1).

    Occurrences that are not published (chunk below -1) are left out. Gives record, joint (-1 for none), chunk and start
    of each part, and the items of all.
    """
    n, longest = len(items), int(np.diff(offsets).max(initial=0))
    record, owner, number = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int32)
    start, out, room = np.zeros(n + 1, np.int64), np.empty(n, np.int32), np.empty((2, longest), np.int64)
    parts, left = _cut(offsets, items, cluster_of, joint, chunk, room, record, owner, number, start, out)
    for array, size in ((record, parts), (owner, parts), (number, parts), (start, parts + 1), (out, left)):
        array.resize(size, refcheck=False)  # there are far fewer parts than occurrences
    return record, owner, number, start, out


@compiled
def _cut(
    offsets: Ints, items: Ints, cluster_of: Ints, joint: Ints, chunk: Ints, room: Ints,
    record: Ints, owner: Ints, number: Ints, start: Ints, out: Ints,
) -> tuple[int, int]:  # fmt: skip
    parts, at = 0, 0
    for r in range(len(offsets) - 1):
        if cluster_of[r] < 0:
            continue
        many = _by_chunk(offsets[r], offsets[r + 1], joint, chunk, room)
        for i in range(many):
            e = room[1, i]
            if i == 0 or room[0, i] != room[0, i - 1]:
                record[parts], owner[parts], number[parts] = r, joint[e], chunk[e]
                start[parts] = at
                parts += 1
            out[at] = items[e]
            at += 1
    start[parts] = at
    return parts, at


@compiled
def _by_chunk(first: int, last: int, joint: Ints, chunk: Ints, room: Ints) -> int:
    """Published occurrences of a record in the order of joint and chunk, as keys and places; returns how many."""
    many = 0
    for e in range(first, last):
        if chunk[e] >= -1:
            room[0, many], room[1, many] = np.int64(joint[e]) * (1 << 31) + chunk[e], e
            many += 1
    if many > _SHORT:
        order = np.argsort(room[0, :many], kind="mergesort")
        room[:, :many] = room[:, :many][:, order]
        return many
    for i in range(1, many):
        key, e, back = room[0, i], room[1, i], i
        while back > 0 and room[0, back - 1] > key:
            room[0, back], room[1, back] = room[0, back - 1], room[1, back - 1]
            back -= 1
        room[0, back], room[1, back] = key, e
    return many


def grouped_rows(
    select: Longs, owner: Longs, chunk: NDArray[np.int32], offsets: Longs, items: NDArray[np.int32]
) -> tuple[Rows, Longs]:
    """The selected parts as rows by owner, chunk and items; and which part each row is."""
    numbers = chunk[select]
    width = int(numbers.max(initial=0)) + 1
    keys = owner[select] * width + numbers
    order = stable_order(keys)
    keys, part = keys[order], select[order]
    group = run_starts(keys)
    bounds, flat = take_rows(offsets, items, part)
    groups = np.append(group, len(part))
    inside = order_inside(groups, bounds, flat)
    owners, chunks = np.divmod(keys[group], width)
    many = np.diff(groups)
    rows = Rows(
        np.repeat(owners, many), np.repeat(chunks.astype(np.int32), many), *take_rows(bounds, flat, inside)
    )
    return rows, part[inside]


def _renumbered(rows: Rows, part: Longs, number: Longs) -> tuple[Rows, Longs]:
    """Rows with owners renumbered and sorted by the new numbers; chunks and items keep their order."""
    owner = number[rows.owner]
    order = stable_order(owner)
    offsets, items = take_rows(rows.offsets, rows.items, order)
    return Rows(owner[order], rows.chunk[order], offsets, items), part[order]


def term_chunks(
    cluster: Longs, items: NDArray[np.int32], n_clusters: int, n_items: int
) -> tuple[Longs, NDArray[np.int32]]:
    """Items of the term chunk of each cluster, as compressed rows."""
    keys = distinct(cluster * n_items + items)
    bounds = np.searchsorted(keys, np.arange(n_clusters + 1, dtype=np.int64) * n_items)
    return bounds.astype(np.int64), (keys % n_items).astype(np.int32)


def _publish(
    records: Rows, terms: tuple[Longs, NDArray[np.int32]], shared: Rows, root: tuple[int, NDArray[np.int32]]
) -> tuple[dict[str, NDArray[Any]], Longs, Longs]:
    """Interleave term chunks with record chunks, append shared chunks; the list of the root stands before its chunks.

    Returns the row arrays of a release, the place of each record row, and the place of each cluster's term row, and
    last that of the list.
    """
    term_offsets, term_items = terms
    joint_of_list, listed = root
    has_term = np.flatnonzero(np.diff(term_offsets))
    counts = (len(records.owner), len(has_term), min(1, len(listed)), len(shared.owner))
    inside, every = counts[0] + counts[1], sum(counts)
    kind = np.repeat(np.array([Kind.RECORD, Kind.TERM, Kind.TERM, Kind.SHARED], np.int8), counts)
    cluster = np.concatenate((records.owner, has_term, np.full(every - inside, -1)))
    joint = np.concatenate((np.full(inside, -1), np.full(counts[2], joint_of_list), shared.owner))
    chunk = np.concatenate((records.chunk, np.zeros(counts[1] + counts[2], np.int32), shared.chunk))
    flat = np.concatenate((records.items, term_items, listed, shared.items))
    if not (counts[1] or counts[2]):  # nothing to interleave
        offsets = np.concatenate((records.offsets, records.offsets[-1] + shared.offsets[1:]))
        arrays = _row_arrays(cluster, joint, chunk, kind, offsets, flat)
        return arrays, np.arange(every), np.full(len(term_offsets), -1, np.int64)
    own = [np.diff(each) for each in (records.offsets, term_offsets, shared.offsets)]
    starts = offsets_of(np.concatenate((own[0], own[1][has_term], np.full(counts[2], len(listed)), own[2])))
    inner = stable_order(cluster[:inside] * 2 + kind[:inside])
    outer = inside + stable_order(joint[inside:])
    order = np.concatenate((inner, outer))
    place = np.empty(every, np.int64)
    place[order] = np.arange(every)
    offsets, items = take_rows(starts, flat, order)
    arrays = _row_arrays(cluster[order], joint[order], chunk[order], kind[order], offsets, items)
    term_place = np.full(len(term_offsets), -1, np.int64)
    term_place[has_term] = place[counts[0] : inside]
    term_place[-1] = place[inside] if counts[2] else -1
    return arrays, np.concatenate((place[: counts[0]], place[inside + counts[2] :])), term_place


def _row_arrays(
    cluster: Longs,
    joint: Longs,
    chunk: NDArray[np.int32],
    kind: NDArray[np.int8],
    offsets: Longs,
    items: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    return {
        "row_cluster": cluster,
        "row_joint": joint,
        "row_chunk": chunk,
        "row_kind": kind,
        "row_offsets": offsets,
        "row_items": items,
    }


def assemble(
    offsets: Longs,
    codes: NDArray[np.int32],
    vocabulary: tuple[str, ...],
    labels: Labels,
    *,
    k: int,
    m: int,
    parameters: Mapping[str, Any],
) -> tuple[Disassociated, Parts, Longs]:
    """Build release, parts of the key, and the published cluster of each record (-1 when left out)."""
    cluster_of, n_clusters, n_joints = labels.cluster_of, len(labels.cluster_joint), len(labels.joint_parent)
    present = np.zeros(len(vocabulary), bool)
    present[codes[(labels.chunk >= -1) & np.repeat(cluster_of >= 0, np.diff(offsets))]] = True
    names = tuple(name for name, here in zip(vocabulary, present.tolist(), strict=True) if here)
    record, owner, chunk, start, part_items = cut(offsets, codes, cluster_of, labels.joint, labels.chunk)
    if len(names) < len(vocabulary):
        part_items = (np.cumsum(present) - 1).astype(np.int32)[part_items]
    in_shared, in_list = (owner >= 0) & (chunk >= 0), (owner >= 0) & (chunk < 0)
    in_term = (owner < 0) & (chunk < 0)
    listed = distinct(take_rows(start, part_items, np.flatnonzero(in_list))[1])
    owner = np.where(in_shared, owner, cluster_of[record])
    rows, row_part = grouped_rows(np.flatnonzero(~in_shared & (chunk >= 0)), owner, chunk, start, part_items)
    shared, shared_part = grouped_rows(np.flatnonzero(in_shared), owner, chunk, start, part_items)
    in_chunks, term_items = take_rows(start, part_items, np.flatnonzero(in_term))
    term_owner = np.repeat(owner[in_term], np.diff(in_chunks))
    terms = term_chunks(term_owner, term_items, n_clusters, max(1, len(names)))
    sizes = np.bincount(cluster_of[cluster_of >= 0], minlength=n_clusters).astype(np.int64)

    number, joint_number = canonical_numbers(
        tokens(n_clusters, rows, *cluster_tails(sizes, *terms)),
        tokens(n_joints, shared, *list_tail(n_joints, listed)),
        labels.cluster_joint,
        labels.joint_parent,
        labels.root,
    )
    back = np.argsort(number)
    rows, row_part = _renumbered(rows, row_part, number)
    shared, shared_part = _renumbered(shared, shared_part, joint_number)
    root = int(joint_number[labels.root]) if len(listed) else -1
    arrays, place, term_place = _publish(rows, take_rows(*terms, back), shared, (root, listed))
    del rows, shared
    above = np.append(joint_number, -1)
    release = Disassociated(
        k=k,
        m=m,
        parameters=parameters,
        vocabulary=names,
        cluster_size=sizes[back],
        cluster_joint=above[labels.cluster_joint][back],
        joint_parent=above[labels.joint_parent][np.argsort(joint_number)],
        **arrays,
    )
    where = np.empty(len(record), np.int64)
    where[row_part], where[shared_part] = place[: len(row_part)], place[len(row_part) :]
    where[in_term] = term_place[number[owner[in_term]]]
    where[in_list] = term_place[-1]
    final = np.where(cluster_of >= 0, number[np.maximum(cluster_of, 0)], -1)
    return release, Parts(record, where, start, part_items), final


def by_source(parts: Parts, source: Longs, by_record: Longs) -> Parts:
    """The same parts with records numbered by their source, in the order of ``by_record``."""
    of_record = offsets_of(np.bincount(parts.record, minlength=len(source)))
    of_items = parts.offsets[of_record]
    starts = offsets_of(np.diff(of_record)[by_record])
    item_starts = offsets_of(np.diff(of_items)[by_record])
    record, row = np.empty(len(parts.record), np.int64), np.empty(len(parts.record), np.int64)
    offsets, items = np.empty(len(parts.offsets), np.int64), np.empty(len(parts.items), np.int32)
    offsets[-1] = len(items)
    given = (by_record, source, of_record, parts.release_row, parts.offsets, parts.items, starts, item_starts)
    if len(items):
        at_once(lambda first, last: _reordered(*given, first, last, record, row, offsets, items), starts)
    return Parts(record, row, offsets, items)


@compiled
def _reordered(
    by_record: Ints, source: Ints, of_record: Ints, from_row: Ints, from_offsets: Ints, from_items: Ints,
    starts: Ints, item_starts: Ints, first: int, last: int, record: Ints, row: Ints, offsets: Ints, items: Ints,
) -> int:  # fmt: skip
    """Copy the parts of some records; what lies anywhere is asked for some records at once, as in ``take_rows``."""
    read, room, end = 0, np.empty((5, _SHORT), np.int64), len(from_row) - 1
    begin, behind, item, last_item, number = room[0], room[1], room[2], room[3], room[4]
    for block in range(first, last, _SHORT):
        many = min(_SHORT, last - block)
        for i in range(many):
            here = by_record[block + i]
            begin[i], behind[i], number[i] = of_record[here], of_record[here + 1], source[here]
        for i in range(many):
            item[i], last_item[i] = from_offsets[begin[i]], from_offsets[behind[i]]
            read ^= from_row[min(begin[i], end)]
        for i in range(many):
            read ^= from_items[min(item[i], len(from_items) - 1)]
        at, to = starts[block], item_starts[block]
        for i in range(many):
            part, e = begin[i], item[i]
            shift = to - e
            while part < behind[i]:
                record[at], row[at], offsets[at] = number[i], from_row[part], from_offsets[part] + shift
                part += 1
                at += 1
            while e < last_item[i]:
                items[to] = from_items[e]
                to += 1
                e += 1
    return read


# Number clusters and joints by content (docs/reference/release-format.md, *Canonical order*).


class Rows(NamedTuple):
    """Sub-records of chunks, grouped by owner (cluster or joint), then chunk, sorted by items inside a chunk."""

    owner: Longs
    chunk: NDArray[np.int32]
    offsets: Longs
    items: NDArray[np.int32]


class Tokens(NamedTuple):
    """Content of nodes as compressed rows of 32-bit tokens."""

    offsets: Longs
    values: NDArray[np.int32]

    def contents(self) -> list[bytes]:
        """Content of each node: its tokens, big-endian."""
        data = self.values.astype(">u4").tobytes()
        return [data[begin:end] for begin, end in pairwise((4 * self.offsets).tolist())]


@compiled
def _fill(
    n_owners: int,
    owner: Ints,
    chunk: Ints,
    offsets: Ints,
    items: Ints,
    tail_offsets: Ints,
    tail: Ints,
    out_offsets: Ints,
    out: Ints,
) -> None:
    at, row = 0, 0
    for node in range(n_owners):
        out_offsets[node] = at
        while row < len(owner) and owner[row] == node:
            for e in range(offsets[row], offsets[row + 1]):
                out[at] = items[e] + 2
                at += 1
            out[at] = 1
            at += 1
            row += 1
            if row == len(owner) or owner[row] != node or chunk[row] != chunk[row - 1]:
                out[at] = 0
                at += 1
        out[at] = 0
        at += 1
        for e in range(tail_offsets[node], tail_offsets[node + 1]):
            out[at] = tail[e]
            at += 1
    out_offsets[n_owners] = at


def tokens(n_owners: int, rows: Rows, tail_offsets: Longs, tail: Longs) -> Tokens:
    """Content of each owner: tokens of its chunks, 0, then its tail (a cluster's term chunk and size)."""
    most = len(rows.items) + 2 * len(rows.owner) + n_owners + len(tail)
    offsets, values = np.empty(n_owners + 1, np.int64), np.empty(most, np.int32)
    _fill(n_owners, rows.owner, rows.chunk, rows.offsets, rows.items, tail_offsets, tail, offsets, values)
    return Tokens(offsets, values[: offsets[-1]])


def cluster_tails(sizes: Longs, term_offsets: Longs, term_items: NDArray[np.int32]) -> tuple[Longs, Longs]:
    """Term chunk and size of each cluster as tokens: items plus 2, then 1, then the size in two tokens."""
    offsets = term_offsets + 3 * np.arange(len(sizes) + 1)
    tail = np.empty(offsets[-1], np.int64)
    ends = offsets[1:]
    tail[ends - 3], tail[ends - 2], tail[ends - 1] = 1, sizes >> 32, sizes & 0xFFFFFFFF
    cluster = np.repeat(np.arange(len(sizes)), np.diff(term_offsets))
    tail[np.arange(len(term_items)) + 3 * cluster] = term_items + np.int64(2)
    return offsets, tail


def list_tail(n_joints: int, listed: NDArray[np.int32]) -> tuple[Longs, Longs]:
    """The list of terms as tokens of the root, the last joint: items plus 2, then 1; nothing where there is none."""
    offsets = np.zeros(n_joints + 1, np.int64)
    if not len(listed):
        return offsets, np.empty(0, np.int64)
    offsets[-1] = len(listed) + 1
    return offsets, np.append(listed.astype(np.int64) + 2, 1)


class _Contexts:
    """Contexts of nodes, computed when asked for. Clusters are 0..C-1, joints C..C+J-1; parents are joints or -1.

    That of the root is empty: what lies below it can be put in order without the rest of the release.
    """

    def __init__(self, clusters: Tokens, joints: Tokens, parent: Longs, root: int) -> None:
        self._clusters, self._joints, self._parent = clusters, joints, parent.tolist()
        self._n = len(clusters.offsets) - 1
        self._digest: dict[int, str] = {}
        self._context = {root + self._n: ""} if root >= 0 else dict[int, str]()

    @cached_property
    def _contents(self) -> tuple[list[bytes], list[bytes]]:
        return self._clusters.contents(), self._joints.contents()

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for node, above in enumerate(self._parent):
            if above >= 0:
                children.setdefault(above + self._n, []).append(node)
        return children

    def digest(self, node: int) -> str:
        stack = [node]
        while stack:
            top = stack[-1]
            waiting = [child for child in self._children.get(top, ()) if child not in self._digest]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if top < self._n:
                content = self._contents[0][top]
            else:
                below = sorted(self._digest[child] for child in self._children[top])
                content = self._contents[1][top - self._n] + "".join(below).encode()
            self._digest[top] = hashlib.sha256(content).hexdigest()
        return self._digest[node]

    def context(self, node: int) -> str:
        path = [node]
        while path[-1] not in self._context and self._parent[path[-1]] >= 0:
            path.append(self._parent[path[-1]] + self._n)
        for step in reversed(path):
            if step in self._context:
                continue
            above = self._parent[step]
            own = self.digest(step)
            if above >= 0:
                own = hashlib.sha256((self._context[above + self._n] + own).encode()).hexdigest()
            self._context[step] = own
        return self._context[node]


@compiled
def _equal_to_previous(offsets: Ints, values: Ints, order: Ints) -> Flags:
    equal = np.zeros(len(order), np.bool_)
    for i in range(1, len(order)):
        a, b = order[i - 1], order[i]
        size = offsets[a + 1] - offsets[a]
        if size == offsets[b + 1] - offsets[b]:
            same = True
            for e in range(size):
                if values[offsets[a] + e] != values[offsets[b] + e]:
                    same = False
                    break
            equal[i] = same
    return equal


def _order(nodes: Tokens, parent: Longs, contexts: _Contexts, first: int) -> Longs:
    order = lexicographic_order(nodes.offsets, nodes.values)
    equal = _equal_to_previous(nodes.offsets, nodes.values, order)
    starts = np.flatnonzero(~equal & np.concatenate((equal[1:], [False])))
    for start in starts.tolist():
        end = start + 1
        while end < len(order) and equal[end]:
            end += 1
        # Equal clusters that stand alone are interchangeable; equal joints may still hold different clusters.
        if first > 0 or (parent[order[start:end]] >= 0).any():
            run = sorted(order[start:end].tolist(), key=lambda node: contexts.context(node + first))
            order[start:end] = run
    return order


def canonical_numbers(
    clusters: Tokens, joints: Tokens, cluster_joint: Longs, joint_parent: Longs, root: int
) -> tuple[Longs, Longs]:
    """New number of each cluster and of each joint; ``root`` is the joint above all, or -1."""
    below = [np.where(parent == root, -1, parent) for parent in (cluster_joint, joint_parent)]
    contexts = _Contexts(clusters, joints, np.concatenate(below), root)
    numbers = []
    for nodes, parent, first in ((clusters, below[0], 0), (joints, below[1], len(cluster_joint))):
        number = np.empty(len(parent), np.int64)
        number[_order(nodes, parent, contexts, first)] = np.arange(len(parent))
        numbers.append(number)
    return numbers[0], numbers[1]
