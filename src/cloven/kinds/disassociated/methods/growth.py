"""Grow k^m-anonymous chunks from terms in a given order (VERPART, Terrovitis et al., PVLDB 2012, Fig. 5).

Both kernels take the candidate terms 0..F-1 in the order in which they are tried and return the chunk of each. A term
joins the chunk that is being built if every combination of at most m terms that contains it and occurs at all occurs
k times (``strict``: every combination of the chunk's terms, occurring or not). Combinations without the new term
passed before. Terms of different utility groups never share a chunk.

Pairs are settled once for all chunks, as the graph of pairs that may not stand together; only combinations of three
and more are looked up while a chunk grows. ``grow_dense`` holds a bitset of rows for each term, of any width, and is
for small or dense clusters; ``grow_sparse`` walks the rows of a term, and is for large sparse ones. They agree on
every input (``tests/laws/test_steps.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints

_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def popcount(word: Any) -> int:
    """Number of set bits of one 64-bit word."""
    word -= (word >> _ONE) & _M1
    word = (word & _M2) + ((word >> _TWO) & _M2)
    word = (word + (word >> _FOUR)) & _M4
    return int((word * _H01) >> _56)


@compiled
def _holders(bits: Any, who: Ints) -> int:
    """Distinct persons among the rows of a bitset; rows are sorted by person."""
    total, last = 0, np.int64(-1)
    for w in range(len(bits)):
        word = bits[w]
        while word:
            low = word & (~word + _ONE)
            person = who[w * 64 + popcount(low - _ONE)]
            if person != last:
                total += 1
                last = person
            word ^= low
    return total


@compiled
def _common(a: Any, b: Any, out: Any, who: Ints) -> int:
    """Intersect two bitsets into out and count the holders."""
    total = 0
    for w in range(len(out)):
        out[w] = a[w] & b[w]
        total += popcount(out[w])
    return total if len(who) == 0 else _holders(out, who)


@compiled
def _fits_dense(
    t: int,
    members: Ints,
    n_members: int,
    bits: Any,
    k: int,
    m: int,
    strict: bool,
    who: Ints,
    sets: Any,
    at: Ints,
) -> bool:
    """Do all combinations of t with 2..m-1 members of the chunk hold? Pairs are known to be fine."""
    depth = 0  # members chosen so far; sets[d] is the intersection of t with the first d of them
    for w in range(bits.shape[1]):
        sets[0, w] = bits[t, w]
    at[0] = 0
    while depth >= 0:
        if at[depth] == n_members or depth == m - 1:
            depth -= 1
            if depth >= 0:
                at[depth] += 1
            continue
        held = _common(sets[depth], bits[members[at[depth]]], sets[depth + 1], who)
        if held < k and (held > 0 or strict):
            return False
        if held == 0:
            at[depth] += 1
            continue
        depth += 1
        at[depth] = at[depth - 1] + 1
    return True


@compiled
def grow_dense(bits: Any, group: Ints, k: int, m: int, strict: bool, who: Ints) -> Ints:
    """Chunk of each term from bitsets of rows (one line of ``bits`` for each term)."""
    n_terms, width = bits.shape
    chunk_of = np.full(n_terms, -1, np.int64)
    lines = (n_terms + 63) // 64
    clash = np.zeros((n_terms, lines), np.uint64)
    scratch, named = np.empty(width, np.uint64), len(who) > 0
    if m > 1:
        for a in range(n_terms):
            for b in range(a):
                if group[a] == group[b]:
                    held = 0
                    if named:
                        held = _common(bits[a], bits[b], scratch, who)
                    else:  # no call: counting who refers to an array takes longer than a pair
                        for w in range(width):
                            held += popcount(bits[a, w] & bits[b, w])
                    if held < k and (held > 0 or strict):
                        clash[a, b >> 6] |= _ONE << np.uint64(b & 63)
    current = np.zeros(lines, np.uint64)
    members, sets = np.empty(n_terms, np.int64), np.empty((m + 1, width), np.uint64)
    at = np.empty(m + 1, np.int64)
    chunk, first = 0, 0
    while first < n_terms:
        if chunk_of[first] >= 0:
            first += 1
            continue
        current[:] = 0
        n_members = 0
        for t in range(first, n_terms):
            if group[t] != group[first]:
                break
            if chunk_of[t] >= 0:
                continue
            fine = True
            for w in range(lines):
                if clash[t, w] & current[w]:
                    fine = False
                    break
            if fine and m > 2 and n_members > 1:
                fine = _fits_dense(t, members, n_members, bits, k, m, strict, who, sets, at)
            if fine:
                chunk_of[t] = chunk
                current[t >> 6] |= _ONE << np.uint64(t & 63)
                members[n_members] = t
                n_members += 1
        chunk += 1
    return chunk_of


@compiled
def projected(row_start: Ints, row_term: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Rows over some terms only, renumbered: ``number[t]`` is the new number of a term, or -1 to leave it out."""
    start, term, at = np.zeros(len(row_start), np.int64), np.empty(len(row_term), np.int64), 0
    for row in range(len(row_start) - 1):
        for e in range(row_start[row], row_start[row + 1]):
            if number[row_term[e]] >= 0:
                term[at] = number[row_term[e]]
                at += 1
        start[row + 1] = at
    return start, term[:at]


@compiled
def columns(row_start: Ints, row_term: Ints, n_terms: int) -> tuple[Ints, Ints]:
    """Rows of each term, ascending."""
    col_start = np.zeros(n_terms + 1, np.int64)
    for e in range(len(row_term)):
        col_start[row_term[e] + 1] += 1
    for t in range(n_terms):
        col_start[t + 1] += col_start[t]
    fill = col_start[:-1].copy()
    col_row = np.empty(len(row_term), np.int64)
    for row in range(len(row_start) - 1):
        for e in range(row_start[row], row_start[row + 1]):
            col_row[fill[row_term[e]]] = row
            fill[row_term[e]] += 1
    return col_start, col_row


@compiled
def _count_with(
    rows: Ints,
    n_rows: int,
    above: int,
    row_start: Ints,
    row_term: Ints,
    who: Ints,
    held: Ints,
    last: Ints,
    touched: Ints,
) -> int:
    """Holders of each term above a number among some rows; returns how many terms were touched."""
    n_touched = 0
    for i in range(n_rows):
        row = rows[i]
        for e in range(row_start[row], row_start[row + 1]):
            u = row_term[e]
            if u > above:
                if held[u] == 0:
                    touched[n_touched] = u
                    n_touched += 1
                    last[u] = -1
                if last[u] != who[row]:
                    last[u] = who[row]
                    held[u] += 1
    return n_touched


@compiled
def _doubled(array: Ints) -> Ints:
    """The same entries with room for as many more."""
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@compiled
def _pairs(
    col_start: Ints,
    col_row: Ints,
    row_start: Ints,
    row_term: Ints,
    group: Ints,
    k: int,
    strict: bool,
    who: Ints,
) -> tuple[Ints, Ints]:
    """Pairs that clash (or, when strict, pairs that hold) as compressed rows, symmetric."""
    n_terms = len(col_start) - 1
    held, last = np.zeros(n_terms, np.int64), np.empty(n_terms, np.int64)
    touched = np.empty(n_terms, np.int64)
    left, right = np.empty(1024, np.int32), np.empty(1024, np.int32)
    found = 0
    degree = np.zeros(n_terms + 1, np.int64)
    for t in range(n_terms):
        rows = col_row[col_start[t] : col_start[t + 1]]
        n_touched = _count_with(rows, len(rows), t, row_start, row_term, who, held, last, touched)
        for i in range(n_touched):
            u = touched[i]
            if group[u] == group[t] and (held[u] >= k) == strict:
                if found == len(left):
                    left, right = _doubled(left), _doubled(right)
                left[found], right[found] = t, u
                found += 1
                degree[t + 1] += 1
                degree[u + 1] += 1
            held[u] = 0
    for t in range(n_terms):
        degree[t + 1] += degree[t]
    fill, other = degree[:-1].copy(), np.empty(2 * found, np.int32)
    for i in range(found):
        other[fill[left[i]]] = right[i]
        fill[left[i]] += 1
        other[fill[right[i]]] = left[i]
        fill[right[i]] += 1
    return degree, other


@compiled
def _fits_sparse(
    t: int,
    chunk: int,
    chunk_of: Ints,
    members: Ints,
    n_members: int,
    column: Ints,
    row_start: Ints,
    row_term: Ints,
    k: int,
    m: int,
    strict: bool,
    who: Ints,
    work: Any,
) -> bool:
    """As ``_fits_dense``, by walking rows: at each depth count the members of the chunk in the rows left."""
    rows, n_rows, held, last, todo, n_todo, at = work
    n_rows[0] = len(column)
    for i in range(len(column)):
        rows[0, i] = column[i]
    depth, fresh, above = 0, True, -1
    while depth >= 0:
        if fresh:
            n = _count_with(
                rows[depth], n_rows[depth], above, row_start, row_term, who, held, last, todo[depth]
            )
            fine, kept = True, 0
            for i in range(n):
                u = todo[depth, i]
                if chunk_of[u] == chunk and u != t:
                    if held[u] < k:
                        fine = False
                    todo[depth, kept] = u
                    kept += 1
                held[u] = 0
            if strict:
                expected = 0
                for i in range(n_members):
                    expected += members[i] > above
                fine = fine and kept == expected
            if not fine:
                return False
            n_todo[depth], at[depth] = kept, 0
        if depth == m - 2 or at[depth] == n_todo[depth]:
            depth -= 1
            fresh = False
            continue
        chosen = todo[depth, at[depth]]
        at[depth] += 1
        n = 0
        for i in range(n_rows[depth]):
            row = rows[depth, i]
            for e in range(row_start[row], row_start[row + 1]):
                if row_term[e] == chosen:
                    rows[depth + 1, n] = row
                    n += 1
                    break
        depth, above, fresh = depth + 1, chosen, True
        n_rows[depth] = n
    return True


@compiled
def grow_sparse(
    row_start: Ints, row_term: Ints, n_terms: int, group: Ints, k: int, m: int, strict: bool, who: Ints
) -> Ints:
    """Chunk of each term from rows of terms; ``who`` is the person (or number) of each row, ascending."""
    chunk_of = np.full(n_terms, -1, np.int64)
    col_start, col_row = columns(row_start, row_term, n_terms)
    if m > 1:
        degree, other = _pairs(col_start, col_row, row_start, row_term, group, k, strict, who)
    else:
        degree, other = np.zeros(n_terms + 1, np.int64), np.empty(0, np.int32)
    longest = 1
    for t in range(n_terms):
        longest = max(longest, col_start[t + 1] - col_start[t])
    depths = max(1, m - 1) if m > 2 else 1
    work = (
        np.empty((depths + 1, longest if m > 2 else 1), np.int64),
        np.empty(depths + 1, np.int64),
        np.zeros(n_terms, np.int64),
        np.empty(n_terms, np.int64),
        np.empty((depths + 1, n_terms), np.int64),
        np.empty(depths + 1, np.int64),
        np.empty(depths + 1, np.int64),
    )
    marked, marks = np.full(n_terms, -1, np.int64), np.zeros(n_terms, np.int64)
    members = np.empty(n_terms, np.int64)
    # Terms still to be placed, as a linked list, so that a pass costs what is left.
    after = np.arange(1, n_terms + 1)
    head, chunk = 0, 0
    while head < n_terms:
        n_members, before, t = 0, -1, head
        while t < n_terms and group[t] == group[head]:
            hits = marks[t] if marked[t] == chunk else 0
            fine = m == 1 or (hits == n_members if strict else hits == 0)
            if fine and m > 2 and n_members > 1:
                column = col_row[col_start[t] : col_start[t + 1]]
                fine = _fits_sparse(
                    t,
                    chunk,
                    chunk_of,
                    members,
                    n_members,
                    column,
                    row_start,
                    row_term,
                    k,
                    m,
                    strict,
                    who,
                    work,
                )
            if fine:
                chunk_of[t] = chunk
                members[n_members] = t
                n_members += 1
                for i in range(degree[t], degree[t + 1]):
                    u = other[i]
                    if marked[u] != chunk:
                        marked[u] = chunk
                        marks[u] = 0
                    marks[u] += 1
            if fine and before >= 0:
                after[before] = after[t]
            elif not fine:
                before = t
            t = after[t]
        # The first term of a pass always joins, so the next pass starts behind it.
        head = after[head]
        while head < n_terms and chunk_of[head] >= 0:
            head = after[head]
        chunk += 1
    return chunk_of
