"""``cloven attack`` and ``cloven score`` on set-generalised releases: which items of generalised ones were added?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.cli.options import Group
from cloven.cli.values import number, one_of, whole
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.generalised.attack.elimination import (
    CONTEXTS,
    ELIMINATIONS,
    WITHOUT_CONTEXT,
    elimination_named,
)
from cloven.kinds.generalised.guesses import RowAnswer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination
    from cloven.kinds.generalised.guesses import Eliminations
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Relatedness
    from cloven.statistics.findings import Findings

SHOWN = (
    "hit",
    "hit_by_frequency",
    "auc",
    "recall",
    "precision",
    "f",
    "f_all_but_one",
    "rebuilt",
    "unique_again",
)
ALIASES = {"ra": "random"}


class Eliminating:
    """What the options say; it becomes an attack once method and relatedness are known."""

    def __init__(
        self,
        context: str,
        most_context: int | None,
        without_context: str,
        threshold: float,
        share: float | None,
        unmarked: bool,
    ) -> None:
        self.share = share
        self.given: dict[str, Any] = {
            "context": context,
            "most_context": most_context,
            "without_context": without_context,
            "threshold": threshold,
            "share": share,
            "unmarked": unmarked,
        }
        same = ("context", "most_context", "without_context", "threshold")
        self.options: dict[str, Any] = {name: self.given[name] for name in same} | {"marked": not unmarked}

    def attack(self, method: str | None, relatedness: Relatedness | None) -> Elimination | RandomElimination:
        """The attack that was chosen."""
        name = ALIASES.get(method or "rba", method or "rba")
        if name not in ELIMINATIONS:
            message = (
                f"--method {name} is for disassociated releases; for set-generalised ones there are ra, "
            )
            raise ParameterError(message + ", ".join(ELIMINATIONS[1:]))
        if name != "random" and relatedness is None:
            message = (
                f"method {name} needs to know how related words are: give --relatedness, such as vectors:glove.txt or"
                " wordnet:PATH; without any knowledge there is --method ra"
            )
            raise ParameterError(message)
        return elimination_named(name, relatedness, share=self.share, **self.options)


ELIMINATING = Group(
    "The attack on a set-generalised release",
    {
        "context": (one_of(*CONTEXTS), "mean", f"Items shown for certain count as: {', '.join(CONTEXTS)}.", ()),
        "most_context": (whole(1), None, "How many of them to use, rarest first; default: all.", ()),
        "without_context": (
            one_of(*WITHOUT_CONTEXT), "no-answer", f"Rows without any: {', '.join(WITHOUT_CONTEXT)}.", (),
        ),
        "threshold": (number(0, 20), 1.0, "Times the mean distance beyond which items go.", ()),
        "share": (number(0, 1), None, "ra: share of items to eliminate; default: one of each table.", ()),
        "unmarked": (bool, False, "Guess first which items were merged.", ("--unmarked",)),
    },
    Eliminating,
)  # fmt: skip


def attack_generalised(
    release: SetGeneralised,
    attacker: Elimination | RandomElimination,
    out: Path | None,
    rng: np.random.Generator,
    report: Callable[[str, float], None],
    *,
    control: bool,
) -> Eliminations:
    """Attack; with a place for them, attack with shuffled words too and write the eliminations."""
    from cloven.kinds.generalised.guesses_files import write_eliminations
    from cloven.kinds.transactions import control_of

    found = attacker.guess(release, rng, report)
    if out is None:
        return found
    other = control_of(attacker) if control else None
    shuffled = None if other is None else other.guess(release, rng, report)
    report("write", 0.0)
    write_eliminations(found, release, out, control=shuffled)
    return found


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


def score_generalised(
    release: SetGeneralised, guesses: Path, private: Path, rng: np.random.Generator, chance: int
) -> Findings:
    """Eliminations on disk against the key."""
    from cloven.kinds.generalised.guesses import guess_marks, tables
    from cloven.kinds.generalised.guesses_files import about_eliminations, read_eliminations
    from cloven.kinds.generalised.score.score import score_eliminations
    from cloven.storage.guesses import CONTROL
    from cloven.storage.release import read_key

    key = read_key(private, release)
    marked = about_eliminations(guesses, release)["attack"].get("marked", True)
    asked = tables(release if marked else guess_marks(release))
    folder = guesses / CONTROL
    control = read_eliminations(folder, release, asked) if folder.is_dir() else None
    found = read_eliminations(guesses, release, asked)
    return score_eliminations(found, release, key, rng=rng, control=control, chance_runs=chance)


def counted(findings: Findings) -> list[str]:
    """What was not there to be answered, and what no knowledge gets."""
    counts = findings.notes["counts"]
    base = counts["base_rate"]
    return [
        f"{many(counts['generalised_items'], 'generalised item')} in {many(counts['rows'], 'row')}:"
        f" {many(counts['rows_without_context'], 'row')} without an item shown for certain,"
        f" {counts['rows_without_score']:,} of which the attack knows nothing",
        *(
            []
            if base is None
            else [f"{percent(base)} of the {counts['cells']:,} items in question were added"]
        ),
    ]
