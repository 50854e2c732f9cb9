"""The truth behind the questions, from the owner's key: whose slot is whose, and which slots hold which target.

Records that have no sub-record in the anchoring chunk (record chunk 0) take the slots without anchor of their
cluster, in ascending order of their source position; nothing published tells these slots apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of, places, positions, stable_order
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.disassociated.attack.questions import Candidates
from cloven.kinds.disassociated.guesses import Questions
from cloven.kinds.disassociated.release import Kind, first_of_equal
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.findings import BINS, Calibration, calibration, sort_into_bins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated


class Held(NamedTuple):
    """Every item of every original record as published, slot by slot; items ascend inside of a slot.

    Attributes:
        offsets: where the items of each slot start.
        item: which they are.
        kind: a ``Kind``: what the item was published in.
        anchor: whether that is the anchor of the slot.
        part: number of the part among those of its record.
    """

    offsets: Longs
    item: NDArray[np.int32]
    kind: NDArray[np.int8]
    anchor: Flags
    part: NDArray[np.int32]

    @property
    def slot(self) -> Longs:
        """Slot of each item."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """What the key says about the questions.

    Attributes:
        questions: what was asked; all, or a sample of the targets.
        slot_record: source position of the record of each slot.
        holds: whether each candidate slot truly holds its target.
        held: the original records, without what was suppressed.
    """

    questions: Questions
    slot_record: Longs
    holds: Flags
    held: Held

    def only(self, asked: Questions, targets: Longs) -> Truth:
        """The truth behind some of the targets, of which ``asked`` asks."""
        if asked is self.questions:
            return self
        return Truth(asked, self.slot_record, self.holds[self.questions.pairs_of(targets)], self.held)

    def __repr__(self) -> str:
        return f"Truth({int(self.holds.sum()):,} true links of {len(self.questions):,} targets)"

    @cached_property
    def link_target(self) -> Longs:
        """Target of each true link."""
        return np.searchsorted(self.questions.offsets, np.flatnonzero(self.holds), "right") - 1

    @property
    def copies(self) -> Longs:
        """How many slots truly hold each target."""
        return np.bincount(self.link_target, minlength=len(self.questions))


def truth(questions: Questions, release: Disassociated, key: Key) -> Truth:
    """Answer the questions from the key.

    Raises:
        ReleaseError: questions, release and key do not belong together.
    """
    check_questions(questions, release)
    record = check_key(key, release)
    anchoring = (release.row_kind == Kind.RECORD) & (release.row_chunk == 0)
    slot_of_record = _slots(questions, key, record, anchoring)
    holds = _holds(questions, *_links(questions, release, key, slot_of_record[record], anchoring))
    held = _held(release, key, record, slot_of_record, anchoring)
    slot_record = np.empty(len(key.records), np.int64)
    slot_record[slot_of_record] = key.records
    return Truth(questions, slot_record, holds, held)


def _slots(questions: Questions, key: Key, record: Longs, anchoring: Flags) -> Longs:
    """Slot of each record of the key."""
    slot_of_row = np.full(len(anchoring), -1, np.int64)
    shown = np.flatnonzero(questions.slot_anchor >= 0)
    slot_of_row[questions.slot_anchor[shown]] = shown
    first = np.flatnonzero(anchoring[key.release_row])
    slot = np.full(len(key.records), -1, np.int64)
    slot[record[first]] = slot_of_row[key.release_row[first]]
    rest = np.flatnonzero(slot < 0)
    rest = rest[np.argsort(key.record_cluster[rest], kind="stable")]
    empty = np.flatnonzero(questions.slot_anchor < 0)
    cluster = np.searchsorted(questions.slot_offsets, empty, "right") - 1
    if len(first) != len(shown) or not np.array_equal(cluster, key.record_cluster[rest]):
        _strangers("the anchors of the slots are not the anchoring chunks")
    slot[rest] = empty
    return slot


def _held(release: Disassociated, key: Key, record: Longs, slot_of_record: Longs, anchoring: Flags) -> Held:
    """The original records by slot."""
    starts = offsets_of(np.bincount(record, minlength=len(key.records)))
    # Parts of a record stand together in a key that this library has written.
    order = np.arange(len(record)) if _ascends(record) else stable_order(record)
    slot = slot_of_record[record]
    offsets = offsets_of(np.bincount(slot, np.diff(key.offsets), len(key.records)))
    item, part = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    trait = np.empty(offsets[-1], np.int8)
    parts = starts, order, key.offsets, key.items
    traits = (release.row_kind * 2 + anchoring).astype(np.int8)[key.release_row]

    def some(first: int, last: int) -> None:
        arrange(first, last, slot_of_record, parts, traits, offsets, item, part, trait)

    at_once(some, key.offsets[starts])
    return Held(offsets, item, trait // 2, trait % 2 > 0, part)


def _ascends(values: Longs) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _links(
    questions: Questions, release: Disassociated, key: Key, slot: Longs, anchoring: Flags
) -> tuple[Longs, Longs]:
    """Target and slot of every true link: one for each sub-record and for each item of a term chunk.

    ``slot`` is that of each part. A sample does not ask about all of them.
    """
    whole, term = questions.target_item < 0, release.row_kind == Kind.TERM
    target_of_row = np.full(release.rows, -1, np.int64)
    target_of_row[questions.target_row[whole]] = np.flatnonzero(whole)
    parts = np.flatnonzero((~term & ~anchoring & ~release.at_root)[key.release_row])
    targets = target_of_row[first_of_equal(release)[key.release_row[parts]]]
    known = targets >= 0

    single, width = np.flatnonzero(~whole), len(release.vocabulary)
    names = questions.target_row[single] * width + questions.target_item[single]
    order = np.argsort(names)
    listed = np.flatnonzero((term & ~release.at_root)[key.release_row]) if term.any() else parts[:0]
    lengths = key.offsets[listed + 1] - key.offsets[listed]
    items = key.items[positions(key.offsets[listed], lengths)]
    wanted = np.repeat(key.release_row[listed], lengths) * width + items
    place = np.minimum(np.searchsorted(names[order], wanted), max(0, len(order) - 1))
    found = names[order][place] == wanted if len(order) else np.zeros(len(wanted), bool)
    if not (questions.is_sample or (known.all() and found.all())):
        _strangers("a part of a record is no target")
    return (
        np.concatenate((targets[known], single[order][place[found]])),
        np.concatenate((slot[parts[known]], np.repeat(slot[listed], lengths)[found])),
    )


def _holds(questions: Questions, target: Longs, slot: Longs) -> Flags:
    """Mark the candidates that are true links; each link has to be one of them."""
    holds = np.zeros(len(questions.slots), bool)
    place = find_candidates(questions.offsets, questions.slots, target, slot)
    if np.any(place < 0):
        _strangers("a slot that holds a target is not among its candidates")
    holds[place] = True
    told, copies = questions.target_copies, np.bincount(target, minlength=len(questions))
    if int(holds.sum()) != len(target) or np.any((told > 0) & (copies != told)) or np.any(copies < 1):
        _strangers("a target is held by another number of slots than it has copies")
    return holds


def _strangers(what: str) -> NoReturn:
    message = f"guesses, release and key do not belong together: {what}; attack and score the same release"
    raise ReleaseError(message)


# Arrange records by slot, and find links among the candidates.


SHORT = 32
"""Items of a record that are put in order one by one; more of them are worth a real sort."""
AT_ONCE = 64
"""Rows whose memory is asked for together."""
TRAIT, PART = 3, 32
"""Bits of a trait, and those of a trait and the number of a part."""


@compiled
def arrange(
    first: int,
    last: int,
    slot_of_record: Ints,
    parts: tuple[Ints, Ints, Ints, Ints],
    traits: Ints,
    offsets: Ints,
    item: Ints,
    part: Ints,
    trait: Ints,
) -> None:
    """Write what records from ``first`` to below ``last`` hold, each at its slot; see ``Held``.

    ``parts`` are where those of each record start, which they are, where the items of each start, and which they are;
    ``traits`` are a small number of each part, written for each of its items. Equal items stay in their order.
    """
    starts, order, part_offsets, items = parts
    # Item, number of the part among those of the record, and trait as one number.
    cells = np.empty(SHORT, np.int64)
    for record in range(first, last):
        start = offsets[slot_of_record[record]]
        many = offsets[slot_of_record[record] + 1] - start
        if many > len(cells):
            cells = np.empty(2 * many, np.int64)
        begin, found = starts[record], 0
        for at in range(begin, starts[record + 1]):
            number = order[at]
            low = (at - begin) << TRAIT | traits[number]
            for place in range(part_offsets[number], part_offsets[number + 1]):
                cell, back = np.int64(items[place]) << PART | low, found
                while many <= SHORT and back > 0 and cells[back - 1] > cell:
                    cells[back] = cells[back - 1]
                    back -= 1
                cells[back] = cell
                found += 1
        if many > SHORT:
            cells[:many].sort()
        for i in range(many):
            item[start + i] = cells[i] >> PART
            part[start + i] = (cells[i] & ((1 << PART) - 1)) >> TRAIT
            trait[start + i] = cells[i] & ((1 << TRAIT) - 1)


@compiled
def find_candidates(offsets: Ints, slots: Ints, target: Ints, slot: Ints) -> Ints:
    """Place of each link (target and slot) among the candidates, -1 if it is none; slots ascend inside a target."""
    place = np.full(len(target), -1, np.int64)
    for i in range(len(target)):
        low, end = offsets[target[i]], offsets[target[i] + 1]
        high = end
        while low < high:
            middle = (low + high) // 2
            if slots[middle] < slot[i]:
                low = middle + 1
            else:
                high = middle
        if low < end and slots[low] == slot[i]:
            place[i] = low
    return place


# Do questions, key and release belong together? Scoring with the wrong key would give numbers that mean nothing.


def check_questions(questions: Questions, release: Disassociated) -> None:
    """Raise ``ReleaseError`` unless the questions can be about this release."""
    sizes = np.diff(questions.slot_offsets)
    if not np.array_equal(sizes, release.cluster_size):
        _other_questions(f"they have {sizes.sum():,} slots in {len(sizes):,} clusters, it has {release!r}")
    anchor, row = questions.slot_anchor, questions.target_row
    if len(anchor) != release.records or not _within(anchor, -1, release.rows):
        _other_questions("a slot shows a row that the release does not have")
    if not _within(row, 0, release.rows) or np.any(release.row_kind[row] != questions.target_kind):
        _other_questions("a target is a row that the release does not have, or has as another kind")
    shown = np.flatnonzero(anchor >= 0)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    if np.any(release.row_cluster[anchor[shown]] != cluster[shown]):
        _other_questions("a slot shows a row of another cluster")


def check_guesses(guesses: Guesses) -> None:
    """Raise ``ParameterError`` unless there is one usable answer for each candidate."""
    questions = guesses.questions
    lengths = {len(guesses.score), len(guesses.confidence), len(guesses.chosen), len(questions.slots)}
    if len(lengths) != 1 or len(guesses.answer) != len(questions):
        message = (
            f"guesses need a score, a confidence and a choice for each of {len(questions.slots):,} candidates and an"
            f" answer for each of {len(questions):,} targets; make them with an attack"
        )
        raise ParameterError(message)
    if np.isnan(guesses.score).any():
        message = "a score is not a number; candidates that nothing is known of get equal scores"
        raise ParameterError(message)
    confidence = guesses.confidence
    if len(confidence) and not (confidence.min() >= 0 and confidence.max() <= 1):
        message = f"confidence must lie in 0..1 (got {confidence.min()} to {confidence.max()})"
        raise ParameterError(message)


def check_same(questions: Questions, others: Questions) -> None:
    """Raise ``ReleaseError`` unless both ask the same."""
    if not _alike(questions, others):
        message = "chance or control answers other questions than the attack; attack the same release"
        raise ReleaseError(message)


def check_asked(answered: Questions, asked: Questions) -> None:
    """Raise ``ReleaseError`` unless an attack answers what it was asked: it must not leave out what it finds hard."""
    if not _alike(answered, asked):
        message = f"the attack answers other questions than it was asked: {answered!r} instead of {asked!r}"
        raise ReleaseError(message)


def check_sample(questions: Questions, release: Disassociated) -> None:
    """Raise ``ReleaseError`` unless a sample has targets of this release, each once and with all its candidates."""
    every = Candidates.of(release)
    width = len(release.vocabulary) + 1
    names = every.row * width + every.item
    order = np.argsort(names)
    wanted = questions.target_row * width + questions.target_item
    at = order[np.minimum(np.searchsorted(names[order], wanted), max(0, len(every) - 1))]
    if np.any(names[at] != wanted) or np.any(np.diff(at) <= 0):
        _other_questions("the sample has a target that the release does not have, or has one twice")
    told = (questions.targets_in_all, questions.candidates_in_all)
    if told != (len(every), every.total):
        _other_questions(
            f"they are said to be a sample of {told[0]:,} targets with {told[1] or 0:,} candidates, it has"
            f" {len(every):,} with {every.total:,}"
        )
    if not _alike(questions, every.questions(at)):
        _other_questions("the sample leaves out candidates of its targets, or has others")


def _alike(questions: Questions, others: Questions) -> bool:
    return questions is others or (
        (questions.targets_in_all, questions.candidates_in_all)
        == (others.targets_in_all, others.candidates_in_all)
        and all(np.array_equal(getattr(questions, name), getattr(others, name)) for name in Questions.ARRAYS)
    )


def check_key(key: Key, release: Disassociated) -> Longs:
    """Raise ``ReleaseError`` unless every part of the key is what the release shows; the record of each part."""
    record = _check_shape(key, release)
    members = np.bincount(key.record_cluster, minlength=release.clusters)
    if not np.array_equal(members, release.cluster_size):
        at = int(np.flatnonzero(members != release.cluster_size)[0])
        _other_key(f"it has {members[at]} records in cluster {at}, the release {release.cluster_size[at]}")
    whole = release.row_kind != Kind.TERM
    shown = release.row_cluster[key.release_row]
    if ((shown >= 0) & (shown != key.record_cluster[record])).any():
        _other_key("a record has a part in a cluster that is not its own")
    given = np.bincount(key.release_row, minlength=release.rows)
    if np.any(given[whole] != 1):
        _other_key("a published sub-record belongs to no record or to several")
    _check_items(key, release, whole)
    return record


def _check_shape(key: Key, release: Disassociated) -> Longs:
    parts = len(key.record)
    if (len(key.release_row), len(key.offsets), len(key.record_cluster)) != (
        parts,
        parts + 1,
        len(key.records),
    ):
        _other_key("its arrays have different lengths")
    record = _records_of(key)
    if record is None:
        _other_key("its records are not in order, or a part belongs to none of them")
    ranges = (
        (key.release_row, release.rows),
        (key.record_cluster, release.clusters),
        (key.items, len(release.vocabulary)),
    )
    if not all(_within(values, 0, end) for values, end in ranges):
        _other_key("it names a row, a cluster or an item that the release does not have")
    return record


def _records_of(key: Key) -> Longs | None:
    """Which of the records each part is of; None if these do not ascend, or a part is of none of them."""
    ends = (int(key.records[0]), int(key.records[-1]) + 1) if len(key.records) else (0, 0)
    if np.any(key.records[1:] <= key.records[:-1]) or not _within(key.record, *ends):
        return None
    record = places(key.records, key.record)
    return record if np.array_equal(key.records[record], key.record) else None


def _check_items(key: Key, release: Disassociated, whole: Flags) -> None:
    """A part of a record or shared chunk is its whole row."""
    table = release.row_offsets, release.row_items
    alike = at_once(
        lambda first, last: same_items(first, last, key.offsets, key.items, whole, key.release_row, *table),
        key.offsets,
    )
    if not all(alike):
        _other_key("a part has other items than the published row it is said to be")


@compiled
def same_items(
    begin: int,
    end: int,
    offsets: Ints,
    items: Ints,
    whole: Flags,
    row: Ints,
    row_offsets: Ints,
    row_items: Ints,
) -> bool:
    """Whether parts from ``begin`` to below ``end`` have the items of their rows, of those that are ``whole``.

    Items of rows ascend; those of a part may stand in any order.
    """
    starts, sizes, heads = np.empty((3, AT_ONCE), np.int64)
    for some in range(begin, end, AT_ONCE):
        many = min(AT_ONCE, end - some)
        # Rows lie anywhere: the memory of several is asked for before the first is looked at.
        for i in range(many):
            starts[i] = row_offsets[row[some + i]]
            sizes[i] = row_offsets[row[some + i] + 1] - starts[i]
        for i in range(many):
            heads[i] = row_items[starts[i]] if sizes[i] > 0 else -1
        for i in range(many):
            first, last = offsets[some + i], offsets[some + i + 1]
            if not whole[row[some + i]] or (sizes[i] == 1 == last - first and items[first] == heads[i]):
                continue
            there = row_items[starts[i] : starts[i] + sizes[i]]
            if last - first != sizes[i] or not _same(items[first:last], there):
                return False
    return True


@compiled
def _same(items: Ints, row: Ints) -> bool:
    """Whether as many items are those of a row; mostly they ascend as well."""
    at = 0
    while at < len(row) and items[at] == row[at]:
        at += 1
    if at < len(row):
        ordered = np.sort(items)
        for i in range(len(row)):
            if ordered[i] != row[i]:
                return False
    return True


def _within(values: NDArray[Any], least: int, end: int) -> bool:
    return not len(values) or (int(values.min()) >= least and int(values.max()) < end)


def _other_questions(what: str) -> NoReturn:
    message = f"these guesses are about another release: {what}; attack this release"
    raise ReleaseError(message)


def _other_key(what: str) -> NoReturn:
    message = f"the key does not fit the release: {what}; use the key that was written with it"
    raise ReleaseError(message)


def calibrations(guesses: Guesses, truth: Truth, asked: Flags) -> dict[str, Calibration]:
    """Calibration over the candidates of the asked targets, for each kind of chunk."""
    questions = truth.questions
    table = sort_into_bins(
        questions.offsets, questions.target_kind, guesses.confidence, truth.holds, asked, BINS
    )
    return {scope: calibration(*table[list(kinds)].sum(axis=0).T) for scope, kinds in SCOPES.items()}
