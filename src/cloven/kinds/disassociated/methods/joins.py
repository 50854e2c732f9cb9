"""Whether it is worth joining two clusters (REFINE, Terrovitis et al., PVLDB 2012, section 5, Equation 1).

A *leaf* is a term in the term chunk of one simple cluster, with the occurrences behind it. Every refining term with
support k reaches a shared chunk, alone if need be, so Equation 1 is settled from the leaves before any chunk is built.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled
from cloven.kinds.disassociated.methods.vertical import lemma_holds


class Leaves(NamedTuple):
    """All leaves, by cluster and term: simple cluster and occurrences of each.

    Members are records, numbered cluster by cluster: those of a leaf are ``held`` places of ``member`` from ``start``.
    ``following`` leads from a leaf to the next of the same term and node, and from the last to the first.
    """

    cluster: Ints
    start: Ints
    held: Ints
    member: Ints
    following: Ints


class Entries(NamedTuple):
    """Terms of the nodes: the term and its occurrences as one number, one of its leaves, and how many there are."""

    key: Ints
    leaf: Ints
    leaves: Ints


class Nodes(NamedTuple):
    """Nodes by number, clusters first and joints behind them: records, entries by term, and terms shown already.

    A cluster cannot take a term from a new shared chunk if it shows it in a record chunk, or if an inner joint of it
    shares it. ``bars`` is a fingerprint of the clusters barred so for each shown term; ``whole`` is that of all
    clusters of a node. Fingerprints of disjoint sets are joined by exclusive or.
    """

    size: Ints
    first: Ints
    last: Ints
    first_shown: Ints
    last_shown: Ints
    whole: Ints
    shown: Ints
    bars: Ints


class Clusters(NamedTuple):
    """Simple clusters: records, first member, sub-records and record chunks of each, and terms left in its term chunk.

    These are counted on only where the lemma has to be kept. Last the person of each member, or nothing.
    """

    size: Ints
    start: Ints
    subrecords: Ints
    chunks: Ints
    terms_left: Ints
    person: Ints


class Rules(NamedTuple):
    """What must hold: k, m, the reading, what Equation 1 counts, the lemma, and the utility group of each term."""

    k: int
    m: int
    strict: bool
    listed_too: bool
    lemma: bool
    group: Ints


class Refining(NamedTuple):
    """All that refining works on."""

    nodes: Nodes
    entries: Entries
    leaves: Leaves
    clusters: Clusters
    rules: Rules


class Candidate(NamedTuple):
    """Refining terms of two nodes, ascending: their entries in both, their holders, and what becomes of them.

    ``taken`` terms move to a shared chunk; terms ``out`` are not part of the join.
    """

    one: Ints
    two: Ints
    holders: Ints
    taken: Flags
    out: Flags


class Desk(NamedTuple):
    """Room for one candidate after the other and for its leaves; and which candidate a cluster was met for last."""

    room: Candidate
    going: Ints
    met: Ints


@compiled
def term_of(key: int) -> int:
    """The term of an entry."""
    return key >> 32


@compiled
def held_of(key: int) -> int:
    """How many occurrences are behind an entry."""
    return key & 0xFFFFFFFF


@compiled
def desk_for(most: int, total: int, clusters: int) -> Desk:
    """Room for candidates of at most so many terms, each and taken together."""
    one, two = np.empty(total, np.int64), np.empty(total, np.int64)
    taken, out = np.empty(total, np.bool_), np.empty(total, np.bool_)
    room = Candidate(one, two, np.empty(total, np.int64), taken, out)
    return Desk(room, np.empty((2, 2 * most), np.int64), np.full(clusters, -1, np.int64))


@compiled
def between(found: Candidate, first: int, last: int) -> Candidate:
    """Some of these terms."""
    return Candidate(
        found.one[first:last], found.two[first:last], found.holders[first:last], found.taken[first:last],
        found.out[first:last],
    )  # fmt: skip


@compiled
def behind(desk: Desk, first: int) -> Desk:
    """The same desk, with the room behind what is there."""
    return Desk(between(desk.room, first, len(desk.room.one)), desk.going, desk.met)


@compiled
def common_terms(key: Ints, one: int, end_one: int, two: int, end_two: int, left: Ints, right: Ints) -> int:
    """Places of the terms that two parts of a list both have; returns how many. Both ascend."""
    n = 0
    while one < end_one and two < end_two:
        a, b = term_of(key[one]), term_of(key[two])
        left[n], right[n] = one, two  # no branch, which nobody could foresee
        n += int(a == b)
        one += int(a <= b)
        two += int(b <= a)
    return n


@compiled
def may_share(key: Ints, one: int, end_one: int, two: int, end_two: int, k: int) -> bool:
    """Whether k occurrences are behind a term that two nodes both have: of most neighbours there is none."""
    while one < end_one and two < end_two:
        a, b = term_of(key[one]), term_of(key[two])
        if (a == b) & (held_of(key[one]) + held_of(key[two]) >= k):  # one branch, which is hardly ever taken
            return True
        one += int(a <= b)
        two += int(b <= a)
    return False


@compiled
def _people(found: Candidate, t: int, entries: Entries, leaves: Leaves, clusters: Clusters) -> int:
    """Distinct persons who hold a refining term."""
    most = held_of(entries.key[found.one[t]]) + held_of(entries.key[found.two[t]])
    people, at = np.empty(most, np.int64), 0
    for entry in (found.one[t], found.two[t]):
        leaf = entries.leaf[entry]
        for _ in range(entries.leaves[entry]):
            for e in range(leaves.start[leaf], leaves.start[leaf] + leaves.held[leaf]):
                people[at] = clusters.person[leaves.member[e]]
                at += 1
            leaf = leaves.following[leaf]
    return len(np.unique(people))


@compiled
def candidate(work: Refining, a: int, b: int, room: Candidate) -> Candidate:
    """Refining terms of two nodes; those with k holders are taken."""
    nodes, entries = work.nodes, work.entries
    n = common_terms(
        entries.key, nodes.first[a], nodes.last[a], nodes.first[b], nodes.last[b], room.one, room.two
    )
    found = between(room, 0, n)
    for t in range(n):
        found.holders[t] = held_of(entries.key[found.one[t]]) + held_of(entries.key[found.two[t]])
        if len(work.clusters.person) > 0 and found.holders[t] >= work.rules.k:
            found.holders[t] = _people(found, t, entries, work.leaves, work.clusters)
        found.taken[t], found.out[t] = found.holders[t] >= work.rules.k, False
    return found


@compiled
def worth_joining(found: Candidate, work: Refining, joint_size: int, desk: Desk, mark: int) -> bool:
    """Equation 1: the chance of attaching a refining term to a record must not fall.

    Taken over the terms that move; with ``listed_too`` over every term that both nodes list, so that a term which
    stays behind counts against the join. Clusters are counted until they suffice. A leaf leads to the next, which may
    lie anywhere in memory: all terms go on together, so that none waits for another.
    """
    entries, leaves, listed_too = work.entries, work.leaves, work.rules.listed_too
    going, gained, listed, many = desk.going, 0, 0, 0
    for t in range(len(found.holders)):
        if found.taken[t] or (listed_too and not found.out[t]):
            gained += found.holders[t] if found.taken[t] else 0
            for entry in (found.one[t], found.two[t]):
                listed += entries.leaves[entry]
                going[0, many], going[1, many] = entries.leaf[entry], entries.leaves[entry]
                many += 1
    if gained == 0:
        return False
    spread = 0
    while many > 0:
        still = 0
        for i in range(many):
            leaf, left = going[0, i], going[1, i]
            c = leaves.cluster[leaf]
            if desk.met[c] != mark:
                desk.met[c] = mark
                spread += work.clusters.size[c]
            going[0, still], going[1, still] = leaves.following[leaf], left - 1
            still += int(left > 1)
        if gained * spread >= listed * joint_size:
            return True
        many = still
    return False


@compiled
def _leaves_of(found: Candidate, entries: Entries, following: Ints) -> tuple[Ints, Ints]:
    """Leaves of each refining term, those of one node by cluster, then those of the other; and where each starts."""
    run = np.zeros(len(found.holders) + 1, np.int64)
    for t in range(len(found.holders)):
        run[t + 1] = run[t] + entries.leaves[found.one[t]] + entries.leaves[found.two[t]]
    out, at = np.empty(run[-1], np.int64), 0
    for t in range(len(found.holders)):
        for entry in (found.one[t], found.two[t]):
            leaf, begin = entries.leaf[entry], at
            for _ in range(entries.leaves[entry]):
                out[at] = leaf
                at += 1
                leaf = following[leaf]
            out[begin:at].sort()  # leaves are numbered by cluster
    return out, run


@compiled
def keep_lemma(found: Candidate, work: Refining, leaving: Ints) -> None:
    """Take refining terms out until every member that loses its whole term chunk keeps the lemma.

    ``leaving`` is zero for all clusters, before and behind.
    """
    n, clusters, rules = len(found.holders), work.clusters, work.rules
    leaf, run = _leaves_of(found, work.entries, work.leaves.following)
    cluster = work.leaves.cluster[leaf]
    for t in range(n):
        if found.taken[t]:
            for i in range(run[t], run[t + 1]):
                leaving[cluster[i]] += 1
    for c in cluster:
        if leaving[c] == 0 or leaving[c] < clusters.terms_left[c]:
            continue
        if lemma_holds(clusters.size[c], clusters.subrecords[c], clusters.chunks[c], rules.k, rules.m):
            continue
        worst = -1
        for t in range(n):
            if found.taken[t] and (worst < 0 or found.holders[t] <= found.holders[worst]):
                for i in range(run[t], run[t + 1]):
                    if cluster[i] == c:
                        worst = t
                        break
        found.taken[worst], found.out[worst] = False, True
        for i in range(run[worst], run[worst + 1]):
            leaving[cluster[i]] -= 1
    for c in cluster:
        leaving[c] = 0


@compiled
def joinable(work: Refining, a: int, b: int, desk: Desk, leaving: Ints, mark: int) -> tuple[Candidate, bool]:
    """The terms that two nodes would share, and whether it is worth it. ``mark`` and the next one are new."""
    found = candidate(work, a, b, desk.room)
    size = work.nodes.size[a] + work.nodes.size[b]
    worth = worth_joining(found, work, size, desk, mark)
    if worth and work.rules.lemma:
        keep_lemma(found, work, leaving)
        worth = worth_joining(found, work, size, desk, mark + 1)
    return found, worth
