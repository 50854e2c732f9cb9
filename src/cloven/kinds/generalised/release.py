"""A published set-generalised release: all that the world sees.

The items are put into disjoint *blocks*. A record is published as the blocks that it touches: a block of one item says
that the record holds it, a larger one (a *generalised item*) says that it holds at least one of its items, not which
(Loukides et al. 2011; definition 3.3 of the paper on attacks). Suppressed items are in no block.

The arrays mirror the tables on disk. All orders are canonical: blocks are sorted by their items, rows by their blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.arrays import freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.counts import Count


Names = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SetGeneralised:
    """A set-generalised release.

    Attributes:
        k: the support that protected combinations of items have at least.
        parameters: method and parameters that made it, as plain JSON values.
        vocabulary: published items, ascending by code point.
        block_labels: a name for each block, such as a group of a taxonomy; empty for most.
        block_offsets: where each block starts in ``block_items``.
        block_items: item codes (positions in ``vocabulary``), ascending inside a block.
        row_offsets: where each row starts in ``row_blocks``.
        row_blocks: numbers of the blocks of each row, ascending inside a row; rows may be empty.
    """

    k: int
    parameters: Mapping[str, Any]
    vocabulary: Names
    block_labels: Names
    block_offsets: Longs
    block_items: NDArray[np.int32]
    row_offsets: Longs
    row_blocks: NDArray[np.int32]
    family: ClassVar[str] = "generalisation"
    ARRAYS: ClassVar[tuple[str, ...]] = ("block_offsets", "block_items", "row_offsets", "row_blocks")

    def __post_init__(self) -> None:
        freeze(self, self.ARRAYS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetGeneralised):
            return NotImplemented
        return (
            (self.k, dict(self.parameters)) == (other.k, dict(other.parameters))
            and (self.vocabulary, self.block_labels) == (other.vocabulary, other.block_labels)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self.ARRAYS)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"SetGeneralised(k={self.k}, {self.records:,} records, {len(self.vocabulary):,} items in"
            f" {self.blocks:,} blocks)"
        )

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        figures = {"records": self.records, "items": len(self.vocabulary), "blocks": self.blocks, "k": self.k}
        return card("Set-generalised release", figures)

    @property
    def records(self) -> int:
        """Number of records published."""
        return len(self.row_offsets) - 1

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.block_offsets) - 1

    @cached_property
    def block_sizes(self) -> Longs:
        """Number of items of each block; blocks above 1 are generalised items."""
        return np.diff(self.block_offsets)

    @cached_property
    def supports(self) -> Longs:
        """Number of rows that each block is in."""
        return np.bincount(self.row_blocks, minlength=self.blocks).astype(np.int64)

    @cached_property
    def block_of_item(self) -> Longs:
        """Block of each item; -1 for an item in none, which no sound release has."""
        block = np.full(len(self.vocabulary), -1, np.int64)
        block[self.block_items] = np.repeat(np.arange(self.blocks), self.block_sizes)
        return block

    @property
    def row_of_entry(self) -> Longs:
        """Row of each entry of ``row_blocks``."""
        return np.repeat(np.arange(self.records), np.diff(self.row_offsets))

    def block(self, number: int) -> Names:
        """Items of one block."""
        codes = self.block_items[self.block_offsets[number] : self.block_offsets[number + 1]]
        return tuple(self.vocabulary[code] for code in codes.tolist())

    def row(self, number: int) -> tuple[Names, ...]:
        """Blocks of one row, each with its items."""
        blocks = self.row_blocks[self.row_offsets[number] : self.row_offsets[number + 1]]
        return tuple(self.block(block) for block in blocks.tolist())

    def count(self, items: Iterable[str]) -> Count:
        """How many records hold all of these items: for certain, likely, at most; all that is possible is likely."""
        from cloven.kinds.generalised.counts import count

        return count(self, items)

    def __iter__(self) -> Iterator[tuple[Names, ...]]:
        return (self.row(number) for number in range(self.records))
