"""Compiled loops of itemset mining; imported only when something is mined.

All work on *ranked* data: every item is replaced by its rank (0 is the most frequent), records hold their
ranks in ascending order, and ``tids[starts[r]:starts[r + 1]]`` lists the records that hold rank ``r``.
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
def rank_records(offsets: Longs, codes: Ints, rank_of: Ints, ranks: int) -> tuple[Longs, Ints, Longs, Ints]:
    """Turn records of codes into both views of ranked data; codes with rank -1 are left out.

    Filling the records from the lists of records, rank by rank, sorts every record without a comparison.
    """
    records = len(offsets) - 1
    starts = np.zeros(ranks + 1, np.int64)
    ends = np.zeros(records + 1, np.int64)
    for record in range(records):
        for at in range(offsets[record], offsets[record + 1]):
            rank = rank_of[codes[at]]
            if rank >= 0:
                starts[rank + 1] += 1
                ends[record + 1] += 1
    for rank in range(ranks):
        starts[rank + 1] += starts[rank]
    for record in range(records):
        ends[record + 1] += ends[record]
    tids = np.empty(starts[ranks], np.int32)
    fill = starts[:-1].copy()
    for record in range(records):
        for at in range(offsets[record], offsets[record + 1]):
            rank = rank_of[codes[at]]
            if rank >= 0:
                tids[fill[rank]] = record
                fill[rank] += 1
    items = np.empty(ends[records], np.int32)
    place = ends[:-1].copy()
    for rank in range(ranks):
        for at in range(starts[rank], starts[rank + 1]):
            record = tids[at]
            items[place[record]] = rank
            place[record] += 1
    return ends, items, starts, tids


@compiled
def count_extensions(
    offsets: Longs, items: Ints, starts: Longs, tids: Ints, itemset: Ints, counts: Longs
) -> None:
    """Count, for each rank below the least of ``itemset``, the records that hold it and the whole itemset.

    ``itemset`` ascends; its last rank is the rarest item, whose list of records is walked. ``counts`` must be
    zero on entry.
    """
    size = len(itemset)
    last = itemset[size - 1]
    for at in range(starts[last], starts[last + 1]):
        record = tids[at]
        begin = offsets[record]
        end = offsets[record + 1]
        here = begin
        while items[here] < itemset[0]:
            here += 1
        prefix = here
        found = 0
        while found < size and here < end:
            if items[here] == itemset[found]:
                found += 1
            elif items[here] > itemset[found]:
                break
            here += 1
        if found == size:
            for earlier in range(begin, prefix):
                counts[items[earlier]] += 1


@compiled
def count_itemsets(
    offsets: Longs, items: Ints, starts: Longs, tids: Ints, set_offsets: Longs, set_items: Ints
) -> Longs:
    """Number of records that hold each of the given non-empty ascending itemsets."""
    supports = np.zeros(len(set_offsets) - 1, np.int64)
    for number in range(len(supports)):
        first = set_offsets[number]
        stop = set_offsets[number + 1]
        last = set_items[stop - 1]
        for at in range(starts[last], starts[last + 1]):
            record = tids[at]
            here = offsets[record]
            end = offsets[record + 1]
            found = first
            while found < stop and here < end:
                if items[here] == set_items[found]:
                    found += 1
                elif items[here] > set_items[found]:
                    break
                here += 1
            if found == stop:
                supports[number] += 1
    return supports
