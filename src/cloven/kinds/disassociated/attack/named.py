"""Attacks by name: for the command line, for experiments, and for tools on top.

>>> attack = attack_named("vpa", "random")
>>> attack.parameters["record"]["name"], attack.parameters["term"]["name"]
('vpa', 'guesswork')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.guesswork import Guesswork
from cloven.kinds.disassociated.attack.questions import given_or_all
from cloven.kinds.disassociated.attack.semantic import METHODS, Semantic
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.guesses import Guesses
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.kinds.disassociated.guesses import Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.protocols import Attack, Relatedness


RECORD_METHODS = (*METHODS, "vpa", "random")
TERM_METHODS = (*METHODS, "random")


def attack_named(
    record_method: str = "aba",
    term_method: str = "aba",
    relatedness: Relatedness | None = None,
    *,
    selection: str = "best",
    grow_anchors: bool = False,
    sharpness: float = 0.4,
    tries: int = 200,
) -> Attack:
    """The attack with this method for record and shared chunks, and that one for term chunks.

    Raises:
        ParameterError: there is no such method, or it needs a relatedness.
    """
    for what, method, known in (
        ("record", record_method, RECORD_METHODS),
        ("term", term_method, TERM_METHODS),
    ):
        if method not in known:
            message = f"no {what} method {method!r}; choose one of {', '.join(known)}"
            raise ParameterError(message)

    def semantic(record: str, term: str) -> Attack:
        if relatedness is None:
            message = f"method {record!r} needs to know how related words are; give a relatedness"
            raise ParameterError(message)
        return Semantic(relatedness, record, term, selection, grow_anchors, sharpness)

    def single(method: str) -> Attack:
        if method == "vpa":
            return VerticalPartitioning(tries, sharpness)
        return Guesswork(selection) if method == "random" else semantic(method, method)

    if record_method in METHODS and term_method in METHODS:
        return semantic(record_method, term_method)
    return Paired(single(record_method), single(term_method))


# One attack for sub-records and another for items of term chunks, as the thesis pairs them (section 4.3).


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
