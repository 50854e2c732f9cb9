"""Which of the listed itemsets to satisfy next: the one of largest support that is neither 0 nor at least k.

Merging only adds to supports, and suppressing shortens an itemset; so what has reached k stays there and is forgotten.
What has support 0 is watched: merging may bring it to life, and suppressing may leave a part of it that is held.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.kinds.generalised.methods.partition import position, support

if TYPE_CHECKING:
    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.generalised.methods.by_policy import Codes
    from cloven.kinds.generalised.methods.partition import Arrays, Partition


class Listed:
    """Itemsets to satisfy; ties of support are settled by the order of the list."""

    def __init__(self, partition: Partition, itemsets: list[Codes], k: int) -> None:
        """Count the support of every itemset."""
        self._partition, self._itemsets, self._k = partition, itemsets, k
        self._watched = _watch(itemsets, partition.items)
        self._waiting: list[int] = []
        self._push(count_all(partition.arrays, self._watched, k))

    def next(self) -> Codes | None:
        """The itemset to satisfy next, or None if all are."""
        supports = self._watched.supports
        while self._waiting:
            lacking, number = divmod(self._waiting[0], len(self._itemsets))
            if supports[number] == self._k - lacking:
                return self._itemsets[number]
            heapq.heappop(self._waiting)
        return None

    def merged(self, slot: int, folded: int) -> None:
        """Count again what has to do with a merged block."""
        del folded
        self.suppressed(slot)

    def suppressed(self, slot: int) -> None:
        """Count again what has to do with a suppressed block."""
        self._push(recount(self._partition.arrays, self._watched, slot, self._k))

    def _push(self, numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        for number in numbers.tolist():
            lacking = self._k - int(self._watched.supports[number])
            heapq.heappush(self._waiting, lacking * len(self._itemsets) + number)


def _watch(itemsets: list[Codes], items: int) -> Watched:
    lengths = np.array([len(itemset) for itemset in itemsets], np.int64)
    codes = np.array([code for itemset in itemsets for code in itemset], np.int64)
    counts = np.bincount(codes, minlength=items)
    return Watched(
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        codes=codes,
        supports=np.zeros(len(itemsets), np.int64),
        item_offsets=np.concatenate(([0], np.cumsum(counts))),
        item_itemsets=np.repeat(np.arange(len(itemsets)), lengths)[np.argsort(codes, kind="stable")],
        item_counts=counts,
        seen=np.zeros(len(itemsets), np.bool_),
    )


# Count the supports of listed itemsets, and again when a block has changed.


class Watched(NamedTuple):
    """Itemsets as compressed rows of item codes.

    Attributes:
        offsets: where each itemset starts in ``codes``.
        codes: item codes.
        supports: support of each itemset, counted up to k.
        item_offsets: where the itemsets of each item start in ``item_itemsets``.
        item_itemsets: itemsets that hold each item; those that have reached k are dropped when met.
        item_counts: how many are left.
        seen: itemsets met in the pass at hand; all false between passes.
    """

    offsets: Longs
    codes: Longs
    supports: Longs
    item_offsets: Longs
    item_itemsets: Longs
    item_counts: Longs
    seen: Flags


@compiled
def _count_listed(arrays: Arrays, watched: Watched, number: int, k: int) -> int:
    """Support of the blocks of an itemset; one whose items are all suppressed tells nothing and is satisfied."""
    slots = np.empty(watched.offsets[number + 1] - watched.offsets[number], np.int64)
    many = 0
    for at in range(watched.offsets[number], watched.offsets[number + 1]):
        slot = arrays.slot_of[watched.codes[at]]
        fresh = slot >= 0
        for other in slots[:many]:
            fresh &= other != slot
        if fresh:
            slots[many] = slot
            many += 1
    return support(arrays, slots[:many], k) if many else k


@compiled
def count_all(arrays: Arrays, watched: Watched, k: int) -> Ints:
    """Count all itemsets; gives those that are not satisfied."""
    for number in range(len(watched.supports)):
        watched.supports[number] = _count_listed(arrays, watched, number, k)
    return np.flatnonzero((watched.supports > 0) & (watched.supports < k))


@compiled
def recount(arrays: Arrays, watched: Watched, slot: int, k: int) -> Ints:
    """Count the itemsets with an item of a block again; gives those that have changed and are not satisfied."""
    met, changed = [np.int64(-1)], [np.int64(-1)]
    item = arrays.names[slot]
    while True:
        start, at = watched.item_offsets[item], 0
        while at < watched.item_counts[item]:
            number = watched.item_itemsets[start + at]
            if watched.supports[number] >= k:
                watched.item_counts[item] -= 1
                watched.item_itemsets[start + at] = watched.item_itemsets[start + watched.item_counts[item]]
                continue
            at += 1
            if watched.seen[number]:
                continue
            watched.seen[number] = True
            met.append(number)
            before = watched.supports[number]
            watched.supports[number] = _count_listed(arrays, watched, number, k)
            if watched.supports[number] != before and 0 < watched.supports[number] < k:
                changed.append(number)
        item = arrays.next_item[item]
        if item == arrays.names[slot]:
            break
    for number in met[1:]:
        watched.seen[number] = False
    return np.array(changed[1:], np.int64)


# Which combination of so many blocks to satisfy next: of all that occur, the one of largest support below k.
#
# Protecting all itemsets of a size is protecting all combinations of blocks that occur: a combination of blocks in a
# row is the image of some itemset of its record. Once all have reached k, no merge can break that again, since a
# combination with the merged block has at least the support of one that occurred before.


class Occurring:
    """Combinations of ``size`` blocks to satisfy; ties of support are settled by the names of their blocks."""

    def __init__(self, partition: Partition, size: int, k: int) -> None:
        """Count the combinations."""
        self._arrays, self._k = partition.arrays, k
        rows = np.diff(self._arrays.holder_rows)
        self._best = Best(
            supports=np.zeros(partition.items, np.int64),
            slots=np.zeros((partition.items, size), np.int64),
            stale=np.zeros(partition.items, np.bool_),
            row_holder=np.repeat(np.arange(len(rows)), rows),
        )
        offer_everything(self._arrays, self._best, k)

    def next(self) -> Codes | None:
        """Items that stand for the combination to satisfy next, or None if all are."""
        owner = first(self._arrays, self._best, self._k)
        if owner < 0:
            return None
        names = self._arrays.names[self._best.slots[owner]]
        return tuple(names.tolist())

    def merged(self, slot: int, folded: int) -> None:
        """Count the combinations of a merged block."""
        forget(self._arrays, self._best, folded)
        self.suppressed(slot)
        offer_all(self._arrays, self._best, slot, self._k, own=False)

    def suppressed(self, slot: int) -> None:
        """Forget the combinations of a suppressed block."""
        forget(self._arrays, self._best, slot)


# The rarest need: of all combinations of ``size`` blocks that occur, the most frequent one below k.
#
# A combination belongs to its first block by name. Only the best one of each block is kept, so memory does not grow
# with the number of combinations. When two blocks merge, the combinations of the merged block are counted and offered
# to the blocks that they belong to. A block whose best one held a merged block is *stale*: its best support is then a
# bound from above, and it is counted again only if it comes first.


class Best(NamedTuple):
    """The best combination of each slot.

    Attributes:
        supports: its support; 0 if there is none below k.
        slots: its slots by name, the owner first; one row for each slot.
        stale: whether the support is only a bound from above.
        row_holder: holder of each row.
    """

    supports: Longs
    slots: Longs
    stale: Flags
    row_holder: Longs


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
