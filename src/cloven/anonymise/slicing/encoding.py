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
    """The quasi-identifiers. Values with a taxonomy are ordered as a walk through it meets them."""
    positions = table.positions("quasi-identifier")
    kinds, keys, places, paths, below, depths = [], [], [], [], [], []
    for position in positions:
        attribute, codes = table.attributes[position], table.codes[:, position]
        place, path, sizes, depth = np.zeros(len(attribute)), np.empty(0, np.int32), np.empty(0, np.int64), 0
        if attribute.numbers is not None:
            kinds.append(NUMBERS)
            place = attribute.numbers.astype(np.float64)
        elif attribute.tree is not None:
            kinds.append(TREE)
            order, path, sizes, depth = _walk(attribute.tree)
            codes = order[codes]
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


def content_order(table: Table) -> NDArray[np.int64]:
    """An order of rows that depends on their content alone.

    Rows with equal quasi-identifiers are dealt by reversed bits of their number, so that however such a run is halved,
    both halves hold about the same sensitive values. Rows that are equal in everything may stand either way.
    """
    known, hidden = table.positions("quasi-identifier"), table.positions("sensitive")
    sorted_rows = np.lexsort(table.codes[:, [*known, *hidden]].T[::-1])
    shown = table.codes[sorted_rows][:, known]
    fresh = np.append(True, (shown[1:] != shown[:-1]).any(axis=1))
    run = np.cumsum(fresh) - 1
    inside = np.arange(len(table)) - np.flatnonzero(fresh)[run]
    order: NDArray[np.int64] = sorted_rows[np.lexsort((_reversed_bits(inside), run))]
    return order


def _reversed_bits(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    reversed_ = np.zeros_like(numbers)
    for bit in range(int(numbers.max(initial=0)).bit_length()):
        reversed_ = (reversed_ << 1) | ((numbers >> bit) & 1)
    return reversed_


def _walk(tree: ValueTree) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Place of each value in a walk through the tree; by place the nodes above it, leaves below those; the depth."""
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    walk = sorted(range(tree.leaves), key=paths.__getitem__)
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
