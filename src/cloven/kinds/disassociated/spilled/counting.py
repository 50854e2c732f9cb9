"""Counting over records that lie on a shelf: what ``blocks.splits`` asks, piece by piece.

After every round the records of parts that are settled are left behind: the next one reads what is still open, and
goes down the tree from where it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.kinds.disassociated.blocks.clusters import rows_of
from cloven.kinds.disassociated.blocks.splits import Profiles, Top, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.storage.shelf import Shelf


@dataclass
class ShelfCounting:
    """Counts over records with a column ``codes``.

    Attributes:
        records: the records, in compartment 0.
        place: place of each item among equally frequent ones: the number of its term.
        barred: terms that nothing is split by.
        cells: numbers that may be counted at once; where there are more, the records are read again.
        new: makes a shelf for records of open parts.
    """

    records: Shelf
    place: NDArray[np.int32]
    barred: frozenset[int]
    cells: int
    new: Callable[[], Shelf]
    _open: Shelf | None = None

    def top(self, tree: Tree, spent: Mapping[int, frozenset[int]], many: int) -> dict[int, Top]:
        """The most frequent terms of each leaf named."""
        found = {}
        for leaves in self._groups(sorted(spent)):
            counts = np.zeros((len(leaves), len(self.place)), np.int64)
            slot = _slots(tree, leaves)
            for leaf, offsets, terms in self._opened(tree):
                count_terms(slot[leaf], offsets, terms, counts)
            for row, name in enumerate(leaves):
                counts[row, list(spent[name] | self.barred)] = 0
                ranked = np.argsort(-counts[row], kind="stable")[:many]
                ranked = ranked[counts[row, ranked] > 0]
                found[name] = Top(tuple(ranked.tolist()), tuple(counts[row, ranked].tolist()))
        return found

    def profiles(self, tree: Tree, terms: Mapping[int, Sequence[int]]) -> dict[int, Profiles]:
        """How many records of each leaf named hold which of its terms."""
        found = {}
        for leaves in self._groups(sorted(terms)):
            bit = np.full((len(leaves), len(self.place)), -1, np.int8)
            for row, name in enumerate(leaves):
                bit[row, list(terms[name])] = np.arange(len(terms[name]))
            counts = np.zeros((len(leaves), 1 << max(len(terms[name]) for name in leaves)), np.int64)
            slot = _slots(tree, leaves)
            for leaf, offsets, held in self._opened(tree):
                count_masks(slot[leaf], offsets, held, bit, counts)
            for row, name in enumerate(leaves):
                masks = np.flatnonzero(counts[row])
                found[name] = Profiles(masks, counts[row, masks])
        return found

    def leaves(self, tree: Tree) -> Iterator[tuple[Longs, Longs, NDArray[np.int32]]]:
        """Leaf of each record, and the records as rows of terms, piece by piece."""
        return self._down(self.records, tree)

    def close(self) -> None:
        """No more is asked."""
        if self._open is not None:
            self._open.remove()

    def _opened(self, tree: Tree) -> Iterator[tuple[Longs, Longs, NDArray[np.int32]]]:
        """The same of the records of open parts."""
        return self._down(self._open or self.records, tree)

    def _down(self, shelf: Shelf, tree: Tree) -> Iterator[tuple[Longs, Longs, NDArray[np.int32]]]:
        for table in shelf.pieces(0):
            offsets, codes = rows_of(table.column("codes"))
            terms = self.place[codes]
            known = "leaf" in table.column_names
            start = table.column("leaf").to_numpy() if known else np.zeros(len(table), np.int64)
            yield descend(start, offsets, terms, len(self.place), *tree), offsets, terms

    def narrow(self, tree: Tree, leaves: Sequence[int], records: int) -> None:  # noqa: ARG002 - all are left behind
        """Keep the records of these leaves alone, with where they are."""
        import pyarrow as pa

        if len(tree.term) == 1:
            return
        kept, slot = self.new(), _slots(tree, leaves)
        old = self._open or self.records
        for table, (leaf, _, _) in zip(old.pieces(0), self._down(old, tree), strict=True):
            here = pa.array(slot[leaf] >= 0)
            found = table.select(["codes"]).append_column("leaf", pa.array(leaf))
            kept.put(0, found.filter(here))
        kept.close()
        self.close()
        self._open = kept

    def _groups(self, leaves: list[int]) -> Iterator[list[int]]:
        """As many leaves at once as there is room for."""
        size = max(1, self.cells // max(1, len(self.place)))
        for start in range(0, len(leaves), size):
            yield leaves[start : start + size]


def _slots(tree: Tree, leaves: Sequence[int]) -> Longs:
    """Row of each node among the leaves that are counted, or -1."""
    slot = np.full(len(tree.term), -1, np.int64)
    slot[leaves] = np.arange(len(leaves))
    return slot


@compiled
def count_terms(slot: Ints, offsets: Ints, terms: Ints, counts: Ints) -> None:
    """Add how many records of each slot hold each term."""
    for record in range(len(slot)):
        if slot[record] >= 0:
            for e in range(offsets[record], offsets[record + 1]):
                counts[slot[record], terms[e]] += 1


@compiled
def count_masks(slot: Ints, offsets: Ints, terms: Ints, bit: Ints, counts: Ints) -> None:
    """Add how many records of each slot have each profile."""
    for record in range(len(slot)):
        if slot[record] >= 0:
            mask = 0
            for e in range(offsets[record], offsets[record + 1]):
                at = bit[slot[record], terms[e]]
                if at >= 0:
                    mask |= 1 << int(at)
            counts[slot[record], mask] += 1


@compiled
def descend(
    start: Ints, offsets: Ints, terms: Ints, n_terms: int, split: Ints, having: Ints, rest: Ints
) -> Ints:
    """Leaf of each record, from a node above it."""
    last = np.full(n_terms, -1, np.int64)
    leaf = np.empty(len(start), np.int64)
    for record in range(len(start)):
        node = start[record]
        if split[node] >= 0:
            for e in range(offsets[record], offsets[record + 1]):
                last[terms[e]] = record
            while split[node] >= 0:
                node = having[node] if last[split[node]] == record else rest[node]
        leaf[record] = node
    return leaf
