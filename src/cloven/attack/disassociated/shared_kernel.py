"""Compiled search for the slots that may hold a shared sub-record.

It may belong to every cluster below its joint J, but not to one that tells an item of it further in: in its own record
chunks, or in a joint between the two. ``told_further_in`` lists who does, once for each item that J shares, so that no
cluster has to be asked about every sub-record. An item told by a cluster, or by a joint, is noted at the first joint
above that shares it; joints further up see that joint instead, with all clusters below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Inner = tuple[Longs, Longs, Longs, Ints]
    Rows = tuple[Longs, Ints]


@compiled
def _place(item: int, joint: int, offsets: Longs, items: Ints) -> int:
    """Where a joint lists an item that it shares; -1 if it shares it not."""
    first, last = offsets[joint], offsets[joint + 1]
    at = first + np.searchsorted(items[first:last], item)
    return int(at) if at < last and items[at] == item else -1


@compiled
def _noted(item: int, joint: int, inner: Inner) -> int:
    """Where the first joint, from this one upwards, lists an item; -1 if none does."""
    while joint >= 0:
        at = _place(item, joint, inner[2], inner[3])
        if at >= 0:
            return at
        joint = inner[1][joint]
    return -1


@compiled
def told_further_in(shown: Rows, inner: Inner) -> tuple[Longs, Longs]:
    """Place in the lists of the joints (-1 for none) and teller: a cluster, or -1 - joint.

    ``shown`` is what the record chunks of each cluster show; ``inner`` the innermost joint of each cluster, the parent
    of each joint, and what each joint shares.
    """
    many = len(shown[1]) + len(inner[3])
    place, teller, found = np.empty(many, np.int64), np.empty(many, np.int64), 0
    for cluster in range(len(inner[0])):
        for at in range(shown[0][cluster], shown[0][cluster + 1]):
            place[found] = _noted(shown[1][at], inner[0][cluster], inner)
            teller[found] = cluster
            found += 1
    for joint in range(len(inner[1])):
        for at in range(inner[2][joint], inner[2][joint + 1]):
            place[found] = _noted(inner[3][at], inner[1][joint], inner)
            teller[found] = -1 - joint
            found += 1
    return place, teller


@compiled
def _bar(
    row: int,
    joint: int,
    table: Rows,
    inner: Inner,
    told: tuple[Longs, Longs],
    members: tuple[Longs, Longs],
    barred: Longs,
    mark: int,
) -> None:
    """Mark the clusters below a joint that cannot hold a row of it."""
    for at in range(table[0][row], table[0][row + 1]):
        place = _place(table[1][at], joint, inner[2], inner[3])
        for teller in told[1][told[0][place] : told[0][place + 1]]:
            if teller >= 0:
                barred[teller] = mark
            else:
                for cluster in members[1][members[0][-1 - teller] : members[0][-teller]]:
                    barred[cluster] = mark


@compiled
def count_slots(
    rows: Longs,
    joints: Longs,
    table: Rows,
    inner: Inner,
    told: tuple[Longs, Longs],
    members: tuple[Longs, Longs],
    bounds: Longs,
) -> Longs:
    """How many slots may hold each row of a shared chunk; cluster c has the slots from ``bounds[c]``."""
    found = np.zeros(len(rows), np.int64)
    barred = np.full(len(bounds) - 1, -1, np.int64)
    for i in range(len(rows)):
        _bar(rows[i], joints[i], table, inner, told, members, barred, i)
        for cluster in members[1][members[0][joints[i]] : members[0][joints[i] + 1]]:
            if barred[cluster] != i:
                found[i] += bounds[cluster + 1] - bounds[cluster]
    return found


@compiled
def fill_slots(
    rows: Longs,
    joints: Longs,
    table: Rows,
    inner: Inner,
    told: tuple[Longs, Longs],
    members: tuple[Longs, Longs],
    bounds: Longs,
    starts: Longs,
    slots: Ints,
) -> None:
    """Write the slots that may hold each row, ascending, from ``starts`` on."""
    barred = np.full(len(bounds) - 1, -1, np.int64)
    for i in range(len(rows)):
        _bar(rows[i], joints[i], table, inner, told, members, barred, i)
        at = starts[i]
        for cluster in members[1][members[0][joints[i]] : members[0][joints[i] + 1]]:
            if barred[cluster] != i:
                for slot in range(bounds[cluster], bounds[cluster + 1]):
                    slots[at] = slot
                    at += 1


@compiled
def fill_ranges(first: Longs, last: Longs, starts: Longs, slots: Ints) -> None:
    """Write the slots from ``first`` to below ``last`` of each target, from ``starts`` on."""
    for i in range(len(first)):
        for slot in range(first[i], last[i]):
            slots[starts[i] + slot - first[i]] = slot
