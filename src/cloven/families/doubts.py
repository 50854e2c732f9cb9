"""What speaks against publishing, whatever attackers reach: little promised, few people, names, repeated records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.families.words import many
from cloven.measure.identifiers import identifiers, repeated_records
from cloven.measure.tables.repeated import rows_repeated
from cloven.model.audience import Said

if TYPE_CHECKING:
    from cloven.model.table import Table
    from cloven.model.transactions import Transactions

FEWEST_PEOPLE = 30
"""People below which nothing that was measured says much."""
FEWEST_CANDIDATES, FEWEST_KNOWN = 3, 2
"""A promise of less is none to publish on: offices of statistics ask for three, and who knows one item knows two."""
REPEATED = 0.1
"""Share of the records above which equal ones look like several of one person."""


def doubts_about(data: Transactions, k: int, m: int, *, unnamed: str) -> tuple[Said, ...]:
    """All doubts about publishing sets; ``unnamed`` says how to withhold rare items, empty where they are."""
    out = [
        *little_promised(k, m),
        *too_few(len(data) if data.persons is None else len(np.unique(data.persons))),
    ]
    found = identifiers(data, k).sentence
    if found and unnamed:
        out.append(Said(f"Rare items are published by name, and {found}; {unnamed}."))
    share = repeated_records(data) if data.persons is None else 0.0
    if share > REPEATED:
        out.append(
            Said(
                f"{100 * share:.0f} % of the records equal another one though chance hardly makes two: these look like"
                " several records of one person; name the column of the person (--person), or take each person once."
            )
        )
    return tuple(out)


def rows_of_one_person(data: Table) -> tuple[Said, ...]:
    """Rows that look like several of one person, where the table does not say whose they are."""
    share = rows_repeated(data) if data.persons is None else 0.0
    if share <= REPEATED:
        return ()
    return (
        Said(
            f"{100 * share:.0f} % of the rows agree with another one on what is known of people, or nearly, far more"
            " than people do: these look like several rows of one person; give the column of the person the role"
            ' "person" in the schema (a number for each row, if they are different people), or take one row of each.',
            "Several rows may be of one person.",
        ),
    )


def little_promised(k: int, m: int = FEWEST_KNOWN) -> tuple[Said, ...]:
    """What is promised so little that no figure makes up for it; so that promising less never helps.

    >>> [str(doubt) for doubt in little_promised(2)]
    ['k = 2 is little: publish nothing with k below 3.']
    """
    out = []
    if k < FEWEST_CANDIDATES:
        sentence = f"k = {k} is little: publish nothing with k below {FEWEST_CANDIDATES}."
        out.append(Said(sentence, sentence))
    if m < FEWEST_KNOWN:  # a policy of the owner's own is not for the public
        out.append(Said(f"m = {m} is little: publish nothing with m below {FEWEST_KNOWN}."))
    return tuple(out)


def too_few(people: int) -> tuple[Said, ...]:
    """Of too few people nothing can be measured.

    >>> too_few(30)
    ()
    """
    if people >= FEWEST_PEOPLE:
        return ()
    sentence = (
        f"{many(people, 'person')} are too few to measure anything on; at least {FEWEST_PEOPLE} are needed."
    )
    return (Said(sentence, "Too few people to measure anything on."),)
