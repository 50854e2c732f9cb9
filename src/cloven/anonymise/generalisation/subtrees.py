"""The part of a taxonomy that the items of some data span, as arrays: full subtrees are ranges of leaves.

Leaves that do not occur are left out, and with them every group that tells its items no further apart than another
group does: what is published are the items of a block, so two groups with the same items are one. Nodes are numbered
in preorder (the root is 0, a subtree is a range of nodes) and leaves from left to right (a subtree is a range of
leaves). Children are ordered by their first item, so that the rows of a taxonomy file may stand in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, shorten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.taxonomy import Taxonomy

Place = tuple[str, int]
"""A group by its name and -1, or a leaf by an empty name and its item code."""


@dataclass(frozen=True, eq=False)
class Subtrees:
    """A taxonomy over the items of a vocabulary.

    Attributes:
        labels: name of the group of each node; empty for leaves.
        parent: parent of each node; -1 for the root.
        end: one past the last node of each subtree.
        low: first leaf of each subtree.
        high: one past its last leaf.
        leaf_of_item: leaf of each item code.
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int64]
    end: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    leaf_of_item: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves of each subtree."""
        return self.high - self.low

    def leaf_nodes(self) -> NDArray[np.int64]:
        """Node of each leaf."""
        return np.flatnonzero(self.sizes == 1)

    def children(self, node: int) -> list[int]:
        """Children of a node, from left to right."""
        found, child = [], node + 1
        while child < self.end[node]:
            found.append(child)
            child = int(self.end[child])
        return found


def subtrees(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> Subtrees:
    """The part of a taxonomy that these items span.

    >>> from cloven.model.taxonomy import Taxonomy
    >>> rows = [["ale", "beer", "drinks", "*"], ["gin", "drinks", "*"], ["rye", "food", "*"], ["nut", "food", "*"]]
    >>> tree = subtrees(Taxonomy.from_rows(rows), ("ale", "gin", "rye"))
    >>> tree.labels, tree.children(0), tree.sizes.tolist()
    (('*', 'drinks', '', '', ''), [1, 4], [3, 2, 1, 1, 1])
    """
    _refuse_missing(taxonomy, vocabulary)
    members = _members(taxonomy, vocabulary)
    labels: list[str] = []
    parent: list[int] = []
    low: list[int] = []
    leaf_of_item = np.empty(len(vocabulary), np.int64)
    leaves = 0
    waiting: list[tuple[Place, int]] = [((taxonomy.root, -1), -1)] if vocabulary else []
    while waiting:
        place, above = waiting.pop()
        while place[1] < 0 and len(members[place[0]]) == 1:
            (place,) = members[place[0]]
        name, item = place
        waiting += [(below, len(labels)) for below in reversed(members[name])] if item < 0 else []
        labels.append(name)
        parent.append(above)
        low.append(leaves)
        if item >= 0:
            leaf_of_item[item] = leaves
            leaves += 1
    return _with_ends(labels, np.array(parent, np.int64), np.array(low, np.int64), leaf_of_item)


def _refuse_missing(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> None:
    missing = [item for item in vocabulary if item not in taxonomy.leaf_group]
    if missing:
        names = ", ".join(shorten(item) for item in missing[:3])
        message = (
            f"{len(missing):,} of {len(vocabulary):,} items of the data are no leaves of the taxonomy,"
            f" such as {names}; add rows for them"
        )
        raise InputError(message)


def _members(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> dict[str, list[Place]]:
    """What lies directly below each group that holds an item, in the order of their first items."""
    members: dict[str, list[Place]] = {taxonomy.root: []}
    for code, item in enumerate(vocabulary):
        group, below = taxonomy.leaf_group[item], ("", code)
        while group not in members:
            members[group] = [below]
            group, below = taxonomy.group_parent[group], (group, -1)
        members[group].append(below)
    return members


def _with_ends(
    labels: list[str], parent: NDArray[np.int64], low: NDArray[np.int64], leaf_of_item: NDArray[np.int64]
) -> Subtrees:
    """Ends of all subtrees, from the last node back: a node ends where the last of its children does."""
    end = np.arange(1, len(parent) + 1)
    for node in range(len(parent) - 1, 0, -1):
        above = parent[node]
        end[above] = max(end[above], end[node])
    high = np.append(low, len(leaf_of_item))[end]
    return Subtrees(tuple(labels), parent, end, low, high, leaf_of_item)
