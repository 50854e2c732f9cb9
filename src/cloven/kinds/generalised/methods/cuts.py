"""From a cut of the taxonomy down: split blocks into their children for as long as every combination stays frequent.

A combination of finer blocks is held by no more records than one of coarser blocks above it. So a split that fails once
fails ever after, each node is tried at most once, and in the end no single split is possible: the cut is minimal. The
split that saves most comes first. To test one, only the records with that block are read, and only combinations with
one of its children are counted.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.generalised.methods.apriori_km import LeafRows


def cut_downwards(
    rows: LeafRows,
    block_of_leaf: Longs,
    *,
    k: int,
    m: int,
    report: Callable[[float], None] = lambda _share: None,
) -> Longs:
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


def _frequent(rows: LeafRows, cut: Longs, node: int, children: list[int], k: int, m: int) -> bool:
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


# Apriori anonymisation: raise items in a taxonomy until every combination is frequent (Terrovitis et al. 2008, AA).
#
# For combinations of 1, 2, ..., m items in turn: each one that some, but fewer than k records hold, is brought to k by
# the cheapest choice of ancestors, which then holds for all records; later combinations are seen as they have become.
# The paper counts all combinations of items and of their ancestors in one tree and walks through it. Here the rare
# combinations of the present cut are met in the order of such a walk, a lot at a time, and the support of ancestors is
# counted when it is asked for: what lies above a frequent combination is never counted.


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
) -> Longs:
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


def _ranked(ground: Ground, cut: Longs, first: First) -> Longs:
    """Blocks of the cut in the order of the walk; the rest of the order is that of the leaves."""
    blocks = np.unique(cut)
    support, size = np.diff(ground.offsets)[blocks], (ground.high - ground.low)[blocks]
    return blocks[np.lexsort((-support, -size) if first == "general" else (support,))]


def _rare_combinations(rows: LeafRows, ranked: Longs, cut: Longs, size: int, k: int) -> Longs:
    """The first rare combinations of so many blocks, at most a lot of them."""
    number = np.empty(len(rows.tree.parent), np.int64)
    number[ranked] = np.arange(len(ranked))
    offsets = np.empty(len(rows.owner) + 1, np.int64)
    every = np.arange(len(rows.owner), dtype=np.int32)
    items = recode(every, rows.offsets, rows.leaves, cut, number, offsets)
    found = np.empty((LOT, size), np.int64)
    count = rare_combinations(offsets, items, rows.owner, len(ranked), len(ranked), k, found)
    combinations: Longs = ranked[found[:count]]
    return combinations


def _depth(parent: Longs) -> int:
    """Number of nodes on the longest way up."""
    depth = np.ones(len(parent), np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return int(depth.max(initial=1))


# The cheapest choice of ancestors that makes a rare combination frequent, applied to everything.


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

    parent: Longs
    low: Longs
    high: Longs
    depth: int
    cost: Longs
    offsets: Longs
    rows: NDArray[np.int32]
    owner: Longs


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
def frequent(ground: Ground, nodes: Longs, k: int) -> bool:
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
def chain_of(ground: Ground, node: int, cut: Longs, chain: Longs, extra: Longs) -> int:
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
def price(ground: Ground, levels: Longs, chains: Longs, extras: Longs) -> int:
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
def repair(ground: Ground, combination: Longs, k: int, cut: Longs) -> None:
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


# Walk through all combinations of items that occur, for those that too few rows hold; no combination is stored.
#
# The walk goes depth first and extends a combination by greater items only. At each depth it knows the rows that hold
# the combination so far, and for each the place after its last item. Spreading the items that follow into one slice for
# each item gives these rows for all extensions at once. Slices of one depth lie in one line of two matrices, which
# needs no more room than the data has.


@compiled
def sort_short(values: Longs) -> None:
    """Sort in place: by insertion where there are few or they are nearly sorted, which rows are."""
    if len(values) > 64:
        values.sort()
        return
    for end in range(1, len(values)):
        value, place = values[end], end
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@compiled
def recode(
    rows: NDArray[np.int32],
    offsets: Longs,
    leaves: Longs,
    block_of_leaf: Longs,
    number_of_block: Longs,
    new_offsets: Longs,
) -> Longs:
    """Numbers of the blocks that these rows touch, row by row, ascending; fills the offsets."""
    size = 0
    for row in rows:
        size += offsets[row + 1] - offsets[row]
    items = np.empty(size, np.int64)
    new_offsets[0] = 0
    at = 0
    for place in range(len(rows)):
        row = rows[place]
        start, before = at, -1
        for position in range(offsets[row], offsets[row + 1]):
            block = block_of_leaf[leaves[position]]
            if block != before:  # leaves ascend and blocks are ranges of leaves: equal blocks are neighbours
                before = block
                items[at] = number_of_block[block]
                at += 1
        sort_short(items[start:at])
        new_offsets[place + 1] = at
    return items[:at]


class Places(NamedTuple):
    """Rows that hold a combination, and what follows it there.

    Attributes:
        held: numbers of the rows.
        after: for each, the place after the last item of the combination.
        ends: where each row of the data ends in ``items``.
        items: items of all rows, ascending inside a row.
        below: items from this one on are not looked at.
    """

    held: Longs
    after: Longs
    ends: Longs
    items: Longs
    below: int


@compiled
def spread(here: Places, slot: Longs, held: Longs, after: Longs, groups: Longs, starts: Longs) -> int:
    """Put every place into the slice of its item, of ``held`` and ``after``; slices ascend. Gives their number.

    ``slot`` is zero everywhere, before and after.
    """
    found = 0
    for number in range(len(here.held)):
        for position in range(here.after[number], here.ends[here.held[number]]):
            item = here.items[position]
            if item >= here.below:
                break
            if slot[item] == 0:
                groups[found] = item
                found += 1
            slot[item] += 1
    groups[:found].sort()
    starts[0] = 0
    for group in range(found):
        starts[group + 1] = starts[group] + slot[groups[group]]
        slot[groups[group]] = starts[group]
    for number in range(len(here.held)):
        for position in range(here.after[number], here.ends[here.held[number]]):
            item = here.items[position]
            if item >= here.below:
                break
            held[slot[item]] = here.held[number]
            after[slot[item]] = position + 1
            slot[item] += 1
    for group in range(found):
        slot[groups[group]] = 0
    return found


@compiled
def tally(here: Places, owner: Longs, k: int, support: Longs, latest: Longs, rare: Longs) -> int:
    """Items at these places that fewer than k persons hold, ascending; gives their number.

    Rows of one person stand side by side and count once. ``support`` is zero everywhere, before and after.
    """
    met = 0
    for number in range(len(here.held)):
        person = owner[here.held[number]]
        for position in range(here.after[number], here.ends[here.held[number]]):
            item = here.items[position]
            if item >= here.below:
                break
            if support[item] == 0:
                rare[met] = item
                met += 1
            elif latest[item] == person:
                continue
            latest[item] = person
            support[item] += 1
    found = 0
    for number in range(met):
        item = rare[number]
        if support[item] < k:
            rare[found] = item
            found += 1
        support[item] = 0
    rare[:found].sort()
    return found


@compiled
def rare_combinations(
    offsets: Longs, items: Longs, owner: Longs, width: int, firsts: int, k: int, found: Longs
) -> int:
    """Find combinations that some, but fewer than k persons hold; gives how many were found.

    The combinations have as many items as ``found`` has columns, and their least item is below ``firsts``. They are
    met in lexicographic order; the search ends when ``found`` is full.
    """
    limit, size = found.shape
    ends, everywhere = (
        offsets[1:],
        Places(np.arange(len(offsets) - 1), offsets[:-1], offsets[1:], items, firsts),
    )
    slot, latest, rare = np.zeros(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    if size == 1:
        met = min(limit, tally(everywhere, owner, k, slot, latest, rare))
        found[:met, 0] = rare[:met]
        return int(met)
    held, after = np.empty((size - 1, len(items)), np.int64), np.empty((size - 1, len(items)), np.int64)
    group, first = np.empty((size - 1, width), np.int64), np.empty((size - 1, width + 1), np.int64)
    count, turn = np.zeros(size - 1, np.int64), np.full(size - 1, -1, np.int64)
    count[0] = spread(everywhere, slot, held[0], after[0], group[0], first[0])
    depth, total = 0, 0
    while depth >= 0:
        turn[depth] += 1
        if turn[depth] == count[depth]:
            depth -= 1
            continue
        start, end = first[depth, turn[depth]], first[depth, turn[depth] + 1]
        here = Places(held[depth, start:end], after[depth, start:end], ends, items, width)
        if depth + 2 < size:
            depth += 1
            turn[depth] = -1
            count[depth] = spread(here, slot, held[depth], after[depth], group[depth], first[depth])
            continue
        for number in range(tally(here, owner, k, slot, latest, rare)):
            for column in range(size - 1):
                found[total, column] = group[column, turn[column]]
            found[total, size - 1] = rare[number]
            total += 1
            if total == limit:
                return total
    return total
