"""Records into blocks: by counts while they do not fit into memory, then part by part."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.disassociated.blocks.clusters import rows_of
from cloven.kinds.disassociated.blocks.splits import Node, grown, in_order, tree_of
from cloven.kinds.disassociated.blocks.subtrees import PER_OCCURRENCE, PER_RECORD, divided
from cloven.kinds.disassociated.spilled.counting import ShelfCounting
from cloven.storage.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Ints, Longs
    from cloven.kinds.disassociated.blocks.splits import Leaf
    from cloven.kinds.disassociated.spilled.room import Room

CELL = 8
"""Bytes of a count."""


class Parts(NamedTuple):
    """The tree of splits, the records of each leaf (``record``, ``rank``, ``codes``), and how many items they have."""

    nodes: list[Node]
    shelf: Shelf
    weights: dict[int, int]


class Divided(NamedTuple):
    """Blocks: the records of their leaves, and how many items each has."""

    shelf: Shelf
    blocks: list[Leaf]
    weights: Longs


@dataclass(frozen=True)
class Division:
    """How records are divided.

    Attributes:
        place: place of each item among equally frequent ones: the number of its term.
        barred: terms that nothing is split by.
        room: the memory there is.
        folder: for shelves.
        shelves: their numbers.
    """

    place: NDArray[np.int32]
    barred: Longs
    room: Room
    folder: Path
    shelves: Iterator[int] = field(default_factory=count)

    def coarse(self, ranked: Shelf, records: int, items: int, most: int) -> Parts:
        """Parts that fit into memory, by counts over all records; the shelf of the records is emptied."""
        share = min(1.0, self.room.work / (PER_OCCURRENCE * items + PER_RECORD * records))
        fitting = records if share == 1.0 else max(most, int(records * share / 2))
        cells = max(1, self.room.held // CELL)
        counting = ShelfCounting(ranked, self.place, frozenset(self.barred.tolist()), cells, self._shelf)
        nodes = grown(counting, records, fitting)
        counting.close()
        shelf, rank = self._shelf(), 0
        weights: dict[int, int] = {}
        for table, (leaf, offsets, _) in zip(ranked.pieces(0), counting.leaves(tree_of(nodes)), strict=True):
            _put(shelf, weights, leaf, np.diff(offsets), _ranked(table, rank))
            rank += len(table)
        ranked.remove()
        shelf.close()
        return Parts(nodes, shelf, weights)

    def finer(self, parts: Parts, most: int) -> Parts:
        """Parts of at most so many records, where they can be split; the shelf of the larger ones is emptied."""
        nodes, shelf = parts.nodes, self._shelf()
        weights: dict[int, int] = {}
        for leaf in in_order(nodes):
            if nodes[leaf].size <= most or self._alike(parts, leaf):
                for table in parts.shelf.pieces(leaf):
                    shelf.put(leaf, table)
                weights[leaf] = parts.weights[leaf]
                continue
            table = parts.shelf.take(leaf)
            offsets, codes = rows_of(table.column("codes"))
            found = divided(nodes, leaf, offsets, self.place[codes], self.barred, len(self.place), most)
            del codes  # as large as all that follows
            _put(shelf, weights, found, np.diff(offsets), table)
        parts.shelf.remove()
        shelf.close()
        return Parts(nodes, shelf, weights)

    def _alike(self, parts: Parts, leaf: int) -> bool:
        """Whether no term is left to split a part by."""
        spent = np.zeros(len(self.place), bool)
        spent[self.barred] = True
        spent[list(parts.nodes[leaf].spent)] = True
        pieces = parts.shelf.pieces(leaf)
        return all(spent[self.place[rows_of(table.column("codes"))[1]]].all() for table in pieces)

    def _shelf(self) -> Shelf:
        return Shelf(self.folder / f"blocks-{next(self.shelves)}.arrow", self.room.held)


def _put(shelf: Shelf, weights: dict[int, int], leaf: Ints, lengths: Longs, table: pa.Table) -> None:
    """Put records to their leaves, and add up how many items these have."""
    items = np.bincount(leaf, lengths)
    for at in np.flatnonzero(items).tolist():
        weights[at] = weights.get(at, 0) + int(items[at])
    shelf.scatter(leaf, table)


def _ranked(table: pa.Table, first: int) -> pa.Table:
    import pyarrow as pa

    return table.append_column("rank", pa.array(np.arange(first, first + len(table))))
