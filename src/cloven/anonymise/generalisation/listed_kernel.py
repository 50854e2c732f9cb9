"""Count the supports of listed itemsets, and again when a block has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.generalisation.partition_kernel import support
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.partition_kernel import Arrays
    from cloven.compiled import Ints


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

    offsets: NDArray[np.int64]
    codes: NDArray[np.int64]
    supports: NDArray[np.int64]
    item_offsets: NDArray[np.int64]
    item_itemsets: NDArray[np.int64]
    item_counts: NDArray[np.int64]
    seen: NDArray[np.bool_]


@compiled
def _count(arrays: Arrays, watched: Watched, number: int, k: int) -> int:
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
        watched.supports[number] = _count(arrays, watched, number, k)
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
            watched.supports[number] = _count(arrays, watched, number, k)
            if watched.supports[number] != before and 0 < watched.supports[number] < k:
                changed.append(number)
        item = arrays.next_item[item]
        if item == arrays.names[slot]:
            break
    for number in met[1:]:
        watched.seen[number] = False
    return np.array(changed[1:], np.int64)
