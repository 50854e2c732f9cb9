"""The truth behind the tables of a set-generalised release, from the owner's key: which items were added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from cloven.data.arrays import among, distinct
from cloven.errors import ReleaseError
from cloven.kinds.generalised.guesses import Cells

if TYPE_CHECKING:
    from cloven.compiled import Flags, Longs
    from cloven.kinds.generalised.guesses import Tables
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """What the key says.

    Attributes:
        cells: what was asked.
        added: whether the item of each cell was added.
        unasked: added items of each published row that no table asks about, as where marks were guessed.
    """

    cells: Cells
    added: Flags
    unasked: Longs

    @property
    def missed(self) -> int:
        """Added items that no table asks about."""
        return int(self.unasked.sum())

    @property
    def units(self) -> int:
        """What intervals are over: the tables, and one unit more if there are items that none asks about."""
        return len(self.cells.tables) + (self.missed > 0)


def truth(tables: Tables, release: SetGeneralised, key: GeneralisedKey) -> Truth:
    """Answer the tables from the key.

    Raises:
        ReleaseError: tables, release and key do not belong together.
    """
    check_key(key, release)
    cells = Cells.of(tables)
    _check_cells(cells, release)
    width = max(1, len(release.vocabulary))
    held = np.sort(np.repeat(np.arange(release.records), np.diff(key.offsets)) * width + key.items)
    added = ~among(cells.row * width + cells.item, held)
    asked = np.bincount(cells.row[added], minlength=release.records)
    return Truth(cells, added, added_in_rows(release, key) - asked)


def added_in_rows(release: SetGeneralised, key: GeneralisedKey) -> Longs:
    """How many items each published row shows that its record does not have."""
    shown = np.bincount(release.row_of_entry, release.block_sizes[release.row_blocks], release.records)
    return shown.astype(np.int64) - np.diff(key.offsets)


def check_key(key: GeneralisedKey, release: SetGeneralised) -> None:
    """Raise ``ReleaseError`` unless the records of the key have an item of each block that they are shown with."""
    if len(key.records) != release.records or len(key.offsets) != release.records + 1:
        _other_key(f"it has {len(key.records):,} records, the release {release.records:,}")
    if len(key.items) and not 0 <= key.items.min() <= key.items.max() < len(release.vocabulary):
        _other_key("it names an item that the release does not have")
    block = release.block_of_item[key.items]
    if (block < 0).any():
        _other_key("a record has an item that is in no generalised item")
    many = max(1, release.blocks)
    touched = distinct(np.repeat(np.arange(release.records), np.diff(key.offsets)) * many + block)
    if not np.array_equal(touched, _shown(release)):
        _other_key("a record has items of other generalised items than its row shows")


def _check_cells(cells: Cells, release: SetGeneralised) -> None:
    """The tables must ask about items that their rows show."""
    inside = not len(cells.item) or (
        cells.row.max() < release.records and cells.item.max() < len(release.vocabulary)
    )
    if inside:
        block = release.block_of_item[cells.item]
        inside = bool(among(cells.row * max(1, release.blocks) + block, _shown(release)).all())
    if not inside:
        message = (
            "these eliminations are about another release: they ask about an item that a row does not show;"
            " attack this release"
        )
        raise ReleaseError(message)


def _shown(release: SetGeneralised) -> Longs:
    """Rows and blocks as one number each, ascending."""
    return np.sort(release.row_of_entry * max(1, release.blocks) + release.row_blocks)


def _other_key(what: str) -> NoReturn:
    message = f"the key does not fit the release: {what}; use the key that was written with it"
    raise ReleaseError(message)
