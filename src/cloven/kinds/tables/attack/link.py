"""Record linkage: which row of a release is a person's?

In a generalised table a row is a row. A sliced table hides which parts of a bucket belong together, so a *row* there is
a bucket and one part of each of its columns; it is the person's if all of its parts are. Every part is a candidate of
its own, even among equal ones. With C columns, a bucket of n rows and w(t, part) = 0 if a part does not fit what is
known of person t, else the product over known attributes of 1 / (values that the cell stands for), a row weighs

    n^(1 - C) * product over columns of w(t, part)

which is, summed over all rows, the number of rows with exactly t's values that is to be expected (``matching``). The
confidence is the weight divided by that sum. A column without anything that is known leaves n parts to choose from, so
no row of a bucket is likelier than 1/n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.kinds.tables.attack.matching import NOTHING, ColumnParts
from cloven.kinds.tables.buckets import Buckets, cell_sizes
from cloven.kinds.tables.cells import CellRuns
from cloven.kinds.tables.release import Sliced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.tables.release import TableRelease


_PERSONS = 2000  # worked on at once


@dataclass(frozen=True, eq=False, repr=False)
class RowGuesses:
    """Which row each person may have.

    Attributes:
        matched: how many buckets (or classes) fit.
        candidates: how many rows these have.
        rows: expected number of rows with exactly the values known of the person.
        confidence: how likely the likeliest row is theirs, as the attack sees it; 0 where nothing fits.
        ties: how many rows are as likely as that.
        attack: name and parameters of the attack, as plain JSON values.
        release: the release as the attacker understands it.
        known: what is known of the persons.
    """

    matched: Longs
    candidates: Longs
    rows: Floats
    confidence: Floats
    ties: Floats
    attack: Mapping[str, Any]
    release: TableRelease
    known: Known

    def __len__(self) -> int:
        return len(self.matched)

    def __repr__(self) -> str:
        return f"RowGuesses({len(self):,} persons, {int((self.ties == 1).sum()):,} with one likeliest row)"

    def sure_of(self, rows: Longs) -> Floats:
        """Confidence that a row is the person's.

        Args:
            rows: persons x columns: row of the release in which the part of each column stands; all of one bucket. A
                generalised table has one column. Rows below 0 are nobody's.
        """
        weight, there = np.ones(len(self)), (rows >= 0).all(axis=1)
        for number, column in enumerate(self.release.columns):
            weight *= self._weights(column, np.where(there, rows[:, number], 0))
        if isinstance(self.release, Sliced):
            sizes = np.diff(self.release.bucket_offsets)
            bucket = np.searchsorted(self.release.bucket_offsets, rows[:, 0], "right") - 1
            weight *= sizes[np.where(there, bucket, 0)].astype(float) ** (1 - rows.shape[1])
        found = there & (self.rows > 0)
        return np.divide(weight, self.rows, out=np.zeros(len(self)), where=found)

    def _weights(self, column: tuple[int, ...], rows: Longs) -> Floats:
        """What one part weighs for each person."""
        out = np.ones(len(self))
        for place in column:
            domain = self.release.domains[place]
            code, cell = self.known.at(domain), self.release.cells[rows, place]
            fits = CellRuns.of(domain).stand_for(code, cell)
            out *= np.where(code == -1, 1.0, fits / cell_sizes(domain)[cell])
        return out


@dataclass(frozen=True)
class RecordLinkage:
    """Find the row of a person by their quasi-identifiers."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "record linkage"}

    def guess(self, release: TableRelease, known: Known) -> RowGuesses:
        """Guess the row of every person."""
        shown = known.reads(release)
        buckets = Buckets.of(shown)
        # No attribute is to be found out, so none is left out.
        columns = [ColumnParts.of(buckets, known, number, NOTHING) for number in range(len(buckets.columns))]
        slots = _Slots.of(columns)
        found = np.zeros((len(known), 5))
        for start in range(0, len(known), _PERSONS):
            block = np.arange(start, min(start + _PERSONS, len(known)))
            found[block] = _best(columns, slots, known.take(block), buckets)
        matched, candidates = found[:, 0].astype(np.int64), found[:, 1].astype(np.int64)
        total, best = found[:, 2], found[:, 3]
        confidence = np.divide(best, total, out=np.zeros(len(known)), where=total > 0)
        return RowGuesses(matched, candidates, total, confidence, found[:, 4], self.parameters, shown, known)


@dataclass(frozen=True, eq=False)
class _Slots:
    """In which buckets the parts of all columns stand, one column after the other."""

    base: Longs
    starts: Longs
    bucket: Longs
    rows: Longs

    @classmethod
    def of(cls, columns: list[ColumnParts]) -> _Slots:
        base, starts, bucket, rows = [0], [np.zeros(1, np.int64)], [], []
        for column in columns:
            shares = column.shares.tocsr()
            inside = shares.indices.astype(np.int64)
            starts.append(starts[-1][-1] + shares.indptr[1:].astype(np.int64))
            base.append(base[-1] + len(column.parts))
            bucket.append(inside)
            rows.append(np.rint(shares.data * column.buckets.sizes[inside]).astype(np.int64))
        return cls(
            np.array(base[:-1], np.int64),
            np.concatenate(starts),
            np.concatenate(bucket),
            np.concatenate(rows),
        )


def _best(columns: list[ColumnParts], slots: _Slots, known: Known, buckets: Buckets) -> Floats:
    fitting = [column.parts_of(known)[1] for column in columns]
    before = np.cumsum([0, *(len(each.data) for each in fitting)])[:-1]
    starts = np.stack([each.indptr + first for each, first in zip(fitting, before, strict=True)])
    return likeliest(
        starts.astype(np.int64),
        np.concatenate([each.indices for each in fitting]).astype(np.int64),
        np.concatenate([each.data for each in fitting]),
        slots.starts,
        slots.bucket,
        slots.rows,
        slots.base,
        buckets.sizes,
    )


# Which row is likeliest for each person: best parts of every column, bucket by bucket.


SAME = 1e-9  # weights this close, relatively, are equal


@compiled
def likeliest(
    fit_starts: Ints,
    fits: Ints,
    weights: Floats,
    slot_starts: Ints,
    slot_bucket: Ints,
    slot_rows: Ints,
    part_base: Ints,
    sizes: Ints,
) -> Floats:  # pragma: no cover - compiled
    """Persons x (buckets that fit, their rows, expected rows, weight of the best row, how many rows are that good).

    ``fits[fit_starts[column, person]:...]`` are the parts of a column that fit a person, with ``weights``. The rows
    that show part p of a column stand in the buckets ``slot_bucket[slot_starts[part_base[column] + p]:...]``, each
    with ``slot_rows``. A row is one part of every column of a bucket of n rows; it weighs n to the power of 1 - columns
    times the weights of its parts, which sums to the expected rows.
    """
    columns, persons, buckets = fit_starts.shape[0], fit_starts.shape[1] - 1, len(sizes)
    out = np.zeros((persons, 5))
    reached, now = np.full(buckets, -1, np.int64), np.full(buckets, -1, np.int64)
    best, ties, total = np.zeros(buckets), np.zeros(buckets), np.zeros(buckets)  # of the columns before
    top, count, mass = np.zeros(buckets), np.zeros(buckets), np.zeros(buckets)  # of this column
    touched = np.empty(buckets, np.int64)
    for person in range(persons):
        number = 0
        for column in range(columns):
            token = person * (columns + 1) + column
            number = 0
            for place in range(fit_starts[column, person], fit_starts[column, person + 1]):
                part, weight = part_base[column] + fits[place], weights[place]
                for slot in range(slot_starts[part], slot_starts[part + 1]):
                    bucket, rows = slot_bucket[slot], slot_rows[slot]
                    if column > 0 and reached[bucket] != token:
                        continue
                    if now[bucket] != token:
                        now[bucket] = token
                        touched[number] = bucket
                        number += 1
                        top[bucket] = weight
                        count[bucket] = rows
                        mass[bucket] = weight * rows
                        continue
                    mass[bucket] += weight * rows
                    if weight > top[bucket] * (1 + SAME):
                        top[bucket] = weight
                        count[bucket] = rows
                    elif weight >= top[bucket] * (1 - SAME):
                        count[bucket] += rows
            for place in range(number):
                bucket = touched[place]
                first = column == 0
                best[bucket] = top[bucket] if first else best[bucket] * top[bucket] / sizes[bucket]
                ties[bucket] = count[bucket] if first else ties[bucket] * count[bucket]
                total[bucket] = mass[bucket] if first else total[bucket] * mass[bucket] / sizes[bucket]
                reached[bucket] = token + 1
        for place in range(number):
            bucket = touched[place]
            out[person, 0] += 1
            out[person, 1] += sizes[bucket]
            out[person, 2] += total[bucket]
            if best[bucket] > out[person, 3] * (1 + SAME):
                out[person, 3] = best[bucket]
                out[person, 4] = ties[bucket]
            elif best[bucket] >= out[person, 3] * (1 - SAME):
                out[person, 4] += ties[bucket]
    return out
