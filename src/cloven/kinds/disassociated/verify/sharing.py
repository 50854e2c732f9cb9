"""What clusters and joints publish below each joint, found in one walk over their tree.

A cluster cannot take an item from a shared chunk if it shows it in its record chunks, or if a joint between the two
shares it: all its occurrences are published there. A walk from the root down knows for every item the innermost joint
around that shares it, as a compiler knows which declaration of a name is in scope. What a cluster shows concerns that
joint only; and that joint, which bars all its clusters, concerns the next one outside.

Sets of clusters are compared by 128-bit fingerprints, joined by exclusive or.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import offsets_of, stable_order
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout


class Lists(NamedTuple):
    """Items of clusters or joints, ascending: where those of each start, and which they are."""

    start: Longs
    item: NDArray[np.int32]


class Times(NamedTuple):
    """When a walk is inside of clusters that cannot have an item of a joint, by item and ascending."""

    start: Longs
    begin: Longs
    end: Longs


@dataclass(frozen=True)
class Sharing:
    """What is published below the items of shared chunks.

    Attributes:
        shown: items of the record chunks of each cluster; a faulty release may name one twice.
        shared: items of the shared chunks of each joint, each once.
        chunks: items of each chunk that is shared, in the order of ``layout.pairs_of(Kind.SHARED)``.
        place: for each of these, which of ``shared`` it is.
        visited: when the walk visits each cluster, -1 if it is in no joint.
        entered: when it enters each joint.
        left: when it leaves each joint; what is visited between lies below.
        records: records below each joint.
        times: when it is in clusters that cannot have the item from here: they show it, or a joint between shares it.
        barred: records of these clusters.
        marks: a fingerprint of them.
        is_listed: whether a term chunk of a cluster below lists the item.
    """

    shown: Lists
    shared: Lists
    chunks: Lists
    place: Longs
    visited: Longs
    entered: Longs
    left: Longs
    records: Longs
    times: Times
    barred: Longs
    marks: Longs
    is_listed: Flags

    @property
    def is_told(self) -> Flags:
        """Which items of joints some cluster below cannot have from there."""
        return np.diff(self.times.start) > 0

    def shares(self, joint: Longs, item: Longs) -> Flags:
        """Whether each joint shares an item."""
        found = np.zeros(len(joint), np.bool_)
        _find(*self.shared, joint, item, found)
        return found


def find_sharing(release: Disassociated, layout: Layout, tree: JointTree) -> Sharing:
    """Walk over the tree of joints."""
    words, joints = len(release.vocabulary), len(tree.parent)
    shown = _lists(*layout.pairs_of(Kind.RECORD), release.clusters, words)[0]
    listed = _lists(*layout.pairs_of(Kind.TERM), release.clusters, words)[0]
    joint, item = layout.pairs_of(Kind.SHARED)
    every, order = _lists(joint, item, joints, words)
    shared, number = _once(every)
    place = np.empty(len(order), np.int64)
    place[order] = number
    fingerprints = np.random.Generator(np.random.Philox(key=1)).integers(
        np.iinfo(np.int64).max, size=(release.clusters, 2)
    )
    visited = np.full(release.clusters, -1, np.int64)
    entered, left, records = np.empty((3, joints), np.int64)
    many = len(shared.item)
    is_listed, barred, marks = (
        np.zeros(many, np.bool_),
        np.zeros(many, np.int64),
        np.zeros((many, 2), np.int64),
    )
    events = np.empty((3, len(shown.item) + many), np.int64)
    sizes = np.asarray(release.cluster_size, np.int64)
    found = _walk(
        _below(tree.parent, joints), _below(tree.cluster_joint, joints), shown, listed, shared, words,
        sizes, fingerprints, visited, entered, left, records, is_listed, barred, marks, events,
    )  # fmt: skip
    where, begin, end = events[:, :found]
    by_place = stable_order(where)
    times = Times(offsets_of(np.bincount(where, minlength=many)), begin[by_place], end[by_place])
    chunk = layout.pair_chunk[layout.chunk_kind[layout.pair_chunk] == Kind.SHARED]
    chunks = Lists(offsets_of(np.bincount(chunk, minlength=layout.chunks)), item.astype(np.int32))
    return Sharing(
        shown, shared, chunks, place, visited, entered, left, records, times, barred, marks, is_listed
    )


def _lists(owner: Longs, item: Longs, owners: int, words: int) -> tuple[Lists, Longs]:
    """The items of each owner, and where each of them stood."""
    order = np.argsort(owner * words + item, kind="stable")  # nearly in order, as owners are
    return Lists(offsets_of(np.bincount(owner, minlength=owners)), item[order].astype(np.int32)), order


def _once(lists: Lists) -> tuple[Lists, Longs]:
    """Each item of an owner once; and where each is now."""
    new = np.append(True, lists.item[1:] != lists.item[:-1])[: len(lists.item)]
    new[lists.start[:-1][np.diff(lists.start) > 0]] = True
    number = np.cumsum(new) - 1
    return Lists(offsets_of(new)[lists.start], lists.item[new]), number


def _below(parent: Longs, joints: int) -> tuple[Longs, Longs]:
    """What lies directly below each joint, and, last, below none: where it starts, and what it is."""
    above = np.where(parent < 0, joints, parent)
    return offsets_of(np.bincount(above, minlength=joints + 1)), stable_order(above)


@compiled
def _walk(
    inner: tuple[Ints, Ints], clusters: tuple[Ints, Ints], shown: Lists, listed: Lists, shared: Lists, words: int,
    size: Ints, fingerprint: Ints, visited: Ints, entered: Ints, left: Ints, records: Ints,
    is_listed: Flags, barred: Ints, marks: Ints, events: Ints,
) -> int:  # fmt: skip
    """Enter joints from the outermost on, and leave each when all below it is done; returns how many events there are.

    An event is an item of a joint, and from when to when clusters are visited that cannot have it.
    """
    joints = len(entered)
    nearest, outer = np.full(words, -1, np.int64), np.empty(len(shared.item), np.int64)
    whole, path, child = np.zeros((joints, 2), np.int64), np.empty(joints + 1, np.int64), inner[0].copy()
    path[0], depth, clock, found = joints, 0, 0, 0
    while depth >= 0:
        joint = path[depth]
        if child[joint] < inner[0][joint + 1]:
            below = inner[1][child[joint]]
            child[joint] += 1
            depth += 1
            path[depth], entered[below], records[below] = below, clock, 0
            for place in range(shared.start[below], shared.start[below + 1]):
                outer[place] = nearest[shared.item[place]]
                nearest[shared.item[place]] = place
            for at in range(clusters[0][below], clusters[0][below + 1]):
                cluster = clusters[1][at]
                visited[cluster] = clock
                records[below] += size[cluster]
                whole[below] ^= fingerprint[cluster]
                for i in range(listed.start[cluster], listed.start[cluster + 1]):
                    if nearest[listed.item[i]] >= 0:
                        is_listed[nearest[listed.item[i]]] = True
                for i in range(shown.start[cluster], shown.start[cluster + 1]):
                    place = nearest[shown.item[i]]
                    # Each once: a faulty release may show an item twice, and exclusive or would take it back.
                    if place >= 0 and (i == shown.start[cluster] or shown.item[i] != shown.item[i - 1]):
                        events[0, found], events[1, found], events[2, found] = place, clock, clock + 1
                        found += 1
                        barred[place] += size[cluster]
                        marks[place, 0] ^= fingerprint[cluster, 0]
                        marks[place, 1] ^= fingerprint[cluster, 1]
                clock += 1
            continue
        depth -= 1
        if joint == joints:
            continue
        left[joint] = clock
        for place in range(shared.start[joint], shared.start[joint + 1]):
            around = outer[place]
            nearest[shared.item[place]] = around
            if around >= 0:
                events[0, found], events[1, found], events[2, found] = around, entered[joint], clock
                found += 1
                is_listed[around] |= is_listed[place]
                barred[around] += records[joint]
                marks[around, 0] ^= whole[joint, 0]
                marks[around, 1] ^= whole[joint, 1]
        if path[depth] < joints:
            records[path[depth]] += records[joint]
            whole[path[depth]] ^= whole[joint]
    return found


@compiled
def _find(start: Ints, items: Ints, owner: Ints, item: Ints, found: Flags) -> None:
    for asked in range(len(owner)):
        found[asked] = find_item(items, start[owner[asked]], start[owner[asked] + 1], item[asked]) >= 0


@compiled
def find_item(items: Ints, first: int, last: int, wanted: int) -> int:
    """Where an item stands between two places of a list that ascends there, or -1."""
    end = last
    while first < last:
        middle = (first + last) // 2
        if items[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first if first < end and items[first] == wanted else -1
