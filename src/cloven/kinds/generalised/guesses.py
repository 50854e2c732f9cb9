"""The questions that a set-generalised release leaves open, and what an attack answers.

For every generalised item there is one *table*: a row for each published record that shows it, a column for each item
it stands for. The question of a cell is whether the item was *added* by generalising, or was there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


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

    block: NDArray[np.int64]
    row_offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    column_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    cell_offsets: NDArray[np.int64]
    ARRAYS: ClassVar[tuple[str, ...]] = (
        "block",
        "row_offsets",
        "rows",
        "column_offsets",
        "columns",
        "cell_offsets",
    )

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
    eliminated: NDArray[np.bool_]
    confidence: NDArray[np.float32]
    order: NDArray[np.int32]
    answer: NDArray[np.int8]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Eliminations({int(self.eliminated.sum()):,} of {self.tables.cells:,} cells, {self.attack.get('name')})"
