"""Attackers of a table that others made: those of all tables, asking about its people, and two more.

One reads names that were left in, the other what ranges give away by where they lie.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.disclosure.risk import Estimate
from cloven.figures import estimated
from cloven.kinds.tables.foreign.diversity import classes_of
from cloven.kinds.tables.foreign.links import NOBODY
from cloven.kinds.tables.foreign.nearest import MOST_PAIRS, POINTS, Looks
from cloven.kinds.tables.foreign.outsiders import ClassOutsiders, enough
from cloven.kinds.tables.foreign.ranges import quasi_identifiers
from cloven.kinds.tables.score.trial import persons
from cloven.kinds.tables.score.truth import own_rows
from cloven.kinds.tables.threats import ROW
from cloven.threats import Threat

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.data.table import Attribute, Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.foreign.nearest import Point
    from cloven.kinds.tables.foreign.table import ForeignTable
    from cloven.kinds.tables.key import PublishedTable
    from cloven.threats import Case

NAMED = "persons whose row is found by a column that names them"


def among_members(threat: Threat) -> Threat:
    """The same attacker, asking about people whose rows are published, and about the same people without their rows.

    Whoever was left out by the maker of the table is in no release: to ask about them too would hide among them what is
    told of the others.
    """

    def attempt(asked: Threat, case: Case) -> Risk:
        people = case.data.take(~np.isin(case.data.source_rows, case.result.key.suppressed))
        return threat.attempt(asked, replace(case, data=people, outsiders=_outsiders(case, people)))

    return replace(threat, attempt=attempt)


def _outsiders(case: Case, people: Table) -> Any:
    """The same people with and without their rows; ``Case`` asks for nothing but the divisions."""
    if case.outsiders is None:
        return None
    published: PublishedTable = case.result
    looks = [place for place, domain in enumerate(published.release.domains) if not domain.sensitive]
    number, records = classes_of(published.release.cells[:, looks]), published.key.records[:, 0]
    order = np.argsort(records, kind="stable")
    class_of_row = number[order[np.searchsorted(records[order], people.source_rows)]]
    count = enough(people.people, case.effort.splits, case.effort.most_people)
    return ClassOutsiders(people, case.outsiders.method, class_of_row, count, case.outsiders.seed)


def names_left_in(table: ForeignTable) -> Threat:
    """Somebody who has a list of people with a column that the release shows too: a number of the patient, a name."""

    def attempt(threat: Threat, case: Case) -> Risk:
        rows = len(case.result.release)
        if not table.names:
            return threat.risk(
                attacker=Estimate(0.0),
                guessing=Estimate(1 / rows),
                promised=True,
                count=rows,
                units=rows,
                sentence="No column of the release names people.",
                meaning="no column of the release names people",
            ).saying(sentence="No column of the release names people.")
        listed = " and ".join(table.names)
        sentence = (
            f"Whoever has a list with {listed} finds the rows of the people on it;"
            f" take {'it' if len(table.names) == 1 else 'them'} out."
        )
        return threat.risk(
            attacker=Estimate(1.0),
            guessing=Estimate(1 / rows),
            promised=True,
            count=rows,
            units=rows,
            sentence=sentence,
            meaning=f"{listed} {'names' if len(table.names) == 1 else 'name'} people; take it out",
            details={"columns": list(table.names)},
        ).saying(sentence="A column of the release names people.")

    about = "the release, and a list of people with one of its columns"
    return Threat("names left in", about, "record", NAMED, attempt).publicly()


def nearest_ranges(table: ForeignTable) -> Threat:
    """Somebody who takes ranges for what they were drawn around: their middles, or one of their ends.

    Where everybody fits one class it is what knowing the quasi-identifiers gives. Of the three points the one that is
    right most often counts: whoever looks at the ranges sees which was used.
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        looks = Looks.of(quasi_identifiers(table.compared.read, table.data), _known(table))
        if not looks.ranged:
            return threat.risk(not_tried="no range of numbers is published", counts=False)
        rows = _asked(case, len(looks.sizes))
        if not len(rows):
            return threat.risk(not_tried="nobody could be asked about")
        tried = [
            _by_point(threat, case, (looks, _look_of_row(table, looks)), rows, point) for point in POINTS
        ]
        return max(tried, key=lambda risk: -1.0 if risk.attacker is None else risk.attacker.value)

    about = (
        "the release, that one person is in it, the person's quasi-identifiers, and that ranges may be drawn around"
        " what they hide"
    )
    return Threat("nearest ranges", about, "record", ROW, attempt).publicly()


def _by_point(threat: Threat, case: Case, shown: tuple[Looks, Longs], rows: Longs, point: Point) -> Risk:
    from cloven.kinds.tables.score.score import score_rows

    data: Table = case.data
    looks, look_of_row = shown
    people = data.codes[rows][:, list(data.positions("quasi-identifier"))]
    guesses = looks.nearest(people, point, look_of_row)
    wrong = looks.nearest(people[case.rng.permutation(len(people))], point, look_of_row)
    found = score_rows(guesses, case.result, data.source_rows[rows], rng=case.rng, control=wrong)
    risk = found.risk(threat.name, threat.knows, "row", "record", words=threat.measure, public=threat.public)
    if risk.attacker is None:
        return threat.risk(not_tried="nobody could be asked about")
    right = guesses.sure_of(own_rows(case.result.key, data.source_rows[rows]))
    sentence = (
        f"Who takes every range for its {point}, and the nearest row for the person's, picks the right one with"
        f" {estimated(risk.attacker)}."
    )
    return replace(
        risk,
        sentence=sentence,
        meaning=f"the row whose ranges are nearest, by their {point}",
        promised=True,
        single=float(right.max(initial=0.0)),
        details={"point": point, "findings": found.to_dict()},
    ).saying(measure=threat.measure)


def _known(table: ForeignTable) -> list[Attribute]:
    return [table.data.attributes[place] for place in table.data.positions("quasi-identifier")]


def _asked(case: Case, looks: int) -> Longs:
    """Rows of published people: those that all attackers ask about, or as many of them as there is time for."""
    rows, _ = persons(case, published=True)
    return rows[:: max(1, -(-len(rows) * looks // MOST_PAIRS))]


def _look_of_row(table: ForeignTable, looks: Looks) -> Longs:
    """The look of each row of the release, found by the person behind it; -1 of rows that are nobody's."""
    person = table.compared.links.person
    there = person != NOBODY
    source = table.data.source_rows[person[there]]
    order = np.argsort(source, kind="stable")
    records = table.result.key.records[:, 0]
    at = order[np.minimum(np.searchsorted(source[order], records), len(order) - 1)]
    return np.where(records == NOBODY, -1, looks.number[there][at])


def unpromised(threat: Threat) -> Threat:
    """The same attacker, held to what the owner accepts, not to one in k."""

    def attempt(asked: Threat, case: Case) -> Risk:
        return replace(threat.attempt(asked, case), promised=False)

    return replace(threat, attempt=attempt)
