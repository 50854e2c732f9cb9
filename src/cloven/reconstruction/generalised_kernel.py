"""Draw items for the blocks of a row: independent lots for every item, given that at least one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints


@compiled
def draw_items(
    rng: np.random.Generator, blocks: Ints, offsets: Ints, items: Ints, chance: NDArray[np.float64]
) -> tuple[Ints, Ints]:
    """Number of items drawn for each shown block, and the items.

    Args:
        rng: random numbers.
        blocks: block of each showing.
        offsets: where each block starts in ``items``.
        items: items of the blocks.
        chance: probability of each item of a block; the lots are drawn again until one item is drawn. Nothing is: the
            distances between drawn items are geometric, and the first is cut to the length of the block.
    """
    counts = np.zeros(len(blocks), np.int64)
    drawn = np.empty(max(16, 2 * len(blocks)), np.int64)
    total = 0
    for showing in range(len(blocks)):
        block = blocks[showing]
        first, size = offsets[block], offsets[block + 1] - offsets[block]
        missing = np.log1p(-chance[block]) if size > 1 else 0.0
        at = np.int64(0)
        if size > 1:
            some = -np.expm1(size * missing)
            at = min(size - 1, np.int64(np.log1p(-rng.random() * some) / missing))
        while at < size:
            if total == len(drawn):
                larger = np.empty(2 * len(drawn), np.int64)
                larger[:total] = drawn
                drawn = larger
            drawn[total] = items[first + at]
            total += 1
            counts[showing] += 1
            if size == 1:
                break
            # A float far beyond the block would not fit into a whole number.
            at += 1 + np.int64(min(float(size), np.log1p(-rng.random()) / missing))
    return counts, drawn[:total]
