"""A partition of the items of some data, made coarser step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.generalisation.partition_kernel import Arrays, best_partner, merge, support, suppress
from cloven.model.arrays import distinct, positions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.demands import Groups
    from cloven.model.transactions import Transactions


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

    def image(self, items: Iterable[int]) -> NDArray[np.int64]:
        """Blocks of some items, the least held first; suppressed items have none."""
        arrays = self.arrays
        slots = {int(arrays.slot_of[item]) for item in items} - {-1}
        return np.array(sorted(slots, key=lambda slot: (arrays.supports[slot], arrays.names[slot])), np.int64)

    def support(self, image: NDArray[np.int64], limit: int) -> int:
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


def singletons(data: Transactions, groups: Groups, weights: NDArray[np.float64]) -> Partition:
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


def _by_holder(data: Transactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Records in the order of their persons, and where each person starts."""
    if data.persons is None:
        return np.arange(len(data)), np.arange(len(data) + 1)
    order = np.argsort(data.persons, kind="stable")
    person = data.persons[order]
    starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
    return order, np.append(starts, len(data))
