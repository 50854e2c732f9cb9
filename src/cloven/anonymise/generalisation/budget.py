"""Merge or suppress one block, within the budget; and say what is wrong where neither can be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.by_policy import Constraints
    from cloven.anonymise.generalisation.partition import Merge, Partition

NAMES_SHOWN = 4


@dataclass(frozen=True)
class Steps:
    """The two steps of a greedy method; constraints are told of both.

    Attributes:
        partition: what is merged.
        constraints: who is told.
        budget: largest number of items that may be suppressed.
    """

    partition: Partition
    constraints: Constraints
    budget: int

    def merge(self, found: Merge) -> None:
        """Merge two blocks."""
        kept = self.partition.merge(found.slot, found.partner)
        self.constraints.merged(kept, found.partner if kept == found.slot else found.slot)

    def suppress(self, slot: int) -> bool:
        """Suppress a block, if the budget allows it; whether it did."""
        if self.partition.suppressed + int(self.partition.arrays.sizes[slot]) > self.budget:
            return False
        self.partition.suppress(slot)
        self.constraints.suppressed(slot)
        return True


def unsatisfiable(
    steps: Steps, vocabulary: Sequence[str], image: NDArray[np.int64], support: int, k: int
) -> ParameterError:
    """What cannot be satisfied, why, and what would satisfy it."""
    partition = steps.partition
    blocks = [[vocabulary[item] for item in partition.members(slot)] for slot in image.tolist()]
    smallest = min(map(len, blocks))
    needed = (partition.suppressed + smallest) / partition.items
    named = " with ".join(map(_named, blocks))
    return ParameterError(
        f"{named} has support {support}, k is {k}: no utility group holds anything else to merge it with, and of"
        f" {steps.budget:,} items that may be suppressed {partition.suppressed:,} are; put {_named(blocks[0])} into a"
        f" group with more items, set max_suppressed to at least {needed:.3g}, or lower k (it reaches {support})"
    )


def _named(block: list[str]) -> str:
    shown = " or ".join(shorten(item, 40) for item in block[:NAMES_SHOWN])
    more = f" or {len(block) - NAMES_SHOWN:,} more" if len(block) > NAMES_SHOWN else ""
    return f"({shown}{more})" if len(block) > 1 else shown
