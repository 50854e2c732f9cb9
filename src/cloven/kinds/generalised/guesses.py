"""The questions that a set-generalised release leaves open, and what an attack answers.

For every generalised item there is one *table*: a row for each published record that shows it, a column for each item
it stands for. The question of a cell is whether the item was *added* by generalising, or was there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.data.arrays import positions
from cloven.errors import ReleaseError
from cloven.kinds.generalised.release import SetGeneralised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs


class RowAnswer(IntEnum):
    """What an attack could say about a row of a table."""

    INFORMED = 0
    NO_CONTEXT = 1  # the record shows no item for certain
    NO_SCORE = 2  # the relatedness knows none of what it shows, or none of the items


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """All tables of a release.

    Attributes:
        block: generalised item (block of the release) of each table.
        row_offsets: where each table starts in ``rows``.
        rows: published row of each row of a table, ascending inside a table.
        column_offsets: where each table starts in ``columns``.
        columns: item codes of each table, ascending inside a table.
        cell_offsets: where the cells of each table start, row by row.
    """

    block: Longs
    row_offsets: Longs
    rows: Longs
    column_offsets: Longs
    columns: NDArray[np.int32]
    cell_offsets: Longs

    def __len__(self) -> int:
        return len(self.block)

    def __repr__(self) -> str:
        return f"Tables({len(self):,} tables, {self.cells:,} cells)"

    @property
    def cells(self) -> int:
        """Number of cells of all tables."""
        return int(self.cell_offsets[-1])

    def shape(self, table: int) -> tuple[int, int]:
        """Rows and columns of one table."""
        return (
            int(self.row_offsets[table + 1] - self.row_offsets[table]),
            int(self.column_offsets[table + 1] - self.column_offsets[table]),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The cells of tables, one entry each.

    Attributes:
        tables: the tables.
        line: row of the tables that each cell is in, counted over all tables.
        item: item code.
    """

    tables: Tables
    line: Longs
    item: Longs

    @classmethod
    def of(cls, tables: Tables) -> Cells:
        """Lay the cells out."""
        heights, widths = np.diff(tables.row_offsets), np.diff(tables.column_offsets)
        across = np.repeat(widths, heights)
        item = tables.columns[positions(np.repeat(tables.column_offsets[:-1], heights), across)]
        return cls(tables, np.repeat(np.arange(len(tables.rows)), across), item.astype(np.int64))

    @cached_property
    def row(self) -> Longs:
        """Published row of each cell."""
        return self.tables.rows[self.line]

    @cached_property
    def line_table(self) -> Longs:
        """Table of each line."""
        return np.repeat(np.arange(len(self.tables)), np.diff(self.tables.row_offsets))

    @cached_property
    def line_offsets(self) -> Longs:
        """Where each line starts among the cells."""
        return _offsets(np.bincount(self.line, minlength=len(self.tables.rows)))

    def by_table(self, marks: NDArray[Any]) -> Floats:
        """Sum over the cells of each table."""
        return np.bincount(self.line_table, self.by_line(marks), len(self.tables)).astype(np.float64)

    def by_line(self, marks: NDArray[Any]) -> Floats:
        """Sum over the cells of each line."""
        return np.bincount(self.line, marks, len(self.tables.rows)).astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Eliminations:
    """An attack's answers: for each cell whether the item was added, and how sure the attack is.

    Attributes:
        tables: what was asked.
        eliminated: cells whose item the attack takes for added.
        confidence: probability in 0..1 that the item was added, as the attack sees it.
        order: when each cell was eliminated (0, 1, ... inside its table), -1 for cells that stay.
        answer: a ``RowAnswer`` for each row of each table.
        attack: name and parameters of the attack, as plain JSON values.
        notes: what the attack has to say about itself; plain JSON values.
    """

    tables: Tables
    eliminated: Flags
    confidence: NDArray[np.float32]
    order: NDArray[np.int32]
    answer: NDArray[np.int8]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Eliminations({int(self.eliminated.sum()):,} of {self.tables.cells:,} cells, {self.attack.get('name')})"


# Read off a set-generalised release what it leaves open, and what it shows for certain (see ``guesses``).


def tables(release: SetGeneralised) -> Tables:
    """One table for each generalised item that some row shows. Suppressed items are in no block, so in no table.

    >>> release = SetGeneralised(2, {}, ("flu", "hiv", "knee"), ("", ""), np.array([0, 2, 3]), np.array([0, 1, 2]),
    ...                          np.array([0, 2, 3]), np.array([0, 1, 0]))
    >>> found = tables(release)
    >>> found.shape(0), found.rows.tolist(), found.columns.tolist()
    ((2, 2), [0, 1], [0, 1])
    """
    published_only(release)
    block = np.flatnonzero((release.block_sizes > 1) & (release.supports > 0))
    rows_of, rows = rows_by_block(release)
    heights, widths = np.diff(rows_of)[block], release.block_sizes[block]
    return Tables(
        block,
        _offsets(heights),
        rows[positions(rows_of[block], heights)],
        _offsets(widths),
        release.block_items[positions(release.block_offsets[block], widths)].astype(np.int32),
        _offsets(heights * widths),
    )


class Contexts(NamedTuple):
    """What each row of a release shows for certain: its *contextual* items (definition 3.4).

    Attributes:
        offsets: where each row starts in ``items``.
        items: item codes.
    """

    offsets: Longs
    items: Longs

    def of(self, rows: Longs) -> Contexts:
        """Contexts of some rows."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        return Contexts(_offsets(lengths), self.items[positions(self.offsets[rows], lengths)])


def contexts(release: SetGeneralised, most: int | None = None) -> Contexts:
    """Trivially generalised items of each row; at most ``most`` of them, those in fewest rows first.

    What few rows show says more about a row than what nearly all show.
    """
    single = release.block_sizes[release.row_blocks] == 1
    row, block = release.row_of_entry[single], release.row_blocks[single].astype(np.int64)
    if most is not None:
        order = np.lexsort((block, release.supports[block], row))
        row, block = row[order], block[order]
        counted = np.arange(len(row)) - np.searchsorted(row, row)
        row, block = row[counted < most], block[counted < most]
    lengths = np.bincount(row, minlength=release.records).astype(np.int64)
    return Contexts(_offsets(lengths), release.block_items[release.block_offsets[block]].astype(np.int64))


def rows_by_block(release: SetGeneralised) -> tuple[Longs, Longs]:
    """Rows that show each block, ascending: where each block starts, and the rows."""
    order = np.argsort(release.row_blocks, kind="stable")
    return _offsets(release.supports), release.row_of_entry[order]


def published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, SetGeneralised):
        message = (
            f"an attack works on a published set-generalised release alone (got {type(release).__name__});"
            " give it `result.release`, or what was read from its folder"
        )
        raise ReleaseError(message)


def _offsets(lengths: Longs) -> Longs:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


# Which items are generalised ones, where a release does not say so?
#
# A release may list all items of a generalised item in each row, as if the record held them (section 4.1 of the paper
# on attacks leaves this open). But then these items are always together. So items that exactly the same rows show are
# taken for one generalised item, if there are at least two of them and the rows are at least k: generalising goes on
# until so many records stand behind an item. Items that really always go together are taken for one as well; whoever
# knows the marked release can measure how often (``score``).


def guess_marks(release: SetGeneralised, least_rows: int | None = None) -> SetGeneralised:
    """The release with guessed generalised items instead of its own, rows in the same order.

    Nothing is read but which items each row shows. ``least_rows`` is how many rows must show a generalised item, k if
    it is left out.

    >>> release = SetGeneralised(2, {}, ("flu", "hiv", "knee"), ("", "", ""), np.array([0, 1, 2, 3]),
    ...                          np.array([0, 1, 2]), np.array([0, 3, 5]), np.array([0, 1, 2, 0, 1]))
    >>> list(guess_marks(release))
    [(('flu', 'hiv'), ('knee',)), (('flu', 'hiv'),)]
    """
    least = release.k if least_rows is None else least_rows
    items = np.flatnonzero(release.block_of_item >= 0)
    block = release.block_of_item[items]
    together = release.supports[block] >= max(1, least)
    # Items that stay single get a label of their own, beyond those of the groups.
    return _regrouped(release, items, np.where(together, _alike(release)[block], release.blocks + items))


def _alike(release: SetGeneralised) -> Longs:
    """The first block that exactly the same rows show, for each block."""
    offsets, rows = rows_by_block(release)
    first: dict[bytes, int] = {}
    found = [
        first.setdefault(rows[offsets[block] : offsets[block + 1]].tobytes(), block)
        for block in range(release.blocks)
    ]
    return np.array(found, np.int64)


def _regrouped(release: SetGeneralised, items: Longs, label: Longs) -> SetGeneralised:
    """The release with blocks of the items that have the same label."""
    _, first, block = np.unique(label, return_index=True, return_inverse=True)
    # Blocks stand in the order of their first items.
    block = np.argsort(np.argsort(first))[block]
    order = np.lexsort((items, block))
    sizes = np.bincount(block, minlength=len(first))
    of_item = np.zeros(len(release.vocabulary), np.int64)
    of_item[items] = block
    lengths = release.block_sizes[release.row_blocks]
    shown = of_item[release.block_items[positions(release.block_offsets[release.row_blocks], lengths)]]
    row = np.repeat(release.row_of_entry, lengths)
    cells = np.unique(row * max(1, len(sizes)) + shown)
    row, shown = np.divmod(cells, max(1, len(sizes)))
    return SetGeneralised(
        release.k,
        dict(release.parameters),
        release.vocabulary,
        ("",) * len(sizes),
        _offsets(sizes),
        items[order].astype(np.int32),
        _offsets(np.bincount(row, minlength=release.records)),
        shown.astype(np.int32),
    )
