"""Persons of whom a table tells the sensitive value as good as certainly, members beside outsiders.

Means hide victims: a class whose persons all have one value gives each of them away, however few they are. Everybody
asked about is looked up in tables that were made with and without them (``cloven.outsiders``), and in the one to be
published: it has classes that no smaller table has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.scoring.members import SURE, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.model.risk import Tail
    from cloven.model.table import Table
    from cloven.threats import Case

    Reader = Callable[[Any, Any, str, NDArray[np.bool_]], ValueGuesses]


def longest_tails(case: Case, readers: Sequence[Reader]) -> tuple[int, Tail, Tail, Tail]:
    """How many people were asked about; the longest tails over all sensitive attributes: told at 0.8, 0.95, certain.

    A reader guesses about persons, and may know who of them is left out: of outsiders it is asked what others tell. The
    first one always counts, others where they are right about as often as they say.
    """
    data: Table = case.data
    asked, left_out = case.asked()
    secret = [domain.name for domain in case.result.release.domains if domain.sensitive]
    sheets = [
        sheet
        for reader in readers
        for name in secret
        for sheet in _sheets(case, data, reader, name, asked, left_out)
        if reader is readers[0] or sheet.credible
    ]
    some, most = ([sheet.told_at(level) for sheet in sheets] for level in SURE)
    return len(asked), _longest(some), _longest(most), _longest([sheet.certainly() for sheet in sheets])


def _longest(tails: list[Tail]) -> Tail:
    return max(tails, key=lambda tail: tail.excess.upper)


def _sheets(
    case: Case,
    data: Table,
    reader: Reader,
    attribute: str,
    asked: NDArray[np.int64],
    left_out: NDArray[np.bool_],
) -> tuple[Sheet, Sheet]:
    """What the tables of all divisions tell of one attribute; and what the table itself does, beside outsiders."""
    from cloven.attack.sliced.known import Known
    from cloven.scoring.tables.disclosure import true_values, value_places

    truth = true_values(data, attribute, asked)
    in_it = np.zeros((1, len(asked)), bool)
    outside = np.concatenate((left_out, in_it))
    releases = [*(split.result.release for split in case.splits), case.result.release]
    shape = (len(releases), len(asked))
    told, stated = np.zeros(shape), np.zeros(shape)
    certain, best = np.zeros(shape, bool), np.zeros(shape, bool)
    for row, release in enumerate(releases):
        shown = {domain.name for domain in release.domains}
        names = [name for name in data.names("quasi-identifier") if name in shown]
        guesses = reader(release, Known.of(data, asked, names), attribute, outside[row])
        at = value_places(truth, guesses)
        person, there = np.arange(len(at)), at >= 0
        told[row] = np.where(there, guesses.confidence[person, np.maximum(at, 0)], 0.0)
        single = guesses.candidate.sum(axis=1) == 1
        certain[row] = there & single & guesses.candidate[person, np.maximum(at, 0)]
        stated[row] = guesses.confidence.max(axis=1)
        best[row] = there & (guesses.confidence.argmax(axis=1) == at)
    divisions = np.concatenate((np.ones_like(left_out), in_it))
    return tuple(
        Sheet(~outside, here, told, certain, best, _claims(stated, best, outside, here), len(left_out) > 1)
        for here in (divisions, np.concatenate((left_out, ~in_it)))
    )  # type: ignore[return-value]  # two


def _claims(
    stated: NDArray[np.float64], right: NDArray[np.bool_], outside: NDArray[np.bool_], here: NDArray[np.bool_]
) -> Any:
    """The likeliest value of everybody, with its probability: of outsiders, and of members."""
    sides = [here & (outside != member) for member in (False, True)]
    return tuple((stated[side], right[side]) for side in sides)
