"""Compiled count of the blocks that the candidate rows of a known person show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]


@compiled
def _candidates(starts: Longs, rows: Longs, blocks: Longs, many_rows: int, found: Longs) -> int:
    """Rows that show all blocks, in ``found``; returns how many."""
    if len(blocks) == 0:
        found[:many_rows] = np.arange(many_rows)
        return many_rows
    rarest = blocks[0]
    for block in blocks:
        if starts[block + 1] - starts[block] < starts[rarest + 1] - starts[rarest]:
            rarest = block
    many = starts[rarest + 1] - starts[rarest]
    found[:many] = rows[starts[rarest] : starts[rarest + 1]]
    for block in blocks:
        if block == rarest:
            continue
        here, kept = rows[starts[block] : starts[block + 1]], 0
        for i in range(many):
            at = np.searchsorted(here, found[i])
            if at < len(here) and here[at] == found[i]:
                found[kept] = found[i]
                kept += 1
        many = kept
    return int(many)


@compiled
def shown_blocks(
    row_offsets: Longs, row_blocks: Longs, starts: Longs, rows: Longs, offsets: Longs, images: Longs, share: Floats,
    least: float,
) -> tuple[Longs, Longs, Floats, Longs]:  # fmt: skip
    """For each image: where its blocks end, blocks whose items have at least this probability, it, and the candidates.

    ``share`` is the probability of an item in a row that shows its block.
    """
    sets, many_rows, blocks = len(offsets) - 1, len(row_offsets) - 1, len(starts) - 1
    ends, fitting, end = np.zeros(sets + 1, np.int64), np.zeros(sets, np.int64), 0
    block_of, chance_of = np.empty(1024, np.int64), np.empty(1024)
    found, count, own = (
        np.empty(many_rows, np.int64),
        np.zeros(blocks, np.int64),
        np.full(blocks, -1, np.int64),
    )
    for number in range(sets):
        image = images[offsets[number] : offsets[number + 1]]
        many = _candidates(starts, rows, image, many_rows, found)
        fitting[number] = many
        count[:] = 0
        for i in range(many):
            for at in range(row_offsets[found[i]], row_offsets[found[i] + 1]):
                count[row_blocks[at]] += 1
        own[image] = number
        while end + blocks > len(block_of):
            block_of, chance_of = np.concatenate((block_of, block_of)), np.concatenate((chance_of, chance_of))
        for block in range(blocks):
            if count[block] > 0 and own[block] != number:
                chance = np.floor(count[block] / many * share[block] * 1e12 + 0.5) / 1e12
                if chance >= least:
                    block_of[end], chance_of[end] = block, chance
                    end += 1
        ends[number + 1] = end
    return ends, block_of[:end], chance_of[:end], fitting


@compiled
def equal_rows(row_offsets: Longs, starts: Longs, rows: Longs, offsets: Longs, images: Longs) -> Longs:
    """For each image: rows that show exactly its blocks."""
    equal, found = np.zeros(len(offsets) - 1, np.int64), np.empty(len(row_offsets), np.int64)
    for number in range(len(equal)):
        image = images[offsets[number] : offsets[number + 1]]
        for i in range(_candidates(starts, rows, image, len(row_offsets) - 1, found)):
            equal[number] += row_offsets[found[i] + 1] - row_offsets[found[i]] == len(image)
    return equal
