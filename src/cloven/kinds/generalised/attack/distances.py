"""Distance tables: how far is each item of a generalised item from what the record shows (section 4)?

The context of a record counts as its single items, whose distances are averaged (equation 2, which the paper prefers),
or as one conjunction, the documents that hold all of them. Normalised Google distance is used as it is, where the
relatedness knows it. Other measures say how near two items are: their distance is 1 - relatedness; where the averages
of a table exceed 1, their largest takes the place of 1. No attack depends on the unit of distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from cloven.compiled import Floats, Longs, compiled
from cloven.data.arrays import distinct, positions
from cloven.errors import ParameterError
from cloven.kinds.generalised.attack.questions import Contexts, contexts
from cloven.kinds.generalised.guesses import RowAnswer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.kinds.generalised.guesses import Tables
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Related


CONTEXTS = ("mean", "conjunction")
WITHOUT_CONTEXT = ("no-answer", "generalised")
CELLS_AT_ONCE = 20_000_000
"""Distances between items that are held at a time: 160 MB."""


@runtime_checkable
class Distant(Protocol):
    """A relatedness that knows distances."""

    def distances(self, left: Longs, right: Longs) -> Floats:
        """Distance of every left item to every right one; NaN means no score."""
        ...


@runtime_checkable
class Conjunctive(Protocol):
    """A relatedness that knows distances from several items taken together."""

    def conjunctions(self, offsets: Longs, items: Longs, right: Longs) -> Floats:
        """Distance of every conjunction of items to every right item: infinite if never together, NaN for no score."""
        ...


class Distances(NamedTuple):
    """The distances of one table, and a ``RowAnswer`` for each of its rows."""

    table: Floats
    answer: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class DistanceTables:
    """Distances for the tables of a release, one table at a time.

    Attributes:
        release: what is attacked.
        tables: its tables.
        related: how related its items are.
        context: ``mean`` or ``conjunction`` of the contextual items.
        most: contextual items of a row at most, those in fewest rows; None for all.
        without_context: what rows without a contextual item get: ``no-answer``, or distances from the other
            ``generalised`` items of the row, each of which counts the mean over its items.
    """

    release: SetGeneralised
    tables: Tables
    related: Related
    context: str = "mean"
    most: int | None = None
    without_context: str = "no-answer"

    def __post_init__(self) -> None:
        if self.context == "conjunction" and not isinstance(self.related, Conjunctive):
            message = (
                "this relatedness does not know how often several items are together in documents;"
                " take NGD from an index of documents, or context 'mean'"
            )
            raise ParameterError(message)

    @cached_property
    def _contexts(self) -> Contexts:
        return contexts(self.release, self.most)

    def of(self, table: int) -> Distances:
        """Distances of one table."""
        here = slice(self.tables.row_offsets[table], self.tables.row_offsets[table + 1])
        rows = self.tables.rows[here]
        columns = self.columns(table)
        shown = self._contexts.of(rows)
        bare = np.diff(shown.offsets) == 0
        distances = self._measured(shown, columns)
        if self.without_context == "generalised" and bare.any():
            distances[bare], left = self._beside(rows[bare], int(self.tables.block[table]), columns)
            bare[bare] = left
        if not self._are_distances:
            distances = np.nanmax(distances, initial=1.0) - distances
        unknown = np.isnan(distances).all(axis=1)
        answer = np.where(
            bare, RowAnswer.NO_CONTEXT, np.where(unknown, RowAnswer.NO_SCORE, RowAnswer.INFORMED)
        )
        return Distances(distances, answer.astype(np.int8))

    def columns(self, table: int) -> Longs:
        """Items of one table."""
        here = slice(self.tables.column_offsets[table], self.tables.column_offsets[table + 1])
        return self.tables.columns[here].astype(np.int64)

    def _measured(self, shown: Contexts, columns: Longs) -> Floats:
        """Distances, or relatedness where nothing else is known."""
        if self.context == "conjunction" and isinstance(self.related, Conjunctive):
            found = self.related.conjunctions(shown.offsets, shown.items, columns)
            found[np.diff(shown.offsets) == 0] = np.nan
            return found
        return self._averaged(shown, columns)

    def _averaged(self, shown: Contexts, columns: Longs) -> Floats:
        """Equation 2, a slice of the columns at a time."""
        items = distinct(shown.items)
        local = np.searchsorted(items, shown.items)
        out = np.empty((len(shown.offsets) - 1, len(columns)))
        step = max(1, CELLS_AT_ONCE // max(1, len(items)))
        for start in range(0, len(columns), step):
            part = slice(start, start + step)
            out[:, part] = averaged(shown.offsets, local, self._pairs(items, columns[part]))
        return out

    @property
    def _are_distances(self) -> bool:
        return self.context == "conjunction" or isinstance(self.related, Distant)

    def _pairs(self, items: Longs, columns: Longs) -> Floats:
        if isinstance(self.related, Distant):
            return self.related.distances(items, columns)
        return self.related.block(items, columns)

    def _beside(self, rows: Longs, block: int, columns: Longs) -> tuple[Floats, NDArray[np.bool_]]:
        """Distances of rows without context from their other generalised items, and which rows have none."""
        release = self.release
        lengths = release.row_offsets[rows + 1] - release.row_offsets[rows]
        blocks = release.row_blocks[positions(release.row_offsets[rows], lengths)].astype(np.int64)
        row = np.repeat(np.arange(len(rows)), lengths)[blocks != block]
        blocks = blocks[blocks != block]
        used = distinct(blocks)
        sizes = release.block_sizes[used]
        items = release.block_items[positions(release.block_offsets[used], sizes)].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        means = self._averaged(Contexts(offsets, items), columns)
        many = np.bincount(row, minlength=len(rows))
        starts = np.concatenate(([0], np.cumsum(many))).astype(np.int64)
        return averaged(starts, np.searchsorted(used, blocks), means), many == 0


# Means over contextual items, and over generalised items that stand in for them.


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints


@compiled
def averaged(offsets: Ints, members: Ints, table: Floats) -> Floats:
    """Mean of some lines of a table for each set of members, column by column; NaN is left out of the mean.

    Set ``i`` has the lines ``members[offsets[i]:offsets[i + 1]]``; NaN where none of them has a value.
    """
    sets, columns = len(offsets) - 1, table.shape[1]
    mean = np.empty((sets, columns))
    total, many = np.empty(columns), np.empty(columns)
    for i in range(sets):
        total[:], many[:] = 0.0, 0.0
        for at in range(offsets[i], offsets[i + 1]):
            line = members[at]
            for j in range(columns):
                if not np.isnan(table[line, j]):
                    total[j] += table[line, j]
                    many[j] += 1
        for j in range(columns):
            mean[i, j] = total[j] / many[j] if many[j] > 0 else np.nan
    return mean
