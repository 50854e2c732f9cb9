"""Can the rows be dealt out to the records: not more rows than records, and no record left empty?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import among, distinct, positions
from cloven.model.disassociated import Kind
from cloven.verification.faults import conclude, spot
from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree


def check_row_counts(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """No chunk has more rows than there are records in its cluster, or in all clusters below its joint."""
    sizes = np.asarray(release.cluster_size, np.int64)
    outside = layout.chunk_outside
    room = np.zeros(layout.chunks, np.int64)
    room[outside] = tree.sum_below(sizes)[layout.chunk_owner[outside]]
    room[~outside] = sizes[layout.chunk_owner[~outside]]
    rows = layout.chunk_rows
    faults = [spot(rows > room, lambda at: f"{layout.place(at)} has {rows[at]} rows for {room[at]} records")]
    count = layout.chunks
    return conclude("row counts", "release", count, faults, f"{count:,} chunks, none longer than its records")


def check_no_empty_record(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Every record can hold at least one item.

    A cluster without a term chunk needs as many rows as it has records; what its record chunks lack must
    come from the shared chunks above it. The lowest joint is used first: its rows can serve nobody outside.
    Where rare items may have been withheld, any record may be empty.
    """
    if release.may_be_empty:
        detail = "records may be empty: rare items may have been withheld"
        return Check("no empty record", "release", passed=True, examined=0, detail=detail)
    missing = np.maximum(0, np.asarray(release.cluster_size, np.int64) - record_rows(release, layout))
    missing[has_fillers(release, layout, tree)] = 0
    on_joint = np.zeros(release.joints, np.int64)
    shared = layout.chunk_kind == Kind.SHARED
    np.add.at(on_joint, layout.chunk_owner[shared], layout.chunk_rows[shared])
    alone = tree.cluster_joint < 0
    need = np.bincount(tree.cluster_joint[~alone], missing[~alone], release.joints).astype(np.int64)
    depth = tree.depth()
    for level in range(int(depth.max(initial=-1)), -1, -1):
        joint = np.flatnonzero(depth == level)
        need[joint] = np.maximum(0, need[joint] - on_joint[joint])
        if level > 0:
            np.add.at(need, tree.parent[joint], need[joint])
    faults = [
        spot(alone & (missing > 0), lambda at: f"cluster {at}: {missing[at]} records would be empty"),
        spot(
            (tree.parent < 0) & (need > 0),
            lambda at: f"joint {at}: {need[at]} records of clusters below it would be empty",
        ),
    ]
    count = release.clusters
    return conclude("no empty record", "release", count, faults, f"{count:,} clusters can fill every record")


def record_rows(release: Disassociated, layout: Layout) -> NDArray[np.int64]:
    """Number of rows in all record chunks of each cluster."""
    record = layout.chunk_kind == Kind.RECORD
    owner, rows = layout.chunk_owner[record], layout.chunk_rows[record]
    return np.bincount(owner, rows, release.clusters).astype(np.int64)


def has_fillers(release: Disassociated, layout: Layout, tree: JointTree) -> NDArray[np.bool_]:
    """Which clusters have items without a count, that any number of their records may hold.

    That is a term chunk of their own, or an item of the list of the root that they neither show in record chunks nor
    have in a shared chunk.
    """
    owner, _ = layout.pairs_of(Kind.TERM)
    found = np.zeros(release.clusters, bool)
    found[owner] = True
    listed, words = layout.listed, max(1, len(release.vocabulary))
    cluster, shown = layout.pairs_of(Kind.RECORD)
    joint, shared = layout.pairs_of(Kind.SHARED)
    told = [cluster * words + shown]
    for index, above in tree.climb(tree.cluster_joint):
        first, last = np.searchsorted(joint, above), np.searchsorted(joint, above, side="right")
        told.append(np.repeat(index, last - first) * words + shared[positions(first, last - first)])
    keys = distinct(np.concatenate(told))
    barred = np.bincount(keys[among(keys % words, listed)] // words, minlength=release.clusters)
    return found | (barred < len(listed))
