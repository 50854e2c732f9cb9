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
from cloven.data.arrays import offsets_of, read_only, stable_order
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout


class Published(NamedTuple):
    """Which pairs (chunk, item) of the layout belong to whom: the first of each owner, and one past the last.

    Attributes:
        item: item of each pair.
        shown: pairs of the record chunks of each cluster.
        listed: pairs of its term chunk.
        shared: pairs of the shared chunks of each joint.
    """

    item: Longs
    shown: Longs
    listed: Longs
    shared: Longs


@dataclass(frozen=True)
class Sharing:
    """What is published below the items of shared chunks.

    What is known of an item of a joint stands at the first pair (chunk, item) of the layout that shares it there.

    Attributes:
        published: which pairs belong to whom.
        place: for each pair of the layout, where that is.
        clusters: clusters in the order of the walk; those in no joint come last.
        visited: when the walk visits each cluster, -1 if it is in no joint.
        entered: when it enters each joint.
        left: when it leaves each joint; what is visited between lies below.
        depth: number of joints around each joint, itself included.
        around: of each pair of a joint, the depth of the next joint outside that shares the item, 0 for none.
        records: records below each joint.
        is_told: whether some cluster below cannot have an item from here: it shows it, or a joint between shares it.
        barred: records of these clusters.
        marks: a fingerprint of them.
        is_listed: whether a term chunk of a cluster below lists the item.
    """

    published: Published
    place: Longs
    clusters: Longs
    visited: Longs
    entered: Longs
    left: Longs
    depth: Longs
    around: Longs
    records: Longs
    is_told: Flags
    barred: Longs
    marks: Longs
    is_listed: Flags


def find_sharing(release: Disassociated, layout: Layout, tree: JointTree) -> Sharing:
    """Walk over the tree of joints."""
    words, joints, pairs = len(release.vocabulary), len(tree.parent), len(layout.pair_item)

    def pairs_of(kind: Kind, outside: bool, owners: int) -> Longs:
        return layout.pair_start[layout.chunks_of(kind, outside, owners)]

    published = Published(
        read_only(layout.pair_item),
        pairs_of(Kind.RECORD, False, release.clusters),
        pairs_of(Kind.TERM, False, release.clusters),
        pairs_of(Kind.SHARED, True, joints),
    )
    place = np.arange(pairs)
    _join(published, words, place)
    inner, clusters = _below(tree.parent, joints), _below(tree.cluster_joint, joints)
    fingerprints = np.random.Generator(np.random.Philox(key=1)).integers(
        np.iinfo(np.int64).max, size=(release.clusters, 2)
    )
    visited = np.full(release.clusters, -1, np.int64)
    entered, left, depth, records = np.empty((4, joints), np.int64)
    is_told, is_listed = np.zeros((2, pairs), np.bool_)
    around, barred, marks = (
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros((pairs, 2), np.int64),
    )
    _walk(
        inner, clusters, published, place, words, np.asarray(release.cluster_size, np.int64), fingerprints,
        visited, entered, left, depth, around, records, is_told, is_listed, barred, marks,
    )  # fmt: skip
    order = np.lexsort((visited, visited < 0))
    return Sharing(
        published,
        place,
        order,
        visited,
        entered,
        left,
        depth,
        around,
        records,
        is_told,
        barred,
        marks,
        is_listed,
    )


@compiled
def _join(published: Published, words: int, place: Ints) -> None:
    """Where two chunks of a joint share an item, a fault of its own, the first stands for both."""
    owner, first = np.full(words, -1, np.int64), np.empty(words, np.int64)
    for joint in range(published.shared.shape[1]):
        for pair in range(published.shared[0, joint], published.shared[1, joint]):
            item = published.item[pair]
            if owner[item] == joint:
                place[pair] = first[item]
            else:
                owner[item], first[item] = joint, pair


def _below(parent: Longs, joints: int) -> tuple[Longs, Longs]:
    """What lies directly below each joint, and, last, below none: where it starts, and what it is."""
    above = np.where(parent < 0, joints, parent)
    return offsets_of(np.bincount(above, minlength=joints + 1)), stable_order(above)


@compiled
def _walk(
    inner: tuple[Ints, Ints], clusters: tuple[Ints, Ints], published: Published, place: Ints, words: int,
    size: Ints, fingerprint: Ints, visited: Ints, entered: Ints, left: Ints, deep: Ints, around: Ints,
    records: Ints, is_told: Flags, is_listed: Flags, barred: Ints, marks: Ints,
) -> None:  # fmt: skip
    """Enter joints from the outermost on, and leave each when all below it is done."""
    item, shown, listed, shared = published.item, published.shown, published.listed, published.shared
    joints = len(entered)
    nearest, outer = np.full(words, -1, np.int64), np.empty(len(item), np.int64)
    level, latest = np.zeros(words, np.int64), np.full(words, -1, np.int64)
    whole, path, child = np.zeros((joints, 2), np.int64), np.empty(joints + 1, np.int64), inner[0].copy()
    path[0], depth, clock = joints, 0, 0
    while depth >= 0:
        joint = path[depth]
        if child[joint] < inner[0][joint + 1]:
            below = inner[1][child[joint]]
            child[joint] += 1
            depth += 1
            path[depth], entered[below], deep[below], records[below] = below, clock, depth, 0
            for pair in range(shared[0, below], shared[1, below]):
                if place[pair] == pair:
                    outer[pair], around[pair] = nearest[item[pair]], level[item[pair]]
                    nearest[item[pair]], level[item[pair]] = pair, depth
                else:
                    around[pair] = around[place[pair]]
            for at in range(clusters[0][below], clusters[0][below + 1]):
                cluster = clusters[1][at]
                visited[cluster] = clock
                records[below] += size[cluster]
                whole[below] ^= fingerprint[cluster]
                for pair in range(listed[0, cluster], listed[1, cluster]):
                    if nearest[item[pair]] >= 0:
                        is_listed[nearest[item[pair]]] = True
                for pair in range(shown[0, cluster], shown[1, cluster]):
                    here = nearest[item[pair]]
                    # Each once: a faulty release may show an item twice, and exclusive or would take it back.
                    if here >= 0 and latest[item[pair]] != cluster:
                        latest[item[pair]] = cluster
                        is_told[here] = True
                        barred[here] += size[cluster]
                        marks[here, 0] ^= fingerprint[cluster, 0]
                        marks[here, 1] ^= fingerprint[cluster, 1]
                clock += 1
            continue
        depth -= 1
        if joint == joints:
            continue
        left[joint] = clock
        for pair in range(shared[0, joint], shared[1, joint]):
            if place[pair] != pair:
                continue
            here = outer[pair]
            nearest[item[pair]], level[item[pair]] = here, around[pair]
            if here >= 0:
                # Also where no cluster lies below: a faulty release may have such a joint.
                is_told[here] = True
                is_listed[here] |= is_listed[pair]
                barred[here] += records[joint]
                marks[here, 0] ^= whole[joint, 0]
                marks[here, 1] ^= whole[joint, 1]
        if path[depth] < joints:
            records[path[depth]] += records[joint]
            whole[path[depth]] ^= whole[joint]
