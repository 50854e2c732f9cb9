"""Where every item stands for every cluster of a release, and in which share of its records it is to be expected.

What is the same for all clusters below an outermost joint (the root) is kept once, as the *base*; only what differs is
listed cluster by cluster. Clusters are renumbered so that those below one outermost joint stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Longs, compiled
from cloven.data.arrays import offsets_of, run_starts, stable_order
from cloven.kinds.disassociated.release import Kind, climb, first_of_equal, members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.kinds.disassociated.release import Disassociated


NOWHERE = -1
"""Slot of an item that stands in no row: in a list of terms, or withheld."""


class Expected(NamedTuple):
    """Copies of an item that are expected where their number is not published.

    Attributes:
        named: records of a cluster that hold an item of its term chunk.
        listed: records that hold an item of the list of the root, over all clusters that do not publish it.
        withheld: records from which an item was withheld, over all clusters that do not publish it.
    """

    named: float
    listed: float
    withheld: float

    @classmethod
    def of(cls, k: int) -> Expected:
        """Supports of rare items fall like 1 / x: the mean of x = 1 .. k - 1, and of 0 .. k - 1 (like 1 / (x + 1)).

        >>> [round(copies, 2) for copies in Expected.of(5)]
        [1.92, 1.92, 1.19]
        """
        harmonic = float((1 / np.arange(1, k)).sum())
        if k < 2:
            return cls(1.0, 1.0, 0.0)
        return cls((k - 1) / harmonic, (k - 1) / harmonic, k / (harmonic + 1 / k) - 1)


class Places(NamedTuple):
    """Clusters where an item's share is not that of the base, by item and cluster.

    Attributes:
        starts: first entry of each item.
        cluster: the cluster.
        slot: where it stands, ``NOWHERE`` for term chunks.
        share: expected share of the records of the cluster that hold the item.
        record: whether it stands in a record chunk.
        whole: whether it stands in a shared chunk, and the cluster may hold all rows with it.
        usual: whether it stands where it stands for all others, and is listed because its share is limited here.
    """

    starts: Longs
    cluster: Longs
    slot: Longs
    share: Floats
    record: Flags
    whole: Flags
    usual: Flags


class Base(NamedTuple):
    """What all other clusters below an outermost joint have in common, by item and outermost joint.

    Attributes:
        starts: first entry of each item.
        top: the outermost joint.
        slot: where the item stands, ``NOWHERE`` for the list of the root and for items that may be withheld.
        rate: expected share of the records that hold the item.
    """

    starts: Longs
    top: Longs
    slot: Longs
    rate: Floats


class Arranged(NamedTuple):
    """Rows as the kernels want them.

    Attributes:
        starts: where each row starts in ``items``.
        items: item codes.
        rate: copies / records that may hold the row: the chance of one record of a cluster that is open to the row.
        bar_starts: where each row starts in ``bars``.
        bars: clusters below its joint that cannot hold it, ascending.
        slot_part: chunk of each slot.
        slot_shared: whether that is a shared chunk.
        slot_starts: where each slot starts in ``slot_rows``.
        slot_rows: rows that hold the item of the slot.
        mate_starts: where each slot starts in ``mates``; slots of shared chunks have none.
        mates: items that stand beside that of the slot in rows of its chunk.
        mate_share: share of the rows with the item of the slot that hold this one too.
    """

    starts: Longs
    items: Longs
    rate: Floats
    bar_starts: Longs
    bars: Longs
    slot_part: Longs
    slot_shared: Flags
    slot_starts: Longs
    slot_rows: Longs
    mate_starts: Longs
    mates: Longs
    mate_share: Floats


class Clusters(NamedTuple):
    """Clusters in their new order.

    Attributes:
        number: number of each in the release.
        size: its records.
        top: its outermost joint (a running number; the last one stands for none).
        top_starts: first cluster of each outermost joint.
        top_size: records below each.
    """

    number: Longs
    size: Floats
    top: Longs
    top_starts: Longs
    top_size: Floats


class Layout(NamedTuple):
    """All of it."""

    clusters: Clusters
    places: Places
    base: Base
    rows: Arranged
    slot_copies: Longs


@dataclass(frozen=True, eq=False)
class Around:
    """The rest of a release of which some clusters are looked at alone, so that they tell what they tell in it.

    Shared chunks hold one item each, below one joint over all clusters; a part has one row of each of them, whatever
    the release has.

    Attributes:
        records: records of the other clusters.
        shown: records of those that show the item in a record chunk.
        listed: records of those that show it, or name it in a term chunk.
        copies: rows of shared chunks with the item, in the whole release.
    """

    records: float
    shown: Floats
    listed: Floats
    copies: Longs

    def filled(self, rows: Rows) -> Rows:
        """The rows of a part, with as many copies of shared ones as the release has."""
        shared, slots = rows.joint >= 0, rows.slot_joint >= 0
        first = rows.items[rows.starts[:-1]]
        copies = np.where(shared, self.copies[first], rows.copies)
        return replace(
            rows, copies=copies, slot_copies=np.where(slots, self.copies[rows.slot_item], rows.slot_copies)
        )


def layout(release: Disassociated, expected: Expected, most: float, around: Around | None = None) -> Layout:
    """Arrange a release, or a part of one with what lies ``around`` it.

    ``most`` limits the copies of a leftover that one cluster is expected to have.
    """
    top, base_joint = _tops(release)
    order = np.lexsort((_preorder(release)[release.cluster_joint], top))
    size = release.cluster_size[order].astype(np.float64)
    many = int(top.max(initial=0)) + 1
    starts = np.searchsorted(top[order], np.arange(many + 1))
    clusters = Clusters(order, size, top[order], starts, sums(top[order], size, many))
    rows, new = Rows.of(release), np.argsort(order)
    rows = rows if around is None else around.filled(rows)
    named_cluster, named_item = listed(release)
    tree = _tree(release, rows, clusters, new, (named_cluster, named_item))
    table = Table(rows.starts, rows.items, rows.slot_item, rows.slot_starts, rows.slot_rows)
    width = len(release.vocabulary)
    open_size, bars = open_sizes(tree, table, width)
    shared = rows.cluster < 0
    if around is not None:
        open_size = open_size + around.records - around.shown[rows.items[rows.starts[:-1]]]
    whole = np.where(shared, open_size, release.cluster_size[rows.cluster])
    rate = rows.copies / np.maximum(whole, 1.0)
    bar_starts = offsets_of(bars)
    cluster, slot, share, unbarred, barred = shared_places(
        tree, table, width, base_joint[order], rate, most, bar_starts
    )
    found = _places(
        release,
        rows,
        clusters,
        new,
        (named_cluster, named_item),
        (cluster, slot, share, unbarred, unbarred & (rows.slot_joint[slot] == base_joint[order][cluster])),
        (expected, most),
    )
    base = _base(
        release,
        rows,
        clusters,
        base_joint[order],
        found,
        rate,
        named_item[named_cluster < 0],
        expected,
        around,
    )
    arranged = Arranged(
        rows.starts, rows.items, rate, bar_starts, barred, rows.slot_part, rows.slot_joint >= 0, rows.slot_starts,
        rows.slot_rows, *mates(table, rate, rows.slot_joint >= 0, width),
    )  # fmt: skip
    return Layout(clusters, found, base, arranged, rows.slot_copies)


def _tops(release: Disassociated) -> tuple[Longs, Longs]:
    """Running number of the outermost joint above each cluster, and the joint that is the base (-1 for none)."""
    if release.rare_items != "cluster":
        spans = release.root >= 0 and np.diff(members(release).starts)[release.root] == release.clusters
        base = np.full(release.clusters, release.root if spans else -1, np.int64)
        return np.zeros(release.clusters, np.int64), base
    joint = np.full(release.clusters, -1, np.int64)
    for cluster, above in climb(release.cluster_joint, release.joint_parent):
        joint[cluster] = above
    known = np.unique(joint[joint >= 0])
    return np.where(joint >= 0, np.searchsorted(known, joint), len(known)).astype(np.int64), joint


def _preorder(release: Disassociated) -> Longs:
    """Rank of each joint if every joint is followed by those below it; the last entry stands for no joint."""
    children: list[list[int]] = [[] for _ in range(release.joints + 1)]
    for joint, parent in enumerate(release.joint_parent.tolist()):
        children[parent].append(joint)
    rank, waiting, many = np.full(release.joints + 1, release.joints), list(reversed(children[-1])), 0
    while waiting:
        joint = waiting.pop()
        rank[joint] = many
        many += 1
        waiting += reversed(children[joint])
    return rank


def _tree(
    release: Disassociated, rows: Rows, clusters: Clusters, new: Longs, named: tuple[Longs, Longs]
) -> Tree:
    """What the walk upwards needs."""
    shown = np.flatnonzero(rows.slot_cluster >= 0)
    shown_cluster, shown_item = _by_cluster(new[rows.slot_cluster[shown]], rows.slot_item[shown])
    own = named[0] >= 0
    named_cluster, named_item = _by_cluster(new[named[0][own]], named[1][own])
    edges, joints = np.arange(release.clusters + 1), np.arange(release.joints + 1)
    return Tree(
        clusters.size,
        release.cluster_joint[clusters.number],
        np.array(release.joint_parent),
        np.searchsorted(shown_cluster, edges),
        shown_item,
        np.searchsorted(named_cluster, edges),
        named_item,
        np.searchsorted(rows.slot_joint, joints),
        np.searchsorted(rows.joint, joints),
    )


def _by_cluster(cluster: Longs, item: Longs) -> tuple[Longs, Longs]:
    order = np.argsort(cluster, kind="stable")
    return cluster[order], item[order]


def _places(
    release: Disassociated,
    rows: Rows,
    clusters: Clusters,
    new: Longs,
    named: tuple[Longs, Longs],
    shared: tuple[Longs, Longs, Floats, Flags, Flags],
    limits: tuple[Expected, float],
) -> Places:
    """Record chunks, term chunks, and shared chunks where they differ from the base, as one list."""
    expected, most = limits
    slots, own = np.flatnonzero(rows.slot_cluster >= 0), named[0] >= 0
    parts = (new[rows.slot_cluster[slots]], new[named[0][own]], shared[0])
    cluster = np.concatenate(parts)
    item = np.concatenate((rows.slot_item[slots], named[1][own], rows.slot_item[shared[1]]))
    slot = np.concatenate((slots, np.full(int(own.sum()), NOWHERE), shared[1]))
    limit = np.minimum(1.0, most / clusters.size)
    share = np.concatenate(
        (
            np.minimum(1.0, rows.slot_copies[slots] / clusters.size[parts[0]]),
            np.minimum(limit[parts[1]], expected.named / clusters.size[parts[1]]),
            np.minimum(limit[parts[2]], shared[2]),
        )
    )
    record = np.arange(len(cluster)) < len(slots)
    alone = np.zeros(len(cluster) - len(shared[0]), bool)
    whole, usual = (np.concatenate((alone, flags)) for flags in shared[3:])
    # An item that a cluster both shows and names (no release of ours does) counts as shown.
    key = item * max(1, release.clusters) + cluster
    order = np.argsort(key, kind="stable")
    order = order[np.concatenate((np.ones(min(1, len(order)), bool), np.diff(key[order]) > 0))]
    starts = np.searchsorted(item[order], np.arange(len(release.vocabulary) + 1))
    return Places(
        starts, cluster[order], slot[order].astype(np.int64), share[order], record[order], whole[order],
        usual[order],
    )  # fmt: skip


def _base(
    release: Disassociated, rows: Rows, clusters: Clusters, base_joint: Longs, places: Places, rate: Floats,
    root_list: Longs, expected: Expected, around: Around | None,
) -> Base:  # fmt: skip
    """What holds wherever nothing else is listed."""
    tops = len(clusters.top_size)
    joint_top = np.full(release.joints + 1, -1, np.int64)
    joint_top[base_joint] = clusters.top
    joint_top[-1] = -1  # of clusters without a base
    whole = offsets_of(np.zeros(0)) if len(rows.slot_rows) == 0 else rate[rows.slot_rows]
    chance = np.add.reduceat(whole, rows.slot_starts[:-1])[: len(rows.slot_item)]
    top = np.where(rows.slot_joint >= 0, joint_top[rows.slot_joint], -1)
    slots = np.flatnonzero(top >= 0)
    key, first = np.unique(rows.slot_item[slots] * tops + top[slots], return_index=True)
    slot, held = slots[first], np.minimum(1.0, chance[slots[first]])
    if release.rare_items != "cluster":
        extra, extra_rate = _unpublished(release, clusters, places, key, root_list, expected, around)
        kept = ~np.isin(key, root_list)
        key = np.concatenate((key[kept], extra))
        slot = np.concatenate((slot[kept], np.full(len(extra), NOWHERE)))
        held = np.concatenate((held[kept], extra_rate))
    order = np.argsort(key, kind="stable")
    starts = np.searchsorted(key[order] // tops, np.arange(len(release.vocabulary) + 1))
    return Base(starts, (key[order] % tops).astype(np.int64), slot[order].astype(np.int64), held[order])


def _unpublished(
    release: Disassociated, clusters: Clusters, places: Places, shared: Longs, root_list: Longs, expected: Expected,
    around: Around | None,
) -> tuple[Longs, Floats]:  # fmt: skip
    """Items of the list of the root and, if items may be withheld, those that the root does not share; their share."""
    width = len(release.vocabulary)
    item = np.repeat(np.arange(width), np.diff(places.starts))
    elsewhere = 0.0 if around is None else around.records - around.listed
    here = clusters.size.sum() - sums(item, clusters.size[places.cluster], width)
    free = np.maximum(here + elsewhere, 1.0)
    found = np.full(width, release.may_be_empty)
    found[shared] = False
    found[root_list] = True
    extra = np.flatnonzero(found)
    copies = np.where(np.isin(extra, root_list), expected.listed, expected.withheld)
    return extra, np.minimum(1.0, copies / free[extra])


# Compiled walk from each cluster up to its outermost joint: where each item stands, which shared rows may be held.
#
# A cluster cannot hold a shared row if it shows an item of the row in a record chunk, or if a joint further in shares
# one: an occurrence is published in one place. Of the clusters that may hold a row, every record is as likely as
# another.


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
    """Rows and slots, as they are arranged below."""

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


@compiled
def mates(table: Table, rate: Floats, shared: Flags, items: int) -> tuple[Longs, Longs, Floats]:
    """For each slot of a record chunk what stands beside its item; see ``Arranged``.

    Who knows one item of a chunk reads this off, and need not look at its rows.
    """
    slots = len(table.slot_item)
    starts, found, share = np.zeros(slots + 1, np.int64), np.empty(1024, np.int64), np.empty(1024)
    held, last, beside = np.zeros(items), np.full(items, -1, np.int64), np.empty(items, np.int64)
    end = 0
    for slot in range(slots):
        many, total = 0, 0.0
        for at in range(table.slot_starts[slot], table.slot_starts[slot + 1]):
            row = table.slot_rows[at]
            if shared[slot]:
                continue
            total += rate[row]
            for inside in range(table.starts[row], table.starts[row + 1]):
                item = table.items[inside]
                if item == table.slot_item[slot]:
                    continue
                if last[item] != slot:
                    last[item], held[item], beside[many] = slot, 0.0, item
                    many += 1
                held[item] += rate[row]
        while end + many > len(found):
            found = _longer(found)
            share = np.concatenate((share, np.empty(len(share))))
        for i in range(many):
            found[end], share[end] = beside[i], held[beside[i]] / total
            end += 1
        starts[slot + 1] = end
    return starts, found[:end], share[:end]


# The published rows of a release, arranged for questions about a person: equal rows once, and what holds each item.


@dataclass(frozen=True, eq=False)
class Rows:
    """Different sub-records of record and shared chunks, in canonical order. A *slot* is one item in one chunk.

    Attributes:
        starts: where each row starts in ``items``.
        items: item codes, ascending inside a row.
        copies: how many published rows are equal to it.
        cluster: cluster of each row, -1 for shared ones.
        joint: joint of each row, -1 for those of record chunks.
        part: number of the chunk of each row, over the whole release.
        slot_part: chunk of each slot; slots ascend by chunk and item.
        slot_item: item of each slot.
        slot_cluster: cluster of the chunk, -1 for shared ones.
        slot_joint: joint of the chunk, -1 for record chunks.
        slot_copies: published rows that hold the item.
        slot_starts: where each slot starts in ``slot_rows``.
        slot_rows: different rows of the chunk that hold the item, ascending.
    """

    starts: Longs
    items: Longs
    copies: Longs
    cluster: Longs
    joint: Longs
    part: Longs
    slot_part: Longs
    slot_item: Longs
    slot_cluster: Longs
    slot_joint: Longs
    slot_copies: Longs
    slot_starts: Longs
    slot_rows: Longs

    @classmethod
    def of(cls, release: Disassociated) -> Rows:
        """Arrange the rows of a release; term chunks are left out."""
        at = np.flatnonzero(release.row_kind != Kind.TERM)
        first = first_of_equal(release)[at]
        begin = run_starts(first)  # equal rows stand side by side
        head, copies = first[begin], np.diff(np.append(begin, len(first)))
        starts, codes = release.items_of(head)
        items = codes.astype(np.int64)
        cluster, joint = release.row_cluster[head], release.row_joint[head]
        part = _runs(cluster, joint, release.row_chunk[head])
        width = max(1, len(release.vocabulary))
        row = np.repeat(np.arange(len(head)), np.diff(starts))
        order = stable_order(items)
        order = order[stable_order(part[row[order]])]
        row, key = row[order], part[row[order]] * width + items[order]
        slot_starts = run_starts(key)
        slot_part, slot_item = np.divmod(key[slot_starts], width)
        first_row = np.searchsorted(part, slot_part)
        held = np.add.reduceat(copies[row], slot_starts) if len(row) else np.empty(0, np.int64)
        return cls(
            starts=starts,
            items=items,
            copies=copies,
            cluster=cluster,
            joint=joint,
            part=part,
            slot_part=slot_part,
            slot_item=slot_item,
            slot_cluster=cluster[first_row],
            slot_joint=joint[first_row],
            slot_copies=held,
            slot_starts=np.append(slot_starts, len(row)),
            slot_rows=row,
        )


def listed(release: Disassociated) -> tuple[Longs, Longs]:
    """Cluster (-1 for the list of the root) and item of every entry of a term chunk."""
    at = np.flatnonzero(release.row_kind == Kind.TERM)
    starts, items = release.items_of(at)
    return np.repeat(release.row_cluster[at], np.diff(starts)), items.astype(np.int64)


def sums(group: Longs, values: NDArray[Any], groups: int) -> Floats:
    """Sum of the values of each group."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64)


def _runs(*columns: NDArray[Any]) -> Longs:
    """Number the runs of equal values."""
    change = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    return np.cumsum(change)
