"""Records rebuilt from the links that an attack chose, against the originals (thesis, section 5.2).

A *disassociated* item of a record is one outside the anchoring chunk: the items of the anchor are published with it,
so putting them "back" would be no success. Equations 5.2-5.4 leave the minus out; the text has it. Recall alone, as
printed, cannot lose by putting every item on every record; precision beside it can.

Best match: slots of one cluster with identical anchors are interchangeable, so an attack may be right "up to them".
The thesis (5.3.1) counts any of several identical anchoring sub-records as correct. Here the rebuilt records of such a
group are exchanged so that the number of correct re-attachments is as large as possible (an assignment problem; among
equals the higher accuracy wins). Slots without anchor are a group, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from cloven.kinds.disassociated.release import first_of_equal
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.kinds.disassociated.score.precision import Cells
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.guesses import Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units


def anchors(questions: Questions, release: Disassociated) -> Cells:
    """Every item that a slot shows."""
    shown = np.flatnonzero(questions.slot_anchor >= 0)
    starts, items = release.items_of(questions.slot_anchor[shown])
    slot = np.repeat(shown, np.diff(starts))
    return Cells(slot, items, np.zeros(len(slot), np.int8), len(release.vocabulary))


def moved(cells: Cells, place: Longs) -> Cells:
    """The same items after slot ``s`` has been moved to ``place[s]``."""
    return cells._replace(slot=place[cells.slot])


def matrix(cells: Cells, slots: int) -> csr_array:
    """Slots x items: 1 where an item lies on a slot."""
    numbers, width = cells.numbers(SCOPES["all"]), max(1, cells.width)
    return csr_array((np.ones(len(numbers), np.int64), divmod(numbers, width)), shape=(slots, width))


def reconstructions(given: Cells, true: Cells, units: Units, suffix: str = "") -> Tallies:
    """Accuracy, recall, precision, F and transaction breakage, for each kind of chunk."""
    slots, width = len(units.of_slot), max(1, given.width)
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        put, held = given.numbers(kinds), true.numbers(kinds)
        counts = (
            np.bincount(each // width, minlength=slots) for each in (np.intersect1d(put, held), put, held)
        )
        correct, put_there, there = (each.astype(float) for each in counts)
        torn = (there > 0).astype(float)
        ratios = {
            "accuracy": (correct / np.maximum(there, 1), torn),
            "recall": (correct, there),
            "precision": (correct, put_there),
            "f": (correct, (put_there + there) / 2),
            "broken": ((correct > 0).astype(float), np.ones(slots)),
            "broken_items": (correct, np.ones(slots)),
        }
        for name, (top, bottom) in ratios.items():
            share = name != "broken_items"
            tallies[name + suffix, scope] = Tally.of(units.of_slot, top, bottom, units.total, share=share)
    return tallies


def best_places(questions: Questions, release: Disassociated, given: Cells, true: Cells) -> Longs:
    """Where the rebuilt record of each slot should be read: another slot of its group, or the same."""
    slots = len(questions.slot_anchor)
    put, held = matrix(given, slots), matrix(true, slots)
    place = np.arange(slots)
    for first, last in _groups(questions, release):
        common = (put[first:last] @ held[first:last].T).toarray()
        if common.any():  # else nothing is right anywhere, and all stay
            place[first:last] = first + _exchanged(common, np.diff(held.indptr[first : last + 1]))
    return place


def _groups(questions: Questions, release: Disassociated) -> Iterator[tuple[int, int]]:
    """First slot and end of each group of at least two slots; equal anchors stand side by side."""
    slots = len(questions.slot_anchor)
    anchor = np.append(first_of_equal(release), -1)[questions.slot_anchor]
    new = np.ones(slots, bool)
    new[1:] = anchor[1:] != anchor[:-1]
    # Two neighbouring clusters may both end and begin with slots that show nothing.
    new[questions.slot_offsets[:-1][np.diff(questions.slot_offsets) > 0]] = True
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], slots)
    wide = ends - starts > 1
    yield from zip(starts[wide].tolist(), ends[wide].tolist(), strict=True)


def _exchanged(common: Longs, lengths: Longs) -> Longs:
    """Where most is correct; who has nothing right there stays, or takes what is left."""
    # Accuracies add up to at most one for each slot, so that together they never outweigh one item.
    weight = common + common / np.maximum(lengths, 1) / (len(lengths) + 1)
    giver, holder = linear_sum_assignment(weight, maximize=True)
    right = common[giver, holder] > 0  # pairs without a common item are free to stay where they are
    place = np.full(len(lengths), -1)
    place[giver[right]] = holder[right]
    rest = np.flatnonzero(place < 0)
    free = np.setdiff1d(np.arange(len(lengths)), holder[right])
    stays = np.intersect1d(rest, free)
    place[stays] = stays
    place[np.setdiff1d(rest, stays)] = np.setdiff1d(free, stays)
    return place
