"""Apriori anonymisation: raise items in a taxonomy until every combination is frequent (Terrovitis et al. 2008, AA).

For combinations of 1, 2, ..., m items in turn: each one that some, but fewer than k records hold, is brought to k by
the cheapest choice of ancestors, which then holds for all records; later combinations are seen as they have become.
The paper counts all combinations of items and of their ancestors in one tree and walks through it. Here the rare
combinations of the present cut are met in the order of such a walk, a lot at a time, and the support of ancestors is
counted when it is asked for: what lies above a frequent combination is never counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.anonymise.generalisation.cut_upwards_kernel import Ground, repair
from cloven.anonymise.generalisation.rare_kernel import rare_combinations, recode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.leaf_rows import LeafRows

First = Literal["rare", "general"]
"""Which nodes the walk starts from: those that fewest rows hold; or those of most items, then in most rows."""

LOT = 4096
"""Rare combinations met before the rows are recoded: enough to be worth it, few enough to stay current."""


def cut_upwards(
    rows: LeafRows,
    *,
    k: int,
    m: int,
    first: First = "rare",
    report: Callable[[float], None] = lambda _share: None,
) -> NDArray[np.int64]:
    """The node that each leaf is published as, so that all combinations of up to m are frequent."""
    tree, cut = rows.tree, rows.tree.leaf_nodes()
    offsets, held = rows.rows_of_all()
    ground = Ground(
        tree.parent, tree.low, tree.high, _depth(tree.parent), rows.cost, offsets, held, rows.owner
    )
    for size in range(1, m + 1):
        full = True
        while full:
            report((size - 1) / m)
            lot = _rare_combinations(rows, _ranked(ground, cut, first), cut, size, k)
            for combination in lot:
                repair(ground, combination, k, cut)
            full = len(lot) == LOT
    return cut


def _ranked(ground: Ground, cut: NDArray[np.int64], first: First) -> NDArray[np.int64]:
    """Blocks of the cut in the order of the walk; the rest of the order is that of the leaves."""
    blocks = np.unique(cut)
    support, size = np.diff(ground.offsets)[blocks], (ground.high - ground.low)[blocks]
    return blocks[np.lexsort((-support, -size) if first == "general" else (support,))]


def _rare_combinations(
    rows: LeafRows, ranked: NDArray[np.int64], cut: NDArray[np.int64], size: int, k: int
) -> NDArray[np.int64]:
    """The first rare combinations of so many blocks, at most a lot of them."""
    number = np.empty(len(rows.tree.parent), np.int64)
    number[ranked] = np.arange(len(ranked))
    offsets = np.empty(len(rows.owner) + 1, np.int64)
    every = np.arange(len(rows.owner), dtype=np.int32)
    items = recode(every, rows.offsets, rows.leaves, cut, number, offsets)
    found = np.empty((LOT, size), np.int64)
    count = rare_combinations(offsets, items, rows.owner, len(ranked), len(ranked), k, found)
    combinations: NDArray[np.int64] = ranked[found[:count]]
    return combinations


def _depth(parent: NDArray[np.int64]) -> int:
    """Number of nodes on the longest way up."""
    depth = np.ones(len(parent), np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return int(depth.max(initial=1))
