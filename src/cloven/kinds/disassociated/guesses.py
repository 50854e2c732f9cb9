"""The questions that a disassociated release leaves open, and what an attack answers.

A cluster of n records has n *slots*, one for each record: first the rows of its anchoring chunk (record chunk 0) in
published order, then slots of which no anchor is shown. Slots are numbered through the whole release. A *target* is
a part whose slot is not told: a sub-record of a later record chunk or of a shared chunk (equal ones are one target
with several copies), or one item of a term chunk. The question is which slots hold it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.arrays import freeze, offsets_of, positions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.release import Disassociated


class Answer(IntEnum):
    """What an attack could say about a target."""

    INFORMED = 0  # it told the slots apart, or could have
    NO_ANCHOR = 1  # no slot that could hold it shows an anchor
    NO_SCORE = 2  # the relatedness knows none of its items, or none of the anchors


@dataclass(frozen=True, eq=False, repr=False)
class Questions:
    """Targets of a release with the slots that may hold them: all of them, or a sample that says so.

    A sample leaves out targets, never a candidate of the targets it has.

    Attributes:
        slot_offsets: first slot of each cluster, and the number of slots.
        slot_anchor: published row that each slot shows, -1 for none.
        target_row: published row of each target; the first of equal ones.
        target_item: item code for targets of term chunks, -1 for sub-records.
        target_copies: how many slots hold it; 0 where that is not told (term chunks: mostly between 1 and k - 1).
        target_kind: a ``Kind`` for each target.
        target_cluster: cluster of each target, -1 for shared ones.
        offsets: where the candidates of each target start in ``slots``.
        slots: candidate slots, ascending inside a target.
        targets_in_all: targets of the release, if these are a sample of them; None if these are all.
        candidates_in_all: candidates of all targets, likewise.
    """

    slot_offsets: Longs
    slot_anchor: Longs
    target_row: Longs
    target_item: NDArray[np.int32]
    target_copies: Longs
    target_kind: NDArray[np.int8]
    target_cluster: Longs
    offsets: Longs
    slots: NDArray[np.int32]
    targets_in_all: int | None = None
    candidates_in_all: int | None = None
    ARRAYS: ClassVar[tuple[str, ...]] = (
        "slot_offsets",
        "slot_anchor",
        "target_row",
        "target_item",
        "target_copies",
        "target_kind",
        "target_cluster",
        "offsets",
        "slots",
    )

    def __post_init__(self) -> None:
        freeze(self, self.ARRAYS)

    def __len__(self) -> int:
        return len(self.target_row)

    def __repr__(self) -> str:
        if self.targets_in_all is None:
            return f"Questions({len(self):,} targets, {len(self.slots):,} candidates)"
        return (
            f"Questions({len(self):,} of {self.targets_in_all:,} targets,"
            f" {len(self.slots):,} of {self.candidates_in_all:,} candidates)"
        )

    @property
    def is_sample(self) -> bool:
        """Whether some targets of the release are left out."""
        return self.targets_in_all is not None

    @property
    def pair_target(self) -> Longs:
        """Target of each candidate."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def only(self, targets: Longs) -> Questions:
        """Some of the targets (ascending), each with all its candidates: a sample, unless these are all."""
        if len(targets) == len(self):
            return self
        arrays = {name: getattr(self, name) for name in self.ARRAYS}
        arrays |= {name: arrays[name][targets] for name in self.ARRAYS if name.startswith("target_")}
        lengths = np.diff(self.offsets)[targets]
        arrays["offsets"] = offsets_of(lengths)
        arrays["slots"] = self.slots[self.pairs_of(targets)]
        in_all = (
            (len(self), len(self.slots))
            if self.targets_in_all is None
            else (self.targets_in_all, self.candidates_in_all)
        )
        return Questions(**arrays, targets_in_all=in_all[0], candidates_in_all=in_all[1])

    def pairs_of(self, targets: Longs) -> Longs:
        """Where the candidates of some targets stand in ``slots``."""
        return positions(self.offsets[targets], np.diff(self.offsets)[targets])

    def items(self, release: Disassociated) -> tuple[Longs, Longs]:
        """Items of every target of this release: where they start, and which they are."""
        single = self.target_item >= 0
        lengths = np.where(single, 1, np.diff(release.row_offsets)[self.target_row])
        items = release.row_items[positions(release.row_offsets[self.target_row], lengths)].astype(np.int64)
        offsets = offsets_of(lengths)
        items[offsets[:-1][single]] = self.target_item[single]
        return offsets, items


@dataclass(frozen=True, eq=False, repr=False)
class Guesses:
    """An attack's answers: one score and one confidence for each candidate slot of each target.

    Attributes:
        questions: what was asked.
        score: how well each candidate fits; the higher the better, comparable inside one target only. Equal fits have
            equal scores.
        confidence: probability in 0..1 that this slot holds the target, as the attack sees it.
        chosen: candidates the attack settles on when it rebuilds the records.
        answer: an ``Answer`` for each target.
        attack: name and parameters of the attack, as plain JSON values.
        notes: what the attack has to say about itself, such as the coverage of its relatedness; plain JSON values.
    """

    questions: Questions
    score: Floats
    confidence: NDArray[np.float32]
    chosen: Flags
    answer: NDArray[np.int8]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]
    ARRAYS: ClassVar[tuple[str, ...]] = ("score", "confidence", "chosen", "answer")

    def __post_init__(self) -> None:
        freeze(self, self.ARRAYS)

    def __repr__(self) -> str:
        return f"Guesses({len(self.questions):,} targets, {int(self.chosen.sum()):,} links, {self.attack.get('name')})"

    def only(self, targets: Longs) -> Guesses:
        """What was answered about some of the targets (ascending)."""
        asked = self.questions.only(targets)
        if asked is self.questions:
            return self
        pairs = self.questions.pairs_of(targets)
        return Guesses(
            asked,
            self.score[pairs],
            self.confidence[pairs],
            self.chosen[pairs],
            self.answer[targets],
            self.attack,
            self.notes,
        )
