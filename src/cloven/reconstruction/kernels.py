"""Compiled loops that put published sub-records on records; imported only when a data set is rebuilt.

Records are numbered cluster by cluster: cluster ``c`` has the records ``bounds[c]`` to ``bounds[c + 1] - 1``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]


@compiled
def place_record_chunks(
    rng: np.random.Generator, bounds: Longs, starts: Longs, row_chunk: Ints, place: Longs, cover: Longs
) -> None:
    """Give the sub-records of every record chunk distinct random records of their cluster.

    Rows ``starts[c]`` to ``starts[c + 1] - 1`` are the record chunks of cluster ``c``. Writes ``place``
    (record of each row) and ``cover`` (number of rows on each record).
    """
    for cluster in range(len(bounds) - 1):
        size = bounds[cluster + 1] - bounds[cluster]
        order = np.arange(size)
        drawn = 0
        for row in range(starts[cluster], starts[cluster + 1]):
            if row == starts[cluster] or row_chunk[row] != row_chunk[row - 1]:
                drawn = 0
            pick = drawn + int(rng.random() * (size - drawn))
            order[drawn], order[pick] = order[pick], order[drawn]
            place[row] = bounds[cluster] + order[drawn]
            cover[place[row]] += 1
            drawn += 1


@compiled
def cover_all(
    rng: np.random.Generator,
    bounds: Longs,
    starts: Longs,
    has_term: NDArray[np.bool_],
    place: Longs,
    cover: Longs,
) -> int:
    """Fill the empty records of clusters without a term chunk; returns how many could not be filled.

    Sub-records are visited in random order; one that shares its record with another moves to an empty
    record. One round is enough: a record stays empty only if every other holds a single sub-record, that is
    if there are fewer sub-records than records.
    """
    left = 0
    for cluster in range(len(bounds) - 1):
        if has_term[cluster]:
            continue
        empty = bounds[cluster] + np.flatnonzero(cover[bounds[cluster] : bounds[cluster + 1]] == 0)
        if len(empty) == 0:
            continue
        rng.shuffle(empty)
        rows = np.arange(starts[cluster], starts[cluster + 1])
        rng.shuffle(rows)
        filled = 0
        for row in rows:
            if filled == len(empty):
                break
            if cover[place[row]] > 1:
                cover[place[row]] -= 1
                place[row] = empty[filled]
                cover[place[row]] = 1
                filled += 1
        left += len(empty) - filled
    return left


@compiled
def place_terms(
    rng: np.random.Generator, bounds: Longs, term_starts: Longs, term_items: Ints, cover: Longs
) -> tuple[Longs, Ints]:
    """Put every term-chunk item on one random record, empty records first; then fill what is still empty.

    Returns records and items, one pair per occurrence.
    """
    records = np.empty(len(term_items) + len(cover), np.int64)
    items = np.empty(len(records), np.int32)
    used = 0
    for cluster in range(len(bounds) - 1):
        terms = term_items[term_starts[cluster] : term_starts[cluster + 1]].copy()
        if len(terms) == 0:
            continue
        first = bounds[cluster]
        size = bounds[cluster + 1] - first
        empty = first + np.flatnonzero(cover[first : first + size] == 0)
        rng.shuffle(empty)
        rng.shuffle(terms)
        for number in range(max(len(terms), len(empty))):
            record = empty[number] if number < len(empty) else first + int(rng.random() * size)
            term = terms[number] if number < len(terms) else terms[int(rng.random() * len(terms))]
            records[used], items[used] = record, term
            cover[record] += 1
            used += 1
    return records[:used], items[:used]
