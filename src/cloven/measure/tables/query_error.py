"""How wrong answers from a release are: |original - release| / original (BinJubier et al. 2022, equation 5).

The paper prints no absolute value; without it errors of both signs cancel. Queries whose original answer is 0 are left
out and counted. Means are pulled by rare answers, of which a few can be off by many times: so the median stands beside
them, and *agreement*, the smaller of both answers over the larger one. It lies between 0 and 1 for every query, and an
answer of half counts like one of twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.tables.answering import Answering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.measure.tables.queries import Query
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table

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
    release: GeneralisedTable | Sliced,
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
    sensitive: bool,  # noqa: FBT001 - a field of the result
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
