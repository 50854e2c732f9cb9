"""A table and its constraints in the form that compiled Mondrian reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.anonymise.slicing.constraints import harm_of, sensitive_codes, sensitive_groups
from cloven.anonymise.slicing.demands_kernel import DISTINCT, Demands
from cloven.anonymise.slicing.mondrian_kernel import NUMBERS, SET, TREE, Dimensions
from cloven.model.harm import slack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.constraints import Constraint
    from cloven.model.table import Table
    from cloven.model.value_tree import ValueTree

    Coded = tuple[
        tuple[int, float, float],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.bool_],
    ]


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


def demands(table: Table, constraints: Sequence[Constraint], persons: int = 0) -> Demands:
    """The constraints, one entry for each group of sensitive attributes.

    Where somebody has several rows, every class needs so many different ``persons`` too.
    """
    coded = [
        _coded(table, constraint, group)
        for constraint in constraints
        for group in sensitive_groups(constraint, table)
    ]
    if table.persons is not None and table.several_each:
        who = np.unique(table.persons, return_inverse=True)[1].astype(np.int32)
        place = np.arange(int(who.max()) + 1, dtype=np.float64)
        coded.append(((DISTINCT, float(persons), 0.0), who, place, place, np.ones(len(place), np.bool_)))
    counts = [np.bincount(codes, minlength=len(number)) for _, codes, number, _, _ in coded]
    start = _starts(counts)
    codes = [found + first for (_, found, *_), first in zip(coded, start[:-1].tolist(), strict=True)]
    settings = np.array([setting for setting, *_ in coded], np.float64).reshape(-1, 3)
    return Demands(
        kind=settings[:, 0].astype(np.int64),
        level=settings[:, 1].copy(),
        factor=settings[:, 2].copy(),
        start=start,
        codes=np.column_stack(codes).astype(np.int32) if codes else np.empty((len(table), 0), np.int32),
        shares=_joined([count / len(table) for count in counts], np.float64),
        number=_joined([number for _, _, number, _, _ in coded], np.float64),
        upto=_joined([upto for _, _, _, upto, _ in coded], np.float64),
        harmful=_joined([harmful for *_, harmful in coded], np.bool_),
        near=np.array([bool((upto > number).any()) for _, _, number, upto, _ in coded], np.bool_),
    )


def _coded(table: Table, constraint: Constraint, group: tuple[int, ...]) -> Coded:
    """A constraint on a group of attributes: what it asks for, codes of the rows, and what the values are."""
    codes, harm = sensitive_codes(table, group), harm_of(constraint, table, group)
    number = np.arange(int(codes.max(initial=-1)) + 1, dtype=np.float64)
    if len(group) > 1:
        return constraint.coded, codes, number, number, np.ones(len(number), np.bool_)
    attribute = table.attributes[group[0]]
    there = np.unique(table.codes[:, group[0]])
    harmful = harm.harmful(attribute.values)[there]
    if not harm.within or attribute.numbers is None:
        return constraint.coded, codes, number, number, harmful
    near = attribute.numbers[there]
    return constraint.coded, codes, near, harm.upto(near) + slack(near), harmful


def _joined(parts: Sequence[NDArray[np.generic]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


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
