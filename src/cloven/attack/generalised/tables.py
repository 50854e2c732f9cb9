"""Read off a set-generalised release what it leaves open, and what it shows for certain (see ``model.added``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ReleaseError
from cloven.model.added import Tables
from cloven.model.arrays import positions
from cloven.model.set_generalised import SetGeneralised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]


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
