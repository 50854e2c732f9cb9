"""Cell generalisation: what happens to selected values that no partner could be found for.

The value of such a cell gives way to the next node above it in the taxonomy, in this cell only, and further up until
k rows of its class can show the same node (BinJubier et al. 2022, Algorithm 2, line 5: "to satisfy k-anonymity"). Where
fewer than k were to be generalised, other rows of the class below that node, drawn by lot, show it too: a node
shown by one row would point at it. Whoever knows class and value of somebody then finds k rows that fit, or the
whole class where it has fewer rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.lots import shuffled
from cloven.anonymise.slicing.rank_groups import paths, wider

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.lots import Lots
    from cloven.model.value_tree import ValueTree


def generalise_cells(
    values: NDArray[np.int32],
    class_of: NDArray[np.int64],
    stuck: NDArray[np.bool_],
    tree: ValueTree,
    k: int,
    lots: Lots,
) -> NDArray[np.int32]:
    """Node that each row shows of one attribute; -1 where it shows its value.

    Args:
        values: value of each row.
        class_of: class of each row.
        stuck: rows whose value must be generalised.
        tree: taxonomy of the attribute.
        k: rows of a class that show a node, at least.
        lots: where random numbers come from.
    """
    shown = np.full(len(values), -1, np.int32)
    above, covering = wider(tree), paths(tree)
    for number in np.unique(class_of[stuck]).tolist():
        rows = np.flatnonzero(class_of == number)
        shown[rows] = _in_class(values[rows], stuck[rows], tree, above, covering, k, lots)
    return shown


def _in_class(
    values: NDArray[np.int32],
    stuck: NDArray[np.bool_],
    tree: ValueTree,
    above: NDArray[np.int32],
    covering: NDArray[np.int32],
    k: int,
    lots: Lots,
) -> NDArray[np.int32]:
    """Node that each row of one class shows, from the lowest nodes up."""
    shown = np.where(stuck, above[values], np.int32(-1)).astype(np.int32)
    waiting = set(np.unique(shown[stuck]).tolist())
    while waiting:
        node = min(waiting, key=lambda found: (tree.sizes[found], found))
        waiting.remove(node)
        here = shown == node
        free = np.flatnonzero((shown < 0) & (covering[values] == node).any(axis=1))
        lacking = k - int(here.sum())
        if lacking <= len(free):
            shown[shuffled(free, lots)[: max(lacking, 0)]] = node
        elif node == tree.root:
            shown[:] = tree.root
        else:
            shown[here] = above[node]
            waiting.add(int(above[node]))
    return shown
