"""One pass of REFINE over neighbouring clusters (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).

A *leaf* is a term in the term chunk of one simple cluster, with the occurrences behind it. A node (simple or joint
cluster) is the list of its leaves sorted by (term, cluster): that list is its virtual term chunk. Every refining term
with support k reaches a shared chunk, alone if need be, so Equation 1 is settled from the leaves before any chunk is
built.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cloven.anonymise.disassociation.shared_chunks import shared_chunks
from cloven.anonymise.disassociation.vertical import lemma_holds


@njit(cache=True, nogil=True)
def _contains(array, value):
    at = np.searchsorted(array, value)
    return at < len(array) and array[at] == value


@njit(cache=True, nogil=True)
def refining_leaves(one, two, leaf_term):
    """Leaves of both nodes whose term stands in both, sorted by term."""
    out = np.empty(len(one) + len(two), np.int64)
    n, i, j = 0, 0, 0
    while i < len(one) and j < len(two):
        a, b = leaf_term[one[i]], leaf_term[two[j]]
        if a < b:
            i += 1
        elif b < a:
            j += 1
        else:
            while i < len(one) and leaf_term[one[i]] == a:
                out[n] = one[i]
                n, i = n + 1, i + 1
            while j < len(two) and leaf_term[two[j]] == a:
                out[n] = two[j]
                n, j = n + 1, j + 1
    return out[:n]


@njit(cache=True, nogil=True)
def _term_runs(leaves, leaf_term):
    """Where each term starts in a list of leaves."""
    start = np.empty(len(leaves) + 1, np.int64)
    n = 0
    for i in range(len(leaves)):
        if i == 0 or leaf_term[leaves[i]] != leaf_term[leaves[i - 1]]:
            start[n] = i
            n += 1
    start[n] = len(leaves)
    return start[: n + 1]


@njit(cache=True, nogil=True)
def _holders(leaves, leaf_start, leaf_occurrence, record_of, person):
    """Holders of one term: its occurrences, or their distinct persons."""
    total = 0
    for leaf in leaves:
        total += leaf_start[leaf + 1] - leaf_start[leaf]
    if len(person) == 0:
        return total
    people, at = np.empty(total, np.int64), 0
    for leaf in leaves:
        for e in range(leaf_start[leaf], leaf_start[leaf + 1]):
            people[at] = person[record_of[leaf_occurrence[e]]]
            at += 1
    return len(np.unique(people))


@njit(cache=True, nogil=True)
def worth_joining(
    leaves, runs, taken, out, listed_too, supports, leaf_cluster, cluster_size, joint_size, stamp, stamp_now
):
    """Equation 1: the chance of attaching a refining term to a record must not fall.

    Taken over the terms that move; with ``listed_too`` over every term that both nodes list, so that a term which
    stays behind counts against the join.
    """
    gained, listed, spread = 0, 0, 0
    for t in range(len(runs) - 1):
        if out[t] or not (taken[t] or listed_too):
            continue
        gained += supports[t] if taken[t] else 0
        listed += runs[t + 1] - runs[t]
        for i in range(runs[t], runs[t + 1]):
            c = leaf_cluster[leaves[i]]
            if stamp[c] != stamp_now:
                stamp[c] = stamp_now
                spread += cluster_size[c]
    return gained > 0 and gained * spread >= listed * joint_size


@njit(cache=True, nogil=True)
def _keep_lemma(
    leaves,
    runs,
    taken,
    out,
    supports,
    leaf_cluster,
    leaves_left,
    leaving,
    cluster_size,
    subrecords,
    chunks,
    k,
    m,
):
    """Take refining terms out until every member that loses its whole term chunk keeps the lemma.

    ``leaving`` counts leaves that go, for each cluster; it is all zero before and after.
    """
    for t in range(len(runs) - 1):
        if taken[t]:
            for i in range(runs[t], runs[t + 1]):
                leaving[leaf_cluster[leaves[i]]] += 1
    for position in range(len(leaves)):
        c = leaf_cluster[leaves[position]]
        if leaving[c] == 0 or leaving[c] < leaves_left[c]:
            continue
        if lemma_holds(cluster_size[c], subrecords[c], chunks[c], k, m):
            continue
        worst = -1
        for t in range(len(runs) - 1):
            if taken[t] and (worst < 0 or supports[t] <= supports[worst]):
                for i in range(runs[t], runs[t + 1]):
                    if leaf_cluster[leaves[i]] == c:
                        worst = t
                        break
        taken[worst], out[worst] = False, True
        for i in range(runs[worst], runs[worst + 1]):
            leaving[leaf_cluster[leaves[i]]] -= 1
    for leaf in leaves:
        leaving[leaf_cluster[leaf]] = 0


@njit(cache=True, nogil=True)
def _rows(leaves, runs, order, leaf_start, leaf_occurrence, record_of, person):
    """Records behind the refining terms as rows over terms 0, 1, ... in ``order``, sorted by person."""
    total = 0
    for t in order:
        for i in range(runs[t], runs[t + 1]):
            total += leaf_start[leaves[i] + 1] - leaf_start[leaves[i]]
    record, term, at = np.empty(total, np.int64), np.empty(total, np.int64), 0
    for number in range(len(order)):
        for i in range(runs[order[number]], runs[order[number] + 1]):
            for e in range(leaf_start[leaves[i]], leaf_start[leaves[i] + 1]):
                record[at], term[at] = record_of[leaf_occurrence[e]], number
                at += 1
    sorted_by = np.argsort(record, kind="mergesort")
    if len(person) > 0:
        sorted_by = sorted_by[np.argsort(person[record[sorted_by]], kind="mergesort")]
    start, who = np.empty(total + 1, np.int64), np.empty(total, np.int64)
    n = 0
    for i in range(total):
        if i == 0 or record[sorted_by[i]] != record[sorted_by[i - 1]]:
            start[n] = i
            who[n] = person[record[sorted_by[i]]] if len(person) > 0 else n
            n += 1
    start[n] = total
    return start[: n + 1], term[sorted_by], who[:n]


@njit(cache=True, nogil=True)
def _growth_order(leaves, runs, taken, supports, group, leaf_term):
    """Taken terms by (utility group, support descending, tie order)."""
    picked, n = np.empty(len(taken), np.int64), 0
    for t in range(len(taken)):
        if taken[t]:
            picked[n] = t
            n += 1
    keys = np.empty(n, np.int64)
    for i in range(n):
        keys[i] = (np.int64(group[leaf_term[leaves[runs[picked[i]]]]]) << 32) - supports[picked[i]]
    return picked[:n][np.argsort(keys, kind="mergesort")]


@njit(cache=True, nogil=True)
def try_join(
    one, two, shown_one, shown_two, joint, joint_size,
    leaf_term, leaf_cluster, leaf_start, leaf_occurrence, leaves_left, leaving,
    record_of, person, cluster_size, subrecords, chunks, group,
    k, m, strict, listed_too, occurrence_joint, occurrence_chunk, stamp, stamp_now,
):  # fmt: skip
    """Join two nodes if it pays; write joint and chunk of the occurrences that move.

    Returns the terms that moved (sorted), or none when the nodes stay apart.
    """
    nothing = np.empty(0, np.int64)
    leaves = refining_leaves(one, two, leaf_term)
    if len(leaves) == 0:
        return nothing
    runs = _term_runs(leaves, leaf_term)
    n = len(runs) - 1
    supports, taken, out = np.empty(n, np.int64), np.empty(n, np.bool_), np.zeros(n, np.bool_)
    for t in range(n):
        mine = leaves[runs[t] : runs[t + 1]]
        supports[t] = _holders(mine, leaf_start, leaf_occurrence, record_of, person)
        taken[t] = supports[t] >= k
    if not worth_joining(
        leaves,
        runs,
        taken,
        out,
        listed_too,
        supports,
        leaf_cluster,
        cluster_size,
        joint_size,
        stamp,
        stamp_now[0],
    ):
        stamp_now[0] += 1
        return nothing
    stamp_now[0] += 1
    _keep_lemma(
        leaves,
        runs,
        taken,
        out,
        supports,
        leaf_cluster,
        leaves_left,
        leaving,
        cluster_size,
        subrecords,
        chunks,
        k,
        m,
    )
    fine = worth_joining(
        leaves,
        runs,
        taken,
        out,
        listed_too,
        supports,
        leaf_cluster,
        cluster_size,
        joint_size,
        stamp,
        stamp_now[0],
    )
    stamp_now[0] += 1
    if not fine:
        return nothing
    order = _growth_order(leaves, runs, taken, supports, group, leaf_term)
    row_start, row_term, who = _rows(leaves, runs, order, leaf_start, leaf_occurrence, record_of, person)
    groups, shown = np.empty(len(order), np.int64), np.empty(len(order), np.bool_)
    moved = np.empty(len(order), np.int64)
    for i in range(len(order)):
        term = leaf_term[leaves[runs[order[i]]]]
        moved[i], groups[i] = term, group[term]
        shown[i] = _contains(shown_one, term) or _contains(shown_two, term)
    chunk_of = shared_chunks(row_start, row_term, groups, shown, k, m, strict, who, len(person) > 0)
    for number in range(len(order)):
        for i in range(runs[order[number]], runs[order[number] + 1]):
            leaf = leaves[i]
            leaves_left[leaf_cluster[leaf]] -= 1
            for e in range(leaf_start[leaf], leaf_start[leaf + 1]):
                occurrence_joint[leaf_occurrence[e]] = joint
                occurrence_chunk[leaf_occurrence[e]] = chunk_of[number]
    return np.sort(moved)


@njit(cache=True, nogil=True)
def _merged_leaves(one, two, moved, leaf_term, leaf_cluster, out, at):
    """Leaves of the joined node: both lists merged by (term, cluster), without the terms that moved from both."""
    i, j, start = 0, 0, at
    while i < len(one) or j < len(two):
        if j == len(two):
            leaf, i = one[i], i + 1
        elif i == len(one):
            leaf, j = two[j], j + 1
        else:
            a, b = one[i], two[j]
            first = leaf_term[a] < leaf_term[b] or (
                leaf_term[a] == leaf_term[b] and leaf_cluster[a] < leaf_cluster[b]
            )
            if first:
                leaf, i = a, i + 1
            else:
                leaf, j = b, j + 1
        if not _contains(moved, leaf_term[leaf]):
            out[at] = leaf
            at += 1
    return at - start


@njit(cache=True, nogil=True)
def _merged_terms(one, two, three, out, at):
    """Union of three sorted lists."""
    joined = np.unique(np.concatenate((one, two, three)))
    out[at : at + len(joined)] = joined
    return len(joined)


@njit(cache=True, nogil=True)
def refine_pass(
    order, shift, node_id, node_size, leaf_at, node_leaves, shown_at, node_shown, joints, parent,
    leaf_term, leaf_cluster, leaf_start, leaf_occurrence, leaves_left, leaving,
    record_of, person, cluster_size, subrecords, chunks, group,
    k, m, strict, listed_too, occurrence_joint, occurrence_chunk, stamp, stamp_now,
):  # fmt: skip
    """Try all neighbours of ``order`` once; returns the nodes that are left and the new number of joints.

    ``parent`` gets, for each cluster and joint, the joint it went into. Joints are numbered behind the clusters.
    """
    n = len(node_id)
    new_id, new_size = np.empty(n, np.int64), np.empty(n, np.int64)
    new_leaf_at, new_shown_at = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    new_leaves = np.empty(len(node_leaves), np.int64)
    # A joined node also shows the terms that moved: never more than the leaves that left.
    new_shown = np.empty(len(node_shown) + len(node_leaves), np.int64)
    n_clusters, made, at = len(cluster_size), 0, 0
    while at < n:
        a = order[at]
        one, shown_one = node_leaves[leaf_at[a] : leaf_at[a + 1]], node_shown[shown_at[a] : shown_at[a + 1]]
        moved = np.empty(0, np.int64)
        paired = at >= shift and at + 1 < n
        if paired:
            b = order[at + 1]
            two, shown_two = (
                node_leaves[leaf_at[b] : leaf_at[b + 1]],
                node_shown[shown_at[b] : shown_at[b + 1]],
            )
            moved = try_join(
                one, two, shown_one, shown_two, joints, node_size[a] + node_size[b],
                leaf_term, leaf_cluster, leaf_start, leaf_occurrence, leaves_left, leaving,
                record_of, person, cluster_size, subrecords, chunks, group,
                k, m, strict, listed_too, occurrence_joint, occurrence_chunk, stamp, stamp_now,
            )  # fmt: skip
            if len(moved) > 0:
                parent[node_id[a]], parent[node_id[b]] = joints, joints
                new_id[made], new_size[made] = n_clusters + joints, node_size[a] + node_size[b]
                joints += 1
                new_leaf_at[made + 1] = new_leaf_at[made] + _merged_leaves(
                    one, two, moved, leaf_term, leaf_cluster, new_leaves, new_leaf_at[made]
                )
                new_shown_at[made + 1] = new_shown_at[made] + _merged_terms(
                    shown_one, shown_two, moved, new_shown, new_shown_at[made]
                )
                made += 1
                at += 2
                continue
        for step in range(2 if paired else 1):
            a = order[at + step]
            new_id[made], new_size[made] = node_id[a], node_size[a]
            size = leaf_at[a + 1] - leaf_at[a]
            new_leaves[new_leaf_at[made] : new_leaf_at[made] + size] = node_leaves[
                leaf_at[a] : leaf_at[a + 1]
            ]
            new_leaf_at[made + 1] = new_leaf_at[made] + size
            size = shown_at[a + 1] - shown_at[a]
            new_shown[new_shown_at[made] : new_shown_at[made] + size] = node_shown[
                shown_at[a] : shown_at[a + 1]
            ]
            new_shown_at[made + 1] = new_shown_at[made] + size
            made += 1
        at += 2 if paired else 1
    return (
        new_id[:made], new_size[:made], new_leaf_at[: made + 1], new_leaves[: new_leaf_at[made]],
        new_shown_at[: made + 1], new_shown[: new_shown_at[made]], joints,
    )  # fmt: skip
