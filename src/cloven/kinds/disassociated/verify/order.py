"""Canonical order (docs/reference/release-format.md): everything published is a function of content alone."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.layout import ascending_items, compared_rows, row_columns
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.verification.verdict import Check


def check_item_order(release: Disassociated) -> Check:
    """Items of a row ascend strictly."""
    items, words = release.row_items, release.vocabulary
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
        group, within = compared_rows(row_columns(release), *ascending_items(release))
        faults = [
            spot(group > 0, lambda at: f"row {at + 1} belongs to a chunk that comes before that of row {at}"),
            spot(within > 0, lambda at: f"row {at + 1} of the same chunk is smaller than row {at}"),
        ]
    return conclude("order of rows", "release", release.rows, faults, f"{release.rows:,} rows ascend")


def check_numbering(release: Disassociated, layout: Layout, tree: JointTree) -> tuple[Check, Check]:
    """Clusters and joints are numbered by content; ties by context."""
    clusters, joints = contents(release, layout)
    cluster_context: list[str] = [""] * len(clusters)
    joint_context: list[str] = [""] * len(joints)
    if _tied(clusters) or _tied(joints):
        cluster_context, joint_context = contexts(clusters, joints, tree)
    return (
        _ascending("cluster", clusters, cluster_context),
        _ascending("joint", joints, joint_context),
    )


def _tied(content: list[bytes]) -> bool:
    return any(before == after for before, after in pairwise(content))


def _ascending(thing: str, content: list[bytes], context: list[str]) -> Check:
    keys = zip(content, context, strict=True)
    fallen = [after < before for before, after in pairwise(keys)]
    fault: Fault = spot(
        np.array(fallen, bool), lambda at: f"{thing} {at + 1} should be numbered before {thing} {at}"
    )
    return conclude(
        f"order of {thing}s", "release", len(content), [fault], f"{len(content):,} {thing}s ascend"
    )


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
