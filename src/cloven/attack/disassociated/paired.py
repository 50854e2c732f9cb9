"""One attack for sub-records and another for items of term chunks, as the thesis pairs them (section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.disassociated.questions import given_or_all
from cloven.model.disassociated import Kind
from cloven.model.guesses import Guesses

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.protocols import Attack


@dataclass(frozen=True)
class Paired:
    """Answers about record and shared chunks from one attack, about term chunks from the other."""

    record: Attack
    term: Attack

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "paired", "record": dict(self.record.parameters), "term": dict(self.term.parameters)}

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Let both guess, and take from each what it is for."""
        asked = given_or_all(release, asked)
        record = self.record.guess(release, rng, progress, asked=asked)
        term = self.term.guess(release, rng, progress, asked=asked)
        of_term = asked.target_kind == Kind.TERM
        pair = of_term[asked.pair_target]
        return Guesses(
            asked,
            np.where(pair, term.score, record.score),
            np.where(pair, term.confidence, record.confidence),
            np.where(pair, term.chosen, record.chosen),
            np.where(of_term, term.answer, record.answer),
            self.parameters,
            {"record": dict(record.notes), "term": dict(term.notes)},
        )
