"""Whether it is worth joining two clusters (REFINE, Terrovitis et al., PVLDB 2012, section 5, Equation 1).

A *leaf* is a term in the term chunk of one simple cluster, with the occurrences behind it. Every refining term with
support k reaches a shared chunk, alone if need be, so Equation 1 is settled from the leaves before any chunk is built.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
    """What must hold: k, m, the reading, what Equation 1 counts, the lemma, and the utility group of each term."""

    k: int
    m: int
    strict: bool
    listed_too: bool
    lemma: bool
    group: Ints


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
def candidate(one: Ints, two: Ints, leaves: Leaves, data: Occurrences, k: int) -> Candidate:
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
def keep_lemma(found: Candidate, leaves: Leaves, clusters: Clusters, k: int, m: int) -> None:
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
