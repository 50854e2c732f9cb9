"""One pass of REFINE over neighbouring clusters (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).

A *leaf* is a term in the term chunk of one simple cluster, with the occurrences behind it. A node (simple or joint
cluster) is the list of its leaves sorted by (term, cluster): that list is its virtual term chunk. Every refining term
with support k reaches a shared chunk, alone if need be, so Equation 1 is settled from the leaves before any chunk is
built.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cloven.anonymise.disassociation.shared_chunks import shared_chunks
from cloven.anonymise.disassociation.vertical import lemma_holds
from cloven.compiled import Flags, Ints, compiled


class Leaves(NamedTuple):
    """All leaves: term and simple cluster of each; its occurrences are ``occurrence[start[i]:start[i + 1]]``."""

    term: Ints
    cluster: Ints
    start: Ints
    occurrence: Ints


class Clusters(NamedTuple):
    """Simple clusters: records, sub-records and record chunks of each, and terms left in its term chunk.

    ``leaving`` and ``stamp`` are scratch: all zero, and below ``stamp_now[0]``, between two joins.
    """

    size: Ints
    subrecords: Ints
    chunks: Ints
    terms_left: Ints
    leaving: Ints
    stamp: Ints
    stamp_now: Ints


class Occurrences(NamedTuple):
    """Occurrences of the data: record of each, and the joint and chunk it goes to. Person of each record, or empty."""

    record: Ints
    joint: Ints
    chunk: Ints
    person: Ints


class Rules(NamedTuple):
    """What must hold: k, m, the reading, what Equation 1 counts, and the utility group of each term."""

    k: int
    m: int
    strict: bool
    listed_too: bool
    group: Ints


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


class Candidate(NamedTuple):
    """Refining terms of two nodes: their leaves by term, where each term starts, its holders, and what becomes of it.

    ``taken`` terms move to a shared chunk; terms ``out`` are not part of the join.
    """

    leaf: Ints
    run: Ints
    holders: Ints
    taken: Flags
    out: Flags


@compiled
def _contains(array: Ints, value: int) -> bool:
    at = np.searchsorted(array, value)
    return bool(at < len(array) and array[at] == value)


@compiled
def refining_leaves(one: Ints, two: Ints, term: Ints) -> Ints:
    """Leaves of both nodes whose term stands in both, sorted by term."""
    out = np.empty(len(one) + len(two), np.int64)
    n, i, j = 0, 0, 0
    while i < len(one) and j < len(two):
        a, b = term[one[i]], term[two[j]]
        if a < b:
            i += 1
        elif b < a:
            j += 1
        else:
            while i < len(one) and term[one[i]] == a:
                out[n] = one[i]
                n, i = n + 1, i + 1
            while j < len(two) and term[two[j]] == a:
                out[n] = two[j]
                n, j = n + 1, j + 1
    return out[:n]


@compiled
def _term_runs(leaf: Ints, term: Ints) -> Ints:
    """Where each term starts in a list of leaves."""
    start = np.empty(len(leaf) + 1, np.int64)
    n = 0
    for i in range(len(leaf)):
        if i == 0 or term[leaf[i]] != term[leaf[i - 1]]:
            start[n] = i
            n += 1
    start[n] = len(leaf)
    return start[: n + 1]


@compiled
def _holders(mine: Ints, leaves: Leaves, data: Occurrences) -> int:
    """Holders of one term: its occurrences, or their distinct persons."""
    total = 0
    for leaf in mine:
        total += leaves.start[leaf + 1] - leaves.start[leaf]
    if len(data.person) == 0:
        return total
    people, at = np.empty(total, np.int64), 0
    for leaf in mine:
        for e in range(leaves.start[leaf], leaves.start[leaf + 1]):
            people[at] = data.person[data.record[leaves.occurrence[e]]]
            at += 1
    return len(np.unique(people))


@compiled
def _candidate(one: Ints, two: Ints, leaves: Leaves, data: Occurrences, k: int) -> Candidate:
    """Refining terms of two nodes; those with k holders are taken."""
    leaf = refining_leaves(one, two, leaves.term)
    run = _term_runs(leaf, leaves.term)
    n = len(run) - 1
    holders, taken = np.empty(n, np.int64), np.empty(n, np.bool_)
    for t in range(n):
        holders[t] = _holders(leaf[run[t] : run[t + 1]], leaves, data)
        taken[t] = holders[t] >= k
    return Candidate(leaf, run, holders, taken, np.zeros(n, np.bool_))


@compiled
def worth_joining(
    found: Candidate, leaves: Leaves, clusters: Clusters, joint_size: int, listed_too: bool
) -> bool:
    """Equation 1: the chance of attaching a refining term to a record must not fall.

    Taken over the terms that move; with ``listed_too`` over every term that both nodes list, so that a term which
    stays behind counts against the join.
    """
    gained, listed, spread = 0, 0, 0
    clusters.stamp_now[0] += 1
    for t in range(len(found.holders)):
        if found.out[t] or not (found.taken[t] or listed_too):
            continue
        gained += found.holders[t] if found.taken[t] else 0
        listed += found.run[t + 1] - found.run[t]
        for i in range(found.run[t], found.run[t + 1]):
            c = leaves.cluster[found.leaf[i]]
            if clusters.stamp[c] != clusters.stamp_now[0]:
                clusters.stamp[c] = clusters.stamp_now[0]
                spread += clusters.size[c]
    return bool(gained > 0 and gained * spread >= listed * joint_size)


@compiled
def _keep_lemma(found: Candidate, leaves: Leaves, clusters: Clusters, k: int, m: int) -> None:
    """Take refining terms out until every member that loses its whole term chunk keeps the lemma."""
    n, leaving = len(found.holders), clusters.leaving
    for t in range(n):
        if found.taken[t]:
            for i in range(found.run[t], found.run[t + 1]):
                leaving[leaves.cluster[found.leaf[i]]] += 1
    for leaf in found.leaf:
        c = leaves.cluster[leaf]
        if leaving[c] == 0 or leaving[c] < clusters.terms_left[c]:
            continue
        if lemma_holds(clusters.size[c], clusters.subrecords[c], clusters.chunks[c], k, m):
            continue
        worst = -1
        for t in range(n):
            if found.taken[t] and (worst < 0 or found.holders[t] <= found.holders[worst]):
                for i in range(found.run[t], found.run[t + 1]):
                    if leaves.cluster[found.leaf[i]] == c:
                        worst = t
                        break
        found.taken[worst], found.out[worst] = False, True
        for i in range(found.run[worst], found.run[worst + 1]):
            leaving[leaves.cluster[found.leaf[i]]] -= 1
    for leaf in found.leaf:
        leaving[leaves.cluster[leaf]] = 0


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
    found = _candidate(one, two, leaves, data, rules.k)
    size = nodes.size[a] + nodes.size[b]
    if not worth_joining(found, leaves, clusters, size, rules.listed_too):
        return nothing
    _keep_lemma(found, leaves, clusters, rules.k, rules.m)
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
