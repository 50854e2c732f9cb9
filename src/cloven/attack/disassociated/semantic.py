"""The semantic attack: put disassociated records back together by what words mean (thesis, chapter 4).

Each sub-record and item whose place is hidden goes to the slots whose anchor it is most related to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.disassociated.finishing import finished
from cloven.attack.disassociated.fitting import METHODS, Anchors, Blocks, fill_scores
from cloven.attack.disassociated.growing_anchors import grown, stages
from cloven.attack.disassociated.prior import filled
from cloven.attack.disassociated.questions import given_or_all
from cloven.attack.disassociated.selection import SELECTIONS, one_by_one, select
from cloven.errors import ParameterError
from cloven.model.arrays import distinct
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses, Questions
    from cloven.protocols import Related, Relatedness


@dataclass(frozen=True)
class Semantic:
    """The semantic attack.

    Attributes:
        relatedness: what the attacker knows about words.
        record_method: score for sub-records of record and shared chunks: ``aba``, ``rga`` or ``mra``.
        term_method: score for items of term chunks.
        selection: ``best`` (as printed), ``one-per-row`` or ``optimal``; see ``selection``.
        grow_anchors: let each placed chunk join the anchors before the next one is scored.
        sharpness: how fast confidence follows the score; see ``confidence_kernel``.
    """

    relatedness: Relatedness
    record_method: str = "aba"
    term_method: str = "aba"
    selection: str = "best"
    grow_anchors: bool = False
    sharpness: float = 0.4

    def __post_init__(self) -> None:
        for field, value, known in (
            ("record_method", self.record_method, tuple(METHODS)),
            ("term_method", self.term_method, tuple(METHODS)),
            ("selection", self.selection, SELECTIONS),
        ):
            if value not in known:
                message = f"{field} must be one of {', '.join(known)} (got {value!r})"
                raise ParameterError(message)
        if not 0 <= self.sharpness <= 20:
            message = f"sharpness must lie between 0 and 20 (got {self.sharpness})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "semantic",
            "relatedness": repr(self.relatedness),
            "record_method": self.record_method,
            "term_method": self.term_method,
            "selection": self.selection,
            "grow_anchors": self.grow_anchors,
            "sharpness": self.sharpness,
        }

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Callable[[str, float], None] | None = None,
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Score every candidate, choose, and say how sure each guess is."""
        asked = given_or_all(release, asked)
        if self.grow_anchors and asked.is_sample:
            message = (
                "grow_anchors places all targets one after the other; it cannot be tried on a sample of them"
            )
            raise ParameterError(message)
        one_by_one(asked, self.selection)
        related = self.relatedness.relate(release.vocabulary)
        items = asked.items(release)
        term = asked.target_kind == Kind.TERM
        methods = np.where(term, METHODS[self.term_method], METHODS[self.record_method])
        anchors = Anchors.of(asked, release)
        score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
        blocks, left = self._blocks(related, items[1], anchors, len(release.vocabulary)), 0
        for targets in stages(asked, release) if self.grow_anchors else [np.arange(len(asked))]:
            for cluster in fill_scores(asked, items, anchors, methods, blocks, targets, score):
                if progress is not None:
                    progress("attack", (cluster + 1) / release.clusters)
            left += select(asked, release, targets, filled(asked, score), self.selection, chosen)
            if self.grow_anchors:
                anchors = grown(anchors, asked, items, targets, chosen, len(release.vocabulary))
        notes = {"coverage": related.coverage.to_dict(), "copies_without_a_slot": left}
        return finished(asked, release, score, chosen, self.sharpness, self.parameters, notes)

    def _blocks(self, related: Related, items: NDArray[np.int64], anchors: Anchors, width: int) -> Blocks:
        """Everything that will be asked of the relatedness; anchors that grow may get any item."""
        rows = distinct(items)
        columns = distinct(np.concatenate((anchors.terms, rows)) if self.grow_anchors else anchors.terms)
        return Blocks.of(related, rows, columns, width)
