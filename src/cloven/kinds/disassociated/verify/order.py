"""Canonical order (docs/reference/release-format.md): everything published is a function of content alone."""

from __future__ import annotations

import sys
from hashlib import sha256
from itertools import pairwise
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
        group, within, _ = compared_rows(row_columns(release), *ascending_items(release))
        faults = [
            spot(group > 0, lambda at: f"row {at + 1} belongs to a chunk that comes before that of row {at}"),
            spot(within > 0, lambda at: f"row {at + 1} of the same chunk is smaller than row {at}"),
        ]
    return conclude("order of rows", "release", release.rows, faults, f"{release.rows:,} rows ascend")


def check_numbering(release: Disassociated, layout: Layout, tree: JointTree) -> tuple[Check, Check]:
    """Clusters and joints are numbered by content; ties by context."""
    clusters = _compared(layout, np.asarray(release.cluster_size, np.int64), Kind.RECORD)
    joints = _compared(layout, np.zeros(release.joints, np.int64), Kind.SHARED)
    tied, level = np.flatnonzero(clusters == 0), np.flatnonzero(joints == 0)
    if len(tied) or len(level):
        digests, of_joints = digest(*contents(release, layout), tree)
        asked = np.concatenate((tied, tied + 1))
        context = contexts(
            of_joints, tree, np.concatenate((level, level + 1, tree.cluster_joint[asked])), release.root
        )
        joints[level] = [context[at] > context[at + 1] for at in level.tolist()]
        own = {at: _context(digests[at], int(tree.cluster_joint[at]), context) for at in set(asked.tolist())}
        clusters[tied] = [own[at] > own[at + 1] for at in tied.tolist()]
    return _ascending("cluster", clusters, release.clusters), _ascending("joint", joints, release.joints)


def _ascending(thing: str, compared: Longs, count: int) -> Check:
    fault = spot(compared > 0, lambda at: f"{thing} {at + 1} should be numbered before {thing} {at}")
    return conclude(f"order of {thing}s", "release", count, [fault], f"{count:,} {thing}s ascend")


def _compared(layout: Layout, size: Longs, kind: Kind) -> Longs:
    """Each cluster, or joint, with the next by content: -1 if it is smaller, 0 if equal, 1 if greater."""
    chunks, terms = (layout.chunks_of(which, kind == Kind.SHARED, len(size)) for which in (kind, Kind.TERM))
    compared = _compare_owners(chunks, terms, layout.chunk_start, layout.offsets, layout.items, size)
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


def contents(release: Disassociated, layout: Layout) -> tuple[list[bytes], list[bytes]]:
    """Content of every cluster and of every joint."""
    clusters, joints = np.asarray(release.cluster_size, np.int64), np.full(release.joints, -1)
    return _contents(layout, clusters, Kind.RECORD), _contents(layout, joints, Kind.SHARED)


def _contents(layout: Layout, size: Longs, kind: Kind) -> list[bytes]:
    """Content of all clusters, or joints (whose size is -1); every token four bytes, big-endian."""
    chunks, terms = (layout.chunks_of(which, kind == Kind.SHARED, len(size)) for which in (kind, Kind.TERM))
    ends, most = np.empty(len(size), np.int64), len(layout.items) + layout.rows
    tokens = np.empty(most + layout.chunks + 4 * len(size), np.uint32)
    _write(chunks, terms, layout.chunk_start, layout.offsets, layout.items, size, tokens, ends)
    tokens = tokens[: ends[-1] if len(ends) else 0]
    data = (tokens.byteswap(inplace=True) if sys.byteorder == "little" else tokens).view(np.uint8).data
    return [bytes(data[begin:end]) for begin, end in pairwise([0, *(4 * ends).tolist()])]


@compiled
def _write(
    chunks: Ints,
    terms: Ints,
    chunk_start: Ints,
    offsets: Ints,
    items: Ints,
    size: Ints,
    tokens: Ints,
    ends: Ints,
) -> None:
    """Write contents one behind the other, and where each ends."""
    at = 0
    for owner in range(len(size)):
        for chunk in range(chunks[0, owner], chunks[1, owner]):
            at = _write_rows(chunk_start[chunk], chunk_start[chunk + 1], offsets, items, tokens, at)
            tokens[at] = 0
            at += 1
        tokens[at] = 0
        at += 1
        for chunk in range(terms[0, owner], terms[1, owner]):
            at = _write_rows(chunk_start[chunk], chunk_start[chunk + 1], offsets, items, tokens, at)
        if size[owner] >= 0:
            if terms[0, owner] == terms[1, owner]:
                tokens[at] = 1
                at += 1
            tokens[at], tokens[at + 1] = size[owner] >> 32, size[owner] & 0xFFFFFFFF
            at += 2
        ends[owner] = at


@compiled
def _write_rows(first: int, last: int, offsets: Ints, items: Ints, tokens: Ints, at: int) -> int:
    """Write some rows, for each its items plus 2, then 1; returns where the next token goes."""
    for row in range(first, last):
        for place in range(offsets[row], offsets[row + 1]):
            tokens[at] = items[place] + 2
            at += 1
        tokens[at] = 1
        at += 1
    return at


def digest(clusters: list[bytes], joints: list[bytes], tree: JointTree) -> tuple[list[str], list[str]]:
    """Digest of every cluster and of every joint."""
    parent, innermost = tree.parent.tolist(), tree.cluster_joint.tolist()
    children: list[list[str]] = [[] for _ in joints]
    cluster_digest = [sha256(content).hexdigest() for content in clusters]
    for found, joint in zip(cluster_digest, innermost, strict=True):
        if joint >= 0:
            children[joint].append(found)
    joint_digest = [""] * len(joints)
    for joint in np.argsort(-tree.depth(), kind="stable").tolist():
        below = "".join(sorted(children[joint])).encode("ascii")
        joint_digest[joint] = sha256(joints[joint] + below).hexdigest()
        if parent[joint] >= 0:
            children[parent[joint]].append(joint_digest[joint])
    return cluster_digest, joint_digest


def contexts(digests: list[str], tree: JointTree, asked: Longs, root: int) -> dict[int, str]:
    """Context of some joints (-1 for none) and of those above: a string that stands for the position in the tree.

    That of the root is empty: what lies below it can be put in order without the rest of the release.
    """
    wanted, depth = np.zeros(len(tree.parent), bool), tree.depth()
    for _, above in tree.climb(asked):
        wanted[above] = True
    found = dict[int, str]()
    for joint in sorted(np.flatnonzero(wanted).tolist(), key=depth.__getitem__):
        found[joint] = "" if joint == root else _context(digests[joint], int(tree.parent[joint]), found)
    return found


def _context(digest: str, parent: int, joint_context: dict[int, str]) -> str:
    if parent < 0 or not joint_context[parent]:
        return digest
    return sha256((joint_context[parent] + digest).encode("ascii")).hexdigest()
