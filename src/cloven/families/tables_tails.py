"""Persons of whom a table tells the sensitive value as good as certainly, members beside outsiders.

Means hide victims: a class whose persons all have one value gives each of them away, however few they are. Everybody
asked about is looked up in tables that were made with and without them (``cloven.outsiders``), and in the one to be
published: it has classes that no smaller table has.
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
    sheets = [sheet for name in secret for sheet in _sheets(case, data, guess, name, asked, left_out)]
    return (
        max((sheet.told_at(LEVEL) for sheet in sheets), key=lambda tail: tail.excess.upper),
        max((sheet.certainly() for sheet in sheets), key=lambda tail: tail.excess.upper),
    )


def _sheets(
    case: Case,
    data: Table,
    guess: Callable[[Any, Any, str], ValueGuesses],
    attribute: str,
    asked: NDArray[np.int64],
    left_out: NDArray[np.bool_],
) -> tuple[Sheet, Sheet]:
    """What the tables of all divisions tell of one attribute; and what the table itself does, beside outsiders."""
    from cloven.attack.sliced.known import Known
    from cloven.scoring.tables.disclosure import true_values, value_places

    truth = true_values(data, attribute, asked)
    releases = [*(split.result.release for split in case.splits), case.result.release]
    shape = (len(releases), len(asked))
    told, certain, best = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    for row, release in enumerate(releases):
        shown = {domain.name for domain in release.domains}
        names = [name for name in data.names("quasi-identifier") if name in shown]
        guesses = guess(release, Known.of(data, asked, names), attribute)
        at = value_places(truth, guesses)
        person, there = np.arange(len(at)), at >= 0
        told[row] = np.where(there, guesses.confidence[person, np.maximum(at, 0)], 0.0)
        single = guesses.candidate.sum(axis=1) == 1
        certain[row] = there & single & guesses.candidate[person, np.maximum(at, 0)]
        best[row] = there & (guesses.confidence.argmax(axis=1) == at)
    in_it = np.zeros((1, len(asked)), bool)
    outside = np.concatenate((left_out, in_it))
    divisions = np.concatenate((np.ones_like(left_out), in_it))
    return tuple(
        Sheet(~outside, here, told, certain, best, _claims(told, best, outside, here), len(left_out) > 1)
        for here in (divisions, np.concatenate((left_out, ~in_it)))
    )  # type: ignore[return-value]  # two


def _claims(
    told: NDArray[np.float64], right: NDArray[np.bool_], outside: NDArray[np.bool_], here: NDArray[np.bool_]
) -> Any:
    """Claims on outsiders, and on members."""
    sides = [here & (outside != member) for member in (False, True)]
    return tuple((told[side], right[side]) for side in sides)
