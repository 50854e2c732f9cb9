"""Both kinds of published tables seen as one: buckets of rows whose columns hold parts.

A class of a generalised table is a bucket in which all rows have the same quasi-identifiers; it has a single column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError, ReleaseError, shorten
from cloven.kinds.tables.cells import CellRuns
from cloven.kinds.tables.release import Sliced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.tables.release import CellDomain, TableRelease


@dataclass(frozen=True, eq=False, repr=False)
class Buckets:
    """A published table as buckets.

    Attributes:
        domains: the cells of each published attribute.
        columns: attributes of each column.
        offsets: where each bucket starts in the rows.
        cells: rows x attributes, bucket after bucket.
        told_rate: which share of all rows was published, as the release says; a file may say anything.
    """

    domains: tuple[CellDomain, ...]
    columns: tuple[tuple[int, ...], ...]
    offsets: Longs
    cells: NDArray[np.int32]
    told_rate: Any = 1.0

    @classmethod
    def of(cls, release: TableRelease) -> Buckets:
        """The buckets of a release; rows of a generalised table that look alike are one."""
        rate = release.parameters.get("sampling_rate", 1.0)
        if isinstance(release, Sliced):
            return cls(release.domains, release.columns, release.bucket_offsets, release.cells, rate)
        looks = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
        order, offsets = _alike(release.cells[:, looks])
        return cls(release.domains, release.columns, offsets, release.cells[order], rate)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def with_rows(self) -> Buckets:
        """The same, for those who need rows to count; noise may have left none."""
        if not len(self.cells):
            message = "the release holds no row, so there is nothing to measure; a small eps may leave none"
            raise ParameterError(message)
        return self

    @cached_property
    def sizes(self) -> Longs:
        """Rows of each bucket."""
        return np.diff(self.offsets)

    @cached_property
    def bucket_of_row(self) -> Longs:
        """Bucket of each row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def cell_counts(self, attribute: int) -> Any:
        """Buckets x cells (sparse): how many rows of a bucket show each cell of an attribute."""
        from scipy.sparse import csr_array

        shape = (len(self), len(self.domains[attribute].labels))
        each = (self.bucket_of_row, self.cells[:, attribute])
        return csr_array((np.ones(len(self.cells)), each), shape=shape)

    @cached_property
    def rate(self) -> float:
        """How many rows were published of each one that there is: below 1 for a random sample."""
        told = self.told_rate
        if not isinstance(told, int | float) or isinstance(told, bool) or not 0 < told <= 1:
            found = shorten(str(told))
            message = (
                f"sampling_rate should be a share above 0 and at most 1; found {found}; get the release again"
            )
            raise ReleaseError(message)
        return float(told)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the published attributes."""
        return tuple(domain.name for domain in self.domains)

    @property
    def quasi_identifiers(self) -> tuple[int, ...]:
        """Positions of the attributes that are not sensitive."""
        return tuple(place for place, domain in enumerate(self.domains) if not domain.sensitive)

    @property
    def sensitive(self) -> tuple[int, ...]:
        """Positions of the sensitive attributes."""
        return tuple(place for place, domain in enumerate(self.domains) if domain.sensitive)

    def position(self, name: str) -> int:
        """Position of an attribute by its name."""
        if name not in self.names:
            message = f"the release shows no attribute {name!r}; it shows {', '.join(self.names)}"
            raise ParameterError(message)
        return self.names.index(name)

    def column_of(self, attribute: int) -> int:
        """The column in which an attribute stands."""
        return next(number for number, column in enumerate(self.columns) if attribute in column)


def rows_by_bucket(release: TableRelease) -> Longs:
    """The row of a release that stands at each place of its buckets."""
    if isinstance(release, Sliced):
        return np.arange(len(release))
    looks = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    return _alike(release.cells[:, looks])[0]


def cell_sizes(domain: CellDomain) -> Longs:
    """How many values each cell stands for."""
    return np.diff(domain.member_offsets)


def spread(domain: CellDomain) -> Any:
    """Cells x values (sparse): the share of each value in a cell whose values are equally likely."""
    from scipy.sparse import csr_array

    sizes = cell_sizes(domain)
    shape = (len(domain.labels), len(domain.values))
    return csr_array((np.repeat(1.0 / sizes, sizes), domain.members, domain.member_offsets), shape=shape)


def published_shares(buckets: Buckets, attribute: int) -> Floats:
    """Distribution of an attribute as published; values in a cell are taken as equally likely."""
    domain = buckets.domains[attribute]
    counts = np.bincount(buckets.cells[:, attribute], minlength=len(domain.labels))
    return CellRuns.of(domain).over_values(counts / max(1, len(buckets.cells)))


def positions_of(values: tuple[str, ...], known: tuple[str, ...]) -> Longs:
    """Position of each value among the known ones; -2 for values that are not there.

    >>> positions_of(("a", "c"), ("c", "d")).tolist()
    [-2, 0]
    """
    place = {value: number for number, value in enumerate(known)}
    return np.array([place.get(value, -2) for value in values], np.int64)


def places_of(values: tuple[str, ...], known: tuple[str, ...], *, numbers: bool) -> Longs:
    """Position of each value among the known ones, numbers by what they are; -2 for values that are not there.

    >>> places_of(("5.0", "7"), ("5", "6"), numbers=True).tolist()
    [0, -2]
    """
    if not numbers:
        return positions_of(values, known)
    place = {float(value): number for number, value in enumerate(known)}
    return np.array([place.get(float(value), -2) for value in values], np.int64)


def _alike(cells: NDArray[np.int32]) -> tuple[Longs, Longs]:
    """Order of rows that puts equal ones side by side, and where each group starts."""
    order = np.lexsort(cells.T[::-1]) if cells.shape[1] else np.arange(len(cells))
    rows = cells[order]
    starts = np.flatnonzero(np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1))))
    return order, np.append(starts if len(rows) else [], len(rows)).astype(np.int64)
