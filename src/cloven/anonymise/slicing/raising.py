"""Raise parts of a sliced table up their taxonomies until they fit more than one bucket."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.tree_building import balanced_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Table


def with_ranges(table: Table) -> Table:
    """The table with balanced ranges for numbers without a taxonomy, so that they can be raised too."""
    attributes = [
        replace(attribute, tree=balanced_ranges(attribute.values))
        if attribute.numbers is not None and attribute.tree is None
        else attribute
        for attribute in table.attributes
    ]
    return replace(table, attributes=tuple(attributes))


def raised_parts(
    table: Table, buckets: NDArray[np.int64], attributes: list[int], nodes: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Raise the parts of one column; writes to ``nodes`` and gives the rows whose part still fits one bucket only.

    Level by level: all attributes of the column that have a taxonomy go up together.
    """
    paths = [_levels(table, attribute) for attribute in attributes]
    deepest = max(path.shape[1] for path in paths)
    codes = table.codes[:, attributes]
    alone = np.ones(len(table), np.bool_)
    for level in range(deepest):
        at = [path[:, min(level, path.shape[1] - 1)] for path in paths]
        lifted = np.column_stack([place[codes[:, column]] for column, place in enumerate(at)])
        part = np.unique(lifted, axis=0, return_inverse=True)[1].reshape(-1)
        partner = _partners(part, buckets)
        fitting = np.flatnonzero(alone & (partner >= 0))
        if level:
            # Both go up: the person of one then fits the bucket of the other.
            touched = np.union1d(fitting, partner[fitting])
            for column, attribute in enumerate(attributes):
                if table.attributes[attribute].tree is not None:
                    nodes[touched, attribute] = lifted[touched, column]
        alone[fitting] = False
        if not alone.any():
            break
    return alone


def _partners(part: NDArray[np.int64], buckets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row one with the same part in another bucket, -1 if there is none.

    All rows of a part share the one of its first bucket, or, in that bucket, the one of its last: few rows go up.
    """
    order = np.lexsort((buckets, part))
    starts = np.flatnonzero(np.concatenate(([True], part[order][1:] != part[order][:-1])))
    ends = np.append(starts[1:], len(order)) - 1
    first, last = order[starts][part], order[ends][part]
    partner = np.where(buckets[first] != buckets, first, last)
    return np.where(buckets[partner] != buckets, partner, -1)


def _levels(table: Table, attribute: int) -> NDArray[np.int32]:
    """Values x levels: the node of each value so many steps up; the root stays the root."""
    tree = table.attributes[attribute].tree
    values = np.arange(len(table.attributes[attribute]), dtype=np.int32)
    if tree is None:
        return values[:, None]
    paths = [tree.path(value) for value in values.tolist()]
    deepest = max(map(len, paths))
    return np.array([path + (path[-1],) * (deepest - len(path)) for path in paths], np.int32)
