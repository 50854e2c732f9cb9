"""Records rebuilt from the links that an attack chose, against the originals (thesis, section 5.2).

A *disassociated* item of a record is one outside the anchoring chunk: the items of the anchor are published with it,
so putting them "back" would be no success. Equations 5.2-5.4 leave the minus out; the text has it. Recall alone, as
printed, cannot lose by putting every item on every record; precision beside it can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct, positions
from cloven.model.disassociated import Kind
from cloven.scoring.definitions import SCOPES
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses, Questions
    from cloven.scoring.truth import Truth
    from cloven.scoring.units import Units


@dataclass(frozen=True, eq=False)
class Cells:
    """Items on slots: which item lies on which slot, and from which kind of chunk it came."""

    slot: NDArray[np.int64]
    item: NDArray[np.int64]
    kind: NDArray[np.int8]
    slots: int
    width: int

    def numbers(self, kinds: Iterable[Kind]) -> NDArray[np.int64]:
        """The cells of some kinds as ``slot * width + item``, ascending, each once."""
        here = np.isin(self.kind, list(kinds))
        cells: NDArray[np.int64] = distinct(self.slot[here] * self.width + self.item[here])
        return cells

    def moved(self, place: NDArray[np.int64]) -> Cells:
        """The same items after slot ``s`` has been moved to ``place[s]``."""
        return Cells(place[self.slot], self.item, self.kind, self.slots, self.width)


def disassociated(truth: Truth, width: int) -> Cells:
    """Every item that truly lies on a slot and is not part of its anchor."""
    held = truth.held
    away = ~held.anchor
    return Cells(held.slot[away], held.item[away], held.kind[away], len(truth.slot_record), width)


def attached(guesses: Guesses, release: Disassociated) -> Cells:
    """Every item that the chosen links put on a slot."""
    questions = guesses.questions
    pair = np.flatnonzero(guesses.chosen)
    target = np.searchsorted(questions.offsets, pair, "right") - 1
    slot, row = questions.slots[pair].astype(np.int64), questions.target_row[target]
    single = questions.target_item[target] >= 0
    lengths = np.where(single, 0, np.diff(release.row_offsets)[row])
    items = release.row_items[positions(release.row_offsets[row], lengths)]
    kind = questions.target_kind[target]
    return Cells(
        np.concatenate((slot[single], np.repeat(slot, lengths))),
        np.concatenate((questions.target_item[target[single]], items)).astype(np.int64),
        np.concatenate((kind[single], np.repeat(kind, lengths))),
        len(questions.slot_anchor),
        len(release.vocabulary),
    )


def anchors(questions: Questions, release: Disassociated) -> Cells:
    """Every item that a slot shows."""
    shown = np.flatnonzero(questions.slot_anchor >= 0)
    row = questions.slot_anchor[shown]
    lengths = np.diff(release.row_offsets)[row]
    items = release.row_items[positions(release.row_offsets[row], lengths)].astype(np.int64)
    slot = np.repeat(shown, lengths)
    kind = np.full(len(slot), Kind.RECORD, np.int8)
    return Cells(slot, items, kind, len(questions.slot_anchor), len(release.vocabulary))


def in_both(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers that are in both; both ascending and distinct.

    >>> in_both(np.array([1, 2, 5]), np.array([2, 3, 5])).tolist()
    [2, 5]
    """
    if not len(right):
        return left[:0]
    place = np.minimum(np.searchsorted(right, left), len(right) - 1)
    both: NDArray[np.int64] = left[right[place] == left]
    return both


def reconstructions(given: Cells, true: Cells, units: Units, suffix: str = "") -> Tallies:
    """Accuracy, recall, precision, F and transaction breakage, for each kind of chunk."""
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        guessed, original = given.numbers(kinds), true.numbers(kinds)
        correct, put, torn = (
            np.bincount(cells // max(1, true.width), minlength=true.slots).astype(float)
            for cells in (in_both(guessed, original), guessed, original)
        )
        for name, tally in _measured(correct, put, torn, units).items():
            tallies[name + suffix, scope] = tally
    return tallies


def _measured(
    correct: NDArray[np.float64], given: NDArray[np.float64], true: NDArray[np.float64], units: Units
) -> dict[str, Tally]:
    """Tallies from the numbers of correct, given and true items on each slot."""
    torn = true > 0
    share = np.divide(correct, true, out=np.zeros_like(true), where=torn)
    everyone = np.ones_like(true)
    ratios = {
        "accuracy": (share, torn.astype(float)),
        "recall": (correct, true),
        "precision": (correct, given),
        "f": (correct, (given + true) / 2),
        "broken": ((correct > 0).astype(float), everyone),
        "broken_items": (correct, everyone),
    }
    return {
        name: Tally.of(units.of_slot, top, bottom, units.total, share=name != "broken_items")
        for name, (top, bottom) in ratios.items()
    }
