"""What counts as one observation: answers inside one cluster, or inside clusters that are joined, go together.

One sub-record that is put on the wrong slot takes the place of another, and a shared chunk ties all clusters below
its joint. So intervals treat a cluster as one unit, and all clusters below one outermost joint as one. The root ties
nothing: nobody is asked whose its rows are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ReleaseError
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions


class Units(NamedTuple):
    """Unit of each slot and of each target, numbered from 0 to ``total - 1``."""

    of_slot: NDArray[np.int64]
    of_target: NDArray[np.int64]
    total: int


def units(questions: Questions, release: Disassociated) -> Units:
    """Number the units of a release."""
    top = _outermost(np.where(release.joint_parent == release.root, -1, release.joint_parent))
    above = release.clusters + np.append(top, 0)
    joined = (release.cluster_joint >= 0) & (release.cluster_joint != release.root)
    cluster_label = np.where(joined, above[release.cluster_joint], np.arange(release.clusters))
    labels = np.unique(np.concatenate((cluster_label, above[:-1])))
    shared = questions.target_kind == Kind.SHARED
    target_label = np.where(
        shared, above[release.row_joint[questions.target_row]], cluster_label[questions.target_cluster]
    )
    slot_label = np.repeat(cluster_label, release.cluster_size)
    return Units(np.searchsorted(labels, slot_label), np.searchsorted(labels, target_label), len(labels))


def _outermost(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Outermost joint above each joint."""
    root = np.arange(len(parent))
    for _ in range(len(parent) + 1):
        higher = parent[root]
        if (higher < 0).all():
            return root
        root = np.where(higher >= 0, higher, root)
    message = "the joints of the release form a circle; verify it"
    raise ReleaseError(message)
