"""In which buckets a person may stand, and which values they may have there (Li, Li, Zhang, Molloy, IEEE TKDE 2012).

A bucket B matches a person t if every column holds a part that fits what is known of t. With f(t,B) the product over
columns of the share of fitting parts, p(t,B) = f(t,B) / sum of f(t,B'); p(s|t,B) is the share of value s among the
fitting parts of its own column; p(t,s) = sum over B of p(t,B) p(s|t,B). A class of a generalised table matches with
f = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cloven.attack.sliced.matching_kernel import fitting
from cloven.errors import ParameterError
from cloven.model.buckets import cell_sizes, holds, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.sliced.known import Known
    from cloven.model.buckets import Buckets

Weight = Literal["share", "rows"]
"""``share``: f(t,B) as printed, whatever the size of the bucket or of its cells. ``rows``: the expected number of rows
of the bucket that have exactly these values, which is what an attacker should go by where sizes differ."""
_PERSONS = 2000  # worked on at once


@dataclass(frozen=True, eq=False)
class Matches:
    """How persons match one release.

    Attributes:
        buckets: how many buckets match each person.
        rows: expected number of rows with exactly the values known of each person.
        values: persons x values: p(t,s); a row of zeros if no bucket matches.
    """

    buckets: NDArray[np.int64]
    rows: NDArray[np.float64]
    values: NDArray[np.float64]


def check_weight(weight: str) -> None:
    """Refuse anything but a known way of weighting buckets."""
    if weight not in get_args(Weight):
        message = f"weight must be one of {', '.join(get_args(Weight))} (got {weight!r})"
        raise ParameterError(message)


def match(buckets: Buckets, known: Known, attribute: int, weight: Weight = "share") -> Matches:
    """Match persons with a release, and find out about one of its attributes."""
    columns = [_Column.of(buckets, known, number, attribute) for number in range(len(buckets.columns))]
    own = buckets.column_of(attribute)
    width = len(buckets.domains[attribute].values)
    matched = np.zeros(len(known), np.int64)
    rows, values = np.zeros(len(known)), np.zeros((len(known), width))
    for start in range(0, len(known), _PERSONS):
        block = slice(start, start + _PERSONS)
        parts = [column.parts_of(known.take(np.arange(len(known))[block])) for column in columns]
        plain = _product([fits @ column.shares for (fits, _), column in zip(parts, columns, strict=True)])
        exact = _product([sharp @ column.shares for (_, sharp), column in zip(parts, columns, strict=True)])
        weights = plain if weight == "share" else exact * buckets.sizes
        matched[block] = np.diff(plain.indptr)
        rows[block] = exact @ buckets.sizes.astype(float)
        fits = parts[own][0 if weight == "share" else 1]
        values[block] = columns[own].values_of(fits, _rows_to_one(weights), buckets, attribute)
    return Matches(matched, rows, values)


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of a release, without the attribute that is to be found out.

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
    part_of_row: NDArray[np.int64]

    @classmethod
    def of(cls, buckets: Buckets, known: Known, number: int, hidden: int) -> _Column:
        from scipy.sparse import csr_array

        attributes = tuple(
            place
            for place in buckets.columns[number]
            if place != hidden and buckets.domains[place].name in known.names
        )
        if attributes:
            parts, part_of_row = np.unique(buckets.cells[:, attributes], axis=0, return_inverse=True)
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

        domains = [self.buckets.domains[place] for place in self.attributes]
        persons = np.column_stack(
            [known.at(domain) for domain in domains] or [np.zeros((len(known), 0), np.int64)]
        )
        tables = [holds(domain) for domain in domains]
        starts = np.concatenate(([0], np.cumsum([table.size for table in tables]))).astype(np.int64)
        widths = np.array([table.shape[1] for table in tables], np.int64)
        flat = np.concatenate([table.ravel() for table in tables] or [np.zeros(1, np.bool_)])
        offsets, fits = fitting(persons, self.parts.astype(np.int64), flat, starts, widths)
        sharp = np.ones(len(fits))
        person = np.repeat(np.arange(len(known)), np.diff(offsets))
        for column, domain in enumerate(domains):
            size = cell_sizes(domain)[self.parts[fits, column]]
            sharp /= np.where(persons[person, column] < 0, 1, size)
        shape = (len(known), len(self.parts))
        return csr_array((np.ones(len(fits)), fits, offsets), shape=shape), csr_array(
            (sharp, fits, offsets), shape=shape
        )

    def values_of(self, fits: Any, weights: Any, buckets: Buckets, attribute: int) -> NDArray[np.float64]:
        """Persons x values: sum over buckets of weight times the share of each value among fitting parts.

        A *slot* is a part in a bucket; what it weighs for a person is spread over the values its rows show.
        """
        from scipy.sparse import csr_array

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
        values: NDArray[np.float64] = found.toarray()
        return values


def _product(factors: list[Any]) -> Any:
    """Product of sparse matrices, element by element."""
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
