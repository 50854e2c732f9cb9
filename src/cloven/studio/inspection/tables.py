"""A published table, taken apart into its buckets: which values stand there, and whose value could be whose.

A class of a table with coarse cells is a bucket in which everybody looks alike. Guesses come from the reader of the
audit who goes by the rows that fit, asked about one bucket or about the whole table; the release alone is read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.link import RecordLinkage
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.buckets import Buckets, published_shares, rows_by_bucket
from cloven.kinds.tables.guesses import Found, Known
from cloven.kinds.tables.release import Sliced
from cloven.studio.inspection.knowing import limit_words
from cloven.studio.inspection.listing import NotThereError, page_of, refuse_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Floats, Longs
    from cloven.kinds.tables.release import CellDomain, TableRelease

ORDERS = {
    "sure": "likeliest value first",
    "values": "fewest different values",
    "size": "fewest rows",
}


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A published table with all that is read off it once."""

    release: TableRelease

    @cached_property
    def buckets(self) -> Buckets:
        """Its buckets, or its classes."""
        return Buckets.of(self.release)

    @cached_property
    def rows(self) -> Longs:
        """Row of the release at each place of the buckets."""
        return rows_by_bucket(self.release)

    @cached_property
    def shares(self) -> dict[str, Floats]:
        """Of each sensitive attribute the share of every value in the whole table."""
        names = self.buckets.names
        return {names[place]: published_shares(self.buckets, place) for place in self.buckets.sensitive}

    @cached_property
    def commonest(self) -> dict[str, tuple[Longs, Longs, Longs]]:
        """Of each sensitive attribute, for each bucket: the commonest cell, its rows, and how many cells differ."""
        out = {}
        for place in self.buckets.sensitive:
            counts = self.buckets.cell_counts(place).tocsr()
            many = np.diff(counts.indptr).astype(np.int64)
            order = np.lexsort((counts.indices, -counts.data, np.repeat(np.arange(len(many)), many)))
            first = order[counts.indptr[:-1][many > 0]]
            cell, rows = np.zeros(len(many), np.int64), np.zeros(len(many), np.int64)
            cell[many > 0], rows[many > 0] = counts.indices[first], counts.data[first]
            out[self.buckets.names[place]] = (cell, rows, many)
        return out

    def places_of(self, bucket: int) -> slice:
        """Where the rows of a bucket stand.

        Raises:
            NotThereError: there is no such bucket.
        """
        if not 0 <= bucket < len(self.buckets):
            message = f"there is no group {bucket:,}; this table has {len(self.buckets):,}, from 0 on"
            raise NotThereError(message)
        return slice(int(self.buckets.offsets[bucket]), int(self.buckets.offsets[bucket + 1]))

    def sensitive(self, name: str = "") -> str:
        """The sensitive attribute of this name; the first without one.

        Raises:
            ParameterError: there is none.
        """
        names = list(self.shares)
        if not names or (name and name not in names):
            message = f"no sensitive attribute is called {name!r}; there are {', '.join(names) or 'none'}"
            raise ParameterError(message)
        return name or names[0]


# Buckets, the worst first.


@dataclass(frozen=True)
class RankedBucket:
    """One line of the list: a bucket, its rows, its commonest sensitive value and how many differ."""

    number: int
    size: int
    value: str
    share: float
    anybody: float
    values: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def ranked_buckets(
    opened: OpenedTable, attribute: str, by: str, page: int = 1
) -> tuple[tuple[RankedBucket, ...], int]:
    """Lines of one page, from 1 on, and how many pages there are.

    Raises:
        NotThereError: there is no such page.
        ParameterError: there is no such order or attribute.
    """
    refuse_order(by, ORDERS)
    cell, rows, values = opened.commonest[opened.sensitive(attribute)]
    sizes, number = opened.buckets.sizes, np.arange(len(opened.buckets))
    share = rows / np.maximum(1, sizes)
    keys = {
        "sure": (number, sizes, -share),
        "values": (number, sizes, -share, values),
        "size": (number, sizes),
    }
    order = np.lexsort(keys[by])
    shown, pages = page_of(order, page)
    place = opened.buckets.position(attribute)
    domain = opened.buckets.domains[place]
    overall = _cell_shares(opened, place)
    lines = [
        RankedBucket(
            at,
            int(sizes[at]),
            domain.labels[cell[at]],
            float(share[at]),
            float(overall[cell[at]]),
            int(values[at]),
        )
        for at in shown.tolist()
    ]
    return tuple(lines), pages


def _cell_shares(opened: OpenedTable, place: int) -> Floats:
    cells = opened.buckets.cells[:, place]
    counts = np.bincount(cells, minlength=len(opened.buckets.domains[place].labels))
    return counts / max(1, len(cells))


# One bucket: its columns, and whose value could be whose.


@dataclass(frozen=True)
class PartLine:
    """Equal parts of a column: the first place of the bucket with them, what they show, and how many there are."""

    place: int
    cells: tuple[str, ...]
    copies: int


@dataclass(frozen=True)
class ColumnView:
    """A column: its attributes, whether each is sensitive, and its different parts."""

    number: int
    names: tuple[str, ...]
    sensitive: tuple[bool, ...]
    lines: tuple[PartLine, ...]


@dataclass(frozen=True)
class BucketView:
    """A bucket: its rows and its columns; parts of different columns belong to unknown people of it."""

    number: int
    size: int
    columns: tuple[ColumnView, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def bucket_view(opened: OpenedTable, number: int) -> BucketView:
    """One bucket as it is published.

    Raises:
        NotThereError: there is no such bucket.
    """
    here = opened.places_of(number)
    cells, domains = opened.buckets.cells[here], opened.buckets.domains
    columns = []
    for at, attributes in enumerate(opened.buckets.columns):
        lines = [
            PartLine(place, _labels(domains, attributes, cells[place]), copies)
            for place, copies in _different(cells[:, list(attributes)])
        ]
        columns.append(
            ColumnView(
                at,
                tuple(domains[each].name for each in attributes),
                tuple(domains[each].sensitive for each in attributes),
                tuple(lines),
            )
        )
    return BucketView(number, here.stop - here.start, tuple(columns))


def _labels(domains: tuple[CellDomain, ...], attributes: tuple[int, ...], row: Any) -> tuple[str, ...]:
    return tuple(domains[each].labels[int(row[each])] for each in attributes)


def _different(cells: Any) -> list[tuple[int, int]]:
    """First place and number of equal rows, the most frequent first."""
    _, first, counts = np.unique(cells, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    return list(zip(first[order].tolist(), counts[order].tolist(), strict=True))


@dataclass(frozen=True)
class Whose:
    """Who of a bucket has which value.

    Attributes:
        attribute: the sensitive attribute.
        column: the column whose parts stand for people; -1 if nothing is shown of them.
        names: its attributes that somebody may know.
        people: what is shown of people who look different, with the place that shows it first and how many there are.
        values: values that the bucket shows, the commonest first.
        anybody: share of each of these values in the whole table.
        chances: for each of the people the probability of each value.
    """

    attribute: str
    column: int
    names: tuple[str, ...]
    people: tuple[PartLine, ...]
    values: tuple[str, ...]
    anybody: tuple[float, ...]
    chances: tuple[tuple[float, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def whose(opened: OpenedTable, number: int, attribute: str, column: int | None = None) -> Whose:
    """Whose value could be whose in one bucket, for people of whom one column is known.

    Raises:
        NotThereError: there is no such bucket or column.
        ParameterError: there is no such attribute.
    """
    here, buckets = opened.places_of(number), opened.buckets
    target = buckets.position(opened.sensitive(attribute))
    telling = _telling_columns(buckets)
    if column is None:
        column = max(telling, key=lambda at: (len(telling[at]), -at), default=-1)
    if column not in telling and (column != -1 or telling):
        message = f"column {column} shows nothing that people are known by; choose another one"
        raise NotThereError(message)
    attributes = telling.get(column, ())
    cells = buckets.cells[here]
    lines = [
        PartLine(place, _labels(buckets.domains, attributes, cells[place]), copies)
        for place, copies in _different(cells[:, list(attributes)])
    ]
    alone = Sliced(
        opened.release.k, opened.release.parameters, buckets.domains, buckets.columns,
        np.array([0, len(cells)]), cells,
    )  # fmt: skip
    known = _looking_like(buckets.domains, attributes, cells[[line.place for line in lines]])
    guesses = AttributeDisclosure(attribute, "rows").guess(alone, known)
    order = [at for at in np.argsort(-guesses.prior, kind="stable").tolist() if guesses.prior[at] > 0]
    shares = dict(zip(buckets.domains[target].values, opened.shares[attribute].tolist(), strict=True))
    return Whose(
        attribute,
        column,
        tuple(buckets.domains[each].name for each in attributes),
        tuple(lines),
        tuple(guesses.values[at] for at in order),
        tuple(shares.get(guesses.values[at], 0.0) for at in order),
        tuple(tuple(row[order].tolist()) for row in guesses.confidence),
    )


def _telling_columns(buckets: Buckets) -> dict[int, tuple[int, ...]]:
    """Columns that show quasi-identifiers, and which."""
    found = {
        number: tuple(place for place in column if not buckets.domains[place].sensitive)
        for number, column in enumerate(buckets.columns)
    }
    return {number: places for number, places in found.items() if places}


def _looking_like(domains: tuple[CellDomain, ...], attributes: tuple[int, ...], cells: Any) -> Known:
    """People who have a value of each of these cells: the first that it stands for."""
    names, values, codes = [], [], []
    for place in attributes:
        domain = domains[place]
        first = domain.members[domain.member_offsets[cells[:, place]]]
        names.append(domain.name)
        values.append(domain.values)
        codes.append(first)
    table = np.column_stack(codes) if codes else np.zeros((len(cells), 0))
    return Known(tuple(names), tuple(values), table.astype(np.int32))


# Somebody of whom some quasi-identifiers are known, in the whole table.


@dataclass(frozen=True)
class TableStep:
    """What one more known value changes: rows that may be the person's, groups they are in, and the likeliest value."""

    name: str
    value: str
    candidates: int
    groups: int
    told: str
    probability: float


@dataclass(frozen=True)
class ValueClaim:
    """A sensitive value: how likely for this person, and for anybody; how sure that is in words."""

    value: str
    probability: float
    anybody: float
    limit: str


@dataclass(frozen=True)
class KnowingTable:
    """What is told of somebody of whom these values are known.

    Attributes:
        attribute: the sensitive attribute.
        known: attribute and value, in the order in which they were given.
        steps: what each of them changed.
        claims: values, the likeliest first.
        found: whether a row fits at all.
    """

    attribute: str
    known: tuple[tuple[str, str], ...]
    steps: tuple[TableStep, ...]
    claims: tuple[ValueClaim, ...]
    found: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def knowing_values(opened: OpenedTable, attribute: str, values: Mapping[str, str]) -> KnowingTable:
    """What is told of somebody of whom these values of quasi-identifiers are known.

    Raises:
        ParameterError: nothing is known, or not of a quasi-identifier; or a number is none.
    """
    opened.sensitive(attribute)
    _check_known(opened, values)
    given = list(values.items())
    steps = tuple(_table_step(opened, attribute, dict(given[: count + 1])) for count in range(len(given)))
    guesses = AttributeDisclosure(attribute, "rows").guess(opened.release, _known_values(dict(given)))
    order = np.argsort(-guesses.confidence[0], kind="stable").tolist()
    claims = [
        ValueClaim(
            guesses.values[at],
            float(guesses.confidence[0, at]),
            float(guesses.prior[at]),
            limit_words(float(guesses.confidence[0, at])),
        )
        for at in order
        if guesses.confidence[0, at] > 0
    ]
    return KnowingTable(
        attribute, tuple(given), steps, tuple(claims), bool(guesses.found[0] != Found.NOWHERE)
    )


def _check_known(opened: OpenedTable, values: Mapping[str, str]) -> None:
    domains = {domain.name: domain for domain in opened.buckets.domains if not domain.sensitive}
    if not values:
        message = "nothing is known of the person; give at least one value"
        raise ParameterError(message)
    for name, value in values.items():
        if name not in domains:
            message = f"nobody is known by {name!r}; people are known by {', '.join(domains) or 'nothing'}"
            raise ParameterError(message)
        if domains[name].numbers is not None and not _is_number(value):
            message = f"{name} must be a number (got {value!r})"
            raise ParameterError(message)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _known_values(values: Mapping[str, str]) -> Known:
    return Known(
        tuple(values), tuple((value,) for value in values.values()), np.zeros((1, len(values)), np.int32)
    )


def _table_step(opened: OpenedTable, attribute: str, values: dict[str, str]) -> TableStep:
    known = _known_values(values)
    rows = RecordLinkage().guess(opened.release, known)
    guesses = AttributeDisclosure(attribute, "rows").guess(opened.release, known)
    best = int(guesses.confidence[0].argmax())
    name = list(values)[-1]
    return TableStep(
        name,
        values[name],
        int(rows.candidates[0]),
        int(rows.matched[0]),
        guesses.values[best],
        float(guesses.confidence[0, best]),
    )
