"""A release arranged for rebuilding data sets: computed once, used for every reconstruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ReleaseError
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Layout:
    """What all reconstructions of a release have in common.

    Attributes:
        bounds: first record of each cluster, and the number of records.
        starts: first row (in ``table``) of the record chunks of each cluster.
        table: offsets and items of the rows of record chunks, then of shared chunks.
        chunk: number of the chunk of each of those rows.
        terms: offsets and items of the term chunk of each cluster.
        listed: items of the list of the root.
        root_rows: first row (in ``table``) of the root, and the row after its last.
        shown: offsets and items of what the record chunks of each cluster show.
        inner: innermost joint of each cluster, parent of each joint, and offsets and items of what each joint shares.
        shared: first row, end and joint of each shared chunk, innermost joints first.
        members: clusters below each joint.
    """

    release: Disassociated
    bounds: NDArray[np.int64]
    starts: NDArray[np.int64]
    table: tuple[NDArray[np.int64], NDArray[np.int32]]
    chunk: NDArray[np.int32]
    terms: tuple[NDArray[np.int64], NDArray[np.int32]]
    listed: NDArray[np.int32]
    root_rows: tuple[int, int]
    shown: tuple[NDArray[np.int64], NDArray[np.int32]]
    inner: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]
    shared: list[tuple[int, int, int]]
    members: Members

    @classmethod
    def of(cls, release: Disassociated) -> Layout:
        """Arrange a release."""
        record = np.flatnonzero(release.row_kind == Kind.RECORD)
        term = np.flatnonzero((release.row_kind == Kind.TERM) & (release.row_cluster >= 0))
        listed = np.flatnonzero((release.row_kind == Kind.TERM) & (release.row_cluster < 0))
        shared = np.flatnonzero(release.row_kind == Kind.SHARED)
        edges = np.arange(release.clusters + 1)
        record_cluster, term_cluster = release.row_cluster[record], release.row_cluster[term]
        rows = np.concatenate((record, shared))
        term_offsets, term_items = _take(release, term)
        layout = cls(
            release,
            np.concatenate(([0], np.cumsum(release.cluster_size))).astype(np.int64),
            np.searchsorted(record_cluster, edges).astype(np.int64),
            _take(release, rows),
            release.row_chunk[rows],
            (term_offsets[np.searchsorted(term_cluster, edges)], term_items),
            _take(release, listed)[1],
            _root_rows(release.at_root[rows]),
            _shown(release, record, release.row_cluster, release.clusters),
            (
                np.array(release.cluster_joint),
                np.array(release.joint_parent),
                *_shown(release, shared, release.row_joint, release.joints),
            ),
            _shared_chunks(release, shared, len(record)),
            members(release),
        )
        _check_sizes(layout, record)
        return layout


def _root_rows(at_root: NDArray[np.bool_]) -> tuple[int, int]:
    """Rows of a joint stand together."""
    found = np.flatnonzero(at_root)
    return (int(found[0]), int(found[-1]) + 1) if len(found) else (0, 0)


def _take(release: Disassociated, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets and items of some published rows."""
    lengths = np.diff(release.row_offsets)[rows]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return offsets, release.row_items[
        np.repeat(release.row_offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
    ]


def _shown(
    release: Disassociated, rows: NDArray[np.int64], owner: NDArray[np.int64], owners: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Items that some rows show of each owner (cluster or joint), ascending."""
    offsets, items = _take(release, rows)
    width = max(1, len(release.vocabulary))
    keys = np.sort(np.repeat(owner[rows], np.diff(offsets)) * width + items)
    keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
    starts = np.searchsorted(keys, np.arange(owners + 1) * width)
    return starts.astype(np.int64), (keys % width).astype(np.int32)


def _shared_chunks(
    release: Disassociated, shared: NDArray[np.int64], shift: int
) -> list[tuple[int, int, int]]:
    joint, chunk = release.row_joint[shared], release.row_chunk[shared]
    change = np.flatnonzero((np.diff(joint) != 0) | (np.diff(chunk) != 0)) + 1
    edges = np.concatenate(([0], change, [len(shared)])) if len(shared) else np.zeros(1, np.int64)
    first, last = edges[:-1], edges[1:]
    order = np.argsort(-depths(release)[joint[first]], kind="stable")
    return [(int(first[at]) + shift, int(last[at]) + shift, int(joint[first[at]])) for at in order]


def _check_sizes(layout: Layout, record: NDArray[np.int64]) -> None:
    """No record chunk may have more sub-records than its cluster has records."""
    cluster = layout.release.row_cluster[record]
    new = np.concatenate(([True], (np.diff(cluster) != 0) | (np.diff(layout.chunk[: len(record)]) != 0)))
    first = np.flatnonzero(new[: len(record)])
    size = np.diff(np.concatenate((first, [len(record)])))
    bad = np.flatnonzero(size > layout.release.cluster_size[cluster[first]])
    if len(bad):
        where, many = cluster[first[bad[0]]], size[bad[0]]
        message = (
            f"cluster {where} has a chunk of {many} sub-records, more than records; run `cloven verify` on it"
        )
        raise ReleaseError(message)


# Which clusters lie below each joint.


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
