"""The root: what is left over is published once for the whole release, or withheld.

Term chunks name the rare items of just the records of one cluster, so whoever knows one such item finds the cluster
and reads off what all its records hold. After the three steps of the papers everything that is still in a term chunk
leaves its cluster. Items with k or more holders left go to shared chunks of the *root*, a joint above all clusters,
built by the rules of every shared chunk (``joins``); a chunk of one item is always allowed, so most are that.
What fewer than k hold is withheld, or named in one list for the whole release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.data.arrays import among, distinct, run_starts
from cloven.kinds.disassociated.methods.assembly import Labels
from cloven.kinds.disassociated.methods.growth import columns, projected
from cloven.kinds.disassociated.methods.joint_chunks import grow_k_anonymous
from cloven.kinds.disassociated.methods.refinement import cluster_marks
from cloven.kinds.disassociated.methods.repair import WITHHELD
from cloven.kinds.disassociated.methods.vertical import grow, lemma_holds
from cloven.kinds.disassociated.release import climb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.release import RareItems


class Promise(NamedTuple):
    """What shared chunks must keep: k, m, and whether combinations that do not occur count too."""

    k: int
    m: int
    strict: bool


class Occurrences(NamedTuple):
    """Every occurrence of the data: its record, cluster (-1 where the record is left out) and term; persons or none."""

    record: Longs
    cluster: Longs
    term: NDArray[np.int32]
    person: Longs


def rooted(
    labels: Labels,
    offsets: Longs,
    term: NDArray[np.int32],
    person: Longs,
    group: Longs,
    alone: Flags,
    promise: Promise,
    rare_items: RareItems,
    *,
    several: bool,
) -> Labels:
    """Labels without term chunks: leftovers stand at the root, or nowhere.

    Args:
        labels: where the three steps put every occurrence.
        offsets: row starts of the records.
        term: term number of each occurrence, in tie order.
        person: person of each record, or empty.
        group: utility group of each term; chunks never cross them.
        alone: terms that share no chunk with others (sensitive ones).
        promise: what chunks must keep.
        rare_items: ``withhold`` or ``list`` what fewer than k hold.
        several: build chunks of several items where the rules allow it.
    """
    chunk_of = np.full(len(group), -1, np.int32)
    left = np.flatnonzero((labels.chunk == -1) & np.repeat(labels.cluster_of >= 0, np.diff(offsets)))
    if rare_items == "withhold" and not several and not len(person):
        held = np.bincount(term[left], minlength=len(group))
        taken = held >= promise.k
        ranked = growth_order(np.flatnonzero(taken), group, held)
        chunk_of[ranked] = np.arange(len(ranked))
    else:
        record = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        data = Occurrences(record, labels.cluster_of[record], term, person)
        held = _holders(data, left, len(group))
        taken = held >= promise.k
        if rare_items == "list":
            _demote(labels, data, left, held, taken, promise)
        ranked = growth_order(np.flatnonzero(taken), group, held)
        chunk_of[ranked] = np.arange(len(ranked))
        if several:
            bars = _bars(labels, data, taken)
            moving = left[taken[term[left]]]
            chunk_of[ranked] = _chunks(data, moving, ranked, group, alone, bars, promise)
    joint, chunk = labels.joint.copy(), labels.chunk.copy()
    root = len(labels.joint_parent)
    listed, goes = rare_items == "list", chunk_of[term[left]]
    chunk[left] = np.where(goes >= 0, goes, -1 if listed else WITHHELD)
    joint[left if listed else left[goes >= 0]] = root
    cluster_joint = np.where(labels.cluster_joint < 0, root, labels.cluster_joint)
    parent = np.append(np.where(labels.joint_parent < 0, root, labels.joint_parent), -1)
    return Labels(labels.cluster_of, joint, chunk, cluster_joint, parent, root)


def _holders(data: Occurrences, left: Longs, n_terms: int) -> Longs:
    """Holders of each term among the leftovers: records, or distinct persons where they are told."""
    term = data.term[left].astype(np.int64)
    if len(data.person):
        term = distinct(data.person[data.record[left]] * n_terms + term) % n_terms
    return np.bincount(term, minlength=n_terms).astype(np.int64)


def growth_order(terms: Longs, group: Longs, held: Longs) -> Longs:
    """Terms by utility group, holders descending, tie order."""
    return terms[np.lexsort((terms, -held[terms], group[terms]))]


def _demote(
    labels: Labels, data: Occurrences, left: Longs, held: Longs, taken: Flags, promise: Promise
) -> None:
    """Name items in the list, though k hold them, until each cluster keeps the lemma or has a listed item for holes.

    Readers know that nothing is withheld, so no record is empty. Where sub-records alone cannot fill a cluster, an item
    that it leaves over must be able to, which only one without a count is.
    """
    n_clusters = len(labels.cluster_joint)
    inside = np.flatnonzero((labels.joint < 0) & (labels.chunk >= 0) & (data.cluster >= 0))
    width = int(labels.chunk.max(initial=0)) + 1
    parts = distinct(data.record[inside] * width + labels.chunk[inside])
    subrecords = np.bincount(labels.cluster_of[parts // width], minlength=n_clusters)
    chunks = np.zeros(n_clusters, np.int64)
    np.maximum.at(chunks, data.cluster[inside], labels.chunk[inside] + 1)
    sizes = np.bincount(labels.cluster_of[labels.cluster_of >= 0], minlength=n_clusters)
    pairs = distinct(data.cluster[left] * len(held) + data.term[left])
    starts = np.searchsorted(pairs, np.arange(n_clusters + 1) * len(held))
    for cluster in range(n_clusters):
        mine = pairs[starts[cluster] : starts[cluster + 1]] % len(held)
        holds = lemma_holds(sizes[cluster], subrecords[cluster], chunks[cluster], promise.k, promise.m)
        if not holds and len(mine) and taken[mine].all():
            taken[mine[np.argmin(held[mine])]] = False


def _bars(labels: Labels, data: Occurrences, wanted: Flags) -> Longs:
    """Fingerprint of the clusters that cannot have a term from the root: they, or a joint above them, tell it."""
    n_terms = len(wanted)
    use = np.flatnonzero(wanted[data.term] & (labels.chunk >= 0) & (data.cluster >= 0))
    shown = use[labels.joint[use] < 0]
    shared = use[labels.joint[use] >= 0]
    clusters = distinct(data.cluster[shown] * n_terms + data.term[shown])
    joints = distinct(labels.joint[shared].astype(np.int64) * n_terms + data.term[shared])
    marks = cluster_marks(len(labels.cluster_joint))
    whole = np.zeros(len(labels.joint_parent), np.int64)
    for cluster, joint in climb(labels.cluster_joint, labels.joint_parent):
        np.bitwise_xor.at(whole, joint, marks[cluster])
    out = np.zeros(n_terms, np.int64)
    for keys, mark, above in (
        (clusters, marks, labels.cluster_joint),
        (joints, whole, labels.joint_parent),
    ):
        owner, term = np.divmod(keys, n_terms)
        inner = np.zeros(len(keys), bool)  # a joint above it shares the same term, and counts for all below
        for index, joint in climb(above[owner], labels.joint_parent):
            inner[index] |= among(joint * n_terms + term[index], joints)
        np.bitwise_xor.at(out, term[~inner], mark[owner[~inner]])
    return out


def _chunks(
    data: Occurrences, left: Longs, ranked: Longs, group: Longs, alone: Flags, bars: Longs, promise: Promise
) -> NDArray[np.int32]:
    """Chunk of each term in ``ranked``, numbered by the first term of each chunk."""
    number = np.full(len(group), -1, np.int64)
    number[ranked] = np.arange(len(ranked))
    keys = (data.person[data.record[left]],) if len(data.person) else ()
    order = np.lexsort((data.record[left], *keys))
    record, row_term = data.record[left][order], number[data.term[left][order]]
    start = run_starts(record)
    row_start = np.append(start, len(record))
    named = len(data.person) > 0
    who = data.person[record[start]] if named else np.arange(len(start))
    label = np.full(len(ranked), -1, np.int64)
    used = 0
    for picked, barred in _alike(ranked, group, alone, bars):
        found = np.zeros(1, np.int64)
        if len(picked) > 1:
            place = np.full(len(ranked), -1, np.int64)
            place[picked] = np.arange(len(picked))
            starts, terms = projected(row_start, row_term, place)
            same = np.zeros(len(picked), np.int64)
            if barred:
                found = grow_k_anonymous(*columns(starts, terms, len(picked)), same, promise.k, who, named)
            else:
                found = grow(starts, terms, len(picked), same, *promise, who, named)
        label[picked] = used + found
        used += int(found.max()) + 1
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _alike(ranked: Longs, group: Longs, alone: Flags, bars: Longs) -> Iterator[tuple[Longs, bool]]:
    """Places in ``ranked`` of terms that may share chunks: same utility group, same clusters barred; and if any are."""
    single = np.where(alone[ranked], ranked, -1)
    keys = np.stack((group[ranked], bars[ranked], single))
    _, inverse = np.unique(keys, axis=1, return_inverse=True)
    order = np.argsort(inverse.ravel(), kind="stable")
    edges = np.flatnonzero(np.diff(inverse.ravel()[order])) + 1
    for picked in np.split(order, edges):
        if len(picked):
            yield picked.astype(np.int64), bool(bars[ranked[picked[0]]] != 0)
