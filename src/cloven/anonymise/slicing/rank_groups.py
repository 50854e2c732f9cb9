"""Rank groups: values that may be exchanged for each other, and what a value is generalised to where they may not.

Values with the same parent in the taxonomy are a rank group (BinJubier et al. 2022, Fig. 2: {Federal-gov, Local-gov,
State-gov} and {Self-emp-inc, Self-emp-not-inc} of work class). Without a taxonomy of the owner, numbers of one bin are
a group, and all other values are one: the same as a taxonomy of one level.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.bins import value_bins
from cloven.model.value_tree import ValueTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.bins import BinsBy
    from cloven.model.table import Attribute, Table


def with_trees(table: Table, bins: int, by: BinsBy) -> Table:
    """The table with a taxonomy for each attribute; those that have one keep it."""
    attributes = [
        attribute
        if attribute.tree is not None or attribute.role == "ignored"
        else replace(attribute, tree=_tree(attribute, value_bins(attribute, table.codes[:, place], bins, by)))
        for place, attribute in enumerate(table.attributes)
    ]
    return replace(table, attributes=tuple(attributes))


def _tree(attribute: Attribute, bin_of: NDArray[np.int64]) -> ValueTree:
    """Values below their bins below a root; values below the root if each has a bin of its own."""
    leaves = len(attribute)
    starts, first, bin_number = np.unique(bin_of, return_index=True, return_inverse=True)
    if len(starts) == leaves:
        return ValueTree((*attribute.values, "*"), np.full(leaves + 1, leaves, np.int32), leaves)
    last = np.append(first[1:], leaves) - 1
    names = [_range(attribute, int(low), int(high)) for low, high in zip(first, last, strict=True)]
    root = leaves + len(names)
    parent = np.concatenate([leaves + bin_number, np.full(len(names) + 1, root)]).astype(np.int32)
    return ValueTree((*attribute.values, *names, "*"), parent, leaves)


def _range(attribute: Attribute, low: int, high: int) -> str:
    return f"{attribute.values[low]}..{attribute.values[high]}"


def rank_groups(tree: ValueTree) -> NDArray[np.int32]:
    """Rank group of each value: its parent.

    >>> tree = ValueTree(("inc", "not-inc", "Private", "Self-emp", "*"), np.array([3, 3, 4, 4, 4], np.int32), 3)
    >>> [tree.labels[group] for group in rank_groups(tree)]
    ['Self-emp', 'Self-emp', '*']
    """
    return tree.parent[: tree.leaves]


def wider(tree: ValueTree) -> NDArray[np.int32]:
    """For each node the next one above it that covers more values; the root has itself."""
    above = tree.parent.copy()
    for node in range(len(above)):
        while above[node] != tree.root and tree.sizes[above[node]] == tree.sizes[node]:
            above[node] = tree.parent[above[node]]
    return above


def paths(tree: ValueTree) -> NDArray[np.int32]:
    """Values x levels: the nodes that cover a value, itself first; the root again where a path is short."""
    levels = [np.arange(tree.leaves, dtype=np.int32)]
    while (levels[-1] != tree.root).any():
        levels.append(tree.parent[levels[-1]])
    return np.column_stack(levels)
