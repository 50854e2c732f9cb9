"""People outside a table that others made: those whose rows are taken out of it, class by class.

How the table was made is not known, so that no other one can be made without some people. But a published row can be
taken away, and what the others of its class tell is then told of somebody who is not there. Of every class a tenth is
taken at a time, of small ones never more than one person: that person's class is as it would be without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.statistics.outsiders import FEWEST, MOST, Split

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.data.table import Table

SHARE = 0.1
"""Part of every class that is taken out."""


def enough(people: int, splits: int, most: int) -> int:
    """Divisions until so many people were asked about, three times as many as asked for at the most.

    >>> enough(200, 3, 2000), enough(50_000, 3, 2000)
    (9, 3)
    """
    return min(3 * splits, max(splits, ceil(most / max(1.0, SHARE * people))))


@dataclass(frozen=True, eq=False)
class ClassOutsiders:
    """Divisions of the people of a published table.

    Attributes:
        data: people who are in it.
        method: gives what is left of the table without some of them.
        class_of_row: class that shows each of the rows.
        count: divisions; each takes other people out.
        seed: for the divisions.
    """

    data: Table
    method: Any
    class_of_row: Longs
    count: int
    seed: int = 0

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """All divisions.

        Raises:
            ParameterError: there are too few people to take some out.
        """
        if self.data.people < FEWEST:
            message = (
                f"{self.data.people} people are too few to take some out of the release; {FEWEST} are needed"
            )
            raise ParameterError(message)
        return tuple(self._split(rows) for rows in self._taken_out())

    def _taken_out(self) -> list[Longs]:
        """Rows of each division: from every class the next ones of a random order, its share of them on average."""
        rng = np.random.default_rng([self.seed, len(self.data)])
        share = min(SHARE, MOST / len(self.data))
        order = rng.permutation(len(self.data))
        order = order[np.argsort(self.class_of_row[order], kind="stable")]
        number = self.class_of_row[order]
        sizes = np.bincount(number)
        place = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[number]
        begin, step = rng.random(len(sizes))[number], share * sizes[number]
        # Division d takes the places j with begin + d * step < j + 1 <= begin + (d + 1) * step.
        turn = np.ceil((place + 1 - begin) / step).astype(np.int64) - 1
        return [np.sort(order[turn == division]) for division in range(self.count)]

    def _split(self, rows: Longs) -> Split:
        persons = self.data.persons
        chosen = np.zeros(len(self.data), bool)
        chosen[rows] = True
        if persons is not None:  # whoever is taken out is so with all rows
            chosen = np.isin(persons, persons[rows])
        members, outsiders = np.flatnonzero(~chosen), np.flatnonzero(chosen)
        return Split(members, outsiders, self.method.anonymise(self.data.take(members)), remade=False)
