"""Items that an attack put on records, and items that truly lie there (precision).

An item of an anchoring chunk is published with its record, so that putting it there would be no success: it counts
neither as put nor as true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.data.arrays import positions
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.release import Disassociated, Kind
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.truth import Truth


class Cells(NamedTuple):
    """Items on slots, in any order; an item may be there with several kinds, or twice.

    Attributes:
        slot: where each lies.
        item: which it is.
        kind: the kind of chunk it came from.
        width: items of the vocabulary.
    """

    slot: Longs
    item: NDArray[np.int32]
    kind: NDArray[np.int8]
    width: int

    def numbers(self, kinds: Iterable[Kind]) -> Longs:
        """The cells of some kinds as ``slot * width + item``, ascending, each once."""
        some = np.isin(self.kind, list(kinds))
        return np.unique(self.slot[some] * self.width + self.item[some])


def disassociated(truth: Truth, width: int) -> Cells:
    """Every item that truly lies on a slot and is not part of its anchor."""
    held, away = truth.held, ~truth.held.anchor
    return Cells(held.slot[away], held.item[away], held.kind[away], width)


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
        np.concatenate((questions.target_item[target[single]], items)),
        np.concatenate((kind[single], np.repeat(kind, lengths))),
        len(release.vocabulary),
    )


def precisions(guesses: Guesses, truth: Truth, release: Disassociated, units: Units) -> Tallies:
    """Share of the items put on slots that belong there, for each kind of chunk."""
    given, true = attached(guesses, release), disassociated(truth, len(release.vocabulary))
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        put = given.numbers(kinds)
        correct = np.isin(put, true.numbers(kinds)).astype(float)
        unit = units.of_slot[put // max(1, given.width)]
        tallies["precision", scope] = Tally.of(unit, correct, np.ones(len(put)), units.total)
    return tallies
