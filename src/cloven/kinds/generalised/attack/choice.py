"""The attack on a set-generalised release that somebody chooses, and what it answered, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.generalised.attack.elimination import (
    CONTEXTS,
    ELIMINATIONS,
    WITHOUT_CONTEXT,
    elimination_named,
)
from cloven.kinds.generalised.guesses import RowAnswer
from cloven.kinds.generalised.guesses_files import write_eliminations as write
from cloven.values import FLAG, one_of, option, real, whole

if TYPE_CHECKING:
    from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination
    from cloven.kinds.generalised.guesses import Eliminations
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Relatedness

__all__ = ["ABOUT", "METHODS", "TITLE", "USUAL", "Choice", "summary", "surest", "told", "write"]

ABOUT, TITLE = "set-generalised", "The attack on a set-generalised release"
METHODS, USUAL = ("ra", *ELIMINATIONS), "rba"


@dataclass(frozen=True)
class Choice:
    """What may be chosen of it."""

    context: str = option(
        "mean", one_of(*CONTEXTS), f"Items shown for certain count as: {', '.join(CONTEXTS)}."
    )
    most_context: int | None = option(None, whole(1), "How many of them to use, rarest first; default: all.")
    without_context: str = option(
        "no-answer", one_of(*WITHOUT_CONTEXT), f"Rows without any: {', '.join(WITHOUT_CONTEXT)}."
    )
    threshold: float = option(1.0, real(0, 20), "Times the mean distance beyond which items go.")
    share: float | None = option(
        None, real(0, 1), "ra: share of items to eliminate; default: one of each table."
    )
    unmarked: bool = option(False, FLAG, "Guess first which items were merged.")

    @property
    def names_methods(self) -> bool:
        """Whether a method is among the options."""
        return False

    def attack(self, method: str | None, relatedness: Relatedness | None) -> Elimination | RandomElimination:
        """The attack that was chosen."""
        name = "random" if method == "ra" else method or USUAL
        if name != "random" and relatedness is None:
            message = (
                f"method {name} needs to know how related words are: give --relatedness, such as vectors:glove.txt or"
                " wordnet:PATH; without any knowledge there is --method ra"
            )
            raise ParameterError(message)
        return elimination_named(
            name,
            relatedness,
            share=self.share,
            context=self.context,
            most_context=self.most_context,
            without_context=self.without_context,
            threshold=self.threshold,
            marked=not self.unmarked,
        )


def summary(found: Eliminations) -> dict[str, int]:
    """How much was asked and answered."""
    return {
        "generalised_items": len(found.tables),
        "rows": len(found.tables.rows),
        "cells": found.tables.cells,
        "eliminated": int(found.eliminated.sum()),
        "without_context": int((found.answer == RowAnswer.NO_CONTEXT).sum()),
        "without_score": int((found.answer == RowAnswer.NO_SCORE).sum()),
    }


def told(facts: dict[str, int]) -> list[str]:
    """The same in sentences."""
    share = facts["eliminated"] / max(1, facts["cells"])
    lines = [
        f"{many(facts['generalised_items'], 'generalised item')} in {many(facts['rows'], 'row')}, {facts['cells']:,}"
        f" items in question; {facts['eliminated']:,} ({percent(share)}) taken for added"
    ]
    if facts["without_context"] or facts["without_score"]:
        lines.append(
            f"no information about {many(facts['without_context'], 'row')} without an item shown for certain,"
            f" and {facts['without_score']:,} of which the attack knows nothing"
        )
    if facts["without_context"] > facts["rows"] / 2:
        lines.append("with --without-context generalised, rows are judged by their other generalised items")
    return lines


def surest(found: Eliminations, release: SetGeneralised) -> list[dict[str, Any]]:  # noqa: ARG001
    """Single answers are not shown: each is about one item of one row."""
    return []
