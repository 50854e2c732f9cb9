"""HORPART as one compiled loop (Terrovitis et al., PVLDB 2012, Fig. 4; small clusters: AlShuhail 2021, section 3.3.1).

The recursion takes the most frequent term *a* of a part and splits it into the records with *a* and the rest. A part
that is larger than the maximum becomes a frame (``horpart_frames``). The chain "rest of the rest of the rest" stays
inside one frame: the records with *a* are read off its column and taken out. So an occurrence is touched once per
nesting of "records with", never once per split.

Terms are numbered by tie order: of equally frequent terms the one with the smaller number wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cloven.anonymise.disassociation.horpart_frames import (
    ALIVE,
    RECORDS,
    TERMS,
    Arena,
    N,
    Scratch,
    first_frame,
    most_frequent,
    nested_frame,
    offer,
    records_left,
    records_with,
    remove,
    restore,
    spend,
)
from cloven.compiled import Flags, Ints, compiled

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
    """Partition records; returns the cluster of each record (-1: left out) and the number of clusters.

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
    arena = first_frame(offsets, terms, n_terms, scratch)
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
