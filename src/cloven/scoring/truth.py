"""The truth behind the questions, from the owner's key: whose slot is whose, and which slots hold which target.

Records that have no sub-record in the anchoring chunk (record chunk 0) take the slots without anchor of their
cluster, in ascending order of their source position; nothing published tells these slots apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from cloven.errors import ReleaseError
from cloven.model.disassociated import Kind
from cloven.model.equal_rows import first_of_equal
from cloven.scoring.belonging import check_key, check_questions
from cloven.scoring.truth_kernel import find_candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.model.key import Key


class Held(NamedTuple):
    """Every item of every original record as published: slot, item, kind, whether an anchor, number of the part."""

    slot: NDArray[np.int64]
    item: NDArray[np.int64]
    kind: NDArray[np.int8]
    anchor: NDArray[np.bool_]
    part: NDArray[np.int64]


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
    slot_record: NDArray[np.int64]
    holds: NDArray[np.bool_]
    held: Held

    def only(self, asked: Questions, targets: NDArray[np.int64]) -> Truth:
        """The truth behind some of the targets, of which ``asked`` asks."""
        if asked is self.questions:
            return self
        return Truth(asked, self.slot_record, self.holds[self.questions.pairs_of(targets)], self.held)

    def __repr__(self) -> str:
        return f"Truth({int(self.holds.sum()):,} true links of {len(self.questions):,} targets)"

    @cached_property
    def link_target(self) -> NDArray[np.int64]:
        """Target of each true link."""
        return np.searchsorted(self.questions.offsets, np.flatnonzero(self.holds), "right") - 1

    @property
    def copies(self) -> NDArray[np.int64]:
        """How many slots truly hold each target."""
        return np.bincount(self.link_target, minlength=len(self.questions))


def truth(questions: Questions, release: Disassociated, key: Key) -> Truth:
    """Answer the questions from the key.

    Raises:
        ReleaseError: questions, release and key do not belong together.
    """
    check_questions(questions, release)
    check_key(key, release)
    anchoring = (release.row_kind == Kind.RECORD) & (release.row_chunk == 0)
    record = np.searchsorted(key.records, key.record)
    slot_of_record = _slots(questions, key, record, anchoring)
    lengths = np.diff(key.offsets)
    slot, row = slot_of_record[record], key.release_row
    held = Held(
        np.repeat(slot, lengths),
        key.items.astype(np.int64),
        np.repeat(release.row_kind[row], lengths),
        np.repeat(anchoring[row], lengths),
        np.repeat(np.arange(len(row)), lengths),
    )
    holds = _holds(questions, *_links(questions, release, row, slot, held, anchoring))
    slot_record = np.empty(len(key.records), np.int64)
    slot_record[slot_of_record] = key.records
    return Truth(questions, slot_record, holds, held)


def _slots(
    questions: Questions, key: Key, record: NDArray[np.int64], anchoring: NDArray[np.bool_]
) -> NDArray[np.int64]:
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


def _links(
    questions: Questions,
    release: Disassociated,
    row: NDArray[np.int64],
    slot: NDArray[np.int64],
    held: Held,
    anchoring: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Target and slot of every true link: one for each sub-record and for each item of a term chunk.

    A sample does not ask about all of them.
    """
    whole = questions.target_item < 0
    target_of_row = np.full(release.rows, -1, np.int64)
    target_of_row[questions.target_row[whole]] = np.flatnonzero(whole)
    tied = ~release.at_root[row]
    asked = (release.row_kind[row] != Kind.TERM) & ~anchoring[row] & tied
    parts = target_of_row[first_of_equal(release)[row[asked]]]

    width = len(release.vocabulary)
    single = np.flatnonzero(~whole)
    names = questions.target_row[single] * width + questions.target_item[single]
    order = np.argsort(names)
    term = (held.kind == Kind.TERM) & tied[held.part]
    wanted = row[held.part[term]] * width + held.item[term]
    place = np.minimum(np.searchsorted(names[order], wanted), max(0, len(order) - 1))
    found = names[order][place] == wanted if len(order) else np.zeros(len(wanted), bool)
    missing = np.any(parts < 0) or not found.all()
    if missing and not questions.is_sample:
        _strangers("a part of a record is no target")
    known = parts >= 0
    return (
        np.concatenate((parts[known], single[order][place[found]])),
        np.concatenate((slot[asked][known], held.slot[term][found])),
    )


def _holds(questions: Questions, target: NDArray[np.int64], slot: NDArray[np.int64]) -> NDArray[np.bool_]:
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
