"""How the values of one attribute are generalised: a tree whose leaves are the values.

Nodes are numbered; the first ones are the leaves, in the order of the attribute's domain, and the root is the last. A
node covers the leaves below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ValueTree:
    """A tree over the values of an attribute.

    Attributes:
        labels: name of every node; the first are the values themselves.
        parent: parent of every node; the root has itself.
        leaves: number of leaves.
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int32]
    leaves: int

    @property
    def root(self) -> int:
        """The node that covers everything."""
        return len(self.labels) - 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves below each node."""
        sizes = np.zeros(len(self.labels), np.int64)
        node = np.arange(self.leaves)
        while True:
            np.add.at(sizes, node, 1)
            node = node[node != self.root]
            if not len(node):
                return sizes
            node = self.parent[node]

    def path(self, node: int) -> tuple[int, ...]:
        """A node and all above it, up to the root."""
        found = [node]
        while found[-1] != self.root:
            found.append(int(self.parent[found[-1]]))
        return tuple(found)
