"""The cheapest choice of ancestors that makes a rare combination frequent, applied to everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ground(NamedTuple):
    """What does not change while a cut rises.

    Attributes:
        parent: parent of each node; -1 for the root.
        low: first leaf of each node.
        high: one past its last leaf.
        depth: number of nodes on the longest way up.
        cost: what each node costs as a block.
        offsets: where each node starts in ``rows``.
        rows: rows that hold a leaf of the node, ascending.
        owner: person behind each row, ascending.
    """

    parent: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    depth: int
    cost: NDArray[np.int64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    owner: NDArray[np.int64]


@compiled
def holds(rows: NDArray[np.int32], row: int) -> bool:
    """Whether ascending rows have this one."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low < len(rows) and rows[low] == row


@compiled
def frequent(ground: Ground, nodes: NDArray[np.int64], k: int) -> bool:
    """Whether k persons have a row with all of these nodes."""
    offsets, rows = ground.offsets, ground.rows
    rarest = nodes[0]
    for node in nodes:
        if offsets[node + 1] - offsets[node] < offsets[rarest + 1] - offsets[rarest]:
            rarest = node
    count, before = 0, -1
    for row in rows[offsets[rarest] : offsets[rarest + 1]]:
        if ground.owner[row] == before:
            continue
        everywhere = True
        for node in nodes:
            if node != rarest and not holds(rows[offsets[node] : offsets[node + 1]], row):
                everywhere = False
                break
        if everywhere:
            before = ground.owner[row]
            count += 1
            if count >= k:
                return True
    return False


@compiled
def chain_of(
    ground: Ground, node: int, cut: NDArray[np.int64], chain: NDArray[np.int64], extra: NDArray[np.int64]
) -> int:
    """A node of the cut and its ancestors, and what the cost rises by if each becomes a block; gives their number."""
    length = 0
    while node >= 0:
        now, leaf = 0, ground.low[node]
        while leaf < ground.high[node]:
            now += ground.cost[cut[leaf]]
            leaf = ground.high[cut[leaf]]
        chain[length], extra[length] = node, ground.cost[node] - now
        length += 1
        node = ground.parent[node]
    return length


@compiled
def price(
    ground: Ground, levels: NDArray[np.int64], chains: NDArray[np.int64], extras: NDArray[np.int64]
) -> int:
    """What the cost rises by if each chain is followed up to its level; -1 if one node would lie inside another."""
    total = 0
    for one in range(len(levels)):
        node, repeated = chains[one, levels[one]], False
        for other in range(len(levels)):
            another = chains[other, levels[other]]
            if node == another:
                repeated = repeated or other < one
            elif ground.low[another] <= ground.low[node] and ground.high[node] <= ground.high[another]:
                return -1
        if not repeated:
            total += extras[one, levels[one]]
    return total


@compiled
def repair(ground: Ground, combination: NDArray[np.int64], k: int, cut: NDArray[np.int64]) -> None:
    """Raise nodes of the cut by the cheapest way that lets k persons hold this combination, if they do not yet.

    All choices of one ancestor for each node are tried, save those with one node inside another. Of equally cheap ones
    it is the first, which leaves the first nodes lowest. The root in place of all nodes always does.
    """
    nodes = np.unique(cut[ground.low[combination]])
    if frequent(ground, nodes, k):
        return
    size = len(nodes)
    chains, extras = np.empty((size, ground.depth), np.int64), np.empty((size, ground.depth), np.int64)
    lengths, levels = np.empty(size, np.int64), np.zeros(size, np.int64)
    for one in range(size):
        lengths[one] = chain_of(ground, nodes[one], cut, chains[one], extras[one])
    best, chosen, wanted = -1, np.zeros(size, np.int64), np.empty(size, np.int64)
    while levels[0] < lengths[0]:
        total = price(ground, levels, chains, extras)
        if total >= 0 and (best < 0 or total < best):
            for one in range(size):
                wanted[one] = chains[one, levels[one]]
            if frequent(ground, wanted, k):
                best = total
                chosen[:] = wanted
        last = size - 1
        levels[last] += 1
        while last > 0 and levels[last] == lengths[last]:
            levels[last] = 0
            last -= 1
            levels[last] += 1
    for node in chosen:
        cut[ground.low[node] : ground.high[node]] = node
