"""Attackers of a table that others made: those of all tables, asking about its people, and one who reads names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.disclosure.risk import Estimate
from cloven.figures import many, percent
from cloven.threats import Threat

if TYPE_CHECKING:
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.foreign.table import ForeignTable
    from cloven.threats import Case

NAMED = "persons whose row is found by a column that names them"


def among_members(threat: Threat) -> Threat:
    """The same attacker, asking about people whose rows are published, and about the same people without their rows.

    Whoever was left out by the maker of the table is in no release: to ask about them too would hide among them what is
    told of the others.
    """

    def attempt(asked: Threat, case: Case) -> Risk:
        people = case.data.take(~np.isin(case.data.source_rows, case.result.key.suppressed))
        outsiders = None if case.outsiders is None else replace(case.outsiders, data=people)
        return threat.attempt(asked, replace(case, data=people, outsiders=outsiders))

    return replace(threat, attempt=attempt)


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
            f"Whoever has a list with {listed} finds the row of nearly everybody: it stands in the release as in the"
            f" original, and nobody else has the same; take {'it' if len(table.names) == 1 else 'them'} out."
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
