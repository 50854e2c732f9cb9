"""From a block for every item to release and key, in canonical order: a function of content alone.

Blocks are ordered by their items, rows by their blocks; a record that loses all its items is still a record, and is
published as an empty row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import distinct, lexicographic_order, take_rows
from cloven.kinds.generalised.key import Generalised, GeneralisedKey
from cloven.kinds.generalised.release import SetGeneralised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions


def assemble(
    data: Transactions,
    block_of_item: Longs,
    *,
    k: int,
    parameters: Mapping[str, Any],
    label_of_block: Sequence[str] | None = None,
) -> Generalised:
    """Release and key of a partition of the items.

    Args:
        data: what is published.
        block_of_item: number of the block of every item of the vocabulary, in any numbering; -1 if it is suppressed.
        k: the support that is promised.
        parameters: method and parameters, as plain JSON values.
        label_of_block: a name for every block number; left out, blocks have none.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["tea", "milk"], ["tea"], ["gin"]])
    >>> data.vocabulary
    ('gin', 'milk', 'tea')
    >>> result = assemble(data, np.array([-1, 7, 7]), k=2, parameters={})
    >>> list(result.release)
    [(), (('milk', 'tea'),), (('milk', 'tea'),)]
    >>> result.key.records.tolist(), result.key.suppressed_items
    ([2, 0, 1], (('gin',),))
    """
    published = block_of_item >= 0
    number, first = _numbered(block_of_item, published)
    offsets, blocks = _rows(data, number, int(number.max(initial=-1)) + 1)
    order = np.argsort(data.source_rows, kind="stable")
    order = order[lexicographic_order(*take_rows(offsets, blocks, order))]
    row_offsets, row_blocks = take_rows(offsets, blocks, order)
    code = np.cumsum(published) - 1
    in_blocks = np.argsort(number[published], kind="stable")
    release = SetGeneralised(
        k=k,
        parameters=parameters,
        vocabulary=tuple(
            name for name, kept in zip(data.vocabulary, published.tolist(), strict=True) if kept
        ),
        block_labels=("",) * len(first)
        if label_of_block is None
        else tuple(label_of_block[block] for block in block_of_item[first].tolist()),
        block_offsets=np.concatenate(([0], np.cumsum(np.bincount(number[published], minlength=len(first))))),
        block_items=in_blocks.astype(np.int32),
        row_offsets=row_offsets,
        row_blocks=row_blocks,
    )
    return Generalised(release, _key(data, published, code, order))


def _numbered(block_of_item: Longs, published: Flags) -> tuple[Longs, Longs]:
    """Canonical number of the block of every item (-1 if suppressed), and the first item of every block.

    Blocks have no item in common, so their first items order them.
    """
    numbers = distinct(block_of_item[published])
    place = np.searchsorted(numbers, block_of_item)
    first = np.full(len(numbers), len(block_of_item), np.int64)
    np.minimum.at(first, place[published], np.flatnonzero(published))
    canonical = np.empty(len(numbers), np.int64)
    canonical[np.argsort(first)] = np.arange(len(numbers))
    number = np.full(len(block_of_item), -1, np.int64)
    number[published] = canonical[place[published]]
    return number, np.sort(first)


def _rows(data: Transactions, number: Longs, width: int) -> tuple[Longs, NDArray[np.int32]]:
    """Blocks that each record touches, ascending."""
    record = np.repeat(np.arange(len(data)), data.lengths)
    block = number[data.codes]
    pairs = distinct((record * max(1, width) + block)[block >= 0])
    lengths = np.bincount(pairs // max(1, width), minlength=len(data))
    return np.concatenate(([0], np.cumsum(lengths))), (pairs % max(1, width)).astype(np.int32)


def _key(data: Transactions, published: Flags, code: Longs, order: Longs) -> GeneralisedKey:
    kept = published[data.codes]
    running = np.concatenate(([0], np.cumsum(kept)))
    offsets, items = take_rows(running[data.offsets], code[data.codes[kept]].astype(np.int32), order)
    lost = np.flatnonzero(np.diff(running[data.offsets]) < data.lengths)
    lost = lost[np.argsort(data.source_rows[lost])]
    return GeneralisedKey(
        records=data.source_rows[order],
        offsets=offsets,
        items=items,
        suppressed_record=data.source_rows[lost],
        suppressed_items=tuple(_lost_names(data, published, record) for record in lost.tolist()),
        persons=None if data.persons is None else data.persons[order],
    )


def _lost_names(data: Transactions, published: Flags, record: int) -> tuple[str, ...]:
    codes = data.codes[data.offsets[record] : data.offsets[record + 1]]
    return tuple(data.vocabulary[item] for item in codes[~published[codes]].tolist())
