"""Compiled search for the clusters that may hold a shared sub-record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled
from cloven.reconstruction.shared_kernels import is_told

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Told = tuple[tuple[Longs, Ints], tuple[Longs, Longs, Longs, Ints], int]


@compiled
def _may_hold(row: int, cluster: int, table: tuple[Longs, Ints], told: Told) -> bool:
    """Whether no item of the row is published for this cluster further in: in its record chunks or an inner joint."""
    for at in range(table[0][row], table[0][row + 1]):
        if is_told(table[1][at], cluster, told):
            return False
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
            if _may_hold(rows[i], members[1][at], table, (shown, inner, joints[i])):
                rank[found] = i
                cluster[found] = members[1][at]
                found += 1
    return rank[:found].copy(), cluster[:found].copy()
