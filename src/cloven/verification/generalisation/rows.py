"""Rows to count in: as published, or as they should be by the original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions


@dataclass(frozen=True)
class Rows:
    """Blocks of each row, ascending, and who stands behind it.

    Attributes:
        offsets: where each row starts in ``blocks``.
        blocks: numbers of blocks.
        owner: number of the person behind each row, ascending; the row itself, if each is somebody else's.
        count: number of blocks of the release.
        noun: what is counted.
    """

    offsets: NDArray[np.int64]
    blocks: NDArray[np.int64]
    owner: NDArray[np.int64]
    count: int
    noun: str

    @cached_property
    def _holding(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of each block, one block after the other."""
        row = np.repeat(np.arange(len(self.owner)), np.diff(self.offsets))
        order = np.argsort(self.blocks, kind="stable")
        starts = np.searchsorted(self.blocks[order], np.arange(self.count + 1))
        return starts, row[order]

    def showing(self, block: int) -> NDArray[np.int64]:
        """Rows that show a block, ascending."""
        starts, rows = self._holding
        return rows[starts[block] : starts[block + 1]]

    def showing_all(self, blocks: Iterable[int]) -> NDArray[np.int64]:
        """Rows that show all of some blocks, ascending; there is at least one block."""
        lists = sorted((self.showing(block) for block in blocks), key=len)
        found = lists[0]
        for rows in lists[1:]:
            found = np.intersect1d(found, rows, assume_unique=True)
        return found

    def owners(self, rows: NDArray[np.int64]) -> int:
        """Number of persons behind some rows."""
        return len(distinct(self.owner[rows]))


def block_of_items(release: SetGeneralised) -> NDArray[np.int64]:
    """Block of each item of the vocabulary."""
    block = np.empty(len(release.vocabulary), np.int64)
    block[release.block_items] = np.repeat(np.arange(release.blocks), release.block_sizes)
    return block


def blocks_by_original(release: SetGeneralised, original: Transactions) -> NDArray[np.int64]:
    """Block of each item of the original; -1 for items that are not published."""
    block = block_of_items(release)
    code_of = {item: code for code, item in enumerate(release.vocabulary)}
    found = [block[code_of[item]] if item in code_of else -1 for item in original.vocabulary]
    return np.array(found, np.int64)


def published(release: SetGeneralised) -> Rows:
    """The rows of a release."""
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    order = np.lexsort((release.row_blocks, row))
    blocks = release.row_blocks[order].astype(np.int64)
    return Rows(release.row_offsets, blocks, np.arange(release.records), release.blocks, "row")


def images(release: SetGeneralised, original: Transactions) -> Rows:
    """The rows that records of the original should become, in the order of their persons."""
    owner = np.arange(len(original)) if original.persons is None else original.persons
    order = np.argsort(owner, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    block = blocks_by_original(release, original)[original.codes]
    row = np.repeat(place, original.lengths)
    pairs = distinct(np.sort((row * max(1, release.blocks) + block)[block >= 0]))
    row, block = np.divmod(pairs, max(1, release.blocks))
    offsets = np.searchsorted(row, np.arange(len(original) + 1))
    _, number = np.unique(owner[order], return_inverse=True)
    noun = "record" if original.persons is None else "person"
    return Rows(offsets, block, number.astype(np.int64), release.blocks, noun)
