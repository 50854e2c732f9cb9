"""VERPART over all clusters, with the lemma on sub-record counts (Terrovitis et al., PVLDB 2012, Fig. 5 and Lemma 2).

The result labels every occurrence of the data with its chunk: 0, 1, ... for record chunks, -1 for the term chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.growing import grow_dense, grow_sparse, popcount
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints

_ONE = np.uint64(1)


class Vertical(NamedTuple):
    """Result of the vertical step.

    Attributes:
        chunk: record chunk of each occurrence, -1 for the term chunk.
        chunks: number of record chunks of each cluster.
        subrecords: number of non-empty sub-records over all record chunks of each cluster.
        repaired: clusters in which the lemma moved a term to the term chunk.
    """

    chunk: NDArray[np.int32]
    chunks: NDArray[np.int64]
    subrecords: NDArray[np.int64]
    repaired: NDArray[np.bool_]


@compiled
def _candidates(
    support: Ints, locals_: Ints, n_local: int, terms_of: Ints, group: Ints, barred: Flags, k: int
) -> Ints:
    """Terms that may enter record chunks, in the order in which VERPART tries them."""
    keep = np.empty(n_local, np.int64)
    n = 0
    for i in range(n_local):
        if support[i] >= k and not barred[terms_of[locals_[i]]]:
            keep[n] = locals_[i]
            n += 1
    keep = keep[:n]
    # Insertion by (utility group, support descending, tie order): the lists are short or nearly sorted by merging.
    keys = np.empty(n, np.int64)
    for i in range(n):
        keys[i] = terms_of[keep[i]]
    order = np.argsort(keys, kind="mergesort")
    keep = keep[order]
    for i in range(n):
        keys[i] = (np.int64(group[terms_of[keep[i]]]) << 32) - support[keep[i]]
    return keep[np.argsort(keys, kind="mergesort")]


@compiled
def _bitsets(row_start: Ints, row_term: Ints, n_terms: int) -> NDArray[np.uint64]:
    n_rows = len(row_start) - 1
    bits = np.zeros((n_terms, (n_rows + 63) // 64), np.uint64)
    for row in range(n_rows):
        for e in range(row_start[row], row_start[row + 1]):
            bits[row_term[e], row >> 6] |= _ONE << np.uint64(row & 63)
    return bits


@compiled
def grow(
    row_start: Ints,
    row_term: Ints,
    n_terms: int,
    group: Ints,
    k: int,
    m: int,
    strict: bool,
    who: Ints,
    named: bool,
) -> Ints:
    """Grow chunks with whichever kernel has less to do."""
    n_rows = len(row_start) - 1
    walking = 0
    for row in range(n_rows):
        walking += (row_start[row + 1] - row_start[row]) ** 2
    width = (n_rows + 63) // 64
    if width <= 2 or n_terms * n_terms * width <= 4 * walking:
        persons = who if named else who[:0]
        return grow_dense(_bitsets(row_start, row_term, n_terms), group, k, m, strict, persons)
    return grow_sparse(row_start, row_term, n_terms, group, k, m, strict, who)


@compiled
def _subrecords(row_start: Ints, row_term: Ints, chunk_of: Ints, n_chunks: int) -> int:
    """Non-empty sub-records over all record chunks."""
    seen, total = np.full(n_chunks, -1, np.int64), 0
    for row in range(len(row_start) - 1):
        for e in range(row_start[row], row_start[row + 1]):
            chunk = chunk_of[row_term[e]]
            if chunk >= 0 and seen[chunk] != row:
                seen[chunk] = row
                total += 1
    return total


@compiled
def lemma_holds(size: int, subrecords: int, chunks: int, k: int, m: int) -> bool:
    """Enough sub-records that m known terms can meet in k records and no record is empty (no term chunk)."""
    return subrecords >= size + k * (max(1, min(m, chunks)) - 1)


@compiled
def _repair(chunk_of: Ints, support_in_order: Ints) -> None:
    """Move the least frequent term to the term chunk; of equals the one tried last. Close the gap it may leave."""
    worst = 0
    for t in range(1, len(chunk_of)):
        if support_in_order[t] <= support_in_order[worst]:
            worst = t
    gone = chunk_of[worst]
    chunk_of[worst] = -1
    for t in range(len(chunk_of)):
        if chunk_of[t] == gone:
            return
    for t in range(len(chunk_of)):
        if chunk_of[t] > gone:
            chunk_of[t] -= 1


@compiled
def _supports(row_start: Ints, row_local: Ints, n_local: int, who: Ints) -> Ints:
    support, last = np.zeros(n_local, np.int64), np.full(n_local, -1, np.int64)
    for row in range(len(row_start) - 1):
        for e in range(row_start[row], row_start[row + 1]):
            t = row_local[e]
            if last[t] != who[row]:
                last[t] = who[row]
                support[t] += 1
    return support


@compiled
def verpart(
    offsets: Ints,
    terms: Ints,
    members: Ints,
    member_start: Ints,
    group: Ints,
    barred: Flags,
    person: Ints,
    k: int,
    m: int,
    strict: bool,
) -> tuple[Any, Ints, Ints, Flags]:
    """Label every occurrence with its chunk.

    Args:
        offsets: row starts of the records.
        terms: term numbers in tie order.
        members: records, cluster by cluster; inside a cluster sorted by person.
        member_start: where each cluster starts in ``members``.
        group: utility group of each term.
        barred: terms that must go to the term chunk.
        person: person of each record, or empty.
        k: least support.
        m: size of the combinations that must hold.
        strict: combinations that do not occur fail too.
    """
    n_clusters = len(member_start) - 1
    named = len(person) > 0
    chunk = np.full(len(terms), -1, np.int32)
    chunks, subrecords = np.zeros(n_clusters, np.int64), np.zeros(n_clusters, np.int64)
    repaired = np.zeros(n_clusters, np.bool_)
    local_of = np.full(len(group), -1, np.int64)
    for c in range(n_clusters):
        rows = members[member_start[c] : member_start[c + 1]]
        total = 0
        for row in rows:
            total += offsets[row + 1] - offsets[row]
        # The cluster over its own terms 0, 1, ...
        row_start, row_local = np.zeros(len(rows) + 1, np.int64), np.empty(total, np.int64)
        terms_of, who = np.empty(total, np.int64), np.empty(len(rows), np.int64)
        n_local, at = 0, 0
        for i in range(len(rows)):
            who[i] = person[rows[i]] if named else i
            for e in range(offsets[rows[i]], offsets[rows[i] + 1]):
                if local_of[terms[e]] < 0:
                    local_of[terms[e]] = n_local
                    terms_of[n_local] = terms[e]
                    n_local += 1
                row_local[at] = local_of[terms[e]]
                at += 1
            row_start[i + 1] = at
        for i in range(n_local):
            local_of[terms_of[i]] = -1
        support = _supports(row_start, row_local, n_local, who)
        tried = _candidates(support, np.arange(n_local), n_local, terms_of, group, barred, k)
        if len(tried) == 0:
            continue
        # Candidates only, numbered in the order in which they are tried.
        number = np.full(n_local, -1, np.int64)
        groups, ordered = np.empty(len(tried), np.int64), np.empty(len(tried), np.int64)
        for i in range(len(tried)):
            number[tried[i]] = i
            groups[i], ordered[i] = group[terms_of[tried[i]]], support[tried[i]]
        thin_start, thin_term = np.zeros(len(rows) + 1, np.int64), np.empty(total, np.int64)
        at = 0
        for i in range(len(rows)):
            for e in range(row_start[i], row_start[i + 1]):
                if number[row_local[e]] >= 0:
                    thin_term[at] = number[row_local[e]]
                    at += 1
            thin_start[i + 1] = at
        thin_term = thin_term[:at]
        chunk_of = grow(thin_start, thin_term, len(tried), groups, k, m, strict, who, named)
        n_chunks = chunk_of.max() + 1
        parts = _subrecords(thin_start, thin_term, chunk_of, n_chunks)
        if len(tried) == n_local and not lemma_holds(len(rows), parts, n_chunks, k, m):
            _repair(chunk_of, ordered)
            repaired[c] = True
            n_chunks = chunk_of.max() + 1
            parts = _subrecords(thin_start, thin_term, chunk_of, n_chunks)
        chunks[c], subrecords[c] = n_chunks, parts
        at = 0
        for i in range(len(rows)):
            for e in range(offsets[rows[i]], offsets[rows[i] + 1]):
                t = number[row_local[at]]
                if t >= 0:
                    chunk[e] = chunk_of[t]
                at += 1
    return chunk, chunks, subrecords, repaired


__all__ = ["Vertical", "grow", "lemma_holds", "popcount", "verpart"]
