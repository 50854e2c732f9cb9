"""Compiled logic: what must somebody hold who holds the known items, in every data set that a release allows?

For each cluster where the known items can stand together: what all its records hold, and what all rows hold that have
the known items of their chunk. What one of these sets lacks is in doubt, so the sets are intersected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.attack.disassociated.known_person_weights_kernel import (
    IMPOSSIBLE,
    MOST_KNOWN,
    fitting_rows,
    leads,
)
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.disassociated.known_person_layout import Arranged, Layout

    Longs = NDArray[np.int64]
    Flags = NDArray[np.bool_]


class Full(NamedTuple):
    """Items that all records of a cluster hold, and the clusters of each outermost joint, those with fewest first."""

    starts: Longs
    items: Longs
    order: Longs


@compiled
def _force(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, lossy: bool, forced: Longs, held: Longs, found: Longs
) -> int:  # fmt: skip
    """Items that all rows with the known items hold, in ``forced``; -1 if the known items cannot stand together.

    Where occurrences may have been suppressed from rows (``lossy``), rows force nothing and rule out nothing.
    """
    starts, items, slot_part, many = rows.starts, rows.items, rows.slot_part, 0
    for j in range(len(known)):
        if slot[j] == IMPOSSIBLE:
            return -1
    for j in range(len(known)):
        if lossy or not leads(slot_part, slot, j):
            continue
        count = fitting_rows(rows, cluster, known, slot, j, found)
        if count == 0:
            return -1
        for i in range(count):
            for inside in range(starts[found[i]], starts[found[i] + 1]):
                held[items[inside]] += 1
                if held[items[inside]] == count and not (known == items[inside]).any():
                    forced[many] = items[inside]
                    many += 1
        for i in range(count):
            for inside in range(starts[found[i]], starts[found[i] + 1]):
                held[items[inside]] = 0
    return many


@compiled
def _keep(
    full: Full, cluster: int, known: Longs, forced: Longs, count: int, left: Longs, many: int, flag: Longs, stamp: int
) -> int:  # fmt: skip
    """Keep of the items left (-1: all) those that the cluster or the rows force; returns how many."""
    items, kept = full.items, 0
    for i in range(count):
        flag[forced[i]] = stamp
        if many < 0:
            left[kept] = forced[i]
            kept += 1
    for at in range(full.starts[cluster], full.starts[cluster + 1]):
        if many < 0 and flag[items[at]] != stamp and not (known == items[at]).any():
            left[kept] = items[at]
            kept += 1
        flag[items[at]] = stamp
    for i in range(many):
        if flag[left[i]] == stamp:
            left[kept] = left[i]
            kept += 1
    return kept


@compiled
def _certain(
    layout: Layout, full: Full, known: Longs, lossy: bool, turn: int, mark: Longs, stamp: Longs, room: Longs,
    found: Longs, near: Longs, slots: Longs,
) -> int:  # fmt: skip
    """Items that the known ones force, in ``room[0]``; returns how many, -1 if they can stand together nowhere.

    ``room`` holds four rows: items left, forced items, counts (zero between calls), flags.
    """
    rows, many, order, last = layout.rows, len(known), full.order, len(layout.clusters.size)
    cluster_of, slot_of, top_of = layout.places.cluster, layout.places.slot, layout.clusters.top
    base_starts, base_top, base_slot = layout.base.starts, layout.base.top, layout.base.slot
    at, end = layout.places.starts[known], layout.places.starts[known + 1]
    low, far = base_starts[known], np.empty(many, np.int64)
    left, forced, held, flag, left_items = -1, room[1], room[2], room[3], room[0]
    for top in range(len(layout.clusters.top_size)):
        first = 0
        for j in range(many):
            stop = base_starts[known[j] + 1]
            while low[j] < stop and base_top[low[j]] < top:
                low[j] += 1
            far[j] = base_slot[low[j]] if low[j] < stop and base_top[low[j]] == top else IMPOSSIBLE
        while True:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, cluster_of[at[j]])
            if cluster == last or top_of[cluster] != top:
                break
            mark[cluster] = turn
            possible = True
            for j in range(many):
                here = at[j] < end[j] and cluster_of[at[j]] == cluster
                slots[first, j] = slot_of[at[j]] if here else far[j]
                possible = possible and slots[first, j] != IMPOSSIBLE
                at[j] += here
            near[first] = cluster
            first += possible
        # Clusters with few full items come first there, so that most sets are done with soon.
        count = _force(rows, -1, known, far, lossy, forced, held, found)
        for i in range(layout.clusters.top_starts[top], layout.clusters.top_starts[top + 1]):
            if count >= 0 and mark[order[i]] != turn:
                stamp[0] += 1
                left = _keep(full, order[i], known, forced, count, left_items, left, flag, stamp[0])
                if left == 0:
                    return 0
        for i in range(first):
            count = _force(rows, near[i], known, slots[i], lossy, forced, held, found)
            if count >= 0:
                stamp[0] += 1
                left = _keep(full, near[i], known, forced, count, left_items, left, flag, stamp[0])
                if left == 0:
                    return 0
    return left


@compiled
def certain(
    layout: Layout, full: Full, starts: Longs, codes: Longs, eligible: Flags, lossy: bool
) -> tuple[Longs, Longs]:
    """For each known set: where its certain items end, and the items, ascending."""
    sets, width = len(starts) - 1, len(eligible)
    ends, items, end = np.zeros(sets + 1, np.int64), np.empty(1024, np.int64), 0
    mark, stamp = np.full(len(layout.clusters.size), -1, np.int64), np.zeros(1, np.int64)
    room, found = np.zeros((4, width + MOST_KNOWN), np.int64), np.empty(len(layout.rows.starts), np.int64)
    near = np.empty(len(mark) + 1, np.int64)
    slots = np.empty((len(mark) + 1, MOST_KNOWN), np.int64)
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        many = _certain(layout, full, known, lossy, number, mark, stamp, room, found, near, slots)
        for item in np.sort(room[0, : max(many, 0)]):
            if eligible[item]:
                if end == len(items):
                    items = np.concatenate((items, items))
                items[end] = item
                end += 1
        ends[number + 1] = end
    return ends, items[:end]
