"""Cells: the smallest published cover of a group of values.

Values with a taxonomy are covered by their lowest common ancestor, other numbers by a range, other values by their set.
A range ends where its numbers end, or where their blocks do if the owner stated blocks. Cells of one attribute are
numbered by what they hold, so the numbers say nothing about the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import counted_up
from cloven.model.published_table import CellDomain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.model.number_blocks import Blocks
    from cloven.model.table import Attribute
    from cloven.model.value_tree import ValueTree


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one attribute, and which of them each group shows.

    Attributes:
        domain: the distinct cells in canonical order.
        of_group: cell of each group.
    """

    domain: CellDomain
    of_group: NDArray[np.int32]


def smallest_covers(attribute: Attribute, codes: NDArray[np.int32], offsets: NDArray[np.int64]) -> Cells:
    """Smallest cover of each group of values; group g holds ``codes[offsets[g]:offsets[g + 1]]`` and is not empty."""
    if attribute.tree is not None:
        return node_cells(attribute, common_ancestors(attribute.tree, codes, offsets))
    if attribute.numbers is not None:
        first, last = _block_ends(attribute.numbers, attribute.blocks)
        low = first[np.minimum.reduceat(codes, offsets[:-1])]
        high = last[np.maximum.reduceat(codes, offsets[:-1])]
        width = len(attribute)
        pairs, of_group = np.unique(low.astype(np.int64) * width + high, return_inverse=True)
        lows, highs = pairs // width, pairs % width
        return Cells(_range_cells(attribute, lows, highs), of_group.astype(np.int32))
    width = len(attribute)
    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pairs = np.unique(group * width + codes)
    held = (pairs % width).astype(np.int32)
    edges = np.searchsorted(pairs, np.arange(len(offsets)) * width).tolist()
    found: dict[bytes, int] = {}
    numbers = [found.setdefault(held[start:end].tobytes(), len(found)) for start, end in pairwise(edges)]
    of_group = np.array(numbers, np.int64)
    members = [np.frombuffer(content, np.int32) for content in found]
    return _numbered(attribute, members, [set_label(attribute, m) for m in members], of_group)


def _block_ends(
    numbers: NDArray[np.float64], blocks: Blocks | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last value of the block that each value is in."""
    if blocks is None:
        return np.arange(len(numbers)), np.arange(len(numbers))
    block = blocks.of(numbers)
    return np.searchsorted(numbers, blocks.lows[block]), np.searchsorted(numbers, blocks.highs[block])


def node_cells(attribute: Attribute, nodes: NDArray[np.int32]) -> Cells:
    """The cells that nodes of the taxonomy make; a node that covers no more than one below it counts as that one."""
    tree = attribute.tree
    if tree is None:
        return value_cells(attribute, nodes)
    shown, of_group = np.unique(lowest_equal(tree)[nodes], return_inverse=True)
    members = members_of(tree, shown.tolist())
    if attribute.numbers is None:
        labels = [tree.labels[node] for node in shown.tolist()]
    else:  # numbers are called by what they hold: nobody needs the taxonomy to read or to check them
        labels = [_number_label(attribute, held) for held in members]
    return _numbered(attribute, members, labels, of_group)


def value_cells(attribute: Attribute, codes: NDArray[np.int32]) -> Cells:
    """Cells of one value each."""
    shown, of_group = np.unique(codes, return_inverse=True)
    members = [np.array([code], np.int32) for code in shown.tolist()]
    return _numbered(attribute, members, [attribute.values[code] for code in shown.tolist()], of_group)


def _numbered(
    attribute: Attribute, members: list[NDArray[np.int32]], labels: list[str], of_group: NDArray[np.int64]
) -> Cells:
    """Cells in canonical order: by their members, value after value."""
    order = sorted(range(len(members)), key=lambda cell: members[cell].astype(">i4").tobytes())
    position = np.empty(len(members), np.int32)
    position[order] = np.arange(len(members), dtype=np.int32)
    lengths = [len(members[cell]) for cell in order]
    domain = CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=attribute.values,
        numbers=attribute.numbers,
        labels=tuple(labels[cell] for cell in order),
        member_offsets=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        members=np.concatenate([members[cell] for cell in order] or [np.empty(0, np.int32)]),
    )
    return Cells(domain, position[of_group])


def range_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    """A range as published: ``20..29``, or the one value it holds."""
    low, high = attribute.values[members[0]], attribute.values[members[-1]]
    return low if len(members) == 1 else f"{low}..{high}"


def _range_cells(attribute: Attribute, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> CellDomain:
    """Ranges by their first and last value, ascending, which is their canonical order."""
    values = attribute.values
    offsets, members = counted_up(lows, highs)
    return CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=values,
        numbers=attribute.numbers,
        labels=tuple(
            values[low] if low == high else f"{values[low]}..{values[high]}"
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ),
        member_offsets=offsets,
        members=members,
    )


def _number_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    gaps = members[-1] - members[0] != len(members) - 1
    return set_label(attribute, members) if gaps else range_label(attribute, members)


def set_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    """A set of values as published: ``{Flu, Gout}``, or the one value it holds."""
    names = [attribute.values[code] for code in members.tolist()]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def members_of(tree: ValueTree, nodes: Iterable[int]) -> list[NDArray[np.int32]]:
    """The values below each of some nodes, ascending."""
    wanted: dict[int, list[int]] = {node: [] for node in nodes}
    for leaf in range(tree.leaves):
        for node in tree.path(leaf):
            if node in wanted:
                wanted[node].append(leaf)
    return [np.array(leaves, np.int32) for leaves in wanted.values()]


def lowest_equal(tree: ValueTree) -> NDArray[np.int32]:
    """For each node the lowest one that covers the same values."""
    lowest = np.arange(len(tree.labels), dtype=np.int32)
    for leaf in range(tree.leaves):
        path = tree.path(leaf)
        for below, above in pairwise(path):
            if tree.sizes[below] == tree.sizes[above]:
                lowest[above] = lowest[below]
    return lowest


def common_ancestors(
    tree: ValueTree, codes: NDArray[np.int32], offsets: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Lowest common ancestor of each group of values.

    With the leaves in the order of a walk through the tree, the ancestor of a group is that of its first and last.
    """
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    walk = np.array(sorted(range(tree.leaves), key=paths.__getitem__), np.int32)
    place = np.empty(tree.leaves, np.int32)
    place[walk] = np.arange(tree.leaves, dtype=np.int32)
    placed = place[codes]
    first = walk[np.minimum.reduceat(placed, offsets[:-1])]
    last = walk[np.maximum.reduceat(placed, offsets[:-1])]
    depth = max(map(len, paths))
    table = np.full((tree.leaves, depth), -1, np.int32)
    for leaf, path in enumerate(paths):
        table[leaf, : len(path)] = path
    # A leaf stands only on its own path, so equal prefixes end at the latest there.
    shared = np.minimum.accumulate(table[first] == table[last], axis=1) & (table[first] >= 0)
    deepest: NDArray[np.int32] = table[first, shared.sum(axis=1) - 1]
    return deepest
