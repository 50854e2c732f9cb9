"""Frames of HORPART: a part of the data that is still to be split, over its own terms.

A frame holds its records as rows and columns, the number of holders of each term, and a heap of these. Frames form a
stack in shared arenas: a nested frame lies behind its parent and is released as a whole. Records that leave a frame are
marked, and only their occurrences are subtracted, so nothing is ever counted twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

# Columns of the frame table: first record, records, first row start, first term, terms, first heap entry, heap entries,
# records that are still there.
RECORDS, N, ROWS, TERMS, T, HEAP, HEAP_N, ALIVE = range(8)

# A key of the heap is the count and, below it, the term turned round: of equal counts the smaller term comes first.
_MASK = 0xFFFFFFFF
# Count of a term that every record left holds: no restored record brings it above zero again.
_SPENT = -(1 << 30)


class Arena(NamedTuple):
    """Arrays that all frames share. Column starts have one more entry than terms, so frame f is shifted by f."""

    frames: Ints
    record: Ints
    alive: Flags
    row_start: Ints
    row_term: Ints
    col_start: Ints
    col_record: Ints
    held: Ints
    heap: Ints


class Scratch(NamedTuple):
    """Arrays that are reused: numbers of terms while a frame is built, and lists of records."""

    present: Ints
    touched: Ints
    fill: Ints
    ids: Ints
    locals: Ints


@compiled
def _sift_down(heap: Ints, base: int, size: int, at: int) -> None:
    key = heap[base + at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[base + child + 1] > heap[base + child]:
            child += 1
        if heap[base + child] <= key:
            break
        heap[base + at] = heap[base + child]
        at = child
    heap[base + at] = key


@compiled
def _heapify(arena: Arena, f: int) -> None:
    """(Re)build the heap of a frame from its counts."""
    base, terms, size = arena.frames[f, HEAP], arena.frames[f, TERMS], 0
    for t in range(arena.frames[f, T]):
        if arena.held[terms + t] > 0:
            arena.heap[base + size] = (np.int64(arena.held[terms + t]) << 32) | (_MASK - t)
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sift_down(arena.heap, base, size, at)
    arena.frames[f, HEAP_N] = size


@compiled
def most_frequent(arena: Arena, f: int) -> int:
    """Take the most frequent term off the heap, or -1. Entries above the true count are put back corrected."""
    heap, base, terms, size = (
        arena.heap,
        arena.frames[f, HEAP],
        arena.frames[f, TERMS],
        arena.frames[f, HEAP_N],
    )
    best = -1
    while size > 0 and best < 0:
        stored, term = heap[base] >> 32, _MASK - (heap[base] & _MASK)
        true = np.int64(arena.held[terms + term])
        if 0 < true < stored:
            heap[base] = (true << 32) | (_MASK - term)
        else:
            size -= 1
            heap[base] = heap[base + size]
            if true > 0 and true == stored:
                best = term
        _sift_down(heap, base, size, 0)
    arena.frames[f, HEAP_N] = size
    return best


@compiled
def offer(arena: Arena, f: int, term: int) -> None:
    """Make sure that the heap holds an entry of at least the term's count."""
    heap, base, at = arena.heap, arena.frames[f, HEAP], arena.frames[f, HEAP_N]
    if at == 2 * arena.frames[f, T] + 8:
        _heapify(arena, f)
        return
    key = (np.int64(arena.held[arena.frames[f, TERMS] + term]) << 32) | (_MASK - term)
    arena.frames[f, HEAP_N] += 1
    while at > 0:
        parent = (at - 1) >> 1
        if heap[base + parent] >= key:
            break
        heap[base + at] = heap[base + parent]
        at = parent
    heap[base + at] = key


@compiled
def spend(arena: Arena, f: int, term: int) -> None:
    """Every record left holds the term: it splits nothing any more."""
    arena.held[arena.frames[f, TERMS] + term] = _SPENT


@compiled
def remove(arena: Arena, f: int, local: int) -> None:
    """Take a record out of a frame."""
    rows, terms = arena.frames[f, ROWS], arena.frames[f, TERMS]
    row_term, held = arena.row_term, arena.held
    arena.alive[arena.frames[f, RECORDS] + local] = False
    arena.frames[f, ALIVE] -= 1
    for e in range(arena.row_start[rows + local], arena.row_start[rows + local + 1]):
        held[terms + row_term[e]] -= 1


@compiled
def restore(arena: Arena, f: int, record_id: int) -> None:
    """Bring back a record that was taken out of frame f earlier."""
    first, n, rows, terms = (
        arena.frames[f, RECORDS],
        arena.frames[f, N],
        arena.frames[f, ROWS],
        arena.frames[f, TERMS],
    )
    local = np.searchsorted(arena.record[first : first + n], record_id)
    arena.alive[first + local] = True
    arena.frames[f, ALIVE] += 1
    for e in range(arena.row_start[rows + local], arena.row_start[rows + local + 1]):
        term = int(arena.row_term[e])
        arena.held[terms + term] += 1
        if arena.held[terms + term] > 0:
            offer(arena, f, term)


@compiled
def records_left(arena: Arena, f: int, ids: Ints) -> int:
    """Write the records still in a frame to ``ids``; returns how many."""
    n, first = 0, arena.frames[f, RECORDS]
    for local in range(arena.frames[f, N]):
        if arena.alive[first + local]:
            ids[n] = arena.record[first + local]
            n += 1
    return n


@compiled
def records_with(arena: Arena, f: int, term: int, scratch: Scratch) -> int:
    """Write the records still in a frame that hold a term, as ids and places; returns how many."""
    column, first, n = arena.frames[f, TERMS] + f + term, arena.frames[f, RECORDS], 0
    col_record, alive, record, locals_, ids = (
        arena.col_record,
        arena.alive,
        arena.record,
        scratch.locals,
        scratch.ids,
    )
    for e in range(arena.col_start[column], arena.col_start[column + 1]):
        local = col_record[e]
        if alive[first + local]:
            locals_[n] = local
            ids[n] = record[first + local]
            n += 1
    return n


@compiled
def _grown(array: NDArray[Any], needed: int) -> NDArray[Any]:
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@compiled
def _sort_touched(scratch: Scratch, n_touched: int, n_terms: int) -> None:
    """Terms that occur, ascending: by sorting those touched or by scanning all, whichever is shorter."""
    if n_touched * 16 < n_terms:
        ordered = np.sort(scratch.touched[:n_touched])
        for i in range(n_touched):
            scratch.touched[i] = ordered[i]
        return
    at = 0
    for term in range(n_terms):
        if scratch.present[term] > 0:
            scratch.touched[at] = term
            at += 1


@compiled
def first_frame(offsets: Ints, terms: Ints, n_terms: int, scratch: Scratch) -> Arena:
    """The arenas, with one frame that holds everything."""
    n, nnz = len(offsets) - 1, len(terms)
    arena = Arena(
        frames=np.zeros((16, 8), np.int64),
        record=np.empty(2 * n + 1, np.int32),
        alive=np.empty(2 * n + 1, np.bool_),
        row_start=np.empty(2 * n + 2, np.int64),
        row_term=np.empty(2 * nnz + 1, np.int32),
        col_start=np.empty(2 * n_terms + 4, np.int64),
        col_record=np.empty(2 * nnz + 1, np.int32),
        held=np.zeros(2 * n_terms + 4, np.int32),
        heap=np.empty(4 * n_terms + 16, np.int64),
    )
    arena.frames[0, N], arena.frames[0, T], arena.frames[0, ALIVE] = n, n_terms, n
    for local in range(n + 1):
        arena.row_start[local] = offsets[local]
    for e in range(nnz):
        arena.row_term[e] = terms[e]
        arena.held[terms[e]] += 1
    _lay_columns(arena, 0, 0, scratch.fill)
    for local in range(n):
        arena.record[local] = local
        arena.alive[local] = True
        for e in range(offsets[local], offsets[local + 1]):
            arena.col_record[scratch.fill[terms[e]]] = local
            scratch.fill[terms[e]] += 1
    _heapify(arena, 0)
    return arena


@compiled
def _lay_columns(arena: Arena, f: int, start: int, fill: Ints) -> None:
    """Start of each column of a frame whose counts stand; ``fill`` is where the next record of a term goes."""
    terms = arena.frames[f, TERMS]
    for term in range(arena.frames[f, T]):
        arena.col_start[terms + f + term] = start
        fill[term] = start
        start += arena.held[terms + term]
    arena.col_start[terms + f + arena.frames[f, T]] = start


@compiled
def _leave(arena: Arena, f: int, many: int, best: int, scratch: Scratch) -> tuple[int, int]:
    """Take the listed records out of a frame and count the terms they hold besides ``best``.

    Returns how many terms and how many occurrences that makes.
    """
    first, rows, terms = arena.frames[f, RECORDS], arena.frames[f, ROWS], arena.frames[f, TERMS]
    row_start, row_term, held = arena.row_start, arena.row_term, arena.held
    present, touched = scratch.present, scratch.touched
    n_touched, inner = 0, 0
    arena.frames[f, ALIVE] -= many
    for i in range(many):
        local = scratch.locals[i]
        arena.alive[first + local] = False
        for e in range(row_start[rows + local], row_start[rows + local + 1]):
            term = row_term[e]
            held[terms + term] -= 1
            if term != best and held[terms + term] > _SPENT // 2:
                if present[term] == 0:
                    touched[n_touched] = term
                    n_touched += 1
                present[term] += 1
                inner += 1
    return n_touched, inner


@compiled
def nested_frame(arena: Arena, f: int, many: int, best: int, scratch: Scratch) -> Arena:
    """Move the listed records of frame f, which all hold ``best``, to a new frame f + 1 without that term."""
    n_touched, inner = _leave(arena, f, many, best, scratch)
    _sort_touched(scratch, n_touched, arena.frames[f, T])
    parent, g = arena.frames[f].copy(), f + 1
    at = arena.row_start[parent[ROWS] + parent[N]]
    arena = _with_room(arena, f, many, n_touched, at + inner)
    frame = arena.frames[g]
    frame[RECORDS], frame[N], frame[ALIVE] = parent[RECORDS] + parent[N], many, many
    frame[ROWS], frame[TERMS], frame[T] = parent[ROWS] + parent[N] + 1, parent[TERMS] + parent[T], n_touched
    frame[HEAP] = parent[HEAP] + 2 * parent[T] + 8
    for i in range(n_touched):
        arena.held[frame[TERMS] + i] = scratch.present[scratch.touched[i]]
        scratch.present[scratch.touched[i]] = i + 1
    _lay_columns(arena, g, at, scratch.fill)
    row_term, row_start, col_record = arena.row_term, arena.row_start, arena.col_record
    fill, present = scratch.fill, scratch.present
    first, rows = frame[RECORDS], frame[ROWS]
    for i in range(many):
        arena.record[first + i] = scratch.ids[i]
        arena.alive[first + i] = True
        row_start[rows + i] = at
        row = parent[ROWS] + scratch.locals[i]
        for e in range(row_start[row], row_start[row + 1]):
            term = present[row_term[e]] - 1
            if term >= 0:
                row_term[at] = term
                at += 1
                col_record[fill[term]] = i
                fill[term] += 1
    row_start[rows + many] = at
    for i in range(n_touched):
        scratch.present[scratch.touched[i]] = 0
    _heapify(arena, g)
    return arena


@compiled
def _with_room(arena: Arena, f: int, many: int, n_terms: int, occurrences: int) -> Arena:
    """The arenas, grown if a frame of this size does not fit behind frame f."""
    parent, frames = arena.frames[f], arena.frames
    if f + 1 == len(frames):
        frames = np.zeros((2 * len(arena.frames), arena.frames.shape[1]), np.int64)
        for i in range(f + 1):
            for j in range(frames.shape[1]):
                frames[i, j] = arena.frames[i, j]
    records, terms = parent[RECORDS] + parent[N] + many, parent[TERMS] + parent[T] + n_terms
    return Arena(
        frames,
        _grown(arena.record, records + 1),
        _grown(arena.alive, records + 1),
        _grown(arena.row_start, parent[ROWS] + parent[N] + many + 2),
        _grown(arena.row_term, occurrences + 1),
        _grown(arena.col_start, terms + f + 3),
        _grown(arena.col_record, occurrences + 1),
        _grown(arena.held, terms + 1),
        _grown(arena.heap, parent[HEAP] + 2 * parent[T] + 2 * n_terms + 16),
    )
