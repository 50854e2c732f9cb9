"""Can the rows be dealt out to the records: not more rows than records, and no record left empty?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.verification.faults import conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check


def check_row_counts(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """No chunk has more rows than there are records in its cluster, or in all clusters below its joint."""
    sizes = np.asarray(release.cluster_size, np.int64)
    shared = layout.chunk_kind == Kind.SHARED
    room = np.zeros(layout.chunks, np.int64)
    room[shared] = tree.sum_below(sizes)[layout.chunk_owner[shared]]
    room[~shared] = sizes[layout.chunk_owner[~shared]]
    rows = layout.chunk_rows
    faults = [spot(rows > room, lambda at: f"{layout.place(at)} has {rows[at]} rows for {room[at]} records")]
    count = layout.chunks
    return conclude("row counts", "release", count, faults, f"{count:,} chunks, none longer than its records")


def check_no_empty_record(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Every record can hold at least one item.

    A cluster without a term chunk needs as many rows as it has records; what its record chunks lack must
    come from the shared chunks above it. The lowest joint is used first: its rows can serve nobody outside.
    """
    missing = np.maximum(0, np.asarray(release.cluster_size, np.int64) - record_rows(release, layout))
    missing[has_term_chunk(release, layout)] = 0
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


def has_term_chunk(release: Disassociated, layout: Layout) -> NDArray[np.bool_]:
    """Which clusters have a term chunk."""
    found = np.zeros(release.clusters, bool)
    found[layout.chunk_owner[layout.chunk_kind == Kind.TERM]] = True
    return found
