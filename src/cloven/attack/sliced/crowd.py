"""Everybody in a release, as somebody knows them who has a register of the same people: quasi-identifiers, no more.

How values are ordered and grouped (taxonomies, blocks of numbers) stands in what is published with a method, so that
such a reader knows along which lines a table can be cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.sliced.known import Known

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Attribute, Table
    from cloven.model.value_tree import ValueTree

    Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Crowd:
    """The quasi-identifiers of everybody in a release.

    Attributes:
        attributes: the quasi-identifiers, with their order and taxonomies.
        codes: persons x quasi-identifiers: positions in the values of each.
        persons: who each row is about, where somebody has several; None if everybody has one.
    """

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]
    persons: Longs | None = None

    @classmethod
    def of(cls, table: Table, rows: NDArray[Any] | None = None) -> Crowd:
        """The quasi-identifiers of all rows of a table, or of some; nothing else of it is kept."""
        places = list(table.positions("quasi-identifier"))
        some = table if rows is None else table.take(rows)
        attributes = tuple(table.attributes[place] for place in places)
        persons = some.persons if some.several_each else None
        return cls(attributes, np.ascontiguousarray(some.codes[:, places]), persons)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Crowd({len(self):,} persons by {', '.join(each.name for each in self.attributes)})"

    @property
    def known(self) -> Known:
        """The same as what is known of single persons."""
        names = tuple(attribute.name for attribute in self.attributes)
        return Known(names, tuple(attribute.values for attribute in self.attributes), self.codes)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Along which lines the crowd can be cut."""
        return tuple(
            replace(Axis.of(attribute, self.codes[:, place]), persons=self.persons)
            for place, attribute in enumerate(self.attributes)
        )


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier as a line.

    Attributes:
        keys: where each person stands: numbers by size, taxonomies as a walk meets their values, others by name.
        numbers: the number behind each key, if they are numbers.
        paths: nodes of the taxonomy from the root down to each key, -1 below it; nothing without one.
        below: values below each node of ``paths``.
        persons: who each row is about, where somebody has several.
    """

    keys: Longs
    numbers: NDArray[np.float64] | None = None
    paths: Longs | None = None
    below: Longs | None = None
    persons: Longs | None = None

    @classmethod
    def of(cls, attribute: Attribute, codes: NDArray[np.int32]) -> Axis:
        """The line that an attribute gives."""
        if attribute.tree is not None:
            order, paths = _walk(attribute.tree, numbers=attribute.numbers is not None)
            below = np.where(paths >= 0, attribute.tree.sizes[paths], 0)
            return cls(order[codes], None, paths, below)
        if attribute.numbers is None:
            return cls(codes.astype(np.int64))
        if attribute.blocks is not None:
            return cls(attribute.blocks.of(attribute.numbers)[codes], attribute.blocks.lows)
        return cls(codes.astype(np.int64), attribute.numbers)

    def shared(self, one: Any, other: Any) -> Any:
        """How many nodes, from the root down, the paths to two keys share."""
        if self.paths is None:
            return np.zeros(np.shape(one), np.int64)
        first, second = self.paths[one], self.paths[other]
        return np.minimum.accumulate((first == second) & (first >= 0), axis=-1).sum(axis=-1)

    def covered(self, low: Any, high: Any) -> Any:
        """Values below the lowest node that covers two keys."""
        if self.below is None:
            return np.zeros(np.shape(low), np.int64)
        return np.take_along_axis(
            self.below[low], np.atleast_1d(self.shared(low, high) - 1)[..., None], axis=-1
        )[..., 0]

    def cell(self, rows: Longs) -> tuple[int, ...]:
        """What tells the smallest published cover of some persons from others."""
        keys = np.unique(self.keys[rows])
        if self.paths is None or self.below is None:
            return tuple(keys.tolist() if self.numbers is None else (keys[0], keys[-1]))
        many = int(self.covered(keys[:1], keys[-1:])[0])
        # Nodes one above the other may cover the same: the topmost stands for all.
        return many, int(self.paths[keys[0], np.argmax(self.below[keys[0]] == many)])

    def width(self, rows: Longs) -> float:
        """How far some persons lie apart, as Mondrian measures it."""
        keys = self.keys[rows]
        low, high = int(keys.min()), int(keys.max())
        if low == high:
            return 0.0
        if self.numbers is not None:
            return float(self.numbers[high] - self.numbers[low])
        if self.paths is not None:
            return float(self.covered(np.array([low]), np.array([high]))[0] - 1)
        return float(len(np.unique(keys)) - 1)


def _walk(tree: ValueTree, *, numbers: bool) -> tuple[Longs, Longs]:
    """Place of each value in a walk through a taxonomy, and the nodes above each place.

    Branches follow in the order of their nodes; of numbers, in the order of their first one.
    """
    down = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    first: dict[int, int] = {}
    for leaf, path in enumerate(down):
        for node in path:
            first.setdefault(node, leaf)
    met = sorted(
        range(tree.leaves), key=lambda leaf: [(first[node] if numbers else 0, node) for node in down[leaf]]
    )
    order = np.empty(tree.leaves, np.int64)
    order[met] = np.arange(tree.leaves)
    paths = np.full((tree.leaves, max(map(len, down))), -1, np.int64)
    for place, leaf in enumerate(met):
        paths[place, : len(down[leaf])] = down[leaf]
    return order, paths
