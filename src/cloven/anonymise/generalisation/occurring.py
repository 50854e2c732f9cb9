"""Which combination of so many blocks to satisfy next: of all that occur, the one of largest support below k.

Protecting all itemsets of a size is protecting all combinations of blocks that occur: a combination of blocks in a row
is the image of some itemset of its record. Once all have reached k, no merge can break that again, since a combination
with the merged block has at least the support of one that occurred before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.generalisation.combinations_kernel import (
    Best,
    first,
    forget,
    offer_all,
    offer_everything,
)

if TYPE_CHECKING:
    from cloven.anonymise.generalisation.demands import Codes
    from cloven.anonymise.generalisation.partition import Partition


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
