"""Records rebuilt from the links that an attack chose, against the originals (thesis, section 5.2).

A *disassociated* item of a record is one outside the anchoring chunk: the items of the anchor are published with it,
so putting them "back" would be no success. Equations 5.2-5.4 leave the minus out; the text has it. Recall alone, as
printed, cannot lose by putting every item on every record; precision beside it can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of, positions, take_rows
from cloven.kinds.disassociated.release import Kind, first_of_equal
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.assignment import assigned
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Ints, Longs
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.truth import Truth


KINDS = len(Kind)


@dataclass(frozen=True, eq=False)
class Cells:
    """Items on slots: which item lies on which slot, and from which kind of chunk it came.

    Attributes:
        offsets: where the cells of each slot start in ``codes``.
        codes: ``item * KINDS + kind``, ascending inside a slot; an item may be there with several kinds, or twice.
        width: items of the vocabulary.
    """

    offsets: Longs
    codes: NDArray[np.int32]
    width: int

    @classmethod
    def of(cls, slot: Longs, item: NDArray[Any], kind: NDArray[np.int8], slots: int, width: int) -> Cells:
        """Cells in any order."""
        return cls(*by_slot(slot, item, kind, slots), width)

    @property
    def slots(self) -> int:
        """How many slots there are."""
        return len(self.offsets) - 1

    @property
    def slot(self) -> Longs:
        """Slot of each cell."""
        return np.repeat(np.arange(self.slots), np.diff(self.offsets))

    @property
    def item(self) -> NDArray[np.int32]:
        """Item of each cell."""
        return self.codes // np.int32(KINDS)

    @property
    def kind(self) -> NDArray[np.int8]:
        """Kind of chunk that each cell came from."""
        return (self.codes % KINDS).astype(np.int8)

    def numbers(self, kinds: Iterable[Kind]) -> Longs:
        """The cells of some kinds as ``slot * width + item``, ascending, each once."""
        wanted = np.zeros(KINDS, bool)
        wanted[list(kinds)] = True
        some = wanted[self.kind]
        cells: Longs = self.slot[some] * self.width + self.item[some]
        once: Longs = cells[np.diff(cells, prepend=-1) != 0]
        return once

    def moved(self, place: Longs) -> Cells:
        """The same items after slot ``s`` has been moved to ``place[s]``."""
        return Cells(*take_rows(self.offsets, self.codes, turned_round(place)), self.width)


def turned_round(place: Longs) -> Longs:
    """Which slot has been moved to each place."""
    read = np.empty_like(place)
    read[place] = np.arange(len(place))
    return read


def disassociated(truth: Truth, width: int) -> Cells:
    """Every item that truly lies on a slot and is not part of its anchor."""
    held = truth.held
    return Cells(*away(held.offsets, held.item, held.kind, held.anchor), width)


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
    return Cells.of(
        np.concatenate((slot[single], np.repeat(slot, lengths))),
        np.concatenate((questions.target_item[target[single]], items)),
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
    return Cells.of(slot, items, kind, len(questions.slot_anchor), len(release.vocabulary))


def reconstructions(given: Cells, true: Cells, units: Units, suffix: str = "") -> Tallies:
    """Accuracy, recall, precision, F and transaction breakage, for each kind of chunk."""
    kinds = np.array([sum(1 << kind for kind in wanted) for wanted in SCOPES.values()])
    sums = count_correct(
        given.offsets, given.codes, true.offsets, true.codes, kinds, units.of_slot, units.total
    )
    everyone = np.bincount(units.of_slot, minlength=units.total).astype(float)
    tallies: Tallies = {}
    for scope, (share, torn, correct, put, held, broken) in zip(SCOPES, sums, strict=True):
        ratios = {
            "accuracy": (share, torn),
            "recall": (correct, held),
            "precision": (correct, put),
            "f": (correct, (put + held) / 2),
            "broken": (broken, everyone),
            "broken_items": (correct, everyone),
        }
        for name, (top, bottom) in ratios.items():
            tallies[name + suffix, scope] = Tally(top, bottom, share=name != "broken_items")
    return tallies


# Compiled passes over the cells of each slot.


SHORT = 32
"""Cells of a slot that are put in order one by one; more of them are worth a real sort."""


@compiled
def by_slot(slot: Ints, item: Ints, kind: Ints, slots: int) -> tuple[Ints, Ints]:
    """Offsets and codes of ``Cells``."""
    offsets = np.zeros(slots + 1, np.int64)
    for here in slot:
        offsets[here + 1] += 1
    for here in range(slots):
        offsets[here + 1] += offsets[here]
    ends, codes = offsets[:-1].copy(), np.empty(len(slot), np.int32)
    for i in range(len(slot)):
        codes[ends[slot[i]]] = item[i] * KINDS + kind[i]
        ends[slot[i]] += 1
    for here in range(slots):
        first, last = offsets[here], offsets[here + 1]
        if last - first > SHORT:
            codes[first:last] = np.sort(codes[first:last])
            continue
        for i in range(first + 1, last):
            code, at = codes[i], i
            while at > first and codes[at - 1] > code:
                codes[at] = codes[at - 1]
                at -= 1
            codes[at] = code
    return offsets, codes


@compiled
def away(offsets: Ints, item: Ints, kind: Ints, anchor: Flags) -> tuple[Ints, Ints]:
    """Offsets and codes of ``Cells``, of what is no anchor; items ascend inside of a slot."""
    starts, codes, end = np.zeros(len(offsets), np.int64), np.empty(len(item), np.int32), 0
    for slot in range(len(offsets) - 1):
        for i in range(offsets[slot], offsets[slot + 1]):
            if anchor[i]:
                continue
            code, at = item[i] * KINDS + kind[i], end
            while at > starts[slot] and codes[at - 1] > code:  # an item that is there with several kinds
                codes[at] = codes[at - 1]
                at -= 1
            codes[at] = code
            end += 1
        starts[slot + 1] = end
    return starts, codes[:end].copy()


@compiled
def _kinds_of(codes: Ints, at: int, end: int) -> tuple[int, int]:
    """The kinds (bits) of the item that stands here, and where the next item begins."""
    item, kinds = codes[at] // KINDS, 0
    while at < end and codes[at] // KINDS == item:
        kinds |= 1 << (codes[at] % KINDS)
        at += 1
    return kinds, at


@compiled
def count_correct(
    given_offsets: Ints, given: Ints, true_offsets: Ints, true: Ints, kinds: Ints, unit: Ints, units: int
) -> Floats:
    """For each set of kinds (bits) and unit, six sums over slots.

    Shares of the true items that were put back, slots that have true items, items put back, items put there, true
    items, slots that got one back.
    """
    sums, counts = np.zeros((len(kinds), 6, units)), np.zeros((len(kinds), 3), np.int64)
    for slot in range(len(unit)):
        counts[:] = 0
        a, b = given_offsets[slot], true_offsets[slot]
        a_end, b_end = given_offsets[slot + 1], true_offsets[slot + 1]
        while a < a_end or b < b_end:
            put, held = 0, 0
            left = b == b_end or (a < a_end and given[a] // KINDS <= true[b] // KINDS)
            right = a == a_end or (b < b_end and true[b] // KINDS <= given[a] // KINDS)
            if left:
                put, a = _kinds_of(given, a, a_end)
            if right:
                held, b = _kinds_of(true, b, b_end)
            for scope in range(len(kinds)):
                is_put, is_held = put & kinds[scope] != 0, held & kinds[scope] != 0
                counts[scope, 0] += is_put and is_held
                counts[scope, 1] += is_put
                counts[scope, 2] += is_held
        for scope in range(len(kinds)):
            here = sums[scope, :, unit[slot]]
            correct, put, held = counts[scope]
            if held > 0:
                here[0] += correct / held
            here[1] += held > 0
            here[2] += correct
            here[3] += put
            here[4] += held
            here[5] += correct > 0
    return sums


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
    place = np.arange(true.slots)
    groups = _groups(questions, release)
    # A table of what every one has in common with every other takes longest.
    work = offsets_of(np.diff(groups).ravel() ** 2)

    def some(first: int, last: int) -> None:
        exchange(groups[first:last], given.offsets, given.codes, true.offsets, true.codes, true.width, place)

    at_once(some, work)
    return place


def _groups(questions: Questions, release: Disassociated) -> Longs:
    """First slot and end of each group of at least two slots; equal anchors stand side by side."""
    slots = len(questions.slot_anchor)
    anchor = np.append(first_of_equal(release), -1)[questions.slot_anchor]
    new = np.ones(slots, bool)
    new[1:] = anchor[1:] != anchor[:-1]
    # Two neighbouring clusters may both end and begin with slots that show nothing.
    new[questions.slot_offsets[:-1][np.diff(questions.slot_offsets) > 0]] = True
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, slots))
    parts = -(-sizes // MOST_SLOTS)
    firsts = positions(np.zeros_like(parts), parts) * MOST_SLOTS + np.repeat(starts, parts)
    ends = np.minimum(firsts + MOST_SLOTS, np.repeat(starts + sizes, parts))
    wide = np.repeat(sizes > 1, parts)
    return np.stack((firsts[wide], ends[wide]), axis=1)


# Exchange the rebuilt records of a group of slots.


@compiled
def _different(codes: Ints, at: int, end: int) -> int:
    """How many items these are."""
    found = 0
    while at < end:
        at = _kinds_of(codes, at, end)[1]
        found += 1
    return found


@compiled
def _list_holders(offsets: Ints, codes: Ints, holders: Ints, heads: Ints) -> tuple[Ints, Ints]:
    """Holders of each item as chains from ``heads`` on: which each is, and where the one before it stands."""
    many = 0
    for holder in holders:
        many += offsets[holder + 1] - offsets[holder]
    owner, before, end = np.empty(many, np.int64), np.empty(many, np.int64), 0
    for j in range(len(holders)):
        at = offsets[holders[j]]
        while at < offsets[holders[j] + 1]:
            item = codes[at] // KINDS
            owner[end], before[end], heads[item] = j, heads[item], end
            end += 1
            at = _kinds_of(codes, at, offsets[holders[j] + 1])[1]
    return owner, before


@compiled
def _in_common(
    given_offsets: Ints, given: Ints, givers: Ints, true_offsets: Ints, true: Ints, holders: Ints, heads: Ints
) -> Ints:
    """How many items each giver has in common with each holder; ``heads`` are -1 for all items, before and after."""
    table = np.zeros((len(givers), len(holders)), np.int64)
    owner, before = _list_holders(true_offsets, true, holders, heads)
    for i in range(len(givers)):
        at = given_offsets[givers[i]]
        while at < given_offsets[givers[i] + 1]:
            link = heads[given[at] // KINDS]
            while link >= 0:
                table[i, owner[link]] += 1
                link = before[link]
            at = _kinds_of(given, at, given_offsets[givers[i] + 1])[1]
    for holder in holders:
        for at in range(true_offsets[holder], true_offsets[holder + 1]):
            heads[true[at] // KINDS] = -1
    return table


@compiled
def _filled(offsets: Ints, first: int, last: int) -> Ints:
    """Slots that have a cell, of those from ``first`` to below ``last``."""
    found, many = np.empty(last - first, np.int64), 0
    for slot in range(first, last):
        if offsets[slot] < offsets[slot + 1]:
            found[many] = slot
            many += 1
    return found[:many]


@compiled
def exchange(
    groups: Ints, given_offsets: Ints, given: Ints, true_offsets: Ints, true: Ints, width: int, place: Ints
) -> None:
    """Put the rebuilt records of each group where most is correct; who is left over stays, or takes what is left."""
    heads = np.full(width, -1, np.int64)
    for group in range(len(groups)):
        first, last = groups[group]
        givers, holders = _filled(given_offsets, first, last), _filled(true_offsets, first, last)
        if len(givers) == 0 or len(holders) == 0:
            continue
        table = _in_common(given_offsets, given, givers, true_offsets, true, holders, heads)
        if table.max() == 0:
            continue  # nothing is right anywhere, so that all stay
        _exchange(place[first:last], givers - first, holders - first, table, first, true_offsets, true)


@compiled
def _exchange(
    place: Ints, givers: Ints, holders: Ints, table: Ints, first: int, offsets: Ints, true: Ints
) -> None:
    # Accuracies add up to at most one for each holder, so that together they never outweigh one item.
    weight = np.empty(table.shape)
    for j in range(len(holders)):
        slot = first + holders[j]
        length = _different(true, offsets[slot], offsets[slot + 1])
        for i in range(len(givers)):
            weight[i, j] = table[i, j] + (table[i, j] / length) / (len(holders) + 1)
    column = assigned(weight)
    rest, left = np.ones(len(place), np.bool_), np.ones(len(place), np.bool_)
    for i in range(len(givers)):
        # Pairs without a common item are free to stay where they are.
        if column[i] >= 0 and table[i, column[i]] > 0:
            giver, holder = givers[i], holders[column[i]]
            place[giver] = first + holder
            rest[giver], left[holder] = False, False
    at = 0
    for slot in range(len(place)):
        if rest[slot] and not left[slot]:
            while not left[at] or rest[at]:
                at += 1
            place[slot] = first + at
            at += 1
