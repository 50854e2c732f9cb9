"""Canonical order (docs/reference/release-format.md): everything published is a function of content alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.layout import ascending_items, compared_rows, row_columns
from cloven.verification.verdict import conclude, spot

if TYPE_CHECKING:
    from cloven.compiled import Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.verification.verdict import Check


def check_item_order(release: Disassociated, layout: Layout) -> Check:
    """Items of a row ascend strictly."""
    items, words, faults = release.row_items, release.vocabulary, []
    if not layout.ascending:
        row = np.repeat(np.arange(release.rows), np.diff(release.row_offsets))
        fallen = (row[1:] == row[:-1]) & (items[1:] <= items[:-1])
        faults = [
            spot(
                fallen,
                lambda at: (
                    f"row {row[at]}: item {shorten(words[items[at + 1]])} stands after"
                    f" {shorten(words[items[at]])}"
                ),
            )
        ]
    return conclude("order of items", "release", len(items), faults, f"{release.rows:,} rows ascend")


def check_row_order(release: Disassociated, layout: Layout) -> Check:
    """Rows ascend by cluster, kind, chunk and items; shared rows come last, by joint, chunk and items."""
    faults = []
    if not layout.ordered:
        group, within = compared_rows(row_columns(release), *ascending_items(release)[:2])
        faults = [
            spot(group > 0, lambda at: f"row {at + 1} belongs to a chunk that comes before that of row {at}"),
            spot(within > 0, lambda at: f"row {at + 1} of the same chunk is smaller than row {at}"),
        ]
    return conclude("order of rows", "release", release.rows, faults, f"{release.rows:,} rows ascend")


def check_numbering(release: Disassociated, layout: Layout, tree: JointTree) -> tuple[Check, Check]:
    """Clusters and joints are numbered by content; ties by context."""
    clusters = _compared(layout, np.asarray(release.cluster_size, np.int64), Kind.RECORD)
    joints = _compared(layout, np.zeros(release.joints, np.int64), Kind.SHARED)
    if (clusters == 0).any() or (joints == 0).any():
        for found, context in zip(
            (clusters, joints), contexts(*contents(release, layout), tree), strict=True
        ):
            tied = np.flatnonzero(found == 0)
            found[tied] = [context[at] > context[at + 1] for at in tied.tolist()]
    return _ascending("cluster", clusters, release.clusters), _ascending("joint", joints, release.joints)


def _ascending(thing: str, compared: Longs, count: int) -> Check:
    fault = spot(compared > 0, lambda at: f"{thing} {at + 1} should be numbered before {thing} {at}")
    return conclude(f"order of {thing}s", "release", count, [fault], f"{count:,} {thing}s ascend")


def _compared(layout: Layout, size: Longs, kind: Kind) -> Longs:
    """Each cluster, or joint, with the next by content: -1 if it is smaller, 0 if equal, 1 if greater."""
    outside = layout.chunk_outside == (kind == Kind.SHARED)

    def chunks(which: Kind) -> Longs:
        found = np.flatnonzero(outside & (layout.chunk_kind == which))
        many = np.bincount(layout.chunk_owner[found], minlength=len(size))
        first = np.append(found, 0)[np.cumsum(many) - many]
        return np.stack((first, first + many))

    compared = _compare_owners(
        chunks(kind), chunks(Kind.TERM), layout.chunk_start, layout.offsets, layout.items, size
    )
    return np.asarray(compared)


@compiled
def _compare_owners(
    chunks: Ints, terms: Ints, chunk_start: Ints, offsets: Ints, items: Ints, size: Ints
) -> Ints:
    result = np.zeros(max(0, len(size) - 1), np.int64)
    for here in range(len(result)):
        for lists in (chunks, terms):  # whoever has no further chunk, or no list of terms, is smaller
            left, right = lists[0, here], lists[0, here + 1]
            while result[here] == 0 and left < lists[1, here] and right < lists[1, here + 1]:
                result[here] = _compare_chunks(left, right, chunk_start, offsets, items)
                left += 1
                right += 1
            if result[here] == 0:
                result[here] = int(left < lists[1, here]) - int(right < lists[1, here + 1])
        if result[here] == 0:
            result[here] = int(size[here] > size[here + 1]) - int(size[here] < size[here + 1])
    return result


@compiled
def _compare_chunks(one: int, other: int, chunk_start: Ints, offsets: Ints, items: Ints) -> int:
    """Compare two chunks as lists of rows, and rows as lists of items."""
    left, right = chunk_start[one], chunk_start[other]
    while left < chunk_start[one + 1] and right < chunk_start[other + 1]:
        a, b = offsets[left], offsets[right]
        while a < offsets[left + 1] and b < offsets[right + 1]:
            if items[a] != items[b]:
                return 1 if items[a] > items[b] else -1
            a += 1
            b += 1
        longer = int(a < offsets[left + 1]) - int(b < offsets[right + 1])
        if longer != 0:
            return longer
        left += 1
        right += 1
    return int(left < chunk_start[one + 1]) - int(right < chunk_start[other + 1])


# Content, digest and context of clusters and joints, as docs/reference/release-format.md defines them.
#
# Contents are byte strings that compare like the nested tuples they stand for: the end of a row (1) is smaller
# than any item (from 2), the end of a chunk or of all chunks (0) smaller than a further row or chunk.


END_OF_CHUNK = bytes(4)
NO_TERM_CHUNK = (1).to_bytes(4, "big")


def contents(release: Disassociated, layout: Layout) -> tuple[list[bytes], list[bytes]]:
    """Content of every cluster and of every joint."""
    data = _row_tokens(layout)
    first_byte = 4 * (layout.offsets[layout.chunk_start] + layout.chunk_start)
    chunks: dict[Kind, list[list[bytes]]] = {
        Kind.RECORD: [[] for _ in range(release.clusters)],
        Kind.TERM: [[] for _ in range(release.clusters)],
        Kind.SHARED: [[] for _ in range(release.joints)],
    }
    lists: list[list[bytes]] = [[] for _ in range(release.joints)]
    bounds = zip(first_byte[:-1].tolist(), first_byte[1:].tolist(), strict=True)
    listed = layout.chunk_outside & (layout.chunk_kind == Kind.TERM)
    places = zip(layout.chunk_kind.tolist(), layout.chunk_owner.tolist(), listed.tolist(), strict=True)
    for (kind, owner, in_list), (begin, end) in zip(places, bounds, strict=True):
        (lists if in_list else chunks[kind])[owner].append(data[begin:end])
    clusters = [
        _closed(record) + (b"".join(term) or NO_TERM_CHUNK) + size.to_bytes(8, "big")
        for record, term, size in zip(
            chunks[Kind.RECORD], chunks[Kind.TERM], release.cluster_size.tolist(), strict=True
        )
    ]
    joints = zip(chunks[Kind.SHARED], lists, strict=True)
    return clusters, [_closed(shared) + b"".join(terms) for shared, terms in joints]


def _row_tokens(layout: Layout) -> bytes:
    """For each row its item numbers plus 2, then 1; every token four bytes, big-endian."""
    rows = len(layout.row_chunk)
    tokens = np.ones(len(layout.items) + rows, ">u4")
    row = np.repeat(np.arange(rows), np.diff(layout.offsets))
    tokens[np.arange(len(layout.items)) + row] = layout.items + 2
    return tokens.tobytes()


def _closed(chunks: list[bytes]) -> bytes:
    return b"".join(chunk + END_OF_CHUNK for chunk in chunks) + END_OF_CHUNK


def contexts(clusters: list[bytes], joints: list[bytes], tree: JointTree) -> tuple[list[str], list[str]]:
    """Context of every cluster and of every joint: a string that stands for the position in the tree."""
    from_below = np.argsort(-tree.depth(), kind="stable").tolist()
    parent, innermost = tree.parent.tolist(), tree.cluster_joint.tolist()
    children: list[list[str]] = [[] for _ in joints]
    cluster_digest = [sha256(content).hexdigest() for content in clusters]
    for digest, joint in zip(cluster_digest, innermost, strict=True):
        if joint >= 0:
            children[joint].append(digest)
    joint_digest = [""] * len(joints)
    for joint in from_below:
        below = "".join(sorted(children[joint])).encode("ascii")
        joint_digest[joint] = sha256(joints[joint] + below).hexdigest()
        if parent[joint] >= 0:
            children[parent[joint]].append(joint_digest[joint])
    joint_context = [""] * len(joints)
    for joint in reversed(from_below):
        joint_context[joint] = _context(joint_digest[joint], parent[joint], joint_context)
    return [
        _context(digest, joint, joint_context)
        for digest, joint in zip(cluster_digest, innermost, strict=True)
    ], joint_context


def _context(digest: str, parent: int, joint_context: list[str]) -> str:
    if parent < 0:
        return digest
    return sha256((joint_context[parent] + digest).encode("ascii")).hexdigest()
