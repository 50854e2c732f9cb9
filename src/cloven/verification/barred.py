"""Which clusters cannot have a row of a shared chunk, and whether that is the same for all its items.

A cluster cannot take an item from a shared chunk if it shows it in its record chunks, or if a joint between the two
shares it: all its occurrences are published there. In a chunk that uses such items, every row must be possible in the
same clusters; otherwise few places for some rows can pin down others, and k equal rows need not be k candidates.

Sets of clusters are compared by 128-bit fingerprints, joined by exclusive or along the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import among, distinct
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree


def check_same_clusters(
    release: Disassociated, layout: Layout, tree: JointTree, telling: NDArray[np.bool_]
) -> Fault:
    """All items of a telling chunk are barred from the same clusters below its joint."""
    words = len(release.vocabulary)
    pairs = np.flatnonzero(layout.chunk_kind[layout.pair_chunk] == Kind.SHARED)
    joint, item = layout.pairs_of(Kind.SHARED)
    chunk = layout.pair_chunk[pairs]
    several = np.bincount(chunk, minlength=layout.chunks) > 1
    asked = telling[chunk] & several[chunk]
    found = _barred_below(layout, tree, words, item[asked])
    keys = joint[asked] * words + item[asked]
    place = np.searchsorted(found[0], keys)
    known = np.zeros(len(keys), bool)
    known[place < len(found[0])] = found[0][place[place < len(found[0])]] == keys[place < len(found[0])]
    marks = np.zeros((len(keys), 2), np.int64)
    marks[known] = found[1][place[known]]
    order = np.argsort(chunk[asked], kind="stable")
    chunks, marks = chunk[asked][order], marks[order]
    first = np.searchsorted(chunks, chunks)
    differs = np.zeros(layout.chunks, bool)
    differs[chunks[(marks != marks[first]).any(axis=1)]] = True
    return spot(
        differs,
        lambda at: f"{layout.place(at)} mixes items that different clusters below its joint cannot have",
    )


def _barred_below(
    layout: Layout, tree: JointTree, words: int, wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys ``joint * words + item``, ascending, and the fingerprint of the clusters below that are barred."""
    marks = np.random.Generator(np.random.Philox(key=1)).integers(
        np.iinfo(np.int64).max, size=(len(tree.cluster_joint), 2)
    )
    whole = np.zeros((len(tree.parent), 2), np.int64)
    for cluster, above in tree.climb(tree.cluster_joint):
        np.bitwise_xor.at(whole, above, marks[cluster])
    interesting = np.zeros(words, bool)
    interesting[wanted] = True
    cluster, shown = layout.pairs_of(Kind.RECORD)
    use = interesting[shown] & (tree.cluster_joint[cluster] >= 0)
    # Each once: a faulty release may show an item twice, and exclusive or would take it back.
    cluster, shown = np.divmod(distinct(cluster[use] * words + shown[use]), max(1, words))
    keys = tree.cluster_joint[cluster] * words + shown
    joint, item = layout.pairs_of(Kind.SHARED)
    shared = distinct((joint * words + item)[interesting[item]])
    return _climb_levels(tree, words, keys, marks[cluster], shared, whole)


def _climb_levels(
    tree: JointTree,
    words: int,
    keys: NDArray[np.int64],
    marks: NDArray[np.int64],
    shared: NDArray[np.int64],
    whole: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Carry fingerprints from the innermost joints outwards; a joint that shares an item bars all its clusters."""
    depth = tree.depth()
    done_keys, done_marks = [], []
    for level in range(int(depth.max(initial=-1)), -1, -1):
        here = depth[keys // words] == level
        below_keys, below_marks = _joined(keys[here], marks[here])
        done_keys.append(below_keys)
        done_marks.append(below_marks)
        own = shared[depth[shared // words] == level]
        kept = ~among(below_keys, own)
        up_keys = np.concatenate((below_keys[kept], own))
        up_marks = np.concatenate((below_marks[kept], whole[own // words]))
        parent = tree.parent[up_keys // words]
        rise = parent >= 0
        keys = np.concatenate((keys[~here], parent[rise] * words + up_keys[rise] % words))
        marks = np.concatenate((marks[~here], up_marks[rise]))
    if not done_keys:
        return np.empty(0, np.int64), np.empty((0, 2), np.int64)
    every = np.concatenate(done_keys)
    order = np.argsort(every)
    return every[order], np.concatenate(done_marks)[order]


def _joined(keys: NDArray[np.int64], marks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One entry for each key, marks joined by exclusive or."""
    if not len(keys):
        return keys, marks
    order = np.argsort(keys, kind="stable")
    keys, marks = keys[order], marks[order]
    start = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[start], np.bitwise_xor.reduceat(marks, start, axis=0)
