"""Persons of whom a table tells the sensitive value as good as certainly, members beside outsiders.

Means hide victims: a class whose persons all have one value gives each of them away, however few they are. Everybody
asked about is looked up in tables that were made with and without them (``cloven.outsiders``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.scoring.members import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.model.risk import Tail
    from cloven.model.table import Table
    from cloven.threats import Case

LEVEL = 0.95


def longest_tails(case: Case, guess: Callable[[Any, Any, str], ValueGuesses]) -> tuple[Tail, ...]:
    """The longest tails over all sensitive attributes: told at 0.95, and certain."""
    data: Table = case.data
    asked, left_out = case.asked()
    secret = [domain.name for domain in case.result.release.domains if domain.sensitive]
    sheets = [_sheet(case, data, guess, name, asked, left_out) for name in secret]
    return (
        max((sheet.told_at(LEVEL) for sheet in sheets), key=lambda tail: tail.excess.upper),
        max((sheet.certainly() for sheet in sheets), key=lambda tail: tail.excess.upper),
    )


def _sheet(
    case: Case,
    data: Table,
    guess: Callable[[Any, Any, str], ValueGuesses],
    attribute: str,
    asked: NDArray[np.int64],
    left_out: NDArray[np.bool_],
) -> Sheet:
    """What the tables of all divisions tell of one attribute."""
    from cloven.attack.sliced.known import Known
    from cloven.scoring.tables.disclosure import true_values, value_places

    truth = true_values(data, attribute, asked)
    shape = left_out.shape
    told, certain, best = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    for row, split in enumerate(case.splits):
        release = split.result.release
        shown = {domain.name for domain in release.domains}
        names = [name for name in data.names("quasi-identifier") if name in shown]
        guesses = guess(release, Known.of(data, asked, names), attribute)
        at = value_places(truth, guesses)
        person, there = np.arange(len(at)), at >= 0
        told[row] = np.where(there, guesses.confidence[person, np.maximum(at, 0)], 0.0)
        single = guesses.candidate.sum(axis=1) == 1
        certain[row] = there & single & guesses.candidate[person, np.maximum(at, 0)]
        best[row] = there & (guesses.confidence.argmax(axis=1) == at)
    sides = [(told[left_out != member], best[left_out != member]) for member in (False, True)]
    return Sheet(~left_out, np.ones(shape, bool), told, certain, best, (sides[0], sides[1]))
