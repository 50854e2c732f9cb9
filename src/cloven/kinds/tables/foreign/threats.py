"""Attackers of a table that others made: those of all tables, asking about its people, and one who reads names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.disclosure.risk import Estimate
from cloven.kinds.tables.foreign.diversity import classes_of
from cloven.kinds.tables.foreign.outsiders import ClassOutsiders, enough
from cloven.threats import Threat

if TYPE_CHECKING:
    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
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
