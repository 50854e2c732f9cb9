"""Records after the eliminations: which are the original again, and which single out a person again?

A rebuilt record is its published row without the eliminated items. Original is what was published of the record:
suppressed items are lost to every attack. Units of the intervals are the records with a generalised item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import positions
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.set_generalised import SetGeneralised
    from cloven.scoring.generalised.truth import Truth

    Marks = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Records:
    """Originals and published rows, each set of items as two numbers of 64 bits that no other set shares in practice.

    Attributes:
        truth: which items were added.
        item: numbers of each item; those of a set are their sums.
        published: numbers of each published row with all its items.
        torn: rows that show a generalised item.
        unique: of these, rows whose original is unique.
        hidden: of these, rows that as published equal others.
    """

    truth: Truth
    item: Marks
    published: Marks
    torn: NDArray[np.bool_]
    unique: NDArray[np.bool_]
    hidden: NDArray[np.bool_]

    @classmethod
    def of(cls, truth: Truth, release: SetGeneralised, key: GeneralisedKey) -> Records:
        """Read release and key; the numbers of the items are fixed, so that the same records are the same anywhere."""
        bits = np.random.default_rng(0).integers(0, 2**64, (len(release.vocabulary), 2), np.uint64)
        lengths = release.block_sizes[release.row_blocks]
        items = release.block_items[positions(release.block_offsets[release.row_blocks], lengths)]
        row = np.repeat(np.repeat(np.arange(release.records), np.diff(release.row_offsets)), lengths)
        published = _sums(row, bits[items], release.records)
        holder = np.repeat(np.arange(release.records), np.diff(key.offsets))
        original = _sums(holder, bits[key.items], release.records)
        torn = np.zeros(release.records, bool)
        torn[row[np.repeat(lengths > 1, lengths)]] = True
        unique = torn & _unique(original)
        return cls(truth, bits, published, torn, unique, unique & ~_unique(published))

    def measured(self, eliminated: NDArray[np.bool_]) -> Tallies:
        """Rebuilt records, and those that single out a person."""
        truth, records = self.truth, len(self.torn)
        wrong = np.bincount(truth.cells.row[eliminated != truth.added], minlength=records)
        whole = (wrong == 0) & (truth.unasked == 0)
        taken = _sums(truth.cells.row[eliminated], self.item[truth.cells.item[eliminated]], records)
        alone = whole & _unique(self.published - taken)
        return {
            (name, "all"): Tally((found & among)[self.torn].astype(float), among[self.torn].astype(float))
            for name, found, among in (
                ("rebuilt", whole, self.torn),
                ("unique", alone, self.unique),
                ("unique_again", alone, self.hidden),
            )
        }


def _sums(row: NDArray[np.int64], numbers: Marks, rows: int) -> Marks:
    """Sum the numbers of each row, modulo 2^64."""
    total = np.zeros((rows, 2), np.uint64)
    np.add.at(total, row, numbers)
    return total


def _unique(marks: Marks) -> NDArray[np.bool_]:
    """Rows that no other row equals."""
    _, same, many = np.unique(marks, axis=0, return_inverse=True, return_counts=True)
    return np.equal(many[same.reshape(-1)], 1)
