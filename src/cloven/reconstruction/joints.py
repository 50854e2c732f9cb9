"""Which clusters lie below each joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ReleaseError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated


class Members(NamedTuple):
    """Clusters below each joint ``j``: ``clusters[starts[j]:starts[j + 1]]``, ascending."""

    starts: NDArray[np.int64]
    clusters: NDArray[np.int64]


def members(release: Disassociated) -> Members:
    """All clusters below each joint, at any depth."""
    clusters, joints = [], []
    cluster = np.flatnonzero(release.cluster_joint >= 0)
    joint = release.cluster_joint[cluster]
    steps = 0
    while len(cluster):
        if steps > release.joints:
            message = "joints form a cycle, so this is no release; run `cloven verify` on it"
            raise ReleaseError(message)
        clusters.append(cluster)
        joints.append(joint)
        joint = release.joint_parent[joint]
        cluster, joint = cluster[joint >= 0], joint[joint >= 0]
        steps += 1
    if not clusters:
        return Members(np.zeros(release.joints + 1, np.int64), np.empty(0, np.int64))
    below, above = np.concatenate(clusters), np.concatenate(joints)
    order = np.lexsort((below, above))
    starts = np.searchsorted(above[order], np.arange(release.joints + 1))
    return Members(starts.astype(np.int64), below[order].astype(np.int64))


def depths(release: Disassociated) -> NDArray[np.int64]:
    """Number of joints above each joint."""
    depth = np.zeros(release.joints, np.int64)
    here = release.joint_parent
    for _ in range(release.joints):
        inside = here >= 0
        if not inside.any():
            break
        depth += inside
        here = np.where(inside, release.joint_parent[here], -1)
    return depth
