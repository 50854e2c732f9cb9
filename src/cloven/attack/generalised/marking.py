"""Which items are generalised ones, where a release does not say so?

A release may list all items of a generalised item in each row, as if the record held them (section 4.1 of the paper on
attacks leaves this open). But then these items are always together. So items that exactly the same rows show are taken
for one generalised item, if there are at least two of them and the rows are at least k: generalising goes on until so
many records stand behind an item. Items that really always go together are taken for one as well; whoever knows the
marked release can measure how often (``scoring.generalised.marking``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.tables import rows_by_block
from cloven.model.arrays import positions
from cloven.model.set_generalised import SetGeneralised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]


def guess_marks(release: SetGeneralised, least_rows: int | None = None) -> SetGeneralised:
    """The release with guessed generalised items instead of its own, rows in the same order.

    Nothing is read but which items each row shows. ``least_rows`` is how many rows must show a generalised item, k if
    it is left out.

    >>> release = SetGeneralised(2, {}, ("flu", "hiv", "knee"), ("", "", ""), np.array([0, 1, 2, 3]),
    ...                          np.array([0, 1, 2]), np.array([0, 3, 5]), np.array([0, 1, 2, 0, 1]))
    >>> list(guess_marks(release))
    [(('flu', 'hiv'), ('knee',)), (('flu', 'hiv'),)]
    """
    least = release.k if least_rows is None else least_rows
    alike = _alike(release)
    of_item = np.empty(len(release.vocabulary), np.int64)
    of_item[release.block_items] = np.repeat(alike, release.block_sizes)
    placed = np.zeros(len(release.vocabulary), bool)
    placed[release.block_items] = True
    often = release.supports >= max(1, least)
    together = np.zeros(len(release.vocabulary), bool)
    together[release.block_items] = np.repeat(often, release.block_sizes)
    # Items that stay single get a label of their own, beyond those of the groups.
    label = np.where(together, of_item, release.blocks + np.arange(len(of_item)))
    items = np.flatnonzero(placed)
    return _regrouped(release, items, label[items])


def _alike(release: SetGeneralised) -> Longs:
    """The first block that exactly the same rows show, for each block."""
    offsets, rows = rows_by_block(release)
    first: dict[bytes, int] = {}
    found = [
        first.setdefault(rows[offsets[block] : offsets[block + 1]].tobytes(), block)
        for block in range(release.blocks)
    ]
    return np.array(found, np.int64)


def _regrouped(release: SetGeneralised, items: Longs, label: Longs) -> SetGeneralised:
    """The release with blocks of the items that have the same label."""
    _, first, block = np.unique(label, return_index=True, return_inverse=True)
    # Blocks stand in the order of their first items.
    block = np.argsort(np.argsort(first))[block]
    order = np.lexsort((items, block))
    sizes = np.bincount(block, minlength=len(first))
    of_item = np.zeros(len(release.vocabulary), np.int64)
    of_item[items] = block
    lengths = release.block_sizes[release.row_blocks]
    shown = of_item[release.block_items[positions(release.block_offsets[release.row_blocks], lengths)]]
    row = np.repeat(np.repeat(np.arange(release.records), np.diff(release.row_offsets)), lengths)
    cells = np.unique(row * max(1, len(sizes)) + shown)
    row, shown = np.divmod(cells, max(1, len(sizes)))
    return SetGeneralised(
        release.k,
        dict(release.parameters),
        release.vocabulary,
        ("",) * len(sizes),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items[order].astype(np.int32),
        np.concatenate(([0], np.cumsum(np.bincount(row, minlength=release.records)))).astype(np.int64),
        shown.astype(np.int32),
    )
