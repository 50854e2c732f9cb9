"""HORPART as one compiled loop (Terrovitis et al., PVLDB 2012, Fig. 4; small clusters: AlShuhail 2023, section 3.3.1).

The recursion takes the most frequent term *a* of a part and splits it into the records with *a* and the rest. Here a
part that is larger than the maximum becomes a *frame*: its records as compressed rows and columns over its own terms,
the count of each term, and a heap of counts. The chain "rest of the rest of the rest" stays inside one frame: the
records with *a* are read off the column, taken out, and only their occurrences are subtracted. So an occurrence is
touched once per nesting of "records with", never once per split, and nothing is ever recounted.

Frames form an explicit stack in shared arenas: a nested frame is built behind its parent and released as a whole.
Terms are numbered by tie order: of equally frequent terms the one with the smaller number wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints

ADD, ABANDON, SUPPRESS, REMAINING, KEEP = range(5)

_MASK = np.int64(0xFFFFFFFF)
# Lowest count of a term that is spent in a frame: restoring records can never bring it back above zero.
_SPENT = np.int64(-(1 << 30))

# Columns of the frame table.
_RECORDS, _N, _ROWS, _NNZ, _TERMS, _T, _HEAP, _HEAP_N, _ALIVE = range(9)


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
def _push(heap: Ints, base: int, size: int, key: int) -> None:
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[base + parent] >= key:
            break
        heap[base + at] = heap[base + parent]
        at = parent
    heap[base + at] = key


@compiled
def _heapify(frames: Ints, f: int, count: Ints, heap: Ints) -> None:
    """(Re)build the heap of a frame from its counts."""
    base, terms, size = frames[f, _HEAP], frames[f, _TERMS], 0
    for t in range(frames[f, _T]):
        if count[terms + t] > 0:
            heap[base + size] = (count[terms + t] << 32) | (_MASK - t)
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sift_down(heap, base, size, at)
    frames[f, _HEAP_N] = size


@compiled
def _most_frequent(frames: Ints, f: int, count: Ints, heap: Ints) -> int:
    """Take the most frequent term off the heap, or -1. Entries above the true count are put back corrected."""
    base, terms, size = frames[f, _HEAP], frames[f, _TERMS], frames[f, _HEAP_N]
    best = -1
    while size > 0:
        key = heap[base]
        term, true = _MASK - (key & _MASK), count[terms + _MASK - (key & _MASK)]
        stored = key >> 32
        if true > 0 and true < stored:
            heap[base] = (true << 32) | (_MASK - term)
            _sift_down(heap, base, size, 0)
            continue
        size -= 1
        heap[base] = heap[base + size]
        _sift_down(heap, base, size, 0)
        if true > 0 and true == stored:
            best = term
            break
    frames[f, _HEAP_N] = size
    return best


@compiled
def _offer(frames: Ints, f: int, term: int, count: Ints, heap: Ints) -> None:
    """Make sure that the heap holds an entry of at least the term's count."""
    base, size = frames[f, _HEAP], frames[f, _HEAP_N]
    if size == 2 * frames[f, _T] + 8:
        _heapify(frames, f, count, heap)
        return
    _push(heap, base, size, (count[frames[f, _TERMS] + term] << 32) | (_MASK - term))
    frames[f, _HEAP_N] = size + 1


@compiled
def _remove(
    frames: Ints, f: int, local: int, row_start: Ints, row_term: Ints, count: Ints, alive: Flags
) -> None:
    rows = frames[f, _ROWS]
    alive[frames[f, _RECORDS] + local] = False
    frames[f, _ALIVE] -= 1
    for e in range(row_start[rows + local], row_start[rows + local + 1]):
        count[frames[f, _TERMS] + row_term[e]] -= 1


@compiled
def _restore(
    frames: Ints,
    f: int,
    record_id: int,
    record: Ints,
    row_start: Ints,
    row_term: Ints,
    count: Ints,
    alive: Flags,
    heap: Ints,
) -> None:
    """Bring back a record that was taken out of frame f earlier."""
    first, n, rows = frames[f, _RECORDS], frames[f, _N], frames[f, _ROWS]
    local = np.searchsorted(record[first : first + n], record_id)
    alive[first + local] = True
    frames[f, _ALIVE] += 1
    for e in range(row_start[rows + local], row_start[rows + local + 1]):
        term = row_term[e]
        count[frames[f, _TERMS] + term] += 1
        if count[frames[f, _TERMS] + term] > 0:
            _offer(frames, f, term, count, heap)


@compiled
def _save(ids: Ints, n: int, cluster_of: Ints, sizes: Ints, room: Ints, state: Ints, maximum: int) -> None:
    """Make a cluster of ids[:n]."""
    cluster = state[0]
    for i in range(n):
        cluster_of[ids[i]] = cluster
    sizes[cluster] = n
    state[0] += 1
    if n < maximum:
        room[state[1]] = cluster
        state[1] += 1


@compiled
def _join_saved(
    record_id: int, cluster_of: Ints, sizes: Ints, room: Ints, state: Ints, maximum: int, pending: Ints
) -> None:
    """Put one record into the cluster saved last that has room, else into the one saved last."""
    while state[1] > 0 and sizes[room[state[1] - 1]] >= maximum:
        state[1] -= 1
    if state[1] > 0:
        cluster = room[state[1] - 1]
    elif state[0] > 0:
        cluster = state[0] - 1
    else:
        pending[state[2]] = record_id
        state[2] += 1
        return
    cluster_of[record_id] = cluster
    sizes[cluster] += 1


@compiled
def _people(ids: Ints, n: int, person: Ints, stamp: Ints, stamp_now: int) -> int:
    """Distinct persons among ids[:n]; the records themselves when persons are not told."""
    if len(person) == 0:
        return n
    distinct = 0
    for i in range(n):
        if stamp[person[ids[i]]] != stamp_now:
            stamp[person[ids[i]]] = stamp_now
            distinct += 1
    return distinct


@compiled
def _grown(array: NDArray[Any], needed: int) -> NDArray[Any]:
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def _alive_ids(frames: Ints, f: int, record: Ints, alive: Flags, ids: Ints) -> int:
    n, first = 0, frames[f, _RECORDS]
    for local in range(frames[f, _N]):
        if alive[first + local]:
            ids[n] = record[first + local]
            n += 1
    return n


@compiled
def _index(
    frames: Ints,
    f: int,
    row_start: Ints,
    row_term: Ints,
    col_start: Ints,
    col_record: Ints,
    count: Ints,
    alive: Flags,
    heap: Ints,
) -> None:
    """Fill columns, counts and heap of a frame whose rows stand."""
    rows, terms, n, t = frames[f, _ROWS], frames[f, _TERMS], frames[f, _N], frames[f, _T]
    start = row_start[rows]
    col_start[terms + f] = start
    for term in range(t):
        col_start[terms + f + term + 1] = col_start[terms + f + term] + count[terms + term]
    for term in range(t):
        count[terms + term] = 0
    for local in range(n):
        alive[frames[f, _RECORDS] + local] = True
        for e in range(row_start[rows + local], row_start[rows + local + 1]):
            term = row_term[e]
            col_record[col_start[terms + f + term] + count[terms + term]] = local
            count[terms + term] += 1
    frames[f, _ALIVE] = n
    _heapify(frames, f, count, heap)


@compiled
def _sorted_present(present_count: Ints, touched: Ints, n_touched: int, t: int) -> None:
    """Terms that occur, ascending: by sorting the touched ones or by scanning, whichever is shorter."""
    if n_touched * 16 < t:
        touched[:n_touched] = np.sort(touched[:n_touched])
        return
    at = 0
    for term in range(t):
        if present_count[term] > 0:
            touched[at] = term
            at += 1


@compiled
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
    """Partition records; returns cluster of each record (-1: left out) and the number of clusters.

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
    n, nnz = len(offsets) - 1, len(terms)
    cluster_of = np.full(n, -1, np.int64)
    sizes = np.zeros(n + 1, np.int64)
    room = np.empty(n + 1, np.int64)
    pending = np.empty(n + 1, np.int64)
    state = np.zeros(4, np.int64)  # clusters, open clusters, pending records
    readded = np.zeros(n, np.bool_)
    stamp, stamp_now = np.zeros(max(1, n_persons), np.int64), 0
    ids, locals_ = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    present, touched = np.zeros(n_terms + 1, np.int64), np.empty(n_terms + 1, np.int64)

    frames = np.zeros((16, 9), np.int64)
    record, alive = np.empty(2 * n + 1, np.int64), np.empty(2 * n + 1, np.bool_)
    row_start, row_term = np.empty(2 * n + 2, np.int64), np.empty(2 * nnz + 1, np.int32)
    col_start, count = np.empty(2 * n_terms + 4, np.int64), np.zeros(2 * n_terms + 4, np.int64)
    col_record, heap = np.empty(2 * nnz + 1, np.int32), np.empty(4 * n_terms + 16, np.int64)

    # The first frame holds everything.
    frames[0, _N], frames[0, _NNZ], frames[0, _T] = n, nnz, n_terms
    for local in range(n):
        record[local] = local
    row_start[: n + 1] = offsets
    row_term[:nnz] = terms
    for e in range(nnz):
        count[terms[e]] += 1
    _index(frames, 0, row_start, row_term, col_start, col_record, count, alive, heap)
    f = 0

    while f >= 0:
        left = frames[f, _ALIVE]
        if left == 0:
            f -= 1
            continue
        best = -1 if left <= maximum else _most_frequent(frames, f, count, heap)
        if best < 0:
            # Small enough, or nothing left to split by: what is left is one cluster.
            many = _alive_ids(frames, f, record, alive, ids)
            frames[f, _ALIVE] = 0
            stamp_now += 1
            if strategy == KEEP or _people(ids, many, person, stamp, stamp_now) >= k:
                _save(ids, many, cluster_of, sizes, room, state, maximum)
            elif strategy in (ADD, ABANDON):
                waiting = f - 1
                while waiting >= 0 and frames[waiting, _ALIVE] == 0:
                    waiting -= 1
                for i in range(many):
                    if waiting < 0 or readded[ids[i]]:
                        _join_saved(ids[i], cluster_of, sizes, room, state, maximum, pending)
                    else:
                        readded[ids[i]] = True
                        _restore(frames, waiting, ids[i], record, row_start, row_term, count, alive, heap)
            f -= 1
            continue

        # The records with the term.
        terms0, first = frames[f, _TERMS], frames[f, _RECORDS]
        many = 0
        for e in range(col_start[terms0 + f + best], col_start[terms0 + f + best + 1]):
            local = int(col_record[e])
            if alive[first + local]:
                locals_[many] = local
                ids[many] = record[first + local]
                many += 1
        if many == left:
            # Everybody has it: the rest is empty, so the part stays as it is and the term is spent.
            count[terms0 + best] = _SPENT
            continue
        stamp_now += 1
        people = _people(ids, many, person, stamp, stamp_now)

        if strategy == ABANDON:
            others = left - many
            if len(person) > 0 and people >= k:
                stamp_now += 1
                others = 0
                for local in range(frames[f, _N]):
                    pid = person[record[first + local]]
                    if alive[first + local] and stamp[pid] != stamp_now:
                        held = False
                        for e in range(
                            row_start[frames[f, _ROWS] + local], row_start[frames[f, _ROWS] + local + 1]
                        ):
                            held |= row_term[e] == best
                        if not held:
                            stamp[pid] = stamp_now
                            others += 1
            if people < k or others < k:
                many = _alive_ids(frames, f, record, alive, ids)
                frames[f, _ALIVE] = 0
                _save(ids, many, cluster_of, sizes, room, state, maximum)
                f -= 1
                continue

        if people < k and strategy == ADD:
            for i in range(many):
                if readded[ids[i]]:
                    _remove(frames, f, locals_[i], row_start, row_term, count, alive)
                    _join_saved(ids[i], cluster_of, sizes, room, state, maximum, pending)
                else:
                    readded[ids[i]] = True
            if count[terms0 + best] > 0:
                _offer(frames, f, best, count, heap)
            continue
        for i in range(many):
            _remove(frames, f, locals_[i], row_start, row_term, count, alive)
        if many <= maximum:
            if people >= k or strategy == KEEP:
                _save(ids, many, cluster_of, sizes, room, state, maximum)
            continue

        # A new frame for the records with the term, over the terms they hold besides it.
        g = f + 1
        if g == len(frames):
            wider = np.zeros((2 * g, 9), np.int64)
            wider[:g] = frames
            frames = wider
        rows = frames[f, _ROWS]
        n_touched, inner = 0, 0
        for i in range(many):
            for e in range(row_start[rows + locals_[i]], row_start[rows + locals_[i] + 1]):
                term = row_term[e]
                if term != best and count[terms0 + term] > _SPENT // 2:
                    if present[term] == 0:
                        touched[n_touched] = term
                        n_touched += 1
                    present[term] += 1
                    inner += 1
        _sorted_present(present, touched, n_touched, frames[f, _T])
        frames[g, _RECORDS], frames[g, _N] = first + frames[f, _N], many
        frames[g, _ROWS], frames[g, _NNZ] = rows + frames[f, _N] + 1, inner
        frames[g, _TERMS], frames[g, _T] = terms0 + frames[f, _T], n_touched
        frames[g, _HEAP] = frames[f, _HEAP] + 2 * frames[f, _T] + 8
        at = row_start[rows + frames[f, _N]]
        record = _grown(record, frames[g, _RECORDS] + many + 1)
        alive = _grown(alive, frames[g, _RECORDS] + many + 1)
        row_start = _grown(row_start, frames[g, _ROWS] + many + 2)
        row_term, col_record = _grown(row_term, at + inner + 1), _grown(col_record, at + inner + 1)
        col_start = _grown(col_start, frames[g, _TERMS] + n_touched + g + 2)
        count = _grown(count, frames[g, _TERMS] + n_touched + 1)
        heap = _grown(heap, frames[g, _HEAP] + 2 * n_touched + 8)
        for i in range(n_touched):
            count[frames[g, _TERMS] + i] = present[touched[i]]
            present[touched[i]] = i + 1
        row_start[frames[g, _ROWS]] = at
        for i in range(many):
            record[frames[g, _RECORDS] + i] = ids[i]
            for e in range(row_start[rows + locals_[i]], row_start[rows + locals_[i] + 1]):
                if present[row_term[e]] > 0:
                    row_term[at] = present[row_term[e]] - 1
                    at += 1
            row_start[frames[g, _ROWS] + i + 1] = at
        for i in range(n_touched):
            present[touched[i]] = 0
        _index(frames, g, row_start, row_term, col_start, col_record, count, alive, heap)
        f = g

    # Records that were to join a cluster before one existed.
    if state[2] > 0:
        if state[0] == 0:
            _save(pending, state[2], cluster_of, sizes, room, state, maximum)
        else:
            waiting = state[2]
            for i in range(waiting):
                _join_saved(pending[i], cluster_of, sizes, room, state, maximum, pending)
    return cluster_of, state[0]
