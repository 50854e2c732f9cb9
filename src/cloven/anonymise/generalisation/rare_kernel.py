"""Walk through all combinations of items that occur, for those that too few rows hold; no combination is stored.

The walk goes depth first and extends a combination by greater items only. At each depth it knows the rows that hold
the combination so far, and for each the place after its last item. Spreading the items that follow into one slice for
each item gives these rows for all extensions at once. Slices of one depth lie in one line of two matrices, which needs
no more room than the data has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def sort_short(values: NDArray[np.int64]) -> None:
    """Sort in place: by insertion where there are few or they are nearly sorted, which rows are."""
    if len(values) > 64:
        values.sort()
        return
    for end in range(1, len(values)):
        value, place = values[end], end
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@compiled
def recode(
    rows: NDArray[np.int32],
    offsets: NDArray[np.int64],
    leaves: NDArray[np.int64],
    block_of_leaf: NDArray[np.int64],
    number_of_block: NDArray[np.int64],
    new_offsets: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Numbers of the blocks that these rows touch, row by row, ascending; fills the offsets."""
    size = 0
    for row in rows:
        size += offsets[row + 1] - offsets[row]
    items = np.empty(size, np.int64)
    new_offsets[0] = 0
    at = 0
    for place in range(len(rows)):
        row = rows[place]
        start, before = at, -1
        for position in range(offsets[row], offsets[row + 1]):
            block = block_of_leaf[leaves[position]]
            if block != before:  # leaves ascend and blocks are ranges of leaves: equal blocks are neighbours
                before = block
                items[at] = number_of_block[block]
                at += 1
        sort_short(items[start:at])
        new_offsets[place + 1] = at
    return items[:at]


@compiled
def spread(
    held: NDArray[np.int64],
    after: NDArray[np.int64],
    ends: NDArray[np.int64],
    items: NDArray[np.int64],
    below: int,
    slot: NDArray[np.int64],
    next_held: NDArray[np.int64],
    next_after: NDArray[np.int64],
    groups: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> int:
    """Put every place with an item under ``below`` into the slice of its item; slices ascend. Gives their number.

    ``slot`` is zero everywhere, before and after.
    """
    found = 0
    for number in range(len(held)):
        for position in range(after[number], ends[held[number]]):
            item = items[position]
            if item >= below:
                break
            if slot[item] == 0:
                groups[found] = item
                found += 1
            slot[item] += 1
    groups[:found].sort()
    starts[0] = 0
    for group in range(found):
        starts[group + 1] = starts[group] + slot[groups[group]]
        slot[groups[group]] = starts[group]
    for number in range(len(held)):
        for position in range(after[number], ends[held[number]]):
            item = items[position]
            if item >= below:
                break
            next_held[slot[item]] = held[number]
            next_after[slot[item]] = position + 1
            slot[item] += 1
    for group in range(found):
        slot[groups[group]] = 0
    return found


@compiled
def tally(
    held: NDArray[np.int64],
    after: NDArray[np.int64],
    ends: NDArray[np.int64],
    items: NDArray[np.int64],
    below: int,
    owner: NDArray[np.int64],
    k: int,
    support: NDArray[np.int64],
    latest: NDArray[np.int64],
    rare: NDArray[np.int64],
) -> int:
    """Items under ``below`` at these places that fewer than k persons hold, ascending; gives their number.

    Rows of one person stand side by side and count once. ``support`` is zero everywhere, before and after.
    """
    met = 0
    for number in range(len(held)):
        person = owner[held[number]]
        for position in range(after[number], ends[held[number]]):
            item = items[position]
            if item >= below:
                break
            if support[item] == 0:
                rare[met] = item
                met += 1
            elif latest[item] == person:
                continue
            latest[item] = person
            support[item] += 1
    found = 0
    for number in range(met):
        item = rare[number]
        if support[item] < k:
            rare[found] = item
            found += 1
        support[item] = 0
    rare[:found].sort()
    return found


@compiled
def rare_combinations(
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    owner: NDArray[np.int64],
    width: int,
    firsts: int,
    k: int,
    found: NDArray[np.int64],
) -> int:
    """Find combinations that some, but fewer than k persons hold; gives how many were found.

    The combinations have as many items as ``found`` has columns, and their least item is below ``firsts``. They are
    met in lexicographic order; the search ends when ``found`` is full.
    """
    limit, size = found.shape
    starts, ends, every = offsets[:-1], offsets[1:], np.arange(len(offsets) - 1)
    slot, latest, rare = np.zeros(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    if size == 1:
        met = min(limit, tally(every, starts, ends, items, firsts, owner, k, slot, latest, rare))
        found[:met, 0] = rare[:met]
        return int(met)
    held, after = np.empty((size - 1, len(items)), np.int64), np.empty((size - 1, len(items)), np.int64)
    group, first = np.empty((size - 1, width), np.int64), np.empty((size - 1, width + 1), np.int64)
    count, turn = np.zeros(size - 1, np.int64), np.full(size - 1, -1, np.int64)
    count[0] = spread(every, starts, ends, items, firsts, slot, held[0], after[0], group[0], first[0])
    depth, total = 0, 0
    while depth >= 0:
        turn[depth] += 1
        if turn[depth] == count[depth]:
            depth -= 1
            continue
        here = slice(first[depth, turn[depth]], first[depth, turn[depth] + 1])
        rows, places = held[depth][here], after[depth][here]
        if depth + 2 < size:
            depth += 1
            turn[depth] = -1
            count[depth] = spread(
                rows, places, ends, items, width, slot, held[depth], after[depth], group[depth], first[depth]
            )
            continue
        for number in range(tally(rows, places, ends, items, width, owner, k, slot, latest, rare)):
            for column in range(size - 1):
                found[total, column] = group[column, turn[column]]
            found[total, size - 1] = rare[number]
            total += 1
            if total == limit:
                return total
    return total
