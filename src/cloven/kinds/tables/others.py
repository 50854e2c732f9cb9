"""Another release about some of the same people: what both tell together is told of those who are in both.

A second release harms nobody who is not in it. An average over everybody hides those whom it does harm, so they alone
are asked about: the owner says who they are, or they are found in the table that the other release was made from. Where
nobody knows, the people of whom most would be told stand for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition
from cloven.kinds.tables.score.telling import Truth, value_telling
from cloven.kinds.tables.trial import TOLD, Attempt, persons
from cloven.statistics.outsiders import one_record_each
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.attack.known import Known, ValueGuesses
    from cloven.kinds.tables.release import GeneralisedTable, Sliced


STAND_FOR_ALL = 30
"""People who stand for those in both releases where nobody knows who they are."""


def another_release(
    other: GeneralisedTable | Sliced, name: str = "another release", shared: Longs | None = None
) -> Threat:
    """Somebody who has another release that holds some of the same people, and intersects what both leave.

    ``shared`` are the source positions of the rows whose people are in both (``shared_rows``); None if nobody knows.
    That there is another release is the owner's to tell, so this attacker is not public.

    >>> from cloven.kinds.tables.utility.draw import untouched
    >>> from cloven.data.table import Attribute, Table
    >>> table = Table((Attribute("sex", "quasi-identifier", ("f",)),), np.zeros((3, 1), np.int32), np.arange(3))
    >>> another_release(untouched(table)).knows
    'the release, the quasi-identifiers of one person, and another table about the same people (3 rows, k=1)'
    """

    def guess(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return Composition(attribute, "rows").guess((release, other), known)

    def attempt(threat: Threat, case: Case) -> Risk:
        known = shared is not None
        rows = _rows_of(case.data, shared) if shared is not None else _told_most(case, guess)
        readers = {
            "both releases": lambda *asked: _in_neither(guess, *asked),
            "this one alone": lambda *asked: _alone(*asked[:3]),
        }
        risk = Attempt(guess, readers=readers, people=rows).worst(threat, case)
        # One release promises nothing about two.
        doubt = "" if known else _unknown(len(rows))
        return replace(risk, broken=0, broken_what="", doubt=doubt)

    about = f"another table about the same people ({len(other):,} rows, k={other.k})"
    knows = f"the release, the quasi-identifiers of one person, and {about}"
    return Threat(name, knows, "attribute", TOLD, attempt, outside=True)


def shared_rows(data: Table, other: Table) -> Longs:
    """Source positions of the rows of a table that stand in another one too: equal in every column that both have.

    Raises:
        ParameterError: they share no column, or nobody.

    >>> from cloven.data.table import Attribute, Table
    >>> town = Attribute("town", "quasi-identifier", ("Graz", "Linz"))
    >>> codes = np.array([[0], [1]], np.int32)
    >>> shared_rows(Table((town,), codes, np.arange(2)), Table((town,), codes[1:], np.arange(1)))
    array([1])
    """
    names = [attribute.name for attribute in data.attributes]
    common = [name for name in names if name in {attribute.name for attribute in other.attributes}]
    if not common:
        message = (
            f"the tables share no column ({', '.join(names)}); give the table that the other release is of"
        )
        raise ParameterError(message)
    theirs = set(_texts(other, common))
    found = np.array([row in theirs for row in _texts(data, common)], np.bool_)
    if not found.any():
        message = (
            f"no row is in both tables (compared by {', '.join(common)}), so who is in both cannot be found; leave the"
            " other release out if nobody is, else leave its table out: the worst case counts then"
        )
        raise ParameterError(message)
    return data.source_rows[found]


def _texts(table: Table, names: list[str]) -> list[tuple[str | None, ...]]:
    """Rows as texts of some columns."""
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    columns = [
        [
            None if code < 0 else table.attributes[place].values[code]
            for code in table.codes[:, place].tolist()
        ]
        for place in (places[name] for name in names)
    ]
    return list(zip(*columns, strict=True))


def _rows_of(data: Table, shared: Longs) -> Longs:
    """Rows at some source positions, one of each person."""
    rows = np.flatnonzero(np.isin(data.source_rows, shared))
    if not len(rows):
        message = "nobody of the table is in the other release; leave it out"
        raise ParameterError(message)
    return one_record_each(data, rows)


def _told_most(case: Case, guess: Any) -> Longs:
    """People who may be in both and of whom most would be told then."""
    data: Table = case.data
    release = case.result.release
    rows, known = persons(case, published=True)
    told, refused = np.zeros((0, len(rows))), None
    for name in (domain.name for domain in release.domains if domain.sensitive):
        try:
            found = value_telling(guess(release, known, name), Truth.of(data, name, rows))
        except ParameterError as error:  # the other release may not show it
            refused = refused or error
            continue
        told = np.vstack((told, found.told))
    if refused is not None and not len(told):
        raise refused
    told = told.max(axis=0, initial=0.0)
    return np.sort(rows[np.argsort(-told, kind="stable")[:STAND_FOR_ALL]])


def _unknown(people: int) -> str:
    return (
        f"Who is in the other release too is not known, so the {people:,} people of whom most would be told stand for"
        " them; say it: --other-data with the table that the other release was made from."
    )


def _alone(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
    """By the rows of this release that fit."""
    return AttributeDisclosure(attribute, "rows").guess(release, known)


def _in_neither(
    guess: Any,
    release: GeneralisedTable | Sliced,
    known: Known,
    attribute: str,
    away: NDArray[np.bool_] | None,
) -> ValueGuesses:
    """Both releases about those who are in both; of people left out this one alone is asked, they are in neither."""
    both: ValueGuesses = guess(release, known, attribute)
    if away is None or not away.any():
        return both
    alone = _alone(release, known, attribute)
    at = {value: place for place, value in enumerate(both.values)}
    places = np.array([at[value] for value in alone.values])
    candidate, confidence = both.candidate.copy(), both.confidence.copy()
    candidate[away], confidence[away] = False, 0.0
    rows = np.flatnonzero(away)
    candidate[np.ix_(rows, places)] = alone.candidate[away]
    confidence[np.ix_(rows, places)] = alone.confidence[away]
    return replace(both, candidate=candidate, confidence=confidence)
