"""Answer queries from a release alone.

Inside a bucket the columns are independent: the expected number of rows is the product of the shares of fitting parts.
A cell fits by the share of its values that are meant. In a generalised table rows are whole, so only cells matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.model.buckets import Buckets, positions_of
from cloven.model.cell_runs import CellRuns
from cloven.model.shown_cells import understood_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.measure.tables.queries import Query
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table

LIKELY = log(2)
"""Expected rows above which at least one is likelier than none (Poisson)."""


@dataclass(frozen=True, eq=False)
class Answering:
    """Answers from one release to queries drawn for one table.

    Attributes:
        buckets: the release.
        places: for each attribute of the release, where its values stand in the domain of the table's; -2 for values
            that the table does not know.
        runs: which values the cells of each attribute hold.
    """

    buckets: Buckets
    places: tuple[NDArray[np.int64], ...]
    runs: tuple[CellRuns, ...]

    @classmethod
    def of(cls, release: GeneralisedTable | Sliced, table: Table) -> Answering:
        """Prepare a release; queries speak of the domains of ``table``."""
        buckets = Buckets.of(understood_by(release, table)).with_rows()
        values = {attribute.name: attribute.values for attribute in table.attributes}
        for name in buckets.names:
            if name not in values:
                message = (
                    f"the release shows {name!r} and the table does not; compare a release with its own table"
                )
                raise ParameterError(message)
        places = tuple(positions_of(domain.values, values[domain.name]) for domain in buckets.domains)
        return cls(buckets, places, tuple(CellRuns.of(domain) for domain in buckets.domains))

    def count(self, query: Query) -> float:
        """Expected number of rows."""
        column_rows = [self._fitting(query, number)[1] for number in range(len(self.buckets.columns))]
        return float(self._bucket_rows(column_rows).sum()) / self.buckets.rate

    def by_value(self, query: Query, attribute: int) -> NDArray[np.float64]:
        """Expected number of rows for each value of an attribute (of its domain in the release)."""
        own = self.buckets.column_of(attribute)
        fits = [self._fitting(query, number, attribute) for number in range(len(self.buckets.columns))]
        others = [rows for number, (_, rows) in enumerate(fits) if number != own]
        factor = self._bucket_rows([self.buckets.sizes.astype(float), *others]) / self.buckets.sizes
        weight = fits[own][0] * factor[self.buckets.bucket_of_row]
        cells = np.bincount(
            self.buckets.cells[:, attribute], weight, len(self.buckets.domains[attribute].labels)
        )
        counts = self.runs[attribute].over_values(cells) * self._meant(query, attribute)
        return counts / self.buckets.rate

    def average(self, query: Query, attribute: int) -> float | None:
        """Expected mean of numbers; None if no row can be meant."""
        counts, numbers = self.by_value(query, attribute), self._numbers(attribute)
        return float(counts @ numbers / counts.sum()) if counts.sum() > 0 else None

    def largest(self, query: Query, attribute: int) -> float | None:
        """Largest number that is likelier than not reached; failing that, the largest possible one."""
        counts, numbers = self.by_value(query, attribute), self._numbers(attribute)
        reached = np.flatnonzero(counts[::-1].cumsum()[::-1] >= LIKELY)
        possible = reached if len(reached) else np.flatnonzero(counts > 0)
        return float(numbers[possible[-1]]) if len(possible) else None

    def _numbers(self, attribute: int) -> NDArray[np.float64]:
        domain = self.buckets.domains[attribute]
        if domain.numbers is None:
            message = f"{domain.name!r} has no numbers, so it has neither mean nor maximum"
            raise ParameterError(message)
        return domain.numbers

    def _meant(self, query: Query, attribute: int) -> NDArray[np.float64]:
        """For each value in the domain of the release, whether the query means it."""
        allowed = query.allowed.get(self.buckets.domains[attribute].name)
        if allowed is None:
            return np.ones(len(self.places[attribute]))
        return np.append(allowed, [False, False])[self.places[attribute]].astype(float)

    def _fitting(
        self, query: Query, number: int, skipped: int = -1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How well each row's part of a column fits, and the sum of it over each bucket."""
        rows = np.ones(len(self.buckets.cells))
        meant = [
            place
            for place in self.buckets.columns[number]
            if place != skipped and self.buckets.domains[place].name in query.allowed
        ]
        if not meant:
            return rows, self.buckets.sizes.astype(float)
        for place in meant:
            rows *= self.runs[place].mean_in_cells(self._meant(query, place))[self.buckets.cells[:, place]]
        return rows, np.add.reduceat(rows, self.buckets.offsets[:-1])

    def _bucket_rows(self, column_rows: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Expected rows of each bucket, from the rows that fit in each column."""
        out = self.buckets.sizes.astype(float)
        for rows in column_rows:
            out = out * (rows / self.buckets.sizes)
        return out
