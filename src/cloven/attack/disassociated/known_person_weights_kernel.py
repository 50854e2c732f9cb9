"""Compiled weighing of clusters: how many records of each are expected to hold a known set.

Arrays are taken out of their tuples before a loop starts: taking one out costs more than a turn of the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.disassociated.known_person_layout import Arranged, Layout

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

MOST_KNOWN = 8
"""Items of a known set at most."""
IMPOSSIBLE = -2
"""Slot of a known item that a cluster cannot have."""


class Weights(NamedTuple):
    """What was found about the known set in hand.

    Attributes:
        near: clusters that list a known item; ``near_starts`` says where those of each outermost joint start.
        near_starts: see there.
        weight: expected records of each of them that hold the set.
        slot: where each known item stands for each of them.
        whole: whether that is a shared chunk, and the cluster may hold all rows with the item.
        position: place in ``near`` of every cluster; valid where ``mark`` is the number of the set.
        mark: see there.
        factor: for each outermost joint, the chance of a record of a cluster that is not near.
        base_slot: for each outermost joint, where each known item stands for such a cluster.
        total: expected records below each outermost joint.
        near_total: of these, in near clusters.
        near_size: all records of near clusters.
        fitting: room for rows.
    """

    near: Longs
    near_starts: Longs
    weight: Floats
    slot: Longs
    whole: Flags
    position: Longs
    mark: Longs
    factor: Floats
    base_slot: Longs
    total: Floats
    near_total: Floats
    near_size: Floats
    fitting: Longs


@compiled
def room(layout: Layout) -> Weights:
    """Room for the weights of one set after the other."""
    n, tops, rows = len(layout.clusters.size), len(layout.clusters.top_size), len(layout.rows.starts)
    return Weights(
        np.empty(n, np.int64), np.zeros(tops + 1, np.int64), np.empty(n), np.empty((n, MOST_KNOWN), np.int64),
        np.empty((n, MOST_KNOWN), np.bool_), np.zeros(n, np.int64), np.full(n, -1, np.int64), np.empty(tops),
        np.empty((tops, MOST_KNOWN), np.int64), np.empty(tops), np.empty(tops), np.empty(tops),
        np.empty(rows, np.int64),
    )  # fmt: skip


@compiled
def leads(slot_part: Longs, slot: Longs, j: int) -> bool:
    """Whether known item ``j`` stands in a row, and is the first one of its chunk."""
    if slot[j] < 0:
        return False
    for i in range(j):
        if slot[i] >= 0 and slot_part[slot[i]] == slot_part[slot[j]]:
            return False
    return True


@compiled
def fitting_rows(rows: Arranged, cluster: int, known: Longs, slot: Longs, first: int, found: Longs) -> int:
    """Rows with all known items of one chunk, that of known item ``first``, which may stand in the cluster.

    Cluster -1 is one that is open to every row. Returns how many were written to ``found``.
    """
    starts, items, slot_rows, slot_part = rows.starts, rows.items, rows.slot_rows, rows.slot_part
    bar_starts, bars = rows.bar_starts, rows.bars
    part, many = slot_part[slot[first]], 0
    for at in range(rows.slot_starts[slot[first]], rows.slot_starts[slot[first] + 1]):
        row = slot_rows[at]
        fine = True
        for j in range(first + 1, len(known)):
            if fine and slot[j] >= 0 and slot_part[slot[j]] == part:
                fine = False
                for inside in range(starts[row], starts[row + 1]):
                    fine = fine or items[inside] == known[j]
        low, high = bar_starts[row], bar_starts[row + 1]
        if fine and cluster >= 0 and low < high:
            while low < high:
                middle = (low + high) // 2
                if bars[middle] < cluster:
                    low = middle + 1
                else:
                    high = middle
            fine = low == bar_starts[row + 1] or bars[low] != cluster
        if fine:
            found[many] = row
            many += 1
    return many


@compiled
def _chance(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, share: Floats, limit: float, found: Longs
) -> float:
    """Chance that a record of the cluster holds known items of which some stand in one chunk."""
    chance, slot_part, rate = 1.0, rows.slot_part, rows.rate
    for j in range(len(known)):
        if slot[j] < 0:
            chance *= share[j]
        elif leads(slot_part, slot, j):
            alone = True
            for i in range(j + 1, len(known)):
                alone = alone and (slot[i] < 0 or slot_part[slot[i]] != slot_part[slot[j]])
            total = share[j]
            if not alone:
                total = 0.0
                for i in range(fitting_rows(rows, cluster, known, slot, j, found)):
                    total += rate[found[i]]
                total = min(total, limit if rows.slot_shared[slot[j]] else 1.0)
            chance *= total
    return chance


@compiled
def _apart(slot_part: Longs, slot: Longs, share: Floats) -> float:
    """The product of the shares if every known item stands alone in its chunk; -1 if not."""
    chance = 1.0
    for j in range(len(share)):
        if slot[j] == IMPOSSIBLE:
            return 0.0
        chance *= share[j]
    if chance == 0.0:
        return 0.0
    for j in range(len(share)):
        if slot[j] >= 0 and not leads(slot_part, slot, j):
            return -1.0
    return chance


@compiled
def _base(
    layout: Layout, top: int, known: Longs, only: Flags, low: Longs, slot: Longs, share: Floats
) -> None:
    """Where the known items stand for clusters that list none of them; ``low`` moves on."""
    starts, tops, slots, rate = layout.base.starts, layout.base.top, layout.base.slot, layout.base.rate
    for j in range(len(known)):
        stop = starts[known[j] + 1]
        while low[j] < stop and tops[low[j]] < top:
            low[j] += 1
        here = low[j] < stop and tops[low[j]] == top and not only[j]
        slot[j] = slots[low[j]] if here else IMPOSSIBLE
        share[j] = rate[low[j]] if here else 0.0


@compiled
def _next(at: int, end: int, record: Flags, shown_only: bool) -> int:
    """Next place of an item, of those in record chunks if only these count."""
    while shown_only and at < end and not record[at]:
        at += 1
    return at


@compiled
def weigh(layout: Layout, known: Longs, only: Flags, most: float, turn: int, work: Weights) -> float:
    """Weigh all clusters; returns the expected records that hold the known items."""
    rows, many = layout.rows, len(known)
    starts, cluster_of, slot_of = layout.places.starts, layout.places.cluster, layout.places.slot
    share_of, record, whole_of = layout.places.share, layout.places.record, layout.places.whole
    sizes, top_of, slot_part = layout.clusters.size, layout.clusters.top, layout.rows.slot_part
    top_size, fitting, all_slots = layout.clusters.top_size, work.fitting, work.slot
    all_whole = work.whole
    near, weight, mark, index = work.near, work.weight, work.mark, work.position
    at, end = np.empty(many, np.int64), np.empty(many, np.int64)
    share, far = np.empty(many), np.empty(many)
    for j in range(many):
        end[j] = starts[known[j] + 1]
        at[j] = _next(starts[known[j]], end[j], record, only[j])
    low = layout.base.starts[known]
    found, total, last = 0, 0.0, len(sizes)
    for top in range(len(top_size)):
        base = work.base_slot[top, :many]
        _base(layout, top, known, only, low, base, far)
        factor = _apart(slot_part, base, far)
        if factor < 0:
            factor = _chance(rows, -1, known, base, far, np.inf, fitting)
        work.factor[top] = factor
        work.near_starts[top] = found
        near_size = near_total = 0.0
        while True:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, cluster_of[at[j]])
            if cluster == last or top_of[cluster] != top:
                break
            slot = all_slots[found]
            for j in range(many):
                if at[j] < end[j] and cluster_of[at[j]] == cluster:
                    slot[j], share[j] = slot_of[at[j]], share_of[at[j]]
                    all_whole[found, j] = whole_of[at[j]]
                    at[j] = _next(at[j] + 1, end[j], record, only[j])
                else:
                    slot[j], share[j] = base[j], far[j]
                    all_whole[found, j] = base[j] >= 0
            size = sizes[cluster]
            chance = _apart(slot_part, slot, share)
            if chance < 0:
                chance = _chance(rows, cluster, known, slot, share, min(1.0, most / size), fitting)
            near[found], weight[found] = cluster, size * chance
            mark[cluster], index[cluster] = turn, found
            near_size, near_total = near_size + size, near_total + size * chance
            found += 1
        work.near_total[top], work.near_size[top] = near_total, near_size
        work.total[top] = near_total + factor * (top_size[top] - near_size)
        total += work.total[top]
    work.near_starts[len(top_size)] = found
    return total
