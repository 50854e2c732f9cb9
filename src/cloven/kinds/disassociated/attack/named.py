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
from cloven.kinds.disassociated.attack.questions import given_or_all
from cloven.kinds.disassociated.attack.selection import SELECTIONS, finished, one_by_one, select
from cloven.kinds.disassociated.attack.semantic import METHODS, Semantic
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.guesses import Guesses
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.transactions import control_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


# The random attack: the baseline of every other one (thesis, section 5.2).


@dataclass(frozen=True)
class Guesswork:
    """Puts every target somewhere at random, as many copies as the other attacks, with the same selection rule."""

    selection: str = "best"

    def __post_init__(self) -> None:
        if self.selection not in SELECTIONS:
            message = f"selection must be one of {', '.join(SELECTIONS)} (got {self.selection!r})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "guesswork", "selection": self.selection}

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,  # noqa: ARG002 - done at once
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Draw a score for every candidate; its confidence is the prior."""
        return self.among(given_or_all(release, asked), release, rng or np.random.default_rng())

    def among(self, asked: Questions, release: Disassociated, rng: np.random.Generator) -> Guesses:
        """The same for questions that have been read off the release before."""
        one_by_one(asked, self.selection)
        score = rng.random(len(asked.slots))
        chosen = np.zeros(len(asked.slots), bool)
        left = select(asked, release, np.arange(len(asked)), score, self.selection, chosen)
        notes = {"copies_without_a_slot": left}
        return finished(asked, release, score, chosen, 0.0, self.parameters, notes)


def guesswork_of(attack: Mapping[str, Any]) -> Guesswork:
    """Guesswork with the selection of an attack, told by its parameters; ``best`` where they do not say.

    A pair selects like its part for sub-records, which takes part in every measure; VPA puts one to a row.

    >>> guesswork_of({"name": "paired", "record": {"name": "vpa"}, "term": {"name": "guesswork"}}).selection
    'one-per-row'
    """
    for part in (attack, attack.get("record"), attack.get("term")):
        told = part if isinstance(part, dict) else {}
        selection = "one-per-row" if told.get("name") == "vpa" else told.get("selection")
        if isinstance(selection, str) and selection in SELECTIONS:
            return Guesswork(selection)
    return Guesswork()


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

    def control(self, seed: int) -> Paired | None:
        """The same pair with the words of both shuffled; None if neither uses what words mean."""
        record, term = control_of(self.record, seed), control_of(self.term, seed)
        return None if record is term is None else Paired(record or self.record, term or self.term)

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
