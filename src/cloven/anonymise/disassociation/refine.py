"""REFINE: join clusters that share leftovers (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).

Each pass orders the clusters by the contents of their (virtual) term chunks, the most widespread terms first, and tries
to join neighbours: (1, 2), (3, 4), ... in one pass, (2, 3), (4, 5), ... in the next. It stops after two passes without
a join.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.ordering import lexicographic_order
from cloven.anonymise.disassociation.refine_candidates import Clusters, Leaves, Occurrences, Rules
from cloven.anonymise.disassociation.refine_kernel import Nodes, refine_pass
from cloven.compiled import compiled
from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.disassociation.vertical import Vertical
    from cloven.compiled import Ints


class Refined(NamedTuple):
    """Result of refining.

    Attributes:
        joint: joint of each occurrence that moved to a shared chunk, -1 otherwise.
        chunk: chunk of each occurrence: of its joint, of its cluster, or -1 for the term chunk.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent of each joint, -1 for none.
    """

    joint: NDArray[np.int64]
    chunk: NDArray[np.int32]
    cluster_joint: NDArray[np.int64]
    joint_parent: NDArray[np.int64]


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


def _neighbours(nodes: Nodes, leaf_term: NDArray[np.int64], n_terms: int) -> NDArray[np.int64]:
    """Order of the nodes; those with nothing left to share come last."""
    offsets, terms, spread = _contents(nodes.leaf_at, nodes.leaf, leaf_term, n_terms)
    position = np.empty(n_terms, np.int64)
    position[np.argsort(-spread, kind="stable")] = np.arange(n_terms)
    order = lexicographic_order(offsets, _by_position(offsets, terms, position, spread))
    empty = np.diff(offsets)[order] == 0
    return np.concatenate((order[~empty], order[empty]))


def _leaves(
    occurrences: NDArray[np.int64], cluster: NDArray[np.int64], term: NDArray[np.int64], n_terms: int
) -> Leaves:
    """Group occurrences of term chunks by (cluster, term)."""
    keys = cluster * n_terms + term
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    start = (
        np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        if len(keys)
        else np.empty(0, np.int64)
    )
    first = keys[start]
    bounds = np.concatenate((start, [len(keys)])).astype(np.int64)
    return Leaves(first % n_terms, first // n_terms, bounds, occurrences[order])


def _shown(
    cluster: NDArray[np.int64], term: NDArray[np.int32], n_clusters: int, n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Terms of the record chunks of each cluster, sorted, as compressed rows."""
    keys = distinct(cluster * n_terms + term)
    at = np.searchsorted(keys, np.arange(n_clusters + 1, dtype=np.int64) * n_terms)
    return at.astype(np.int64), keys % n_terms


def cluster_marks(n_clusters: int) -> NDArray[np.int64]:
    """A well-mixed number for each cluster, so that sets of clusters can be told apart by exclusive or (splitmix64)."""
    mixed = np.arange(1, n_clusters + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


def refine(
    vertical: Vertical,
    record_of: NDArray[np.int64],
    cluster_of: NDArray[np.int64],
    term: NDArray[np.int32],
    group: NDArray[np.int64],
    barred: NDArray[np.bool_],
    person: NDArray[np.int64],
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
