"""From a cut of the taxonomy down: split blocks into their children for as long as every combination stays frequent.

A combination of finer blocks is held by no more records than one of coarser blocks above it. So a split that fails once
fails ever after, each node is tried at most once, and in the end no single split is possible: the cut is minimal. The
split that saves most comes first. To test one, only the records with that block are read, and only combinations with
one of its children are counted.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.generalisation.rare_kernel import rare_combinations, recode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.leaf_rows import LeafRows


def cut_downwards(
    rows: LeafRows,
    block_of_leaf: NDArray[np.int64],
    *,
    k: int,
    m: int,
    report: Callable[[float], None] = lambda _share: None,
) -> NDArray[np.int64]:
    """A minimal cut below this one, which must be k^m-anonymous: the node that each leaf is published as."""
    tree, cut = rows.tree, block_of_leaf.copy()
    inner = [node for node in np.unique(cut).tolist() if tree.sizes[node] > 1]
    waiting = [(-_saved(rows, node), node) for node in inner]
    heapq.heapify(waiting)
    open_leaves, leaves = sum(int(tree.sizes[node]) for node in inner), max(1, len(cut))
    while waiting:
        report(1 - open_leaves / leaves)
        _, node = heapq.heappop(waiting)
        children = tree.children(node)
        for child in children:
            cut[tree.low[child] : tree.high[child]] = child
        if _frequent(rows, cut, node, children, k, m):
            inner = [child for child in children if tree.sizes[child] > 1]
            open_leaves -= len(children) - len(inner)
            for child in inner:
                heapq.heappush(waiting, (-_saved(rows, child), child))
        else:
            cut[tree.low[node] : tree.high[node]] = node
            open_leaves -= int(tree.sizes[node])
    return cut


def _saved(rows: LeafRows, node: int) -> int:
    """What splitting a node takes off the cost."""
    return int(rows.cost[node]) - sum(int(rows.cost[child]) for child in rows.tree.children(node))


def _frequent(rows: LeafRows, cut: NDArray[np.int64], node: int, children: list[int], k: int, m: int) -> bool:
    """Whether every combination with one of the children is held by k persons, or by nobody."""
    touched = rows.rows_of(node)
    blocks = np.flatnonzero(np.bincount(cut))
    number = np.empty(len(rows.tree.parent), np.int64)
    number[blocks] = np.arange(len(children), len(children) + len(blocks))
    number[children] = np.arange(len(children))
    offsets = np.empty(len(touched) + 1, np.int64)
    items = recode(touched, rows.offsets, rows.leaves, cut, number, offsets)
    owner, width = rows.owner[touched], len(children) + len(blocks)
    return all(
        rare_combinations(offsets, items, owner, width, len(children), k, np.empty((1, size), np.int64)) == 0
        for size in range(1, m + 1)
    )
