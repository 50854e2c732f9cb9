"""Records rebuilt from the links that an attack chose, against the originals (thesis, section 5.2).

A *disassociated* item of a record is one outside the anchoring chunk: the items of the anchor are published with it,
so putting them "back" would be no success. Equations 5.2-5.4 leave the minus out; the text has it. Recall alone, as
printed, cannot lose by putting every item on every record; precision beside it can.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import among_ascending, positions
from cloven.kinds.disassociated.release import Kind, first_of_equal
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Ints, Longs
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.truth import Truth


KINDS = len(Kind)


@dataclass(frozen=True, eq=False)
class Cells:
    """Items on slots: which item lies on which slot, and from which kind of chunk it came."""

    slot: Longs
    item: Longs
    kind: NDArray[np.int8]
    slots: int
    width: int

    def numbers(self, kinds: Iterable[Kind]) -> Longs:
        """The cells of some kinds as ``slot * width + item``, ascending, each once."""
        wanted = np.zeros(KINDS, bool)
        wanted[list(kinds)] = True
        every = self._ordered
        cells: Longs = (every if wanted.all() else every[wanted[every % KINDS]]) // KINDS
        once: Longs = cells[np.diff(cells, prepend=-1) != 0]
        return once

    @cached_property
    def _ordered(self) -> Longs:
        """All cells and the kind of each as one number, ascending: they are sorted once for all kinds."""
        return np.sort((self.slot * self.width + self.item) * KINDS + self.kind)

    def moved(self, place: Longs) -> Cells:
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
    starts, items = release.items_of(questions.slot_anchor[shown])
    slot = np.repeat(shown, np.diff(starts))
    kind = np.full(len(slot), Kind.RECORD, np.int8)
    return Cells(slot, items.astype(np.int64), kind, len(questions.slot_anchor), len(release.vocabulary))


def reconstructions(given: Cells, true: Cells, units: Units, suffix: str = "") -> Tallies:
    """Accuracy, recall, precision, F and transaction breakage, for each kind of chunk."""
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        guessed, original = given.numbers(kinds), true.numbers(kinds)
        correct, put, torn = (
            np.bincount(cells // max(1, true.width), minlength=true.slots).astype(float)
            for cells in (guessed[among_ascending(guessed, original)], guessed, original)
        )
        for name, tally in _measured(correct, put, torn, units).items():
            tallies[name + suffix, scope] = tally
    return tallies


def _measured(correct: Floats, given: Floats, true: Floats, units: Units) -> dict[str, Tally]:
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


# Best match: slots of one cluster with identical anchors are interchangeable, so an attack may be right "up to them".
#
# The thesis (5.3.1) counts any of several identical anchoring sub-records as correct. Here the rebuilt records of such
# a group are exchanged so that the number of correct re-attachments is as large as possible (an assignment problem;
# among equals the higher accuracy wins). Slots without anchor are a group, too. Groups of more than ``MOST_SLOTS`` are
# exchanged in parts of that size: the assignment of all would take hours, and this is at most a little less.


MOST_SLOTS = 4000
"""Slots exchanged at once: a table of 130 MB, and a second or two."""


def best_places(questions: Questions, release: Disassociated, given: Cells, true: Cells) -> Longs:
    """Where the rebuilt record of each slot should be read: another slot of its group, or the same."""
    edges = np.arange(true.slots + 1) * max(1, true.width)
    cells = [each.numbers(SCOPES["all"]) for each in (given, true)]
    bounds = [np.searchsorted(each, edges) for each in cells]
    items = [each % max(1, true.width) for each in cells]
    sizes = [np.diff(each) for each in bounds]
    place = np.arange(true.slots)
    for first, last in _groups(questions, release):
        givers = first + np.flatnonzero(sizes[0][first:last])
        holders = first + np.flatnonzero(sizes[1][first:last])
        if not len(givers) or not len(holders):
            continue
        table = overlaps(bounds[0], items[0], bounds[1], items[1], givers, holders)
        if not table.any():
            continue  # nothing is right anywhere, so that all stay
        _exchange(place[first:last], givers - first, holders - first, table, sizes[1][holders], first)
    return place


def _exchange(place: Longs, givers: Longs, holders: Longs, table: Longs, lengths: Longs, first: int) -> None:
    """Put the givers where most is correct; whoever is left over stays, or takes what is left."""
    from scipy.optimize import linear_sum_assignment

    # Accuracies add up to at most one for each holder, so that together they never outweigh one item.
    weight = table + (table / lengths) / (len(holders) + 1)
    rows, columns = linear_sum_assignment(weight, maximize=True)
    # Pairs without a common item are free to stay where they are.
    useful = table[rows, columns] > 0
    moved, taken = givers[rows[useful]], holders[columns[useful]]
    rest, left = np.ones(len(place), bool), np.ones(len(place), bool)
    rest[moved], left[taken] = False, False
    place[moved] = first + taken
    staying = rest & left
    place[rest & ~staying] = first + np.flatnonzero(left & ~staying)


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
    for first, end in zip(starts[wide].tolist(), ends[wide].tolist(), strict=True):
        for start in range(first, end, MOST_SLOTS):
            yield start, min(start + MOST_SLOTS, end)


# Common items of every given and every true record of a group of slots.


@compiled
def overlaps(
    given_offsets: Ints, given: Ints, true_offsets: Ints, true: Ints, givers: Ints, holders: Ints
) -> Ints:
    """Number of common items of each giver (row) and each holder (column); items ascend inside a slot."""
    table = np.zeros((len(givers), len(holders)), np.int64)
    for i in range(len(givers)):
        for j in range(len(holders)):
            a, b = given_offsets[givers[i]], true_offsets[holders[j]]
            a_end, b_end = given_offsets[givers[i] + 1], true_offsets[holders[j] + 1]
            while a < a_end and b < b_end:
                if given[a] == true[b]:
                    table[i, j] += 1
                    a += 1
                    b += 1
                elif given[a] < true[b]:
                    a += 1
                else:
                    b += 1
    return table
