"""Whether it is worth joining two clusters (REFINE, Terrovitis et al., PVLDB 2012, section 5, Equation 1).

A *leaf* is a term in the term chunk of one simple cluster, with the occurrences behind it. Every refining term with
support k reaches a shared chunk, alone if need be, so Equation 1 is settled from the leaves before any chunk is built.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled
from cloven.kinds.disassociated.methods.growth import columns, projected
from cloven.kinds.disassociated.methods.vertical import grow, lemma_holds


class Leaves(NamedTuple):
    """All leaves, by cluster and term: simple cluster and occurrences of each, and to which joint and chunk it goes.

    Members are records, numbered cluster by cluster: those of a leaf are ``held`` places of ``member`` from ``start``.
    ``following`` leads from a leaf to the next of the same term and node, and from the last to the first.
    """

    cluster: Ints
    start: Ints
    held: Ints
    member: Ints
    following: Ints
    joint: Ints
    chunk: Ints


class Entries(NamedTuple):
    """Terms of the nodes: the term, one of its leaves, and how many leaves and occurrences there are."""

    term: Ints
    leaf: Ints
    leaves: Ints
    held: Ints


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

    Last the person of each member, or nothing.
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
    """Room for one candidate after the other, and which candidate a cluster was met for last, and where it was put."""

    room: Candidate
    met: Ints
    place: Ints


@compiled
def desk_for(terms: int, clusters: int) -> Desk:
    """Room for candidates of at most so many terms."""
    one, two = np.empty(terms, np.int64), np.empty(terms, np.int64)
    taken, out = np.empty(terms, np.bool_), np.empty(terms, np.bool_)
    room = Candidate(one, two, np.empty(terms, np.int64), taken, out)
    return Desk(room, np.full(clusters, -1, np.int64), np.empty(clusters, np.int64))


@compiled
def common_terms(term: Ints, one: int, end_one: int, two: int, end_two: int, left: Ints, right: Ints) -> int:
    """Places of the terms that two parts of a list both have; returns how many. Both ascend."""
    n = 0
    while one < end_one and two < end_two:
        a, b = term[one], term[two]
        left[n], right[n] = one, two  # no branch, which nobody could foresee
        n += int(a == b)
        one += int(a <= b)
        two += int(b <= a)
    return n


@compiled
def may_share(entries: Entries, one: int, end_one: int, two: int, end_two: int, k: int) -> bool:
    """Whether k occurrences are behind a term that two nodes both have: of most neighbours there is none."""
    term, held = entries.term, entries.held
    while one < end_one and two < end_two:
        a, b = term[one], term[two]
        if a == b and held[one] + held[two] >= k:
            return True
        one += int(a <= b)
        two += int(b <= a)
    return False


@compiled
def _people(found: Candidate, t: int, entries: Entries, leaves: Leaves, clusters: Clusters) -> int:
    """Distinct persons who hold a refining term."""
    people, at = np.empty(entries.held[found.one[t]] + entries.held[found.two[t]], np.int64), 0
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
        entries.term, nodes.first[a], nodes.last[a], nodes.first[b], nodes.last[b], room.one, room.two
    )
    found = Candidate(room.one[:n], room.two[:n], room.holders[:n], room.taken[:n], room.out[:n])
    for t in range(n):
        found.holders[t] = entries.held[found.one[t]] + entries.held[found.two[t]]
        if len(work.clusters.person) > 0 and found.holders[t] >= work.rules.k:
            found.holders[t] = _people(found, t, entries, work.leaves, work.clusters)
        found.taken[t], found.out[t] = found.holders[t] >= work.rules.k, False
    return found


@compiled
def worth_joining(found: Candidate, work: Refining, joint_size: int, met: Ints, mark: int) -> bool:
    """Equation 1: the chance of attaching a refining term to a record must not fall.

    Taken over the terms that move; with ``listed_too`` over every term that both nodes list, so that a term which
    stays behind counts against the join. Clusters are counted until they suffice.
    """
    entries, leaves, listed_too = work.entries, work.leaves, work.rules.listed_too
    gained, listed, spread = 0, 0, 0
    for t in range(len(found.holders)):
        if found.taken[t] or (listed_too and not found.out[t]):
            gained += found.holders[t] if found.taken[t] else 0
            listed += entries.leaves[found.one[t]] + entries.leaves[found.two[t]]
    if gained == 0:
        return False
    for t in range(len(found.holders)):
        if not (found.taken[t] or (listed_too and not found.out[t])):
            continue
        for entry in (found.one[t], found.two[t]):
            leaf = entries.leaf[entry]
            for _ in range(entries.leaves[entry]):
                c = leaves.cluster[leaf]
                if met[c] != mark:
                    met[c] = mark
                    spread += work.clusters.size[c]
                leaf = leaves.following[leaf]
        if gained * spread >= listed * joint_size:
            return True
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
    worth = worth_joining(found, work, size, desk.met, mark)
    if worth and work.rules.lemma:
        keep_lemma(found, work, leaving)
        worth = worth_joining(found, work, size, desk.met, mark + 1)
    return found, worth


# Shared chunks of one join (Terrovitis et al., PVLDB 2012, section 5 and the property of joint clusters).
#
# Terms that no member cluster shows in a record chunk (nor an older shared chunk of the members) grow under the k^m
# test. A term that some member already shows gives its cluster away: its occurrence cannot come from there. Chunks of
# such terms must be k-anonymous: every distinct non-empty sub-record occurs k times. That alone is not enough: rows
# that are allowed in different clusters can pin each other down. So all terms of such a chunk must be barred from the
# same clusters; then any k copies of a row may stand in any cluster that may have one.


@compiled
def _splits_well(column: Ints, class_of: Ints, class_size: Ints, k: int, inside: Ints, touched: Ints) -> bool:
    """May this term join? Each class of equal sub-records must split into parts of at least k holders, or not at all.

    Class 0 is the empty sub-record: its other part is free. Rows are counted; when persons are told, the caller counts
    them again in persons.
    """
    n_touched, fine = 0, True
    for i in range(len(column)):
        c = class_of[column[i]]
        if inside[c] == 0:
            touched[n_touched] = c
            n_touched += 1
        inside[c] += 1
    for i in range(n_touched):
        c = touched[i]
        outside = class_size[c] - inside[c]
        fine = fine and inside[c] >= k and (c == 0 or outside == 0 or outside >= k)
        inside[c] = 0
    return fine


@compiled
def _holders_fine(class_of: Ints, n_rows: int, n_classes: int, who: Ints, k: int) -> bool:
    """Every class but the empty one has k persons."""
    held, last = np.zeros(n_classes, np.int64), np.full(n_classes, -1, np.int64)
    for row in range(n_rows):
        if last[class_of[row]] != who[row]:
            last[class_of[row]] = who[row]
            held[class_of[row]] += 1
    for c in range(1, n_classes):
        if 0 < held[c] < k:
            return False
    return True


@compiled
def _split(column: Ints, class_of: Ints, class_size: Ints, n_classes: int, renamed: Ints) -> int:
    """Give the rows of a column new classes; returns the new number of classes."""
    before = n_classes
    for i in range(len(column)):
        c = class_of[column[i]]
        if renamed[c] < 0:
            renamed[c] = n_classes
            n_classes += 1
        class_size[c] -= 1
        class_size[renamed[c]] += 1
        class_of[column[i]] = renamed[c]
    renamed[:before] = -1
    return n_classes


@compiled
def grow_k_anonymous(
    row_start: Ints, row_term: Ints, n_terms: int, group: Ints, k: int, who: Ints, named: bool
) -> Ints:
    """Chunk of each term such that every chunk is k-anonymous; terms that fit nowhere get -1."""
    n_rows = len(row_start) - 1
    col_start, col_row = columns(row_start, row_term, n_terms)
    chunk_of = np.full(n_terms, -1, np.int64)
    most = len(row_term) + 2
    class_of, class_size = np.zeros(n_rows, np.int64), np.zeros(most, np.int64)
    inside = np.zeros(most, np.int64)
    touched, renamed = np.empty(most, np.int64), np.full(most, -1, np.int64)
    chunk = 0
    for first in range(n_terms):
        if chunk_of[first] >= 0:
            continue
        class_of[:] = 0
        class_size[:] = 0
        class_size[0] = n_rows
        n_classes = 1
        for t in range(first, n_terms):
            if group[t] != group[first]:
                break
            if chunk_of[t] >= 0:
                continue
            column = col_row[col_start[t] : col_start[t + 1]]
            if not _splits_well(column, class_of, class_size, k, inside, touched):
                continue
            if named:
                trial, sizes = class_of.copy(), class_size.copy()
                n_trial = _split(column, trial, sizes, n_classes, renamed)
                if not _holders_fine(trial, n_rows, n_trial, who, k):
                    continue
            n_classes = _split(column, class_of, class_size, n_classes, renamed)
            chunk_of[t] = chunk
        chunk += 1
    return chunk_of


@compiled
def _alike(group: Ints, barred: Ints) -> Ints:
    """A number for each pair of utility group and barred clusters, by first appearance."""
    number, count = np.empty(len(group), np.int64), 0
    for t in range(len(group)):
        number[t] = -1
        for earlier in range(t):
            if group[earlier] == group[t] and barred[earlier] == barred[t]:
                number[t] = number[earlier]
                break
        if number[t] < 0:
            number[t] = count
            count += 1
    return number


@compiled
def shared_chunks(
    row_start: Ints,
    row_term: Ints,
    group: Ints,
    barred: Ints,
    k: int,
    m: int,
    strict: bool,
    who: Ints,
    named: bool,
) -> Ints:
    """Chunk of each refining term: first those no member shows (k^m), then the shown ones (k-anonymous).

    ``barred`` is the fingerprint of the clusters that cannot take a term, 0 for none. Shown terms share a chunk only if
    the same clusters are barred for them, so that all rows of a chunk may be swapped freely among the others.
    """
    n_terms = len(group)
    chunk_of, chunks = np.full(n_terms, -1, np.int64), 0
    alike = _alike(group, barred)
    for phase in range(2):
        picked = np.flatnonzero((barred != 0) == (phase == 1))
        if len(picked) == 0:
            continue
        groups = group[picked] if phase == 0 else alike[picked]
        order = np.argsort(groups, kind="mergesort")
        picked, groups = picked[order], groups[order]
        wanted = np.full(n_terms, -1, np.int64)
        for i in range(len(picked)):
            wanted[picked[i]] = i
        start, term = projected(row_start, row_term, wanted)
        if phase == 0:
            found = grow(start, term, len(groups), groups, k, m, strict, who, named)
        else:
            found = grow_k_anonymous(start, term, len(groups), groups, k, who, named)
        for i in range(len(picked)):
            chunk_of[picked[i]] = chunks + found[i]
        chunks += found.max() + 1
    return chunk_of
