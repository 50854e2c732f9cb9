"""Condition on shared chunks (Terrovitis et al., PVLDB 2012, joint clusters).

A shared row with an item that a cluster below shows in its record chunks cannot come from that cluster: the
item gives away more than itself. So a chunk that uses an item of record chunks below its joint, or of shared
chunks of joints below, must be k-anonymous: every distinct row at least k times, and its rows must be possible in the
same clusters (``barred``). Any other must be k^m-anonymous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import among
from cloven.model.disassociated import Kind
from cloven.verification.barred import check_same_clusters
from cloven.verification.faults import Fault, conclude, named, spot
from cloven.verification.km import describe, rare_in_rows, reads_strictly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check


def check_shared_chunks(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Shared chunks are k^m-anonymous or, if they use items shown below their joint, k-anonymous."""
    shared = np.flatnonzero(layout.chunk_kind == Kind.SHARED)
    telling = uses_items_shown_below(release, layout, tree)
    plain = shared[~telling[shared]]
    rare = rare_in_rows(layout, plain, release.k, release.m, strict=reads_strictly(release))
    faults = [] if rare is None else [describe(release, layout, rare, "rows")]
    faults.append(_rare_rows(release, layout, telling))
    faults.append(check_same_clusters(release, layout, tree, telling))
    otherwise = f"{len(plain):,} k^m-anonymous, {len(shared) - len(plain):,} k-anonymous"
    return conclude("shared chunks", "release", len(shared), faults, otherwise)


def uses_items_shown_below(release: Disassociated, layout: Layout, tree: JointTree) -> NDArray[np.bool_]:
    """Which shared chunks use an item of a record chunk, or of an older shared chunk, below their joint."""
    words = len(release.vocabulary)
    joint, item = layout.pairs_of(Kind.SHARED)
    cluster, shown = layout.pairs_of(Kind.RECORD)
    in_shared = np.zeros(words, bool)
    in_shared[item] = True
    cluster, shown = cluster[in_shared[shown]], shown[in_shared[shown]]
    start = np.concatenate((tree.cluster_joint[cluster], tree.parent[joint]))
    below = tree.keys_above(start, np.concatenate((shown, item)), words)
    pairs = np.flatnonzero(layout.chunk_kind[layout.pair_chunk] == Kind.SHARED)
    telling = np.zeros(layout.chunks, bool)
    telling[layout.pair_chunk[pairs[among(joint * words + item, below)]]] = True
    return telling


def _rare_rows(release: Disassociated, layout: Layout, telling: NDArray[np.bool_]) -> Fault:
    distinct = np.flatnonzero(~layout.row_repeats)
    copies = np.diff(np.append(distinct, len(layout.row_repeats)))

    def place(at: int) -> str:
        row = distinct[at]
        items = named(
            release.vocabulary, layout.items[layout.offsets[row] : layout.offsets[row + 1]].tolist()
        )
        return (
            f"{layout.place(int(layout.row_chunk[row]))} uses items shown below its joint,"
            f" and its row {items} occurs {copies[at]} times, k is {release.k}"
        )

    return spot(telling[layout.row_chunk[distinct]] & (copies < release.k), place)
