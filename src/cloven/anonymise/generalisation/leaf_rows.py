"""Records as leaves of a taxonomy: what both searches for a cut read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.disassociation.ordering import take_rows
from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.subtrees import Subtrees
    from cloven.model.transactions import Transactions


@dataclass(frozen=True, eq=False)
class LeafRows:
    """Records over the leaves of a taxonomy.

    Attributes:
        tree: the taxonomy.
        offsets: where each row starts in ``leaves``.
        leaves: leaves of each row, ascending.
        owner: person behind each row, ascending: several rows of one person count once.
        cost: what each node costs as a block: its occurrences times its items, none for a single item. The sum over
            all blocks, divided by occurrences and items, is the NCP.
    """

    tree: Subtrees
    offsets: NDArray[np.int64]
    leaves: NDArray[np.int64]
    owner: NDArray[np.int64]
    cost: NDArray[np.int64]

    @cached_property
    def _by_leaf(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where the rows of each leaf start, and the rows, leaf by leaf."""
        row = np.repeat(np.arange(len(self.owner), dtype=np.int32), np.diff(self.offsets))
        counts = np.bincount(self.leaves, minlength=len(self.tree.leaf_of_item))
        return np.concatenate(([0], np.cumsum(counts))), row[np.argsort(self.leaves, kind="stable")]

    def rows_of(self, node: int) -> NDArray[np.int32]:
        """Rows that hold a leaf below this node, ascending."""
        starts, rows = self._by_leaf
        return distinct(rows[starts[self.tree.low[node]] : starts[self.tree.high[node]]])

    def rows_of_all(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where the rows of each node start, and the rows."""
        held = [self.rows_of(node) for node in range(len(self.tree.parent))]
        lengths = np.fromiter(map(len, held), np.int64, len(held))
        return np.concatenate(([0], np.cumsum(lengths))), np.concatenate(held)


def leaf_rows(data: Transactions, tree: Subtrees) -> LeafRows:
    """Records of the data over the leaves of the taxonomy, those of one person side by side."""
    if data.persons is None:
        order, owner = np.arange(len(data)), np.arange(len(data))
    else:
        order = np.argsort(data.persons, kind="stable")
        owner = np.unique(data.persons[order], return_inverse=True)[1].astype(np.int64)
    width = max(1, len(tree.leaf_of_item))
    offsets, codes = take_rows(data.offsets, data.codes, order)
    row = np.repeat(np.arange(len(data)), np.diff(offsets))
    leaves = np.sort(row * width + tree.leaf_of_item[codes]) % width
    before = np.concatenate(([0], np.cumsum(np.bincount(leaves, minlength=len(tree.leaf_of_item)))))
    cost = (before[tree.high] - before[tree.low]) * np.where(tree.sizes > 1, tree.sizes, 0)
    return LeafRows(tree, offsets, leaves, owner, cost)
