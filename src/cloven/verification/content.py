"""Content, digest and context of clusters and joints, as docs/reference/release-format.md defines them.

Contents are byte strings that compare like the nested tuples they stand for: the end of a row (1) is smaller
than any item (from 2), the end of a chunk or of all chunks (0) smaller than a further row or chunk.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree

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
