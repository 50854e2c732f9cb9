"""VERPART over all clusters, with the lemma on sub-record counts (Terrovitis et al., PVLDB 2012, Fig. 5 and Lemma 2).

The result labels every occurrence of the data with its chunk: 0, 1, ... for record chunks, -1 for the term chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of
from cloven.kinds.disassociated.methods.growth import columns, grow_dense, grow_sparse, projected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs

_ONE = np.uint64(1)
MANY = 512
"""Above this many terms it pays to look for terms that the same rows hold."""


class Vertical(NamedTuple):
    """Result of the vertical step.

    Attributes:
        chunk: record chunk of each occurrence, -1 for the term chunk.
        chunks: number of record chunks of each cluster.
        subrecords: number of non-empty sub-records over all record chunks of each cluster.
    """

    chunk: NDArray[np.int32]
    chunks: Longs
    subrecords: Longs


@compiled
def _tried(found: Ints, group: Ints, support: Ints) -> None:
    """Sort terms, in place, as VERPART tries them: by utility group, support descending, tie order."""
    keys = np.empty(len(found), np.int64)
    if len(found) > 32:
        found.sort()
    for i in range(len(found)):
        keys[i] = (np.int64(group[found[i]]) << 32) - support[found[i]]
    if len(found) > 32:
        found[:] = found[np.argsort(keys, kind="mergesort")]
        return
    for i in range(1, len(found)):
        key, term, j = keys[i], found[i], i
        while j > 0 and (keys[j - 1] > key or (keys[j - 1] == key and found[j - 1] > term)):
            keys[j], found[j] = keys[j - 1], found[j - 1]
            j -= 1
        keys[j], found[j] = key, term


@compiled
def _bitsets(row_start: Ints, row_term: Ints, n_terms: int) -> NDArray[np.uint64]:
    n_rows = len(row_start) - 1
    bits = np.zeros((n_terms, (n_rows + 63) // 64), np.uint64)
    for row in range(n_rows):
        for e in range(row_start[row], row_start[row + 1]):
            bits[row_term[e], row >> 6] |= _ONE << np.uint64(row & 63)
    return bits


@compiled
def _small_or_dense(row_start: Ints, n_terms: int) -> bool:
    """Whether bitsets have less to do than walking rows."""
    n_rows = len(row_start) - 1
    width = (n_rows + 63) // 64
    if width <= 2:
        return True
    walking = 0
    for row in range(n_rows):
        walking += (row_start[row + 1] - row_start[row]) ** 2
    return bool(n_terms * n_terms * width <= 4 * walking)


@compiled
def _twins(row_start: Ints, row_term: Ints, n_terms: int, group: Ints) -> Ints:
    """First term that the same rows hold, of the same group, for each term; mostly itself.

    Rows are folded into a fingerprint of each term, and terms with equal fingerprints are compared row by row.
    """
    print_of, held = np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64)
    for row in range(len(row_start) - 1):
        mark = ((row + 1) * 2654435761) & 0x7FFFFFFF
        for e in range(row_start[row], row_start[row + 1]):
            print_of[row_term[e]] ^= mark * mark
            held[row_term[e]] += 1
    twin, order = np.arange(n_terms), np.argsort(print_of, kind="mergesort")
    col_start, col_row = columns(row_start, row_term, n_terms)
    for i in range(1, n_terms):
        a, b = twin[order[i - 1]], order[i]
        if print_of[a] == print_of[b] and held[a] == held[b] and group[a] == group[b]:
            same = True
            for e in range(held[a]):
                same = same and col_row[col_start[a] + e] == col_row[col_start[b] + e]
            if same:
                twin[b] = a
    return twin


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
    """Grow chunks with whichever kernel has less to do.

    Terms that the same rows hold always share a chunk; where there are many terms, one stands for all of them.
    """
    longest = 1
    for row in range(len(row_start) - 1):
        longest = max(longest, row_start[row + 1] - row_start[row])
    # No combination is larger than a row; the strict reading asks for those that do not occur too.
    m = min(m, n_terms if strict else longest)
    merge = n_terms > MANY
    twin = _twins(row_start, row_term, n_terms, group) if merge else np.arange(0)
    number = np.full(len(twin), -1, np.int64)
    if merge:
        alone = np.flatnonzero(twin == np.arange(n_terms))
        number[alone] = np.arange(len(alone))
        row_start, row_term = projected(row_start, row_term, number)
        n_terms, group = len(alone), group[alone]
    if _small_or_dense(row_start, n_terms):
        persons = who if named else who[:0]
        found = grow_dense(_bitsets(row_start, row_term, n_terms), group, k, m, strict, persons)
    else:
        found = grow_sparse(row_start, row_term, n_terms, group, k, m, strict, who)
    return found[number[twin]] if merge else found


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
def _laid_out(rows: Ints, offsets: Ints, terms: Ints) -> tuple[Ints, int]:
    """Where each row starts and ends, and a number that nobody needs.

    Rows lie anywhere in memory. Their beginnings are read at once, so that one does not wait for the other.
    """
    bounds, read, end = np.empty((2, len(rows)), np.int64), 0, len(terms) - 1
    for i in range(len(rows)):
        bounds[0, i], bounds[1, i] = offsets[rows[i]], offsets[rows[i] + 1]
    for i in range(len(rows) if end >= 0 else 0):
        read ^= terms[min(bounds[0, i], end)]
    return bounds, read


@compiled
def _frequent(
    bounds: Ints, who: Ints, terms: Ints, barred: Flags, k: int, support: Ints, last: Ints, seen: Ints
) -> tuple[int, int]:
    """Count the holders of each term; gives the terms that may enter record chunks in ``seen``, then all others.

    Returns how many may enter and how many there are. ``support`` is zero before, and the caller clears it again.
    """
    n = 0
    for i in range(len(who)):
        for e in range(bounds[0, i], bounds[1, i]):
            t = terms[e]
            if support[t] == 0:
                seen[n] = t
                n += 1
                last[t] = -1
            if last[t] != who[i]:
                last[t] = who[i]
                support[t] += 1
    enter = 0
    for i in range(n):
        t = seen[i]
        if support[t] >= k and not barred[t]:
            seen[i], seen[enter] = seen[enter], t
            enter += 1
    return enter, n


@compiled
def _verpart(
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
    lemma: bool,
    chunk: Any,
) -> tuple[Ints, Ints]:
    """Label the occurrences of these clusters in ``chunk``; gives their chunks and sub-records."""
    n_clusters, n_terms = len(member_start) - 1, len(group)
    named = len(person) > 0
    chunks, subrecords = np.zeros(n_clusters, np.int64), np.zeros(n_clusters, np.int64)
    support, last = np.zeros(n_terms, np.int64), np.empty(n_terms, np.int64)
    seen, number = np.empty(n_terms, np.int64), np.full(n_terms, -1, np.int64)
    for c in range(n_clusters):
        rows = members[member_start[c] : member_start[c + 1]]
        bounds, _ = _laid_out(rows, offsets, terms)
        who, total = np.empty(len(rows), np.int64), 0
        for i in range(len(rows)):
            who[i] = person[rows[i]] if named else i
            total += bounds[1, i] - bounds[0, i]
        enter, n_local = _frequent(bounds, who, terms, barred, k, support, last, seen)
        tried = seen[:enter]
        _tried(tried, group, support)
        # Terms that may enter, numbered in the order in which they are tried.
        groups, ordered = np.empty(enter, np.int64), np.empty(enter, np.int64)
        for i in range(enter):
            number[tried[i]] = i
            groups[i], ordered[i] = group[tried[i]], support[tried[i]]
        for i in range(n_local):
            support[seen[i]] = 0
        if enter == 0:
            continue
        row_start, row_term, at = np.empty(len(rows) + 1, np.int64), np.empty(total + 1, np.int64), 0
        for i in range(len(rows)):
            row_start[i] = at
            for e in range(bounds[0, i], bounds[1, i]):
                row_term[at] = number[terms[e]]
                at += int(row_term[at] >= 0)
        row_start[len(rows)] = at
        row_term = row_term[:at]
        chunk_of = grow(row_start, row_term, enter, groups, k, m, strict, who, named)
        n_chunks = chunk_of.max() + 1
        parts = _subrecords(row_start, row_term, chunk_of, n_chunks)
        if lemma and enter == n_local and not lemma_holds(len(rows), parts, n_chunks, k, m):
            _repair(chunk_of, ordered)
            n_chunks = chunk_of.max() + 1
            parts = _subrecords(row_start, row_term, chunk_of, n_chunks)
        chunks[c], subrecords[c] = n_chunks, parts
        for i in range(len(rows)):
            for e in range(bounds[0, i], bounds[1, i]):
                if number[terms[e]] >= 0:
                    chunk[e] = chunk_of[number[terms[e]]]
        for i in range(enter):
            number[tried[i]] = -1
    return chunks, subrecords


def verpart(
    offsets: Longs,
    terms: NDArray[np.int32],
    members: Longs,
    member_start: Longs,
    group: Longs,
    barred: Flags,
    person: Longs,
    k: int,
    m: int,
    strict: bool,
    lemma: bool,
) -> Vertical:
    """Label every occurrence with its chunk; clusters are independent, so each core takes some.

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
        lemma: no record may be empty, so a cluster without a term chunk has to keep the lemma.
    """
    chunk = np.full(len(terms), -1, np.int32)

    def some(first: int, last: int) -> tuple[Ints, Ints]:
        starts = member_start[first : last + 1]
        return _verpart(offsets, terms, members, starts, group, barred, person, k, m, strict, lemma, chunk)

    steps = offsets_of(np.diff(offsets)[members])[member_start]
    chunks, subrecords = zip(*at_once(some, steps), strict=True)
    return Vertical(chunk, np.concatenate(chunks), np.concatenate(subrecords))
