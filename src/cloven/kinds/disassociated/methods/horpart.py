"""HORPART as one compiled loop (Terrovitis et al., PVLDB 2012, Fig. 4; small clusters: AlShuhail 2021, section 3.3.1).

The recursion takes the most frequent term *a* of a part and splits it into the records with *a* and the rest. A part
that is larger than the maximum becomes a frame (see below). The chain "rest of the rest of the rest" stays
inside one frame: the records with *a* are read off its column and taken out. So an occurrence is touched once per
nesting of "records with", never once per split.

Terms are numbered by tie order: of equally frequent terms the one with the smaller number wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


ADD, ABANDON, SUPPRESS, REMAINING, KEEP = range(5)

# Places in ``Saved.state``: clusters made, clusters with room, records that found no room.
_CLUSTERS, _ROOMS, _WAITING = range(3)


class Saved(NamedTuple):
    """Clusters made so far.

    Attributes:
        cluster_of: cluster of each record, -1 for none yet.
        sizes: records of each cluster.
        room: clusters below the maximum, those saved last on top.
        waiting: records that were to join a cluster when none had room.
        added: records that were put back into a part once.
        state: counters, see above.
    """

    cluster_of: Ints
    sizes: Ints
    room: Ints
    waiting: Ints
    added: Flags
    state: Ints


class People(NamedTuple):
    """Person of each record (or empty), and scratch to count distinct ones."""

    of: Ints
    stamp: Ints
    now: Ints


@compiled
def _holders(ids: Ints, n: int, people: People) -> int:
    """Distinct persons among ids[:n]; the records themselves when persons are not told."""
    if len(people.of) == 0:
        return n
    people.now[0] += 1
    distinct = 0
    for i in range(n):
        if people.stamp[people.of[ids[i]]] != people.now[0]:
            people.stamp[people.of[ids[i]]] = people.now[0]
            distinct += 1
    return distinct


@compiled
def _save(ids: Ints, n: int, saved: Saved, maximum: int) -> None:
    """Make a cluster of ids[:n]."""
    cluster = saved.state[_CLUSTERS]
    for i in range(n):
        saved.cluster_of[ids[i]] = cluster
    saved.sizes[cluster] = n
    saved.state[_CLUSTERS] += 1
    if n < maximum:
        saved.room[saved.state[_ROOMS]] = cluster
        saved.state[_ROOMS] += 1


@compiled
def _join_saved(record_id: int, saved: Saved, maximum: int) -> None:
    """Put one record into the cluster saved last that has room; without any it waits for the end."""
    state = saved.state
    while state[_ROOMS] > 0 and saved.sizes[saved.room[state[_ROOMS] - 1]] >= maximum:
        state[_ROOMS] -= 1
    if state[_ROOMS] == 0:
        saved.waiting[state[_WAITING]] = record_id
        state[_WAITING] += 1
        return
    cluster = saved.room[state[_ROOMS] - 1]
    saved.cluster_of[record_id] = cluster
    saved.sizes[cluster] += 1


@compiled
def _put_back(arena: Arena, f: int, ids: Ints, many: int, saved: Saved, maximum: int) -> None:
    """Give a small rest to the next part that waits; a record that was put back before joins a saved cluster."""
    waiting = f - 1
    while waiting >= 0 and arena.frames[waiting, ALIVE] == 0:
        waiting -= 1
    for i in range(many):
        if waiting < 0 or saved.added[ids[i]]:
            _join_saved(ids[i], saved, maximum)
        else:
            saved.added[ids[i]] = True
            restore(arena, waiting, ids[i])


@compiled
def _leave_small(
    arena: Arena, f: int, best: int, many: int, scratch: Scratch, saved: Saved, maximum: int
) -> None:
    """Too few records hold the term: they stay in the rest; those put back before join a saved cluster."""
    for i in range(many):
        if saved.added[scratch.ids[i]]:
            remove(arena, f, scratch.locals[i])
            _join_saved(scratch.ids[i], saved, maximum)
        else:
            saved.added[scratch.ids[i]] = True
    if arena.held[arena.frames[f, TERMS] + best] > 0:
        offer(arena, f, best)


@compiled
def _split_is_bad(arena: Arena, f: int, many: int, k: int, scratch: Scratch, people: People) -> bool:
    """Would one of the two halves fall below k holders?"""
    if _holders(scratch.ids, many, people) < k:
        return True
    if len(people.of) == 0:
        return bool(arena.frames[f, ALIVE] - many < k)
    first = arena.frames[f, RECORDS]
    for i in range(many):
        arena.alive[first + scratch.locals[i]] = False
    rest = np.empty(arena.frames[f, N], np.int64)
    bad = _holders(rest, records_left(arena, f, rest), people) < k
    for i in range(many):
        arena.alive[first + scratch.locals[i]] = True
    return bad


@compiled
def _seat_waiting(saved: Saved, people: People, k: int, maximum: int) -> None:
    """Records that found no room make clusters of their own; fewer than k holders join the cluster saved last."""
    many = saved.state[_WAITING]
    if many == 0:
        return
    if _holders(saved.waiting, many, people) < k and saved.state[_CLUSTERS] > 0:
        for i in range(many):
            saved.cluster_of[saved.waiting[i]] = saved.state[_CLUSTERS] - 1
        return
    # Slices of records need not be slices of persons, so persons stay together.
    pieces = 1 if len(people.of) > 0 else -(-many // maximum)
    for piece in range(pieces):
        first, last = many * piece // pieces, many * (piece + 1) // pieces
        _save(saved.waiting[first:last], last - first, saved, maximum)


def horpart(
    offsets: Ints,
    terms: Ints,
    n_terms: int,
    k: int,
    maximum: int,
    strategy: int,
    person: Ints,
    n_persons: int,
) -> tuple[Ints, int]:
    """Partition records; returns the cluster of each record (-1: left out) and the number of clusters.

    Large arrays are made here: NumPy asks for huge pages, a kernel does not, and its loops jump between pages.

    Args:
        offsets: row starts of the records.
        terms: term numbers in tie order.
        n_terms: how many terms there are.
        k: least number of records (or persons) of a cluster.
        maximum: largest accepted cluster, inclusive.
        strategy: one of the constants above; REMAINING leaves small clusters out (the caller comes back with them).
        person: person of each record, or empty.
        n_persons: how many persons there are.
    """
    n = len(offsets) - 1
    saved = Saved(
        cluster_of=np.full(n, -1, np.int64),
        sizes=np.zeros(n + 1, np.int64),
        room=np.empty(n + 1, np.int64),
        waiting=np.empty(n + 1, np.int64),
        added=np.zeros(n, np.bool_),
        state=np.zeros(3, np.int64),
    )
    people = People(person, np.zeros(n_persons + 1, np.int64), np.zeros(1, np.int64))
    scratch = Scratch(
        present=np.zeros(n_terms + 1, np.int64),
        touched=np.empty(n_terms + 1, np.int64),
        fill=np.empty(n_terms + 1, np.int64),
        ids=np.empty(n + 1, np.int64),
        locals=np.empty(n + 1, np.int64),
    )
    return _horpart(
        first_frame(offsets, terms, n_terms, scratch), saved, people, scratch, k, maximum, strategy
    )


@compiled
def _horpart(
    arena: Arena, saved: Saved, people: People, scratch: Scratch, k: int, maximum: int, strategy: int
) -> tuple[Ints, int]:
    """Split the first frame, and those nested in it, until clusters are saved."""
    # An element of an array, so that what is called with it is compiled for numbers and not again for a literal.
    f = int(saved.state[_CLUSTERS])
    while f >= 0:
        left = arena.frames[f, ALIVE]
        if left == 0:
            f -= 1
            continue
        best = -1 if left <= maximum else most_frequent(arena, f)
        if best < 0:
            # Small enough, or nothing left to split by: what is left is one cluster.
            many = records_left(arena, f, scratch.ids)
            arena.frames[f, ALIVE] = 0
            if strategy == KEEP or _holders(scratch.ids, many, people) >= k:
                _save(scratch.ids, many, saved, maximum)
            elif strategy in (ADD, ABANDON):
                _put_back(arena, f, scratch.ids, many, saved, maximum)
            f -= 1
            continue
        many = records_with(arena, f, best, scratch)
        if many == left:
            # The rest is empty, so the part stays as it is, without the term.
            spend(arena, f, best)
            continue
        if strategy == ABANDON and _split_is_bad(arena, f, many, k, scratch, people):
            many = records_left(arena, f, scratch.ids)
            arena.frames[f, ALIVE] = 0
            _save(scratch.ids, many, saved, maximum)
            f -= 1
            continue
        enough = _holders(scratch.ids, many, people) >= k
        if not enough and strategy == ADD:
            _leave_small(arena, f, best, many, scratch, saved, maximum)
        elif many > maximum:
            arena = nested_frame(arena, f, many, best, scratch)
            f += 1
        else:
            for i in range(many):
                remove(arena, f, scratch.locals[i])
            if enough or strategy == KEEP:
                _save(scratch.ids, many, saved, maximum)
    _seat_waiting(saved, people, k, maximum)
    return saved.cluster_of, int(saved.state[_CLUSTERS])


# Frames of HORPART: a part of the data that is still to be split, over its own terms.
#
# A frame holds its records as rows and columns, the number of holders of each term, and a heap of these. Frames form a
# stack in shared arenas: a nested frame lies behind its parent and is released as a whole. Records that leave a frame
# are marked, and only their occurrences are subtracted, so nothing is ever counted twice.


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


def first_frame(offsets: Ints, terms: Ints, n_terms: int, scratch: Scratch) -> Arena:
    """The arenas, with one frame that holds everything."""
    n, nnz = len(offsets) - 1, len(terms)
    arena = Arena(
        frames=np.zeros((16, 8), np.int64),
        record=np.empty(2 * n + 1, np.int32),
        alive=np.empty(2 * n + 1, np.bool_),
        row_start=np.empty(2 * n + 2, np.int64),
        row_term=np.empty(3 * nnz + 1, np.int32),
        col_start=np.empty(2 * n_terms + 4, np.int64),
        col_record=np.empty(3 * nnz + 1, np.int32),
        held=np.zeros(2 * n_terms + 4, np.int32),
        heap=np.empty(4 * n_terms + 16, np.int64),
    )
    arena.frames[0, N], arena.frames[0, T], arena.frames[0, ALIVE] = n, n_terms, n
    arena.row_start[: n + 1], arena.row_term[:nnz] = offsets, terms
    arena.record[:n], arena.alive[:n] = np.arange(n), True
    _fill_first(arena, scratch.fill)
    return arena


@compiled
def _fill_first(arena: Arena, fill: Ints) -> None:
    """Counts, columns and heap of the frame that holds everything."""
    n, row_start, row_term, col_record = arena.frames[0, N], arena.row_start, arena.row_term, arena.col_record
    for e in range(row_start[n]):
        arena.held[row_term[e]] += 1
    _lay_columns(arena, 0, 0, fill)
    for local in range(n):
        for e in range(row_start[local], row_start[local + 1]):
            col_record[fill[row_term[e]]] = local
            fill[row_term[e]] += 1
    _heapify(arena, 0)


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

    Returns how many terms, listed in ``scratch.touched`` and ascending, and how many occurrences that makes.
    """
    first, rows, terms, n_terms = (
        arena.frames[f, RECORDS],
        arena.frames[f, ROWS],
        arena.frames[f, TERMS],
        arena.frames[f, T],
    )
    row_start, row_term, held = arena.row_start, arena.row_term, arena.held
    present, touched, locals_ = scratch.present, scratch.touched, scratch.locals
    arena.frames[f, ALIVE] -= many
    occurrences = 0
    for i in range(many):
        row = rows + locals_[i]
        arena.alive[first + locals_[i]] = False
        occurrences += row_start[row + 1] - row_start[row]
    n_touched, inner = 0, 0
    if occurrences * 16 < n_terms:
        for i in range(many):
            for e in range(row_start[rows + locals_[i]], row_start[rows + locals_[i] + 1]):
                term = row_term[e]
                if present[term] == 0:
                    touched[n_touched] = term
                    n_touched += 1
                present[term] += 1
        touched[:n_touched].sort()
    else:
        for i in range(many):
            for e in range(row_start[rows + locals_[i]], row_start[rows + locals_[i] + 1]):
                present[row_term[e]] += 1
        for term in range(n_terms):
            if present[term] > 0:
                touched[n_touched] = term
                n_touched += 1
    stay = 0
    for i in range(n_touched):
        term = touched[i]
        held[terms + term] -= present[term]
        if term != best and held[terms + term] > _SPENT // 2:
            inner += present[term]
            touched[stay] = term
            stay += 1
        else:
            present[term] = 0
    return stay, inner


@compiled
def nested_frame(arena: Arena, f: int, many: int, best: int, scratch: Scratch) -> Arena:
    """Move the listed records of frame f, which all hold ``best``, to a new frame f + 1 without that term."""
    n_touched, inner = _leave(arena, f, many, best, scratch)
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
    # No branch inside: what stays behind is written where the next occurrence goes.
    fill[n_touched] = at + inner
    for i in range(many):
        arena.record[first + i] = scratch.ids[i]
        arena.alive[first + i] = True
        row_start[rows + i] = at
        row = parent[ROWS] + scratch.locals[i]
        for e in range(row_start[row], row_start[row + 1]):
            number = present[row_term[e]]
            stays = int(number > 0)
            term = number - 1 if number > 0 else n_touched
            row_term[at] = term
            at += stays
            place = fill[term]
            col_record[place] = i
            fill[term] = place + stays
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
