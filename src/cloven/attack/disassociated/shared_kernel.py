"""Compiled search for the clusters that may hold a shared sub-record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]


@compiled
def _among(item: int, owner: int, offsets: Longs, items: Ints) -> bool:
    here = items[offsets[owner] : offsets[owner + 1]]
    at = np.searchsorted(here, item)
    return bool(at < len(here) and here[at] == item)


@compiled
def _may_hold(
    row: int,
    cluster: int,
    outer: int,
    table: tuple[Longs, Ints],
    shown: tuple[Longs, Ints],
    inner: tuple[Longs, Longs, Longs, Ints],
) -> bool:
    """Whether no item of the row is published for this cluster further in: in its record chunks or an inner joint."""
    cluster_joint, joint_parent, joint_offsets, joint_items = inner
    for at in range(table[0][row], table[0][row + 1]):
        item = table[1][at]
        if _among(item, cluster, shown[0], shown[1]):
            return False
        joint = cluster_joint[cluster]
        while joint >= 0 and joint != outer:
            if _among(item, joint, joint_offsets, joint_items):
                return False
            joint = joint_parent[joint]
    return True


@compiled
def allowed_clusters(
    rows: Longs,
    joints: Longs,
    table: tuple[Longs, Ints],
    members: tuple[Longs, Longs],
    shown: tuple[Longs, Ints],
    inner: tuple[Longs, Longs, Longs, Ints],
) -> tuple[Longs, Longs]:
    """Rank of the row and cluster, for every row of a shared chunk and every cluster that may hold it."""
    most = 0
    for i in range(len(rows)):
        most += members[0][joints[i] + 1] - members[0][joints[i]]
    rank, cluster, found = np.empty(most, np.int64), np.empty(most, np.int64), 0
    for i in range(len(rows)):
        for at in range(members[0][joints[i]], members[0][joints[i] + 1]):
            if _may_hold(rows[i], members[1][at], joints[i], table, shown, inner):
                rank[found] = i
                cluster[found] = members[1][at]
                found += 1
    return rank[:found].copy(), cluster[:found].copy()
