"""Noisy counts of all combinations of pieces and classes, and the table that they make: the second half of DiffGen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cloven.anonymise.slicing.cells import smallest_covers, value_cells
from cloven.anonymise.slicing.drawing import noise_scale
from cloven.errors import ParameterError
from cloven.model.number_blocks import number_text
from cloven.model.published_table import GeneralisedTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.cells import Cells
    from cloven.anonymise.slicing.drawing import Drawing
    from cloven.anonymise.slicing.specialising import Piece
    from cloven.model.table import Attribute, Table

Counts = Literal["consistent", "clip"]
TOTAL_SHARE = Fraction(1, 20)
"""Share of the budget of counts that buys the number of rows."""
MOST_COUNTS = 2_000_000
"""Noisy counts that are worth drawing; where there are more, noise buries the data."""
MOST_ROWS = 50_000_000
"""Rows of noise alone that are worth making up."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each row: the sensitive attributes, jointly.

    Attributes:
        places: the sensitive attributes.
        widths: number of values of each.
        of_row: class of each row.
    """

    places: tuple[int, ...]
    widths: tuple[int, ...]
    of_row: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> Classes:
        """Classes of a table; more than can be counted are refused."""
        places = table.positions("sensitive")
        widths = tuple(len(table.attributes[place]) for place in places)
        if prod(widths) > MOST_COUNTS:
            named = " x ".join(
                f"{width:,} of {table.attributes[place].name}"
                for place, width in zip(places, widths, strict=True)
            )
            message = (
                f"the sensitive values ({named}) have {prod(widths):,} combinations, and diffgen counts them all (at"
                f" most {MOST_COUNTS:,}); make fewer columns sensitive, or coarser ones"
            )
            raise ParameterError(message)
        codes = [table.codes[:, place] for place in places]
        return cls(places, widths, np.ravel_multi_index(codes, widths).astype(np.int64))

    @property
    def number(self) -> int:
        """How many there are."""
        return prod(self.widths)


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Counts of one table.

    Attributes:
        table: the rows, numbers by block.
        classes: class of each row.
        looks: the quasi-identifiers.
        cuts: pieces of each of them.
    """

    table: Table
    classes: Classes
    looks: tuple[int, ...]
    cuts: list[list[Piece]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Pieces of each quasi-identifier, and classes."""
        return (*(len(cut) for cut in self.cuts), self.classes.number)

    def drawn(self, budget: Fraction, how: Counts, drawing: Drawing) -> NDArray[np.int64]:
        """Leaf of each row to publish: a combination of pieces and a class, as often as its noisy count says."""
        self._check(budget, how)
        pieces = [
            _piece_of_value(self.table.attributes[place], cut)[self.table.codes[:, place]]
            for place, cut in zip(self.looks, self.cuts, strict=True)
        ]
        leaf = np.ravel_multi_index([*pieces, self.classes.of_row], self.shape)
        counts = np.bincount(leaf, minlength=prod(self.shape))
        for_total = TOTAL_SHARE if how == "consistent" else Fraction(0)
        shown = counts + drawing.noise(len(counts), noise_scale(1, budget * (1 - for_total)))
        if for_total:
            noise = drawing.noise(1, noise_scale(1, budget * for_total))
            shown = consistent(shown, len(self.table) + int(noise[0]))
        # Where nothing is left, nothing is what is published: whoever sees a refusal, or knows of another try, learns
        # that the noise was low here, which the budget does not pay for.
        return np.repeat(np.arange(len(shown)), np.maximum(0, shown))

    def _check(self, budget: Fraction, how: Counts) -> None:
        """Refuse more counts, or more rows of noise, than are worth drawing. Neither depends on the rows."""
        counts = prod(self.shape)
        if counts > MOST_COUNTS:
            message = (
                f"the specialisations make {counts:,} counts, most of them empty but for noise; choose fewer"
                f" specialisations (at most {MOST_COUNTS:,} counts)"
            )
            raise ParameterError(message)
        rows = float(counts / budget / 2)
        if how == "clip" and rows > MOST_ROWS:
            message = (
                f"{counts:,} clipped counts would make up about {rows:,.0f} rows of noise; choose counts ="
                " 'consistent', fewer specialisations or a larger eps"
            )
            raise ParameterError(message)

    def release(self, leaves: NDArray[np.int64], parameters: Mapping[str, Any]) -> GeneralisedTable:
        """The table that shows these leaves; without any, a table without rows that shows no cell."""
        found = np.unravel_index(leaves, self.shape)
        values = dict(zip(self.classes.places, np.unravel_index(found[-1], self.classes.widths), strict=True))
        pieces = dict(zip(self.looks, zip(found[:-1], self.cuts, strict=True), strict=True))
        shown: list[Cells] = []
        columns: list[NDArray[np.int32]] = []
        for place in sorted((*values, *pieces)):
            attribute = self.table.attributes[place]
            if place in values:
                shown.append(value_cells(attribute, values[place].astype(np.int32)))
                columns.append(shown[-1].of_group)
            else:
                piece, cut = pieces[place]
                used, number = np.unique(piece, return_inverse=True)
                kept = [cut[each] for each in used.tolist()]  # no cell that noise has emptied
                nothing = value_cells(attribute, np.empty(0, np.int32))
                shown.append(_covers(attribute, kept) if kept else nothing)
                columns.append(shown[-1].of_group[number])
        cells = np.column_stack(columns).astype(np.int32)
        cells = cells[np.lexsort(cells.T[::-1])]
        return GeneralisedTable(1, dict(parameters), tuple(each.domain for each in shown), cells)


def consistent(noisy: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Noisy counts lowered alike, as little as possible, until the positive ones are no more than a total.

    >>> np.maximum(0, consistent(np.array([10, 3, -2, -3]), 8)).tolist()
    [7, 0, 0, 0]
    """
    total = max(0, total)
    ordered = np.sort(noisy)[::-1]
    # Lowered by the size of the next one, the first few together have so many.
    levels = np.cumsum(ordered) - ordered * np.arange(1, len(ordered) + 1)
    first = int(np.searchsorted(levels, total, side="right"))
    above = int(ordered[:first].sum()) - total
    return noisy - max(0, -(-above // max(1, first)))


def _piece_of_value(attribute: Attribute, cut: list[Piece]) -> NDArray[np.int64]:
    piece = np.empty(len(attribute), np.int64)
    for number, each in enumerate(cut):
        piece[each.values] = number
    return piece


def _covers(attribute: Attribute, cut: list[Piece]) -> Cells:
    """The cell of each piece; numbers from the first of its first block to the last of its last one."""
    if attribute.blocks is None or attribute.tree is not None:
        offsets = np.concatenate(([0], np.cumsum([len(piece.values) for piece in cut]))).astype(np.int64)
        return smallest_covers(attribute, np.concatenate([piece.values for piece in cut]), offsets)
    ends = np.array([(attribute.blocks.lows[p.values[0]], attribute.blocks.highs[p.values[-1]]) for p in cut])
    numbers = np.unique(ends)
    shown = replace(attribute, values=tuple(map(number_text, numbers.tolist())), numbers=numbers, blocks=None)
    codes = np.searchsorted(numbers, ends.ravel()).astype(np.int32)
    return smallest_covers(shown, codes, np.arange(0, len(codes) + 1, 2))
