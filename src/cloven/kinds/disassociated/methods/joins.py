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
