"""Which of the listed itemsets to satisfy next: the one of largest support that is neither 0 nor at least k.

Merging only adds to supports, and suppressing shortens an itemset; so what has reached k stays there and is forgotten.
What has support 0 is watched: merging may bring it to life, and suppressing may leave a part of it that is held.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.generalisation.listed_kernel import Watched, count_all, recount

if TYPE_CHECKING:
    from cloven.anonymise.generalisation.demands import Codes
    from cloven.anonymise.generalisation.partition import Partition


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
