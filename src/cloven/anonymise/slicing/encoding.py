"""A table and its constraints in the form that compiled Mondrian reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.constraints import sensitive_codes, sensitive_groups
from cloven.anonymise.slicing.demands_kernel import Demands
from cloven.anonymise.slicing.mondrian_kernel import NUMBERS, SET, TREE, Dimensions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.constraints import Constraint
    from cloven.model.table import Table
    from cloven.model.value_tree import ValueTree


def dimensions(table: Table) -> Dimensions:
    """The quasi-identifiers. Values with a taxonomy are ordered as a walk through it meets them, numbers by size."""
    positions = table.positions("quasi-identifier")
    kinds, keys, places, paths, below, depths = [], [], [], [], [], []
    for position in positions:
        attribute, codes = table.attributes[position], table.codes[:, position]
        place, path, sizes, depth = np.zeros(len(attribute)), np.empty(0, np.int32), np.empty(0, np.int64), 0
        if attribute.tree is not None:
            kinds.append(TREE)
            order, path, sizes, depth = _walk(attribute.tree, by_value=attribute.numbers is not None)
            codes = order[codes]
        elif attribute.numbers is not None:
            kinds.append(NUMBERS)
            place = attribute.numbers.astype(np.float64)
            if attribute.blocks is not None:
                # No cut goes through a block.
                codes = attribute.blocks.of(place)[codes].astype(np.int32)
                place = attribute.blocks.lows
        else:
            kinds.append(SET)
        keys.append(codes.astype(np.int32))
        places.append(place)
        paths.append(path)
        below.append(sizes)
        depths.append(depth)
    return Dimensions(
        kind=np.array(kinds, np.int64),
        keys=np.ascontiguousarray(keys, np.int32),
        start=_starts(places),
        place=np.concatenate(places),
        depth=np.array(depths, np.int64),
        path_start=_starts(paths),
        path=np.concatenate(paths),
        below=np.concatenate(below),
    )


def demands(table: Table, constraints: Sequence[Constraint]) -> Demands:
    """The constraints, one entry for each group of sensitive attributes."""
    coded = [
        (constraint.coded, sensitive_codes(table, group))
        for constraint in constraints
        for group in sensitive_groups(constraint, table)
    ]
    counts = [np.bincount(codes) for _, codes in coded]
    start = _starts(counts)
    codes = [found + first for (_, found), first in zip(coded, start[:-1].tolist(), strict=True)]
    shares = [count / len(table) for count in counts]
    return Demands(
        kind=np.array([kind for (kind, _, _), _ in coded], np.int64),
        level=np.array([level for (_, level, _), _ in coded], np.float64),
        factor=np.array([factor for (_, _, factor), _ in coded], np.float64),
        start=start,
        codes=np.column_stack(codes).astype(np.int32) if codes else np.empty((len(table), 0), np.int32),
        shares=np.concatenate(shares) if shares else np.empty(0, np.float64),
    )


def _walk(
    tree: ValueTree, *, by_value: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Place of each value in a walk through the tree; by place the nodes above it, leaves below those; the depth.

    Branches stand in the order of their nodes, or by their first value: groups of numbers then ascend.
    """
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    keys: list[tuple[object, ...]] = list(paths)
    if by_value:
        first: dict[int, int] = {}
        for leaf, path in enumerate(paths):
            for node in path:
                first.setdefault(node, leaf)
        keys = [tuple((first[node], node) for node in path) for path in paths]
    walk = sorted(range(tree.leaves), key=keys.__getitem__)
    depth = max(map(len, paths))
    nodes = np.full((tree.leaves, depth), -1, np.int32)
    for place, leaf in enumerate(walk):
        nodes[place, : len(paths[leaf])] = paths[leaf]
    order = np.empty(tree.leaves, np.int32)
    order[walk] = np.arange(tree.leaves, dtype=np.int32)
    sizes = np.where(nodes >= 0, tree.sizes[nodes], 0)
    return order, nodes.ravel(), sizes.ravel(), depth


def _starts(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.int64]:
    """Where each part starts when they are joined, and where the last ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
