"""Compiled walk from each cluster up to its outermost joint: where each item stands, which shared rows may be held.

A cluster cannot hold a shared row if it shows an item of the row in a record chunk, or if a joint further in shares
one: an occurrence is published in one place. Of the clusters that may hold a row, every record is as likely as another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]


class Tree(NamedTuple):
    """Clusters and what lies above them.

    Attributes:
        size: records of each cluster.
        joint: innermost joint of each cluster, -1 for none.
        parent: parent of each joint, -1 for none.
        shown_starts: where each cluster starts in ``shown``.
        shown: items of its record chunks.
        named_starts: where each cluster starts in ``named``.
        named: items of its term chunk.
        slot_starts: first slot of each joint.
        row_starts: first row of each joint.
    """

    size: Floats
    joint: Longs
    parent: Longs
    shown_starts: Longs
    shown: Longs
    named_starts: Longs
    named: Longs
    slot_starts: Longs
    row_starts: Longs


class Table(NamedTuple):
    """Rows and slots, as in ``known_person_rows``."""

    starts: Longs
    items: Longs
    slot_item: Longs
    slot_starts: Longs
    slot_rows: Longs


@compiled
def _shown_to(tree: Tree, cluster: int, told: Longs) -> None:
    """Note what the record chunks of a cluster show."""
    for at in range(tree.shown_starts[cluster], tree.shown_starts[cluster + 1]):
        told[tree.shown[at]] = cluster


@compiled
def _barred(table: Table, row: int, cluster: int, told: Longs) -> bool:
    """Whether an item of the row is told further in."""
    for at in range(table.starts[row], table.starts[row + 1]):
        if told[table.items[at]] == cluster:
            return True
    return False


@compiled
def _share_to(tree: Tree, table: Table, joint: int, cluster: int, told: Longs) -> None:
    """Note what a joint shares, for the joints further out."""
    for slot in range(tree.slot_starts[joint], tree.slot_starts[joint + 1]):
        told[table.slot_item[slot]] = cluster


@compiled
def open_sizes(tree: Tree, table: Table, items: int) -> tuple[Floats, Longs]:
    """For each row: records of the clusters that may hold it, and how many clusters below its joint may not."""
    open_size = np.zeros(len(table.starts) - 1)
    bars = np.zeros(len(table.starts) - 1, np.int64)
    told = np.full(items, -1, np.int64)
    for cluster in range(len(tree.size)):
        _shown_to(tree, cluster, told)
        joint = tree.joint[cluster]
        while joint >= 0:
            for row in range(tree.row_starts[joint], tree.row_starts[joint + 1]):
                if _barred(table, row, cluster, told):
                    bars[row] += 1
                else:
                    open_size[row] += tree.size[cluster]
            _share_to(tree, table, joint, cluster, told)
            joint = tree.parent[joint]
    return open_size, bars


@compiled
def _longer(values: Longs) -> Longs:
    """The same in an array of twice the length."""
    more = np.empty(2 * len(values), np.int64)
    more[: len(values)] = values
    return more


@compiled
def _fill_bars(
    tree: Tree, table: Table, joint: int, cluster: int, told: Longs, no: Longs, ends: Longs, bars: Longs
) -> None:
    """Note the rows of a joint that a cluster cannot hold: in ``no`` for now, in ``bars`` for good."""
    for row in range(tree.row_starts[joint], tree.row_starts[joint + 1]):
        if _barred(table, row, cluster, told):
            no[row] = cluster
            bars[ends[row]] = cluster
            ends[row] += 1


@compiled
def _share(table: Table, slot: int, cluster: int, no: Longs, rate: Floats) -> tuple[float, bool]:
    """Expected share of the records of a cluster that have the item from this chunk; whether no row is barred."""
    total, whole = 0.0, True
    for at in range(table.slot_starts[slot], table.slot_starts[slot + 1]):
        row = table.slot_rows[at]
        if no[row] == cluster:
            whole = False
        else:
            total += rate[row]
    return total, whole


@compiled
def shared_places(
    tree: Tree, table: Table, items: int, base: Longs, rate: Floats, most: float, bar_starts: Longs
) -> tuple[Longs, Longs, Floats, Flags, Longs]:
    """Cluster, slot, share of each item that a shared chunk has for a cluster, whether no row is barred; bars by row.

    Slots of the cluster's ``base`` joint (-1 for none) are left out where their share is the same as everywhere below
    it: no row of the item is barred, and at most ``most`` copies are expected in the cluster.
    """
    told, placed = np.full(items, -1, np.int64), np.full(items, -1, np.int64)
    no = np.full(len(rate), -1, np.int64)
    ends, bars = bar_starts[:-1].copy(), np.empty(bar_starts[-1], np.int64)
    cluster_of, slot_of, share_of = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024)
    whole_of = np.empty(1024, np.bool_)
    many = 0
    for cluster in range(len(tree.size)):
        _shown_to(tree, cluster, told)
        _shown_to(tree, cluster, placed)
        for at in range(tree.named_starts[cluster], tree.named_starts[cluster + 1]):
            placed[tree.named[at]] = cluster
        joint = tree.joint[cluster]
        while joint >= 0:
            _fill_bars(tree, table, joint, cluster, told, no, ends, bars)
            for slot in range(tree.slot_starts[joint], tree.slot_starts[joint + 1]):
                if placed[table.slot_item[slot]] == cluster:
                    continue
                placed[table.slot_item[slot]] = cluster
                share, whole = _share(table, slot, cluster, no, rate)
                if joint == base[cluster] and whole and share * tree.size[cluster] <= most:
                    continue
                if many == len(cluster_of):
                    cluster_of, slot_of = _longer(cluster_of), _longer(slot_of)
                    share_of = np.concatenate((share_of, np.empty(len(share_of))))
                    whole_of = np.concatenate((whole_of, np.empty(len(whole_of), np.bool_)))
                cluster_of[many], slot_of[many], share_of[many] = cluster, slot, share
                whole_of[many] = whole
                many += 1
            _share_to(tree, table, joint, cluster, told)
            joint = tree.parent[joint]
    return cluster_of[:many], slot_of[:many], share_of[:many], whole_of[:many], bars
