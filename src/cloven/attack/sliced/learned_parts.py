"""What a table may teach: values of buckets, parts that may have them, and what goes with what once it is learned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.model.arrays import positions
from cloven.model.buckets import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.sliced.matching import ColumnParts
    from cloven.model.buckets import Buckets

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]

MOST_PAIRS = 50_000_000
"""Parts and values that may belong together, at most: about two gigabytes."""


@dataclass(frozen=True, eq=False)
class Shown:
    """Values that each bucket shows, and how many copies of each.

    Attributes:
        width: how many values there are.
        offsets: where the values of each bucket start.
        values: the values, ascending in each bucket.
        copies: how many rows have each.
    """

    width: int
    offsets: Longs
    values: Longs
    copies: Floats

    @classmethod
    def of(cls, view: Buckets, place: int) -> Shown:
        """Count the values of buckets; those of a coarse cell are taken as equally likely."""
        from scipy.sparse import csr_array

        labels = len(view.domains[place].labels)
        where = (view.bucket_of_row, view.cells[:, place])
        found = csr_array((np.ones(len(view.cells)), where), shape=(len(view), labels)) @ spread(
            view.domains[place]
        )
        found = found.tocsr()
        found.sum_duplicates()
        return cls(
            len(view.domains[place].values),
            found.indptr.astype(np.int64),
            found.indices.astype(np.int64),
            found.data,
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of one column in every bucket (*slots*), and the values that each may have (*pairs*).

    Attributes:
        bucket: bucket of each slot, ascending.
        part: its part.
        rows: how many rows show it.
        starts: where the pairs of each slot start: one for every value of its bucket.
        slot: slot of each pair.
        value: value of each pair.
        pool: number of the value in its bucket, over all buckets.
        pools: how many these are.
        copies: rows of the bucket that have the value.
        start: chance of each pair to begin with.
        of_bucket: where the slots of each bucket start.
        offered: where the values of each bucket start.
        whole: copies of all values of buckets, -1 where they are no whole number.
        told: whether parts show their value, so that nothing is to be guessed.
    """

    bucket: Longs
    part: Longs
    rows: Floats
    starts: Longs
    slot: Longs
    value: Longs
    pool: Longs
    pools: int
    copies: Floats
    start: Floats
    of_bucket: Longs
    offered: Longs
    whole: Longs
    told: bool

    @classmethod
    def of(cls, view: Buckets, shown: Shown, column: ColumnParts, own: int | None) -> Parts:
        """The slots of a column; ``own`` is the attribute that is to be found out, if it stands in this column."""
        key = view.bucket_of_row * len(column.parts) + column.part_of_row
        slots, slot_of_row = np.unique(key, return_inverse=True)
        slot_of_row = slot_of_row.reshape(-1)
        bucket, part = slots // len(column.parts), slots % len(column.parts)
        rows = np.bincount(slot_of_row, minlength=len(slots)).astype(float)
        lengths = np.diff(shown.offsets)[bucket]
        if int(lengths.sum()) > MOST_PAIRS:
            message = (
                f"{int(lengths.sum()):,} parts and values may belong together, too many to learn from at once; attack a"
                " sample of the rows"
            )
            raise ParameterError(message)
        starts = np.concatenate(([0], np.cumsum(lengths)))[:-1].astype(np.int64)
        pool = positions(shown.offsets[bucket], lengths)
        slot = np.repeat(np.arange(len(slots)), lengths)
        copies = shown.copies[pool]
        start = copies / view.sizes[bucket][slot]
        if own is not None:
            start = _told(view, own, slot_of_row, slot, shown.values[pool], rows)
        whole = np.where(shown.copies == np.rint(shown.copies), shown.copies, -1).astype(np.int64)
        of_bucket = np.searchsorted(bucket, np.arange(len(view) + 1)).astype(np.int64)
        value = shown.values[pool]
        return cls(
            bucket, part, rows, starts, slot, value, pool, len(shown.values), copies, start, of_bucket, shown.offsets,
            whole, own is not None,
        )  # fmt: skip


def _told(view: Buckets, own: int, slot_of_row: Longs, slot: Longs, value: Longs, rows: Floats) -> Floats:
    """Share of the rows of each slot that show each value."""
    from scipy.sparse import csr_array

    domain = view.domains[own]
    where = (slot_of_row, view.cells[:, own])
    seen = csr_array((np.ones(len(slot_of_row)), where), shape=(len(rows), len(domain.labels))) @ spread(
        domain
    )
    out: Floats = np.asarray(seen.tocsr()[slot, value]).reshape(-1) / rows[slot]
    return out


@dataclass(frozen=True, eq=False)
class Taught:
    """What one column teaches.

    Attributes:
        column: the column.
        parts: its parts.
        chance: of each pair of a part and a value.
        theta: of every known attribute, values x sensitive values: how likely the first is with the second.
        coarse: whether some cell stands for several values.
    """

    column: ColumnParts
    parts: Parts
    chance: Floats
    theta: tuple[Floats, ...]
    coarse: bool

    @cached_property
    def lift(self) -> Floats:
        """Rows of a part that have a value, or how many more than by the copies in the bucket alone."""
        rows = self.parts.rows[self.parts.slot] * self.chance
        return rows if self.parts.told else rows / self.parts.copies


def holding(view: Buckets, place: int) -> Any:
    """Cells x values (sparse): 1 where a cell stands for a value."""
    from scipy.sparse import csr_array

    domain = view.domains[place]
    shape = (len(domain.labels), len(domain.values))
    return csr_array((np.ones(len(domain.members)), domain.members, domain.member_offsets), shape=shape)


def coarse(view: Buckets, column: ColumnParts) -> bool:
    """Whether some cell of a column stands for several values."""
    return any(
        len(view.domains[place].members) > len(view.domains[place].labels) for place in column.attributes
    )
