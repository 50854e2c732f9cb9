"""Compiled search for combinations that only one person holds; imported only when used.

Records hold their items in one fixed order. A *projection* is the list of records that hold some combination,
each with the position after its last item; extending it item by item visits every combination once (depth
first, as in Eclat: M. J. Zaki, IEEE TKDE 12(3), 2000). Only branches that still contain a record in question
are entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@compiled
def search(
    size: int,
    offsets: Longs,
    items: Ints,
    person: Longs,
    wanted: Flags,
    vocabulary: int,
    budget: int,
) -> int:
    """Clear ``wanted`` where a record holds a combination of ``size`` items that no other person holds.

    Records of one person must stand next to each other. Gives the steps taken, or -1 if ``budget`` was too
    small; then what was cleared is right and what was not is open.
    """
    records = np.arange(len(offsets) - 1)
    positions = offsets[:-1].copy()
    count = np.zeros((size, vocabulary), np.int64)
    last = np.full((size, vocabulary), -1, np.int64)
    steps = np.zeros(1, np.int64)
    done = _extend(records, positions, size, offsets, items, person, wanted, count, last, steps, budget)
    return steps[0] if done else -1


@compiled
def _extend(
    records: Longs,
    positions: Longs,
    size: int,
    offsets: Longs,
    items: Ints,
    person: Longs,
    wanted: Flags,
    count: Longs,
    last: Longs,
    steps: Longs,
    budget: int,
) -> bool:
    """Search the combinations with ``size`` more items; False when the budget is spent."""
    if size == 1:
        _mark(records, positions, offsets, items, person, wanted, count[0], last[0], steps)
        return bool(steps[0] <= budget)
    found, starts, child_records, child_positions = _children(
        records, positions, size, offsets, items, wanted, count[size - 1], last[size - 1], steps
    )
    for child in range(len(found)):
        start, end = starts[child], starts[child + 1]
        if not _any_wanted(child_records, start, end, wanted):
            continue
        if not _extend(
            child_records[start:end],
            child_positions[start:end],
            size - 1,
            offsets,
            items,
            person,
            wanted,
            count,
            last,
            steps,
            budget,
        ):
            return False
    return bool(steps[0] <= budget)


@compiled
def _any_wanted(records: Longs, start: int, end: int, wanted: Flags) -> bool:
    for at in range(start, end):
        if wanted[records[at]]:
            return True
    return False


@compiled
def _mark(
    records: Longs,
    positions: Longs,
    offsets: Longs,
    items: Ints,
    person: Longs,
    wanted: Flags,
    count: Longs,
    last: Longs,
    steps: Longs,
) -> None:
    """Clear records that hold an item which only one person of this projection holds."""
    for number in range(len(records)):
        record = records[number]
        for at in range(positions[number], offsets[record + 1]):
            if last[items[at]] != person[record]:
                last[items[at]] = person[record]
                count[items[at]] += 1
    for number in range(len(records)):
        record = records[number]
        if wanted[record]:
            for at in range(positions[number], offsets[record + 1]):
                if count[items[at]] == 1:
                    wanted[record] = False
                    break
    for number in range(len(records)):
        record = records[number]
        steps[0] += offsets[record + 1] - positions[number] + 1
        for at in range(positions[number], offsets[record + 1]):
            last[items[at]] = -1
            count[items[at]] = 0


@compiled
def _children(
    records: Longs,
    positions: Longs,
    size: int,
    offsets: Longs,
    items: Ints,
    wanted: Flags,
    count: Longs,
    slot: Longs,
    steps: Longs,
) -> tuple[Ints, Longs, Longs, Longs]:
    """Projections for one more item: items, where each begins, and their records and positions.

    Items that no record in question holds are left out, and so are records with too few items left. ``count``
    and ``slot`` are scratch, zero and -1 before and after.
    """
    touched = np.empty(min(len(count), _room(records, positions, offsets)), np.int32)
    number_touched = 0
    for number in range(len(records)):
        record = records[number]
        if wanted[record]:
            for at in range(positions[number], offsets[record + 1] - size + 1):
                if slot[items[at]] < 0:
                    slot[items[at]] = number_touched
                    touched[number_touched] = items[at]
                    number_touched += 1
    for number in range(len(records)):
        end = offsets[records[number] + 1] - size + 1
        steps[0] += max(0, end - positions[number]) + 1
        for at in range(positions[number], end):
            count[items[at]] += 1
    starts = np.zeros(number_touched + 1, np.int64)
    for child in range(number_touched):
        starts[child + 1] = starts[child] + count[touched[child]]
    child_records = np.empty(starts[number_touched], np.int64)
    child_positions = np.empty(starts[number_touched], np.int64)
    write = starts[:-1].copy()
    for number in range(len(records)):
        record = records[number]
        for at in range(positions[number], offsets[record + 1] - size + 1):
            child = slot[items[at]]
            count[items[at]] = 0
            if child >= 0:
                child_records[write[child]] = record
                child_positions[write[child]] = at + 1
                write[child] += 1
    for child in range(number_touched):
        slot[touched[child]] = -1
    return touched[:number_touched], starts, child_records, child_positions


@compiled
def _room(records: Longs, positions: Longs, offsets: Longs) -> int:
    room = 0
    for number in range(len(records)):
        room += offsets[records[number] + 1] - positions[number]
    return room
