"""Rebuild a plausible data set from a set-generalised release.

A block of one item is kept. A generalised item is replaced by at least one of its items. How many, the release does not
say; but if the s items of a block were in records independently of each other, each with the same probability p, the
block would be in a share 1 - (1 - p)^s of all records, which the release does say. So every item is drawn with this p,
given that at least one is: for blocks in few records that is little more than one item. A block of all records counts
as one of all but half a record. Rows without blocks are dropped and counted in ``empty_records``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import positions
from cloven.data.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Ints, Longs
    from cloven.kinds.generalised.release import SetGeneralised


def rebuild_generalised(release: SetGeneralised, rng: np.random.Generator) -> Transactions:
    """One plausible data set; its records stand in the order of the rows.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["ale", "rye"], ["ale"], ["ale", "bun"]])
    >>> release = cv.Coat(k=2, m=1).anonymise(data).release
    >>> list(release)
    [(('ale',),), (('ale',), ('bun', 'rye')), (('ale',), ('bun', 'rye'))]
    >>> len(rebuild_generalised(release, np.random.default_rng(1))[0])
    1
    """
    blocks = release.row_blocks.astype(np.int64)
    offsets, items = release.block_offsets.astype(np.int64), release.block_items.astype(np.int64)
    counts, drawn = draw_items(rng, blocks, offsets, items, _chances(release))
    return _records(release, counts, drawn)


def worlds_of(release: SetGeneralised, count: int, rng: np.random.Generator) -> Iterator[Transactions]:
    """So many plausible data sets, one at a time."""
    return (rebuild_generalised(release, rng) for _ in range(count))


def certain_records(release: SetGeneralised) -> Transactions:
    """Of every row the items that it shows for certain: its blocks of one item."""
    single = release.block_sizes[release.row_blocks] == 1
    first = release.block_items[release.block_offsets[:-1]]
    return _records(release, single.astype(np.int64), first[release.row_blocks[single]])


def _chances(release: SetGeneralised) -> Floats:
    """Probability of each item of a block, as far as the release tells."""
    shares = np.minimum(release.supports, release.records - 0.5) / max(1, release.records)
    return -np.expm1(np.log1p(-shares) / np.maximum(1, release.block_sizes))


def _records(release: SetGeneralised, counts: Longs, items: NDArray[np.integer]) -> Transactions:
    """Records from the items of all showings of blocks, one row after the other."""
    row = np.repeat(release.row_of_entry, counts)
    order = np.lexsort((items, row))
    lengths = np.bincount(row, minlength=release.records).astype(np.int64)
    return Transactions.from_arrays(lengths, items[order].astype(np.int32), release.vocabulary)


# Draw items for the blocks of a row: independent lots for every item, given that at least one is drawn.


@compiled
def draw_items(
    rng: np.random.Generator, blocks: Ints, offsets: Ints, items: Ints, chance: Floats
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
        missing = math.log1p(-chance[block]) if size > 1 else 0.0
        at = np.int64(0)
        if size > 1:
            some = -math.expm1(size * missing)
            at = min(size - 1, np.int64(math.log1p(-rng.random() * some) / missing))
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
            at += 1 + np.int64(min(float(size), math.log1p(-rng.random()) / missing))
    return counts, drawn[:total]


WIDEST_BLOCK = 20
"""Items of a block above which it is not learned from: each of them is there with little reason."""


def documents(release: SetGeneralised, *, clusters: bool) -> tuple[Transactions, str]:  # noqa: ARG001 - has none
    """What the release shows together, as documents, and what they are."""
    return rows_as_documents(release), "rows"


def rows_as_documents(release: SetGeneralised, widest: int = WIDEST_BLOCK) -> Transactions:
    """Rows of a set-generalised release as documents, without blocks of more than ``widest`` items."""
    sizes = release.block_sizes[release.row_blocks]
    counts = np.where(sizes <= widest, sizes, 0)
    items = release.block_items[positions(release.block_offsets[release.row_blocks], counts)]
    return _records(release, counts, items)
