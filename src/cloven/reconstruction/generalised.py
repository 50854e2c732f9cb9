"""Rebuild a plausible data set from a set-generalised release.

A block of one item is kept. A generalised item is replaced by at least one of its items. How many, the release does not
say; but if the s items of a block were in records independently of each other, each with the same probability p, the
block would be in a share 1 - (1 - p)^s of all records, which the release does say. So every item is drawn with this p,
given that at least one is: for blocks in few records that is little more than one item. A block of all records counts
as one of all but half a record. Rows without blocks are dropped and counted in ``empty_records``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.set_generalised import SetGeneralised


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
    from cloven.reconstruction.generalised_kernel import draw_items

    blocks = release.row_blocks.astype(np.int64)
    offsets, items = release.block_offsets.astype(np.int64), release.block_items.astype(np.int64)
    counts, drawn = draw_items(rng, blocks, offsets, items, _chances(release))
    return _records(release, counts, drawn)


def certain_records(release: SetGeneralised) -> Transactions:
    """Of every row the items that it shows for certain: its blocks of one item."""
    single = release.block_sizes[release.row_blocks] == 1
    first = release.block_items[release.block_offsets[:-1]]
    return _records(release, single.astype(np.int64), first[release.row_blocks[single]])


def _chances(release: SetGeneralised) -> NDArray[np.float64]:
    """Probability of each item of a block, as far as the release tells."""
    shares = np.minimum(release.supports, release.records - 0.5) / max(1, release.records)
    return -np.expm1(np.log1p(-shares) / np.maximum(1, release.block_sizes))


def _records(release: SetGeneralised, counts: NDArray[np.int64], items: NDArray[np.integer]) -> Transactions:
    """Records from the items of all showings of blocks, one row after the other."""
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    row = np.repeat(row, counts)
    order = np.lexsort((items, row))
    lengths = np.bincount(row, minlength=release.records).astype(np.int64)
    return Transactions.from_arrays(lengths, items[order].astype(np.int32), release.vocabulary)
