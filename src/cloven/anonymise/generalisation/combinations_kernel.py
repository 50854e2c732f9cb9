"""The rarest need: of all combinations of ``size`` blocks that occur, the most frequent one below k.

A combination belongs to its first block by name. Only the best one of each block is kept, so memory does not grow with
the number of combinations. When two blocks merge, the combinations of the merged block are counted and offered to the
blocks that they belong to. A block whose best one held a merged block is *stale*: its best support is then a bound from
above, and it is counted again only if it comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.generalisation.partition_kernel import position
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.partition_kernel import Arrays
    from cloven.compiled import Ints


class Best(NamedTuple):
    """The best combination of each slot.

    Attributes:
        supports: its support; 0 if there is none below k.
        slots: its slots by name, the owner first; one row for each slot.
        stale: whether the support is only a bound from above.
        row_holder: holder of each row.
    """

    supports: NDArray[np.int64]
    slots: NDArray[np.int64]
    stale: NDArray[np.bool_]
    row_holder: NDArray[np.int64]


@compiled
def _rows_with(arrays: Arrays, slot: int) -> Ints:
    """Rows that show a slot; those of one holder stand side by side."""
    rows, found = np.empty(max(1, arrays.supports[slot]), np.int64), 0
    node = arrays.first_node[slot]
    while node >= 0:
        holder = arrays.node_holder[node]
        for row in range(arrays.holder_rows[holder], arrays.holder_rows[holder + 1]):
            if position(arrays, row, slot) >= 0:
                if found == len(rows):
                    rows = np.concatenate((rows, np.empty_like(rows)))
                rows[found] = row
                found += 1
        node = arrays.next_node[node]
    return rows[:found]


@compiled
def _offer(arrays: Arrays, best: Best, chosen: Ints, slot: int, support: int) -> None:
    """Keep a combination if it is the best of its owner; ``chosen`` ascends by name, ``slot`` goes between."""
    size = len(chosen) + 1
    combination, shift = np.empty(size, np.int64), 0
    for at in range(size):
        last = at == size - 1
        if shift == 0 and (last or arrays.names[slot] < arrays.names[chosen[at]]):
            combination[at], shift = slot, 1
        else:
            combination[at] = chosen[at - shift]
    owner = combination[0]
    known = best.supports[owner]
    if best.stale[owner] or support != known:
        better = support > known
    else:
        better = False
        for at in range(1, size):
            here, there = arrays.names[combination[at]], arrays.names[best.slots[owner, at]]
            if here != there:
                better = here < there
                break
    if better:
        best.supports[owner] = support
        best.slots[owner] = combination


@compiled
def _count(
    arrays: Arrays, best: Best, rows: Ints, skipped: int, floor: int, supports: Ints, times: Ints, met: Ints
) -> int:
    """Count the slots of some rows whose name is above ``floor``: holders, rows, and which ones were met."""
    many = 0
    last = np.full(len(supports), -1, np.int64)
    for row in rows:
        holder = best.row_holder[row]
        start = arrays.row_offsets[row]
        for at in range(start, start + arrays.row_lengths[row]):
            slot = arrays.row_slots[at]
            if slot == skipped or arrays.names[slot] <= floor:
                continue
            if last[slot] < 0:
                met[many], supports[slot], times[slot] = slot, 0, 0
                many += 1
            if last[slot] != holder:
                supports[slot] += 1
                last[slot] = holder
            times[slot] += 1
    return many


@compiled
def _spread(
    arrays: Arrays, stack: Ints, lower: int, upper: int, top: int, slots: Ints, times: Ints, begins: Ints
) -> Ints:
    """Put the rows of each slot on top of the stack, one slot after the other; gives the stack, grown if need be."""
    cursor, end = np.full(len(times), -1, np.int64), top
    for at in range(len(slots)):
        begins[at], cursor[slots[at]] = end, end
        end += times[slots[at]]
    begins[len(slots)] = end
    if end > len(stack):
        stack = np.concatenate((stack[:top], np.empty(2 * end - top, np.int64)))
    for place in range(lower, upper):
        row = stack[place]
        start = arrays.row_offsets[row]
        for at in range(start, start + arrays.row_lengths[row]):
            slot = arrays.row_slots[at]
            if cursor[slot] >= 0:
                stack[cursor[slot]] = row
                cursor[slot] += 1
    return stack


@compiled
def offer_all(arrays: Arrays, best: Best, slot: int, k: int, own: bool) -> None:
    """Count all combinations with a slot, or only its ``own``, and offer those below k to their owners.

    Depth-first, adding slots in the order of their names; the rows of the combination at hand lie on one stack.
    """
    size, count = best.slots.shape[1], len(arrays.sizes)
    chosen = np.empty(size - 1, np.int64)
    if size == 1:
        if arrays.supports[slot] < k:
            _offer(arrays, best, chosen, slot, arrays.supports[slot])
        return
    supports, times = np.empty((size, count), np.int64), np.empty(count, np.int64)
    met, begins = np.empty((size, count), np.int64), np.empty((size, count + 1), np.int64)
    many, at = np.zeros(size, np.int64), np.zeros(size, np.int64)
    stack = _rows_with(arrays, slot)
    lower, upper, depth = 0, len(stack), 0
    floor = arrays.names[slot] if own else -1
    while True:
        many[depth] = _count(
            arrays, best, stack[lower:upper], slot, floor, supports[depth], times, met[depth]
        )
        if depth == size - 2:
            for other in met[depth, : many[depth]]:
                if supports[depth, other] < k:
                    chosen[depth] = other
                    _offer(arrays, best, chosen, slot, supports[depth, other])
            depth -= 1
        else:
            top = begins[depth - 1, many[depth - 1]] if depth > 0 else upper
            slots = met[depth, : many[depth]]
            stack = _spread(arrays, stack, lower, upper, top, slots, times, begins[depth])
            at[depth] = 0
        while depth >= 0 and at[depth] == many[depth]:
            depth -= 1
        if depth < 0:
            return
        chosen[depth] = met[depth, at[depth]]
        lower, upper = begins[depth, at[depth]], begins[depth, at[depth] + 1]
        floor = arrays.names[chosen[depth]]
        at[depth] += 1
        depth += 1


@compiled
def offer_everything(arrays: Arrays, best: Best, k: int) -> None:
    """Count the combinations of all slots."""
    for slot in range(len(arrays.sizes)):
        if arrays.sizes[slot] > 0:
            offer_all(arrays, best, slot, k, own=True)


@compiled
def forget(arrays: Arrays, best: Best, gone: int) -> None:
    """Mark what was best with a slot that has changed or gone."""
    for slot in range(len(best.supports)):
        if arrays.sizes[slot] > 0 and best.supports[slot] > 0:
            for other in best.slots[slot]:
                if other == gone:
                    best.stale[slot] = True
    best.supports[gone] = 0
    best.stale[gone] = False


@compiled
def first(arrays: Arrays, best: Best, k: int) -> int:
    """The owner of the most frequent combination below k, ties by name; -1 if there is none."""
    while True:
        found = -1
        for slot in range(len(best.supports)):
            if best.supports[slot] > 0 and (
                found < 0
                or best.supports[slot] > best.supports[found]
                or (best.supports[slot] == best.supports[found] and arrays.names[slot] < arrays.names[found])
            ):
                found = slot
        if found < 0 or not best.stale[found]:
            return found
        best.supports[found] = 0
        best.stale[found] = False
        offer_all(arrays, best, found, k, own=True)
