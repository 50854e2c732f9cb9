"""Questions that people ask of a table: how many, what on average, what at most, of those with certain values.

(BinJubier et al. 2022, section 4.2.3; Zhang, Koudas, Srivastava, Yu, ICDE 2007.) A query names some quasi-identifiers
and maybe the sensitive attribute, each with a random set of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets, positions_of
from cloven.kinds.tables.cells import CellRuns, understood_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.release import TableRelease


@dataclass(frozen=True, eq=False)
class Query:
    """Rows whose attributes have certain values.

    Attributes:
        allowed: for each attribute that is asked about, whether each value of its domain is meant.
        dimensions: how many quasi-identifiers are asked about.
        sensitive: whether a sensitive attribute is asked about too.
    """

    allowed: Mapping[str, Flags]
    dimensions: int
    sensitive: bool

    def rows(self, table: Table) -> Flags:
        """Which rows of the original are meant."""
        meant = np.ones(len(table), np.bool_)
        for place, attribute in enumerate(table.attributes):
            if attribute.name in self.allowed:
                meant &= self.allowed[attribute.name][table.codes[:, place]]
        return meant


@dataclass(frozen=True)
class Workload:
    """Random queries.

    Attributes:
        dimensions: numbers of quasi-identifiers to ask about.
        selectivity: a set of values holds 1 to this share of the domain, all sizes equally likely.
        sensitive: ask about the sensitive attribute: ``with``, ``without`` or ``both`` (one after the other).
        queries: how many of each kind.
    """

    dimensions: tuple[int, ...] = (1, 2, 3, 4, 5)
    selectivity: float = 0.5
    sensitive: str = "both"
    queries: int = 200

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", tuple(self.dimensions))
        if not self.dimensions or min(self.dimensions) < 1:
            message = f"a query asks about at least one quasi-identifier (got dimensions {self.dimensions})"
            raise ParameterError(message)
        if not 0 < self.selectivity <= 1:
            message = f"selectivity must lie above 0 and be at most 1 (got {self.selectivity})"
            raise ParameterError(message)
        if self.sensitive not in ("with", "without", "both"):
            message = f"sensitive must be one of with, without, both (got {self.sensitive!r})"
            raise ParameterError(message)
        if self.queries < 1:
            message = f"queries must be at least 1 (got {self.queries})"
            raise ParameterError(message)

    def draw(self, table: Table, rng: np.random.Generator) -> tuple[Query, ...]:
        """Draw queries for a table; ask the same ones of every release."""
        places, secret = table.positions("quasi-identifier"), table.positions("sensitive")
        if max(self.dimensions) > len(places):
            message = (
                f"queries about {max(self.dimensions)} quasi-identifiers need as many; the table has {len(places)}:"
                " ask about fewer"
            )
            raise ParameterError(message)
        asks = {"with": (True,), "without": (False,), "both": (False, True)}[self.sensitive]
        if True in asks and not secret:
            message = "the table has no sensitive attribute to ask about; choose sensitive='without'"
            raise ParameterError(message)
        found = []
        for number in self.dimensions:
            for asked in asks:
                for _ in range(self.queries):
                    chosen = rng.choice(places, number, replace=False).tolist()
                    chosen += [int(rng.choice(secret))] if asked else []
                    allowed = {
                        table.attributes[place].name: self._values(len(table.attributes[place]), rng)
                        for place in chosen
                    }
                    found.append(Query(allowed, number, asked))
        return tuple(found)

    def _values(self, domain: int, rng: np.random.Generator) -> Flags:
        most = max(1, int(self.selectivity * domain))
        allowed = np.zeros(domain, np.bool_)
        allowed[rng.choice(domain, int(rng.integers(1, most + 1)), replace=False)] = True
        return allowed


# How wrong answers from a release are: |original - release| / original (BinJubier et al. 2022, equation 5).
#
# The paper prints no absolute value; without it errors of both signs cancel. Queries whose original answer is 0 are
# left out and counted. Means are pulled by rare answers, of which a few can be off by many times: so the median stands
# beside them, and *agreement*, the smaller of both answers over the larger one. It lies between 0 and 1 for every
# query, and an answer of half counts like one of twice.


AGGREGATES = ("count", "avg", "max")
_DRAWS = 500


@dataclass(frozen=True)
class QueryError:
    """Error of one kind of query.

    Attributes:
        aggregate: ``count``, ``avg`` or ``max``.
        of: the attribute of an average or a maximum.
        dimensions: quasi-identifiers that are asked about.
        sensitive: whether a sensitive attribute is asked about too.
        mean: mean relative error (1 is 100 %); low, high: its 95 % interval over queries.
        median: median relative error.
        queries: queries that counted.
        skipped: queries whose original answer is 0 or nothing.
        selectivity: mean share of the rows of the original that a query means, over those that counted.
        agreement: mean agreement, and its 95 % interval over queries.
    """

    aggregate: str
    of: str | None
    dimensions: int
    sensitive: bool
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    queries: int
    skipped: int
    selectivity: float | None
    agreement: tuple[float, float, float] | None = None


def query_errors(
    table: Table,
    release: TableRelease,
    queries: Sequence[Query],
    rng: np.random.Generator,
    *,
    aggregate: str = "count",
    of: str | None = None,
) -> tuple[QueryError, ...]:
    """Errors of a release, for each number of dimensions, with and without the sensitive attribute.

    Args:
        table: the original.
        release: what was published of it.
        queries: what is asked; see ``Workload``.
        rng: random numbers for the intervals.
        aggregate: ``count``, ``avg`` or ``max``.
        of: attribute of numbers that is averaged; left out, the first that has numbers.
    """
    if aggregate not in AGGREGATES:
        message = f"aggregate must be one of {', '.join(AGGREGATES)} (got {aggregate!r})"
        raise ParameterError(message)
    answering = Answering.of(release, table)
    place = None if aggregate == "count" else _numbers(table, of)
    kinds = sorted({(query.dimensions, query.sensitive) for query in queries})
    found = []
    for dimensions, sensitive in kinds:
        asked = [query for query in queries if (query.dimensions, query.sensitive) == (dimensions, sensitive)]
        pairs = [_answers(table, answering, query, aggregate, place) for query in asked]
        name = None if place is None else table.attributes[place].name
        found.append(_summary(aggregate, name, dimensions, sensitive, pairs, rng))
    return tuple(found)


def _answers(
    table: Table, answering: Answering, query: Query, aggregate: str, place: int | None
) -> tuple[float | None, float | None, float]:
    """Answer of the original, answer of the release, share of rows that are meant."""
    rows = query.rows(table)
    share = float(rows.mean()) if len(rows) else 0.0
    if place is None:
        return float(rows.sum()), answering.count(query), share
    if not rows.any():
        return None, None, share
    numbers = table.attributes[place].numbers
    if numbers is None:  # pragma: no cover - _numbers refuses it
        return None, None, share
    values = numbers[table.codes[rows, place]]
    attribute = answering.buckets.position(table.attributes[place].name)
    if aggregate == "avg":
        return float(values.mean()), answering.average(query, attribute), share
    return float(values.max()), answering.largest(query, attribute), share


def _summary(
    aggregate: str,
    name: str | None,
    dimensions: int,
    sensitive: bool,
    pairs: list[tuple[float | None, float | None, float]],
    rng: np.random.Generator,
) -> QueryError:
    counted = [(org, anz, share) for org, anz, share in pairs if org]
    # No answer at all is as wrong as the answer 0.
    errors = np.array([abs(org - (anz or 0.0)) / abs(org) for org, anz, _ in counted])
    skipped = len(pairs) - len(counted)
    if not len(errors):
        return QueryError(aggregate, name, dimensions, sensitive, None, None, None, None, 0, skipped, None)
    agree = np.array([_agreement(org, anz or 0.0) for org, anz, _ in counted])
    drawn = rng.integers(0, len(errors), (_DRAWS, len(errors)))
    low, high = np.percentile(errors[drawn].mean(axis=1), (2.5, 97.5))
    least, most = np.percentile(agree[drawn].mean(axis=1), (2.5, 97.5))
    return QueryError(
        aggregate,
        name,
        dimensions,
        sensitive,
        float(errors.mean()),
        float(low),
        float(high),
        float(np.median(errors)),
        len(errors),
        skipped,
        float(np.mean([share for _, _, share in counted])),
        (float(agree.mean()), float(least), float(most)),
    )


def _agreement(one: float, other: float) -> float:
    """The smaller answer over the larger one; 0 if only one of them is 0, or they differ in sign.

    >>> _agreement(4.0, 8.0), _agreement(8.0, 4.0), _agreement(3.0, 0.0), _agreement(-1.0, 1.0)
    (0.5, 0.5, 0.0, 0.0)
    """
    if one * other <= 0:
        return 0.0
    small, large = sorted((abs(one), abs(other)))
    return small / large


def _numbers(table: Table, of: str | None) -> int:
    """Position of the attribute to average."""
    with_numbers = {
        attribute.name: place
        for place, attribute in enumerate(table.attributes)
        if attribute.numbers is not None and attribute.role != "ignored"
    }
    if of is None and with_numbers:
        return next(iter(with_numbers.values()))
    if of not in with_numbers:
        known = ", ".join(with_numbers) or "none"
        message = f"mean and maximum need an attribute of numbers (got {of!r}); those of this table: {known}"
        raise ParameterError(message)
    return with_numbers[of]


# Answer queries from a release alone.
#
# Inside a bucket the columns are independent: the expected number of rows is the product of the shares of fitting
# parts. A cell fits by the share of its values that are meant. In a generalised table rows are whole, so only cells
# matter.


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
    places: tuple[Longs, ...]
    runs: tuple[CellRuns, ...]

    @classmethod
    def of(cls, release: TableRelease, table: Table) -> Answering:
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

    def by_value(self, query: Query, attribute: int) -> Floats:
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

    def _numbers(self, attribute: int) -> Floats:
        domain = self.buckets.domains[attribute]
        if domain.numbers is None:
            message = f"{domain.name!r} has no numbers, so it has neither mean nor maximum"
            raise ParameterError(message)
        return domain.numbers

    def _meant(self, query: Query, attribute: int) -> Floats:
        """For each value in the domain of the release, whether the query means it."""
        allowed = query.allowed.get(self.buckets.domains[attribute].name)
        if allowed is None:
            return np.ones(len(self.places[attribute]))
        return np.append(allowed, [False, False])[self.places[attribute]].astype(float)

    def _fitting(self, query: Query, number: int, skipped: int = -1) -> tuple[Floats, Floats]:
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

    def _bucket_rows(self, column_rows: list[Floats]) -> Floats:
        """Expected rows of each bucket, from the rows that fit in each column."""
        out = self.buckets.sizes.astype(float)
        for rows in column_rows:
            out = out * (rows / self.buckets.sizes)
        return out
