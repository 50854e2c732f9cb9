"""A partition of the items of some data, made coarser step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import distinct, positions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Ints, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.methods.by_policy import Groups


class Merge(NamedTuple):
    """What merging a block with another would give: slots of both, and size, mass and support of the merged block."""

    slot: int
    partner: int
    size: int
    mass: float
    support: int


@dataclass
class Partition:
    """Blocks of items; at first every item is its own block.

    Attributes:
        arrays: the state, for kernels.
        suppressed: number of items that were suppressed so far.
    """

    arrays: Arrays
    suppressed: int = 0

    @property
    def items(self) -> int:
        """Number of items of the data, suppressed ones too."""
        return len(self.arrays.slot_of)

    def image(self, items: Iterable[int]) -> Longs:
        """Blocks of some items, the least held first; suppressed items have none."""
        arrays = self.arrays
        slots = {int(arrays.slot_of[item]) for item in items} - {-1}
        return np.array(sorted(slots, key=lambda slot: (arrays.supports[slot], arrays.names[slot])), np.int64)

    def support(self, image: Longs, limit: int) -> int:
        """Number of holders of all blocks of an image, counted up to ``limit``."""
        return support(self.arrays, image, limit) if len(image) else limit

    def cheapest(self, slot: int) -> Merge | None:
        """The merge of a block that loses least, if it may be merged at all."""
        found = Merge(slot, *best_partner(self.arrays, slot))
        return None if found.partner < 0 else found

    def merge(self, slot: int, partner: int) -> int:
        """Merge two blocks; gives the slot of the merged one."""
        return merge(self.arrays, slot, partner)

    def suppress(self, slot: int) -> None:
        """Suppress all items of a block."""
        self.suppressed += int(self.arrays.sizes[slot])
        suppress(self.arrays, slot)

    def members(self, slot: int) -> list[int]:
        """Items of a block, ascending."""
        return np.flatnonzero(self.arrays.slot_of == slot).tolist()


def singletons(data: Transactions, groups: Groups, weights: Floats) -> Partition:
    """Every item on its own; supports count persons where they are told, else records."""
    items = len(data.vocabulary)
    order, holder_rows = _by_holder(data)
    lengths = data.lengths[order]
    codes = data.codes[positions(data.offsets[:-1][order], lengths)].astype(np.int64)
    holder = np.repeat(np.arange(len(holder_rows) - 1), np.diff(holder_rows))
    pairs = distinct(np.sort(codes * len(holder_rows) + np.repeat(holder, lengths)))
    item, node_holder = pairs // len(holder_rows), pairs % len(holder_rows)
    starts = np.searchsorted(item, np.arange(items + 1))
    next_node = np.arange(1, len(pairs) + 1)
    next_node[starts[1:] - 1] = -1
    return Partition(
        Arrays(
            holder_rows=holder_rows,
            row_offsets=np.concatenate(([0], np.cumsum(lengths))),
            row_lengths=lengths.astype(np.int32),
            row_slots=codes.astype(np.int32),
            first_node=starts[:-1].astype(np.int32),
            last_node=(starts[1:] - 1).astype(np.int32),
            next_node=next_node.astype(np.int32),
            node_holder=node_holder.astype(np.int32),
            supports=np.diff(starts),
            sizes=np.ones(items, np.int64),
            names=np.arange(items),
            weights=weights.copy(),
            slot_of=np.arange(items),
            next_item=np.arange(items),
            group_offsets=groups.offsets,
            group_items=groups.items,
            slot_group_offsets=groups.item_offsets,
            slot_groups=groups.item_groups.copy(),
            slot_group_counts=np.diff(groups.item_offsets),
        )
    )


def _by_holder(data: Transactions) -> tuple[Longs, Longs]:
    """Records in the order of their persons, and where each person starts."""
    if data.persons is None:
        return np.arange(len(data)), np.arange(len(data) + 1)
    order = np.argsort(data.persons, kind="stable")
    person = data.persons[order]
    starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
    return order, np.append(starts, len(data))


# A partition of the items that only grows coarser: merge two blocks, suppress one, count who holds what.
#
# Every block has a *slot* (a number below the number of items) and a *name*: the code of its first item. Rows hold
# slots. The holders of a block (records, or persons where they are told) hang on a chain. Merging relabels the rows of
# the block with fewer holders, so that a row is relabelled a logarithmic number of times at most.


class Arrays(NamedTuple):
    """State of a partition.

    Attributes:
        holder_rows: where the rows of each holder start; one longer than the number of holders.
        row_offsets: where each row starts in ``row_slots``.
        row_lengths: number of blocks of each row.
        row_slots: blocks of the rows, in no order.
        first_node: start of the chain of holders of each slot.
        last_node: its end.
        next_node: the chains; -1 ends one.
        node_holder: holder at each node.
        supports: number of holders of each slot.
        sizes: number of items of each slot; 0 once it was merged into another or suppressed.
        names: first item of each slot.
        weights: sum of the weights of its items.
        slot_of: slot of each item; -1 once it is suppressed.
        next_item: items of a block in a ring.
        group_offsets: where each utility group starts in ``group_items``.
        group_items: items of the groups.
        slot_group_offsets: where the groups of each slot start in ``slot_groups``.
        slot_groups: groups that hold all items of a slot, ascending.
        slot_group_counts: how many they are.
    """

    holder_rows: Longs
    row_offsets: Longs
    row_lengths: NDArray[np.int32]
    row_slots: NDArray[np.int32]
    first_node: NDArray[np.int32]
    last_node: NDArray[np.int32]
    next_node: NDArray[np.int32]
    node_holder: NDArray[np.int32]
    supports: Longs
    sizes: Longs
    names: Longs
    weights: Floats
    slot_of: Longs
    next_item: Longs
    group_offsets: Longs
    group_items: Longs
    slot_group_offsets: Longs
    slot_groups: Longs
    slot_group_counts: Longs


@compiled
def position(arrays: Arrays, row: int, slot: int) -> int:
    """Where a row holds a slot, or -1."""
    start = arrays.row_offsets[row]
    for at in range(start, start + arrays.row_lengths[row]):
        if arrays.row_slots[at] == slot:
            return int(at)
    return -1


@compiled
def _remove(arrays: Arrays, row: int, at: int) -> None:
    arrays.row_lengths[row] -= 1
    arrays.row_slots[at] = arrays.row_slots[arrays.row_offsets[row] + arrays.row_lengths[row]]


@compiled
def _relabel(arrays: Arrays, holder: int, folded: int, kept: int) -> bool:
    """Put ``kept`` for ``folded`` in the rows of a holder; whether one of them had it already."""
    had = False
    for row in range(arrays.holder_rows[holder], arrays.holder_rows[holder + 1]):
        here, there = position(arrays, row, folded), position(arrays, row, kept)
        had |= there >= 0
        if here >= 0 and there >= 0:
            _remove(arrays, row, here)
        elif here >= 0:
            arrays.row_slots[here] = kept
    return had


@compiled
def _join_holders(arrays: Arrays, folded: int, kept: int) -> None:
    node = arrays.first_node[folded]
    while node >= 0:
        after = arrays.next_node[node]
        if not _relabel(arrays, arrays.node_holder[node], folded, kept):
            arrays.next_node[arrays.last_node[kept]] = node
            arrays.last_node[kept] = node
            arrays.next_node[node] = -1
            arrays.supports[kept] += 1
        node = after


@compiled
def _join_groups(arrays: Arrays, folded: int, kept: int) -> None:
    """Keep the groups that hold both."""
    first, second = arrays.slot_group_offsets[kept], arrays.slot_group_offsets[folded]
    end, other_end = first + arrays.slot_group_counts[kept], second + arrays.slot_group_counts[folded]
    free = first
    while first < end and second < other_end:
        here, there = arrays.slot_groups[first], arrays.slot_groups[second]
        if here == there:
            arrays.slot_groups[free] = here
            free += 1
        first += here <= there
        second += there <= here
    arrays.slot_group_counts[kept] = free - arrays.slot_group_offsets[kept]


@compiled
def merge(arrays: Arrays, one: int, other: int) -> int:
    """Merge two slots; gives the one that stands for both."""
    kept, folded = one, other
    if arrays.supports[folded] > arrays.supports[kept]:
        kept, folded = folded, kept
    _join_holders(arrays, folded, kept)
    _join_groups(arrays, folded, kept)
    item = arrays.names[folded]
    for _ in range(arrays.sizes[folded]):
        arrays.slot_of[item] = kept
        item = arrays.next_item[item]
    here, there = arrays.names[kept], arrays.names[folded]
    arrays.next_item[here], arrays.next_item[there] = arrays.next_item[there], arrays.next_item[here]
    arrays.sizes[kept] += arrays.sizes[folded]
    arrays.weights[kept] += arrays.weights[folded]
    arrays.names[kept] = min(here, there)
    arrays.sizes[folded] = arrays.supports[folded] = 0
    return kept


@compiled
def suppress(arrays: Arrays, slot: int) -> None:
    """Take a block out of all rows."""
    node = arrays.first_node[slot]
    while node >= 0:
        holder = arrays.node_holder[node]
        for row in range(arrays.holder_rows[holder], arrays.holder_rows[holder + 1]):
            at = position(arrays, row, slot)
            if at >= 0:
                _remove(arrays, row, at)
        node = arrays.next_node[node]
    item = arrays.names[slot]
    for _ in range(arrays.sizes[slot]):
        arrays.slot_of[item] = -1
        item = arrays.next_item[item]
    arrays.sizes[slot] = arrays.supports[slot] = 0


@compiled
def support(arrays: Arrays, slots: Ints, limit: int) -> int:
    """Holders with a row that shows all slots; counting ends at ``limit``."""
    rarest = slots[0]
    for slot in slots:
        if arrays.supports[slot] < arrays.supports[rarest]:
            rarest = slot
    if len(slots) == 1 or arrays.supports[rarest] == 0:
        return int(min(arrays.supports[rarest], limit))
    found, node = 0, arrays.first_node[rarest]
    while node >= 0 and found < limit:
        holder = arrays.node_holder[node]
        for row in range(arrays.holder_rows[holder], arrays.holder_rows[holder + 1]):
            shown = True
            for slot in slots:
                if position(arrays, row, slot) < 0:
                    shown = False
                    break
            if shown:
                found += 1
                break
        node = arrays.next_node[node]
    return found


@compiled
def cheaper(size: int, mass: float, other_size: int, other_mass: float) -> bool:
    """Whether (2^size - 1) mass < (2^other_size - 1) other_mass; exact for whole masses.

    Divided by the smaller power of two, the costs are (mass 2^more - other_mass) apart, up to the difference of the
    masses divided by that power. So no number grows beyond bounds, whatever the sizes are.
    """
    least, most = min(size, other_size), 900
    scaled = math.ldexp(mass, int(min(size - least, most)))
    other_scaled = math.ldexp(other_mass, int(min(other_size - least, most)))
    return (scaled - other_scaled) < math.ldexp(mass - other_mass, int(-min(least, 1000)))


@compiled
def _meetings(arrays: Arrays, slot: int) -> Ints:
    """Holders that have each slot besides this one, in any of their rows."""
    meet, seen = np.zeros(len(arrays.sizes), np.int64), np.full(len(arrays.sizes), -1, np.int64)
    node = arrays.first_node[slot]
    while node >= 0:
        holder = arrays.node_holder[node]
        for row in range(arrays.holder_rows[holder], arrays.holder_rows[holder + 1]):
            start = arrays.row_offsets[row]
            for at in range(start, start + arrays.row_lengths[row]):
                other = arrays.row_slots[at]
                if seen[other] != holder:
                    seen[other] = holder
                    meet[other] += 1
        node = arrays.next_node[node]
    return meet


@compiled
def best_partner(arrays: Arrays, slot: int) -> tuple[int, int, float, int]:
    """The block that costs least to merge with: its slot (-1: none may be), and size, mass and support of both.

    The mass is the mean weight times the support. Ties: smaller support of the merged block, then first name.
    """
    best, best_size, best_mass, best_support = -1, 0, 0.0, 0
    meet, inside = _meetings(arrays, slot), np.zeros(len(arrays.sizes), np.int64)
    first = arrays.slot_group_offsets[slot]
    for place in range(first, first + arrays.slot_group_counts[slot]):
        group = arrays.slot_groups[place]
        items = arrays.group_items[arrays.group_offsets[group] : arrays.group_offsets[group + 1]]
        for item in items:
            if arrays.slot_of[item] >= 0:
                inside[arrays.slot_of[item]] += 1
        for item in items:
            other = arrays.slot_of[item]
            if other < 0 or inside[other] == 0:
                continue
            whole = inside[other] == arrays.sizes[other]
            inside[other] = 0
            if not whole or other == slot:
                continue
            size = arrays.sizes[slot] + arrays.sizes[other]
            both = arrays.supports[slot] + arrays.supports[other] - meet[other]
            mass = both * ((arrays.weights[slot] + arrays.weights[other]) / size)
            better = best < 0 or cheaper(size, mass, best_size, best_mass)
            if not better and not cheaper(best_size, best_mass, size, mass):
                better = both < best_support or (
                    both == best_support and arrays.names[other] < arrays.names[best]
                )
            if better:
                best, best_size, best_mass, best_support = other, size, mass, both
    return best, best_size, best_mass, best_support
