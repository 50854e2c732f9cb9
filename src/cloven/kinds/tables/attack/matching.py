"""In which buckets a person may stand, and which values they may have there (Li, Li, Zhang, Molloy, IEEE TKDE 2012).

A bucket B matches a person t if every column holds a part that fits what is known of t. With f(t,B) the product over
columns of the share of fitting parts, p(t,B) = f(t,B) / sum of f(t,B'); p(s|t,B) is the share of value s among the
fitting parts of its own column; p(t,s) = sum over B of p(t,B) p(s|t,B). A class of a generalised table matches with
f = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.data.arrays import row_numbers
from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import cell_sizes, spread
from cloven.kinds.tables.cells import CellRuns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.kinds.tables.buckets import Buckets
    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.tables.release import CellDomain


Weight = Literal["share", "rows"]
"""``share``: f(t,B) as printed, whatever the size of the bucket or of its cells. ``rows``: the expected number of rows
of the bucket that have exactly these values, which is what an attacker should go by where sizes differ."""
NOTHING = -1
"""In place of an attribute: none is to be found out."""
_PERSONS = 2000  # worked on at once


@dataclass(frozen=True, eq=False)
class Matches:
    """How persons match one release.

    Attributes:
        buckets: how many buckets match each person.
        rows: expected number of rows with exactly the values known of each person.
        values: persons x values: p(t,s); a row of zeros if no bucket matches.
    """

    buckets: Longs
    rows: Floats
    values: Floats


def check_weight(weight: str) -> None:
    """Refuse anything but a known way of weighting buckets."""
    if weight not in get_args(Weight):
        message = f"weight must be one of {', '.join(get_args(Weight))} (got {weight!r})"
        raise ParameterError(message)


def match(buckets: Buckets, known: Known, attribute: int, weight: Weight = "rows") -> Matches:
    """Match persons with a release, and find out about one of its attributes, or about ``NOTHING``."""
    columns = [ColumnParts.of(buckets, known, number, attribute) for number in range(len(buckets.columns))]
    own = None if attribute == NOTHING else buckets.column_of(attribute)
    width = 0 if attribute == NOTHING else len(buckets.domains[attribute].values)
    matched = np.zeros(len(known), np.int64)
    rows, values = np.zeros(len(known)), np.zeros((len(known), width))
    for start in range(0, len(known), _PERSONS):
        block = slice(start, start + _PERSONS)
        parts = [column.parts_of(known.take(np.arange(len(known))[block])) for column in columns]
        plain, exact = (_product(columns, [found[kind] for found in parts]) for kind in (0, 1))
        weights = plain if weight == "share" else exact * buckets.sizes
        matched[block] = np.diff(plain.indptr)
        rows[block] = exact @ buckets.sizes.astype(float)
        if own is not None:
            fits = parts[own][0 if weight == "share" else 1]
            values[block] = columns[own].values_of(fits, _rows_to_one(weights), buckets, attribute)
    return Matches(matched, rows, values)


@dataclass(frozen=True, eq=False)
class ColumnParts:
    """The parts of one column of a release, without the attribute that is to be found out.

    Attributes:
        attributes: the attributes of it that are known.
        parts: its distinct parts.
        shares: parts x buckets (sparse): share of the bucket's rows that show the part.
        part_of_row: which part each row shows.
    """

    buckets: Buckets
    attributes: tuple[int, ...]
    parts: NDArray[np.int32]
    shares: Any
    part_of_row: Longs

    @classmethod
    def of(cls, buckets: Buckets, known: Known, number: int, hidden: int) -> ColumnParts:
        """A column by its number; ``NOTHING`` leaves no attribute out."""
        from scipy.sparse import csr_array

        attributes = tuple(
            place
            for place in buckets.columns[number]
            if place != hidden and buckets.domains[place].name in known.names
        )
        if attributes:
            cells = buckets.cells[:, attributes]
            _, first, part_of_row = np.unique(row_numbers(cells), return_index=True, return_inverse=True)
            parts = cells[first]
        else:
            parts, part_of_row = np.zeros((1, 0), np.int32), np.zeros(len(buckets.cells), np.int64)
        part_of_row = part_of_row.reshape(-1).astype(np.int64)
        each = 1.0 / buckets.sizes[buckets.bucket_of_row]
        shape = (len(parts), len(buckets))
        shares = csr_array((each, (part_of_row, buckets.bucket_of_row)), shape=shape)
        return cls(buckets, attributes, parts, shares, part_of_row)

    def parts_of(self, known: Known) -> tuple[Any, Any]:
        """Persons x parts (sparse): 1 where a part fits, and how likely it stands for exactly these values."""
        from scipy.sparse import csr_array

        if not self.attributes:
            every = csr_array(np.ones((len(known), 1)))
            return every, every
        domains = [self.buckets.domains[place] for place in self.attributes]
        persons = np.column_stack([known.at(domain) for domain in domains])
        widths = [len(domain.labels) for domain in domains]
        lead = int(np.argmax(widths))  # the attribute with the most cells tells parts apart best
        order = np.argsort(self.parts[:, lead], kind="stable")
        ends = np.cumsum(np.bincount(self.parts[:, lead], minlength=widths[lead]))
        parts = Parts(self.parts.astype(np.int64), lead, order, ends)
        offsets, fits = fitting(persons, parts, _as_runs(domains))
        sharp = np.ones(len(fits))
        person = np.repeat(np.arange(len(known)), np.diff(offsets))
        for column, domain in enumerate(domains):
            size = cell_sizes(domain)[self.parts[fits, column]]
            sharp /= np.where(persons[person, column] < 0, 1, size)
        shape = (len(known), len(self.parts))
        return csr_array((np.ones(len(fits)), fits, offsets), shape=shape), csr_array(
            (sharp, fits, offsets), shape=shape
        )

    def values_of(self, fits: Any, weights: Any, buckets: Buckets, attribute: int) -> Floats:
        """Persons x values: sum over buckets of weight times the share of each value among fitting parts.

        A *slot* is a part in a bucket; what it weighs for a person is spread over the values its rows show.
        """
        from scipy.sparse import csr_array

        if not self.attributes:
            where = (buckets.bucket_of_row, buckets.cells[:, attribute])
            labels = len(buckets.domains[attribute].labels)
            shown = csr_array((1.0 / buckets.sizes[where[0]], where), shape=(len(buckets), labels))
            everywhere: Floats = (weights @ (shown @ spread(buckets.domains[attribute]))).toarray()
            return everywhere
        key = buckets.bucket_of_row * len(self.parts) + self.part_of_row
        slots, slot_of_row = np.unique(key, return_inverse=True)
        count = len(slots)
        cells = csr_array(
            (np.ones(len(key)), (slot_of_row.reshape(-1), buckets.cells[:, attribute])),
            shape=(count, len(buckets.domains[attribute].labels)),
        )
        ones, number = np.ones(count), np.arange(count)
        to_slot = csr_array((ones, (slots % len(self.parts), number)), shape=(len(self.parts), count))
        in_bucket = csr_array((ones, (slots // len(self.parts), number)), shape=(len(buckets), count))
        fitting_rows = fits @ (self.shares * buckets.sizes)
        ratio = weights * _inverse(fitting_rows)
        found = ((fits @ to_slot) * (ratio @ in_bucket)) @ cells @ spread(buckets.domains[attribute])
        values: Floats = found.toarray()
        return values


def rows_expected(columns: list[ColumnParts], exact: list[Any], sizes: Longs) -> Any:
    """Persons x buckets (sparse): expected number of rows with exactly the known values, where there may be any."""
    out = (_product(columns, exact) * sizes).tocsr()
    out.sort_indices()
    return out


def _as_runs(domains: Sequence[CellDomain]) -> Cells:
    """The cells of some attributes, for the kernel."""
    found = [CellRuns.of(domain) for domain in domains]
    before = np.cumsum([0, *(len(runs.first) for runs in found)])
    edges = [runs.offsets + start for runs, start in zip(found, before[:-1], strict=True)]
    starts = np.cumsum([0, *(len(each) for each in edges[:-1])])
    first, last = (
        np.concatenate([getattr(runs, end) for runs in found]).astype(np.int64) for end in ("first", "last")
    )
    return Cells(first, last, np.concatenate(edges).astype(np.int64), starts.astype(np.int64))


def _product(columns: list[ColumnParts], fits: list[Any]) -> Any:
    """Persons x buckets (sparse): product over columns of the share of fitting parts.

    A column without anything that is known fits everywhere, and is left out unless there is no other.
    """
    told = [number for number, column in enumerate(columns) if column.attributes] or [0]
    factors = [fits[number] @ columns[number].shares for number in told]
    out = factors[0]
    for factor in factors[1:]:
        out = out * factor
    out = out.tocsr()
    out.eliminate_zeros()
    return out


def _inverse(matrix: Any) -> Any:
    out = matrix.tocsr(copy=True)
    out.data = 1.0 / out.data
    return out


def _rows_to_one(matrix: Any) -> Any:
    """Rows scaled to sum to 1; empty ones stay empty."""
    out = matrix.tocsr(copy=True)
    total = np.asarray(out.sum(axis=1)).reshape(-1)
    out.data = out.data / np.repeat(total, np.diff(out.indptr))
    return out


# Which published parts fit which persons: parts are looked up by one attribute, and then compared in all of them.


class Cells(NamedTuple):
    """The cells of several attributes as runs of neighbouring values, so that a wide range costs as little as a value.

    Attributes:
        first: first value of each run, cell after cell and attribute after attribute.
        last: last value of each run.
        edges: where the runs of each cell start; one more for each attribute, where its last one ends.
        starts: where the cells of each attribute start among the edges.
    """

    first: Ints
    last: Ints
    edges: Ints
    starts: Ints


class Parts(NamedTuple):
    """Published parts, and their order by the cells of one attribute.

    Attributes:
        cells: parts x attributes.
        lead: the attribute that parts are looked up by.
        order: parts by their cell of that attribute.
        ends: where the parts with each cell end in that order.
    """

    cells: Ints
    lead: int
    order: Ints
    ends: Ints


@compiled
def _stands_for(cells: Cells, attribute: int, cell: int, value: int) -> bool:  # pragma: no cover - compiled
    """Whether a cell stands for a value; -1 fits every cell, a lower one none."""
    if value < 0:
        return bool(value == -1)
    at = cells.starts[attribute] + cell
    low, high = cells.edges[at], cells.edges[at + 1]
    while low < high:
        middle = (low + high) // 2
        if cells.last[middle] < value:
            low = middle + 1
        else:
            high = middle
    return bool(low < cells.edges[at + 1] and cells.first[low] <= value)


@compiled
def _fits(person: Ints, part: Ints, cells: Cells) -> bool:  # pragma: no cover - compiled
    for attribute in range(len(person)):
        if not _stands_for(cells, attribute, part[attribute], person[attribute]):
            return False
    return True


@compiled
def _found(
    person: Ints, parts: Parts, cells: Cells, out: Ints, place: int
) -> int:  # pragma: no cover - compiled
    """Write the parts that fit from a place on, if there is one (not below 0); gives how many there are."""
    many = 0
    for cell in range(len(parts.ends)):
        if not _stands_for(cells, parts.lead, cell, person[parts.lead]):
            continue
        for at in range(parts.ends[cell - 1] if cell > 0 else 0, parts.ends[cell]):
            part = parts.order[at]
            if _fits(person, parts.cells[part], cells):
                if place >= 0:
                    out[place + many] = part
                many += 1
    return many


@compiled
def fitting(persons: Ints, parts: Parts, cells: Cells) -> tuple[Longs, Longs]:  # pragma: no cover - compiled
    """Parts that fit each person: where they start, and which they are."""
    offsets = np.zeros(len(persons) + 1, np.int64)
    nowhere = np.empty(0, np.int64)
    for person in range(len(persons)):
        offsets[person + 1] = offsets[person] + _found(persons[person], parts, cells, nowhere, -1)
    fits = np.empty(offsets[-1], np.int64)
    for person in range(len(persons)):
        if offsets[person] < offsets[person + 1]:
            _found(persons[person], parts, cells, fits, offsets[person])
    return offsets, fits
