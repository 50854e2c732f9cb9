"""What speaks against publishing sets, whatever attackers reach: too few people, names, repeated records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.families.words import many
from cloven.measure.identifiers import identifiers, repeated_records
from cloven.model.audience import Said

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions

FEWEST_PEOPLE = 30
"""People below which nothing that was measured says much."""
REPEATED = 0.1
"""Share of the records above which equal ones look like several of one person."""


def doubts_about(data: Transactions, k: int, *, names_published: bool) -> tuple[Said, ...]:
    """All doubts about publishing; ``names_published`` says that rare items appear by name in the release."""
    out = [*too_few(len(data) if data.persons is None else len(np.unique(data.persons)))]
    found = identifiers(data, k).sentence
    if found and names_published:
        out.append(
            Said(f"Rare items are published by name, and {found}; withhold them (--rare-items withhold).")
        )
    share = repeated_records(data) if data.persons is None else 0.0
    if share > REPEATED:
        out.append(
            Said(
                f"{100 * share:.0f} % of the records equal another one though chance hardly makes two: these look like"
                " several records of one person; name the column of the person (--person), or take each person once."
            )
        )
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
