"""Read off a set-generalised release what it leaves open, and what it shows for certain (see ``guesses``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.data.arrays import positions
from cloven.errors import ReleaseError
from cloven.kinds.generalised.guesses import Tables
from cloven.kinds.generalised.release import SetGeneralised

if TYPE_CHECKING:
    from cloven.compiled import Longs


def tables(release: SetGeneralised) -> Tables:
    """One table for each generalised item that some row shows. Suppressed items are in no block, so in no table.

    >>> release = SetGeneralised(2, {}, ("flu", "hiv", "knee"), ("", ""), np.array([0, 2, 3]), np.array([0, 1, 2]),
    ...                          np.array([0, 2, 3]), np.array([0, 1, 0]))
    >>> found = tables(release)
    >>> found.shape(0), found.rows.tolist(), found.columns.tolist()
    ((2, 2), [0, 1], [0, 1])
    """
    published_only(release)
    block = np.flatnonzero((release.block_sizes > 1) & (release.supports > 0))
    rows_of, rows = rows_by_block(release)
    heights, widths = np.diff(rows_of)[block], release.block_sizes[block]
    return Tables(
        block,
        _offsets(heights),
        rows[positions(rows_of[block], heights)],
        _offsets(widths),
        release.block_items[positions(release.block_offsets[block], widths)].astype(np.int32),
        _offsets(heights * widths),
    )


class Contexts(NamedTuple):
    """What each row of a release shows for certain: its *contextual* items (definition 3.4).

    Attributes:
        offsets: where each row starts in ``items``.
        items: item codes.
    """

    offsets: Longs
    items: Longs

    def of(self, rows: Longs) -> Contexts:
        """Contexts of some rows."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        return Contexts(_offsets(lengths), self.items[positions(self.offsets[rows], lengths)])


def contexts(release: SetGeneralised, most: int | None = None) -> Contexts:
    """Trivially generalised items of each row; at most ``most`` of them, those in fewest rows first.

    What few rows show says more about a row than what nearly all show.
    """
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    single = release.block_sizes[release.row_blocks] == 1
    row, block = row[single], release.row_blocks[single].astype(np.int64)
    if most is not None:
        order = np.lexsort((block, release.supports[block], row))
        row, block = row[order], block[order]
        counted = np.arange(len(row)) - np.searchsorted(row, row)
        row, block = row[counted < most], block[counted < most]
    lengths = np.bincount(row, minlength=release.records).astype(np.int64)
    return Contexts(_offsets(lengths), release.block_items[release.block_offsets[block]].astype(np.int64))


def rows_by_block(release: SetGeneralised) -> tuple[Longs, Longs]:
    """Rows that show each block, ascending: where each block starts, and the rows."""
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    order = np.argsort(release.row_blocks, kind="stable")
    return _offsets(release.supports), row[order]


def published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, SetGeneralised):
        message = (
            f"an attack works on a published set-generalised release alone (got {type(release).__name__});"
            " give it `result.release`, or what was read from its folder"
        )
        raise ReleaseError(message)


def _offsets(lengths: Longs) -> Longs:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


# Which items are generalised ones, where a release does not say so?
#
# A release may list all items of a generalised item in each row, as if the record held them (section 4.1 of the paper
# on attacks leaves this open). But then these items are always together. So items that exactly the same rows show are
# taken for one generalised item, if there are at least two of them and the rows are at least k: generalising goes on
# until so many records stand behind an item. Items that really always go together are taken for one as well; whoever
# knows the marked release can measure how often (``score``).


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


# Who knows some items of one person: how many candidate records does a set-generalised release leave?
#
# The attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008): a row is a candidate if it shows the
# block of every known item. The release alone is read.
