"""Compiled logic: what must somebody hold who holds the known items, in every data set that a release allows?

For each cluster where the known items can stand together: what all its records hold, and what all rows hold that have
the known items of their chunk. What is in none of these sets is in doubt, so the sets are intersected over the clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.attack.disassociated.known_person_kernel import IMPOSSIBLE, fits, leads
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.disassociated.known_person_layout import Arranged, Layout

    Longs = NDArray[np.int64]


class Full(NamedTuple):
    """Items that all records of a cluster hold, and the clusters of each outermost joint, those with fewest first."""

    starts: Longs
    items: Longs
    order: Longs


@compiled
def _row_count(rows: Arranged, cluster: int, known: Longs, slot: Longs, first: int, held: Longs) -> int:
    """Count the rows that fit, and how many of them hold each item; the caller clears ``held``."""
    count = 0
    for at in range(rows.slot_starts[slot[first]], rows.slot_starts[slot[first] + 1]):
        row = rows.slot_rows[at]
        if fits(rows, row, cluster, known, slot, first):
            count += 1
            for inside in range(rows.starts[row], rows.starts[row + 1]):
                held[rows.items[inside]] += 1
    return count


@compiled
def _clear(rows: Arranged, slot: int, held: Longs) -> None:
    for at in range(rows.slot_starts[slot], rows.slot_starts[slot + 1]):
        row = rows.slot_rows[at]
        for inside in range(rows.starts[row], rows.starts[row + 1]):
            held[rows.items[inside]] = 0


@compiled
def _force(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, lossy: bool, forced: Longs, held: Longs
) -> int:
    """Items that the rows with the known items force, marked in ``forced``; -1 if the items cannot stand together.

    Where occurrences may have been suppressed from rows (``lossy``), rows force nothing and rule out nothing.
    """
    many = 0
    for j in range(len(known)):
        if slot[j] == IMPOSSIBLE:
            return -1
        if lossy or not leads(rows, slot, j):
            continue
        count = _row_count(rows, cluster, known, slot, j, held)
        if count > 0:
            for at in range(rows.slot_starts[slot[j]], rows.slot_starts[slot[j] + 1]):
                row = rows.slot_rows[at]
                for inside in range(rows.starts[row], rows.starts[row + 1]):
                    if held[rows.items[inside]] == count:
                        held[rows.items[inside]] = 0
                        forced[many] = rows.items[inside]
                        many += 1
        _clear(rows, slot[j], held)
        if count == 0:
            return -1
    return many


@compiled
def _keep(full: Full, cluster: int, forced: Longs, left: Longs, many: int, flag: Longs, stamp: int) -> int:
    """Keep of the items left (-1: all) those that the cluster or the rows force; returns how many."""
    first, last = full.starts[cluster], full.starts[cluster + 1]
    if many < 0:
        many = 0
        for at in range(first, last):
            flag[full.items[at]] = stamp
            left[many] = full.items[at]
            many += 1
        for item in forced:
            if flag[item] != stamp:
                flag[item] = stamp
                left[many] = item
                many += 1
        return many
    for at in range(first, last):
        flag[full.items[at]] = stamp
    for item in forced:
        flag[item] = stamp
    kept = 0
    for i in range(many):
        if flag[left[i]] == stamp:
            left[kept] = left[i]
            kept += 1
    return kept


@compiled
def _certain(
    layout: Layout, full: Full, known: Longs, lossy: bool, turn: int, mark: Longs, stamp: Longs, room: Longs
) -> int:
    """Items that the known ones force, in ``room[0]``; returns how many, -1 if they can stand together nowhere.

    ``room`` holds four rows: items left, forced items, counts (zero between calls), flags.
    """
    places, base, many = layout.places, layout.base, len(known)
    at, end, low = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
    slot, far = np.empty(many, np.int64), np.empty(many, np.int64)
    left, last = -1, len(layout.clusters.size)
    for j in range(many):
        at[j], end[j], low[j] = places.starts[known[j]], places.starts[known[j] + 1], base.starts[known[j]]
    for top in range(len(layout.clusters.top_size)):
        for j in range(many):
            stop = base.starts[known[j] + 1]
            while low[j] < stop and base.top[low[j]] < top:
                low[j] += 1
            far[j] = base.slot[low[j]] if low[j] < stop and base.top[low[j]] == top else IMPOSSIBLE
        while left != 0:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, places.cluster[at[j]])
            if cluster == last or layout.clusters.top[cluster] != top:
                break
            mark[cluster] = turn
            for j in range(many):
                here = at[j] < end[j] and places.cluster[at[j]] == cluster
                slot[j] = places.slot[at[j]] if here else far[j]
                at[j] += here
            forced = _force(layout.rows, cluster, known, slot, lossy, room[1], room[2])
            if forced >= 0:
                stamp[0] += 1
                left = _keep(full, cluster, room[1, :forced], room[0], left, room[3], stamp[0])
        forced = _force(layout.rows, -1, known, far, lossy, room[1], room[2]) if left != 0 else -1
        if forced >= 0:
            for i in range(layout.clusters.top_starts[top], layout.clusters.top_starts[top + 1]):
                if mark[full.order[i]] != turn and left != 0:
                    stamp[0] += 1
                    left = _keep(full, full.order[i], room[1, :forced], room[0], left, room[3], stamp[0])
        if left == 0:
            return 0
    return left


@compiled
def certain(
    layout: Layout, full: Full, starts: Longs, codes: Longs, eligible: Longs, lossy: bool
) -> tuple[Longs, Longs]:
    """For each known set: where its certain items end, and the items, ascending."""
    sets, width = len(starts) - 1, len(eligible)
    ends, items, found = np.zeros(sets + 1, np.int64), np.empty(1024, np.int64), 0
    mark, stamp = np.full(len(layout.clusters.size), -1, np.int64), np.zeros(1, np.int64)
    room = np.zeros((4, width + 1), np.int64)
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        many = _certain(layout, full, known, lossy, number, mark, stamp, room)
        for item in np.sort(room[0, : max(many, 0)]):
            if eligible[item] and not (known == item).any():
                if found == len(items):
                    items = np.concatenate((items, items))
                items[found] = item
                found += 1
        ends[number + 1] = found
    return ends, items[:found]
