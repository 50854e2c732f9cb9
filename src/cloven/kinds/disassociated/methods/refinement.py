"""REFINE: join clusters that share leftovers (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).

Each pass orders the clusters by the contents of their (virtual) term chunks, the most widespread terms first, and tries
to join neighbours: (1, 2), (3, 4), ... in one pass, (2, 3), (4, 5), ... in the next. It stops after two passes without
a join.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.data.arrays import distinct, lexicographic_order, run_starts
from cloven.kinds.disassociated.methods.joins import (
    Candidate,
    Clusters,
    Leaves,
    Occurrences,
    Rules,
    candidate,
    keep_lemma,
    shared_chunks,
    worth_joining,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.methods.vertical import Vertical


class Refined(NamedTuple):
    """Result of refining.

    Attributes:
        joint: joint of each occurrence that moved to a shared chunk, -1 otherwise.
        chunk: chunk of each occurrence: of its joint, of its cluster, or -1 for the term chunk.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent of each joint, -1 for none.
    """

    joint: Longs
    chunk: NDArray[np.int32]
    cluster_joint: Longs
    joint_parent: Longs


@compiled
def _contents(leaf_at: Ints, node_leaves: Ints, leaf_term: Ints, n_terms: int) -> tuple[Ints, Ints, Ints]:
    """Distinct terms of each node and in how many nodes each term stands."""
    offsets, terms = np.zeros(len(leaf_at), np.int64), np.empty(len(node_leaves), np.int64)
    spread, at = np.zeros(n_terms, np.int64), 0
    for node in range(len(leaf_at) - 1):
        for i in range(leaf_at[node], leaf_at[node + 1]):
            term = leaf_term[node_leaves[i]]
            if i == leaf_at[node] or term != leaf_term[node_leaves[i - 1]]:
                terms[at] = term
                spread[term] += 1
                at += 1
        offsets[node + 1] = at
    return offsets, terms[:at], spread


@compiled
def _by_position(offsets: Ints, terms: Ints, position: Ints, spread: Ints) -> Ints:
    """Terms of each node as positions, ascending: all nodes are listed under each position, then dealt out in order."""
    starts = np.zeros(len(position) + 1, np.int64)
    for term in range(len(position)):
        starts[position[term] + 1] = spread[term]
    for place in range(len(position)):
        starts[place + 1] += starts[place]
    fill, nodes = starts[:-1].copy(), np.empty(len(terms), np.int64)
    for node in range(len(offsets) - 1):
        for i in range(offsets[node], offsets[node + 1]):
            nodes[fill[position[terms[i]]]] = node
            fill[position[terms[i]]] += 1
    at, values = offsets[:-1].copy(), np.empty(len(terms), np.int32)
    for place in range(len(position)):
        for i in range(starts[place], starts[place + 1]):
            values[at[nodes[i]]] = place
            at[nodes[i]] += 1
    return values


def _neighbours(nodes: Nodes, leaf_term: Longs, n_terms: int) -> Longs:
    """Order of the nodes; those with nothing left to share come last."""
    offsets, terms, spread = _contents(nodes.leaf_at, nodes.leaf, leaf_term, n_terms)
    position = np.empty(n_terms, np.int64)
    position[np.argsort(-spread, kind="stable")] = np.arange(n_terms)
    order = lexicographic_order(offsets, _by_position(offsets, terms, position, spread))
    empty = np.diff(offsets)[order] == 0
    return np.concatenate((order[~empty], order[empty]))


def _leaves(occurrences: Longs, cluster: Longs, term: Longs, n_terms: int) -> Leaves:
    """Group occurrences of term chunks by (cluster, term)."""
    keys = cluster * n_terms + term
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    start = run_starts(keys)
    first = keys[start]
    return Leaves(first % n_terms, first // n_terms, np.append(start, len(keys)), occurrences[order])


def _shown(cluster: Longs, term: NDArray[np.int32], n_clusters: int, n_terms: int) -> tuple[Longs, Longs]:
    """Terms of the record chunks of each cluster, sorted, as compressed rows."""
    keys = distinct(cluster * n_terms + term)
    at = np.searchsorted(keys, np.arange(n_clusters + 1, dtype=np.int64) * n_terms)
    return at.astype(np.int64), keys % n_terms


def cluster_marks(n_clusters: int) -> Longs:
    """A well-mixed number for each cluster, so that sets of clusters can be told apart by exclusive or (splitmix64)."""
    mixed = np.arange(1, n_clusters + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


def refine(
    vertical: Vertical,
    record_of: Longs,
    cluster_of: Longs,
    term: NDArray[np.int32],
    group: Longs,
    barred: Flags,
    person: Longs,
    *,
    k: int,
    m: int,
    strict: bool,
    listed_too: bool = False,
    lemma: bool = True,
) -> Refined:
    """Join clusters to the fixpoint.

    Args:
        vertical: result of the vertical step.
        record_of: record of each occurrence.
        cluster_of: cluster of each record, -1 when it is left out.
        term: term number of each occurrence, in tie order.
        group: utility group of each term.
        barred: terms that must stay in term chunks.
        person: person of each record, or empty.
        k: least support.
        m: size of the combinations that must hold.
        strict: combinations that do not occur fail too.
        listed_too: Equation 1 over all terms that both nodes list, not only over those that move.
        lemma: no record may be empty, so every member has to keep the lemma.
    """
    n_terms, n_clusters = len(group), len(vertical.chunks)
    rules = Rules(k, m, strict, listed_too, lemma, group)
    cluster = cluster_of[record_of]
    in_term_chunk = (vertical.chunk == -1) & (cluster >= 0)
    movable = np.flatnonzero(in_term_chunk & ~barred[term])
    leaves = _leaves(movable, cluster[movable], term[movable].astype(np.int64), n_terms)
    every = distinct(cluster[in_term_chunk] * n_terms + term[in_term_chunk])
    terms_left = np.bincount(every // n_terms, minlength=n_clusters).astype(np.int64)
    in_record_chunk = vertical.chunk >= 0
    shown_at, shown = _shown(cluster[in_record_chunk], term[in_record_chunk], n_clusters, n_terms)
    sizes = np.bincount(cluster_of[cluster_of >= 0], minlength=n_clusters).astype(np.int64)

    data = Occurrences(record_of, np.full(len(term), -1, np.int64), vertical.chunk.copy(), person)
    clusters = Clusters(
        size=sizes,
        subrecords=vertical.subrecords,
        chunks=vertical.chunks,
        terms_left=terms_left,
        leaving=np.zeros(n_clusters, np.int64),
        stamp=np.zeros(n_clusters, np.int64),
        stamp_now=np.zeros(1, np.int64),
    )
    leaf_at = np.searchsorted(leaves.cluster, np.arange(n_clusters + 1)).astype(np.int64)
    marks = cluster_marks(n_clusters)
    nodes = Nodes(
        np.arange(n_clusters),
        sizes,
        leaf_at,
        np.arange(len(leaves.term)),
        shown_at,
        shown,
        np.repeat(marks, np.diff(shown_at)),
        marks,
    )
    parent = np.full(2 * n_clusters, -1, np.int64)
    joints, idle, shift = 0, 0, 0
    while idle < 2 and len(nodes.number) > 1:
        order = _neighbours(nodes, leaves.term, n_terms)
        before = joints
        nodes, joints = refine_pass(order, shift, nodes, joints, parent, leaves, clusters, data, rules)
        idle = 0 if joints > before else idle + 1
        shift = 1 - shift
    return Refined(data.joint, data.chunk, parent[:n_clusters], parent[n_clusters : n_clusters + joints])


# One pass of REFINE over neighbouring clusters (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).
#
# A node (simple or joint cluster) is the list of its leaves sorted by (term, cluster): its virtual term chunk.


class Nodes(NamedTuple):
    """Nodes of one pass: number (clusters first, joints behind them), records, leaves, and terms shown already.

    A cluster cannot take a term from a new shared chunk if it shows it in a record chunk, or if an inner joint of it
    shares it. ``bars`` is a fingerprint of the clusters barred so for each shown term; ``whole`` is that of all
    clusters of a node. Fingerprints of disjoint sets are joined by exclusive or.
    """

    number: Ints
    size: Ints
    leaf_at: Ints
    leaf: Ints
    shown_at: Ints
    shown: Ints
    bars: Ints
    whole: Ints


@compiled
def _contains(array: Ints, value: int) -> bool:
    at = np.searchsorted(array, value)
    return bool(at < len(array) and array[at] == value)


@compiled
def _rows(found: Candidate, order: Ints, leaves: Leaves, data: Occurrences) -> tuple[Ints, Ints, Ints]:
    """Records behind the refining terms as rows over terms 0, 1, ... in ``order``, sorted by person."""
    total = 0
    for t in order:
        for i in range(found.run[t], found.run[t + 1]):
            total += leaves.start[found.leaf[i] + 1] - leaves.start[found.leaf[i]]
    record, term, at = np.empty(total, np.int64), np.empty(total, np.int64), 0
    for number in range(len(order)):
        for i in range(found.run[order[number]], found.run[order[number] + 1]):
            for e in range(leaves.start[found.leaf[i]], leaves.start[found.leaf[i] + 1]):
                record[at], term[at] = data.record[leaves.occurrence[e]], number
                at += 1
    named = len(data.person) > 0
    sorted_by = np.argsort(record, kind="mergesort")
    if named:
        sorted_by = sorted_by[np.argsort(data.person[record[sorted_by]], kind="mergesort")]
    start, who = np.empty(total + 1, np.int64), np.empty(total, np.int64)
    n = 0
    for i in range(total):
        if i == 0 or record[sorted_by[i]] != record[sorted_by[i - 1]]:
            start[n] = i
            who[n] = data.person[record[sorted_by[i]]] if named else n
            n += 1
    start[n] = total
    return start[: n + 1], term[sorted_by], who[:n]


@compiled
def _growth_order(found: Candidate, leaves: Leaves, group: Ints) -> Ints:
    """Taken terms by (utility group, holders descending, tie order)."""
    picked = np.flatnonzero(found.taken)
    keys = np.empty(len(picked), np.int64)
    for i in range(len(picked)):
        term = leaves.term[found.leaf[found.run[picked[i]]]]
        keys[i] = (np.int64(group[term]) << 32) - found.holders[picked[i]]
    return picked[np.argsort(keys, kind="mergesort")]


@compiled
def _bars(nodes: Nodes, node: int, term: int) -> int:
    """Fingerprint of the clusters of a node that are barred for a term; 0 for none."""
    first, last = nodes.shown_at[node], nodes.shown_at[node + 1]
    at = first + np.searchsorted(nodes.shown[first:last], term)
    if at < last and nodes.shown[at] == term:
        return int(nodes.bars[at])
    return 0


@compiled
def _move(
    found: Candidate, nodes: Nodes, a: int, b: int, joint: int,
    leaves: Leaves, clusters: Clusters, data: Occurrences, rules: Rules,
) -> Ints:  # fmt: skip
    """Build the shared chunks of a join and write joint and chunk of the occurrences; returns the terms, sorted."""
    order = _growth_order(found, leaves, rules.group)
    row_start, row_term, who = _rows(found, order, leaves, data)
    groups, barred = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    moved = np.empty(len(order), np.int64)
    for i in range(len(order)):
        term = leaves.term[found.leaf[found.run[order[i]]]]
        moved[i], groups[i] = term, rules.group[term]
        barred[i] = _bars(nodes, a, term) ^ _bars(nodes, b, term)
    named = len(data.person) > 0
    chunk_of = shared_chunks(row_start, row_term, groups, barred, rules.k, rules.m, rules.strict, who, named)
    for number in range(len(order)):
        for i in range(found.run[order[number]], found.run[order[number] + 1]):
            leaf = found.leaf[i]
            clusters.terms_left[leaves.cluster[leaf]] -= 1
            for e in range(leaves.start[leaf], leaves.start[leaf + 1]):
                data.joint[leaves.occurrence[e]] = joint
                data.chunk[leaves.occurrence[e]] = chunk_of[number]
    return np.sort(moved)


@compiled
def try_join(
    nodes: Nodes,
    a: int,
    b: int,
    joint: int,
    leaves: Leaves,
    clusters: Clusters,
    data: Occurrences,
    rules: Rules,
) -> Ints:
    """Join two nodes if it pays; returns the terms that moved (sorted), none when the nodes stay apart."""
    nothing = np.empty(0, np.int64)
    one = nodes.leaf[nodes.leaf_at[a] : nodes.leaf_at[a + 1]]
    two = nodes.leaf[nodes.leaf_at[b] : nodes.leaf_at[b + 1]]
    found = candidate(one, two, leaves, data, rules.k)
    size = nodes.size[a] + nodes.size[b]
    if not worth_joining(found, leaves, clusters, size, rules.listed_too):
        return nothing
    if rules.lemma:
        keep_lemma(found, leaves, clusters, rules.k, rules.m)
    if not worth_joining(found, leaves, clusters, size, rules.listed_too):
        return nothing
    return _move(found, nodes, a, b, joint, leaves, clusters, data, rules)


@compiled
def _merged_leaves(one: Ints, two: Ints, moved: Ints, leaves: Leaves, out: Ints, at: int) -> int:
    """Leaves of the joined node: both lists merged by (term, cluster), without the terms that moved; new end."""
    i, j = 0, 0
    while i < len(one) or j < len(two):
        first = j == len(two)
        if i < len(one) and j < len(two):
            a, b = one[i], two[j]
            first = leaves.term[a] < leaves.term[b] or (
                leaves.term[a] == leaves.term[b] and leaves.cluster[a] < leaves.cluster[b]
            )
        if first:
            leaf, i = one[i], i + 1
        else:
            leaf, j = two[j], j + 1
        if not _contains(moved, leaves.term[leaf]):
            out[at] = leaf
            at += 1
    return at


@compiled
def _merged_shown(nodes: Nodes, a: int, b: int, moved: Ints, shown: Ints, bars: Ints, at: int) -> int:
    """Terms that the joined node shows, with the clusters barred for each; all are for a term that moved. New end."""
    i, j, n = nodes.shown_at[a], nodes.shown_at[b], 0
    whole = nodes.whole[a] ^ nodes.whole[b]
    while i < nodes.shown_at[a + 1] or j < nodes.shown_at[b + 1] or n < len(moved):
        term, bar = 1 << 62, 0
        if i < nodes.shown_at[a + 1]:
            term = min(term, nodes.shown[i])
        if j < nodes.shown_at[b + 1]:
            term = min(term, nodes.shown[j])
        if n < len(moved):
            term = min(term, moved[n])
        if i < nodes.shown_at[a + 1] and nodes.shown[i] == term:
            bar ^= nodes.bars[i]
            i += 1
        if j < nodes.shown_at[b + 1] and nodes.shown[j] == term:
            bar ^= nodes.bars[j]
            j += 1
        if n < len(moved) and moved[n] == term:
            bar = whole
            n += 1
        shown[at], bars[at] = term, bar
        at += 1
    return at


@compiled
def _copied(source: Ints, first: int, last: int, out: Ints, at: int) -> int:
    for i in range(first, last):
        out[at] = source[i]
        at += 1
    return at


@compiled
def refine_pass(
    order: Ints, shift: int, nodes: Nodes, joints: int, parent: Ints,
    leaves: Leaves, clusters: Clusters, data: Occurrences, rules: Rules,
) -> tuple[Nodes, int]:  # fmt: skip
    """Try all neighbours of ``order`` once; returns the nodes that are left and the new number of joints.

    ``parent`` gets, for each node that was joined, its joint.
    """
    n, made, at = len(nodes.number), 0, 0
    number, size = np.empty(n, np.int64), np.empty(n, np.int64)
    leaf_at, shown_at = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    leaf = np.empty(len(nodes.leaf), np.int64)
    # A joined node also shows the terms that moved: never more than the leaves that left.
    shown = np.empty(len(nodes.shown) + len(nodes.leaf), np.int64)
    bars, whole = np.empty(len(shown), np.int64), np.empty(n, np.int64)
    while at < n:
        a = order[at]
        paired = at >= shift and at + 1 < n
        b = order[at + 1] if paired else a
        moved = try_join(nodes, a, b, joints, leaves, clusters, data, rules) if paired else order[:0]
        if len(moved) > 0:
            parent[nodes.number[a]], parent[nodes.number[b]] = joints, joints
            number[made], size[made] = len(clusters.size) + joints, nodes.size[a] + nodes.size[b]
            joints += 1
            one = nodes.leaf[nodes.leaf_at[a] : nodes.leaf_at[a + 1]]
            two = nodes.leaf[nodes.leaf_at[b] : nodes.leaf_at[b + 1]]
            leaf_at[made + 1] = _merged_leaves(one, two, moved, leaves, leaf, leaf_at[made])
            shown_at[made + 1] = _merged_shown(nodes, a, b, moved, shown, bars, shown_at[made])
            whole[made] = nodes.whole[a] ^ nodes.whole[b]
            made += 1
        else:
            for step in range(2 if paired else 1):
                a = order[at + step]
                number[made], size[made] = nodes.number[a], nodes.size[a]
                leaf_at[made + 1] = _copied(
                    nodes.leaf, nodes.leaf_at[a], nodes.leaf_at[a + 1], leaf, leaf_at[made]
                )
                first, last = nodes.shown_at[a], nodes.shown_at[a + 1]
                _copied(nodes.bars, first, last, bars, shown_at[made])
                shown_at[made + 1] = _copied(nodes.shown, first, last, shown, shown_at[made])
                whole[made] = nodes.whole[a]
                made += 1
        at += 2 if paired else 1
    left = Nodes(
        number[:made], size[:made], leaf_at[: made + 1], leaf[: leaf_at[made]],
        shown_at[: made + 1], shown[: shown_at[made]], bars[: shown_at[made]], whole[:made],
    )  # fmt: skip
    return left, joints
