"""The tree of joints: which joints lie above a cluster or a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct
from cloven.verification.faults import conclude, spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.verdict import Check


@dataclass(frozen=True)
class JointTree:
    """Parents of joints and the innermost joint of clusters; -1 stands for none.

    Only for releases whose joints have no cycle: everything here climbs until it reaches a root.
    """

    parent: NDArray[np.int64]
    cluster_joint: NDArray[np.int64]

    def climb(self, joint: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """From each joint to its root: (positions in ``joint``, the joint reached), one step at a time."""
        index = np.flatnonzero(joint >= 0)
        here = joint[index].astype(np.int64)
        while index.size:
            yield index, here
            here = self.parent[here]
            index, here = index[here >= 0], here[here >= 0]

    def sum_below(self, amount: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up an amount of each cluster at every joint above it."""
        total = np.zeros(len(self.parent), np.int64)
        for cluster, joint in self.climb(self.cluster_joint):
            total += np.bincount(joint, amount[cluster], len(total)).astype(np.int64)
        return total

    def keys_above(self, joint: NDArray[np.int64], item: NDArray[np.int64], items: int) -> NDArray[np.int64]:
        """All ``joint * items + item`` of the given joints and of those above them, ascending."""
        found = [here * items + item[index] for index, here in self.climb(joint)]
        return distinct(np.concatenate(found)) if found else np.empty(0, np.int64)

    def depth(self) -> NDArray[np.int64]:
        """Number of joints above each joint."""
        depth = np.zeros(len(self.parent), np.int64)
        for index, _ in self.climb(self.parent):
            depth[index] += 1
        return depth


def check_tree(release: Disassociated) -> tuple[Check, JointTree | None]:
    """No joint lies above itself, and each but the root has two children or more; with a cycle there is no tree."""
    parent = np.asarray(release.joint_parent, np.int64)
    members = np.asarray(release.cluster_joint, np.int64)
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    children += np.bincount(members[members >= 0], minlength=len(parent))
    endless = _endless(parent)
    few = (children < 2) & (np.arange(len(parent)) != release.root)
    faults = [
        spot(endless, lambda at: f"joint {at} leads into a cycle of joints"),
        spot(few, lambda at: f"joint {at} has {children[at]} children instead of two or more"),
    ]
    found = conclude("joint tree", "release", len(parent), faults, f"{len(parent):,} joints, no cycle")
    return found, None if endless.any() else JointTree(parent, members)


def _endless(parent: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Joints from which no root is reached, after as many steps as there are joints (doubling each time)."""
    # one sentinel at the end stands for "no parent" and points to itself
    ancestor = np.append(np.where(parent < 0, len(parent), parent), len(parent))
    for _ in range(len(parent).bit_length()):
        ancestor = ancestor[ancestor]
    endless: NDArray[np.bool_] = ancestor[:-1] != len(parent)
    return endless
