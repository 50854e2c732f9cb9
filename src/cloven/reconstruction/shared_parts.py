"""Which items a cluster can have from the shared chunks above it, and from how many sub-records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ReleaseError
from cloven.model.arrays import distinct
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated

    Longs = NDArray[np.int64]


@dataclass(frozen=True)
class SharedParts:
    """One entry is one cluster that needs some of the items from one shared chunk.

    Attributes:
        cluster: the cluster of each entry.
        chunk: the shared chunk (a running number) of each entry.
        part: the items (bits) needed from it.
        fitting: sub-records of the chunk that hold the part and may belong to this cluster.
        supply: sub-records of the chunk that hold the part at all.
        held: for every cluster of the release, the items it can have from shared chunks.
    """

    cluster: Longs
    chunk: Longs
    part: Longs
    fitting: Longs
    supply: Longs
    held: Longs


def shared_parts(release: Disassociated, rows: Longs, masks: Longs, missing: Longs) -> SharedParts:
    """Look for what each cluster is missing (bits) in these rows of shared chunks, which hold ``masks``."""
    held = np.zeros(release.clusters, np.int64)
    none = np.empty(0, np.int64)
    if not len(rows) or not missing.any():
        return SharedParts(none, none, none, none, none, held)
    joint, number = release.row_joint[rows], release.row_chunk[rows]
    starts = np.flatnonzero(np.concatenate(([True], (np.diff(joint) != 0) | (np.diff(number) != 0))))
    ends = np.append(starts[1:], len(rows))
    chunk_mask = np.bitwise_or.reduceat(masks, starts)
    cluster, chunk = _clusters_below(release, joint[starts], missing)
    part = chunk_mask[chunk] & missing[cluster]
    np.bitwise_or.at(held, cluster, part)
    # An item in shared chunks of two joints above one cluster may come from either: it limits nothing.
    part &= ~_twice(cluster, part, release.clusters)[cluster]
    cluster, chunk, part = cluster[part != 0], chunk[part != 0], part[part != 0]
    entry, at = _expand(starts[chunk], ends[chunk])
    whole = (masks[at] & part[entry]) == part[entry]
    entry, at = entry[whole], at[whole]
    allowed = ~_shows_an_item(release, cluster[entry], rows[at])
    supply = np.bincount(entry, minlength=len(cluster)).astype(np.int64)
    fitting = np.bincount(entry[allowed], minlength=len(cluster)).astype(np.int64)
    return SharedParts(cluster, chunk, part, fitting, supply, held)


def _clusters_below(release: Disassociated, chunk_joint: Longs, missing: Longs) -> tuple[Longs, Longs]:
    """All pairs of a cluster that misses something and a chunk of a joint above it."""
    relevant = np.zeros(release.joints, bool)
    relevant[chunk_joint] = True
    cluster = np.flatnonzero((missing != 0) & (release.cluster_joint >= 0))
    joint = release.cluster_joint[cluster]
    clusters: list[Longs] = []
    chunks: list[Longs] = []
    for _ in range(release.joints + 1):
        if not len(cluster):
            return np.concatenate([*clusters, cluster]), np.concatenate([*chunks, cluster])
        here, there = cluster[relevant[joint]], joint[relevant[joint]]
        first, last = np.searchsorted(chunk_joint, there), np.searchsorted(chunk_joint, there, side="right")
        entry, chunk = _expand(first, last)
        clusters.append(here[entry])
        chunks.append(chunk)
        joint = release.joint_parent[joint]
        cluster, joint = cluster[joint >= 0], joint[joint >= 0]
    message = "joints form a cycle, so this is no release; run `cloven verify` on it"
    raise ReleaseError(message)


def _twice(cluster: Longs, part: Longs, clusters: int) -> Longs:
    """Items (bits) that a cluster finds in more than one shared chunk."""
    once, twice = np.zeros(clusters, np.int64), np.zeros(clusters, np.int64)
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    for turn in range(int(rank.max(initial=-1)) + 1):
        now = order[rank == turn]
        twice[cluster[now]] |= once[cluster[now]] & part[now]
        once[cluster[now]] |= part[now]
    return twice


def _shows_an_item(release: Disassociated, cluster: Longs, rows: Longs) -> NDArray[np.bool_]:
    """Whether the cluster shows an item of the shared row in its record chunks, so cannot have the row."""
    width = len(release.vocabulary)
    entry, at = _expand(release.row_offsets[rows], release.row_offsets[rows + 1])
    item = release.row_items[at]
    places = np.concatenate(
        [np.empty(0, np.int64), *(release.places(code) for code in distinct(item).tolist())]
    )
    place_row = np.searchsorted(release.row_offsets, places, side="right") - 1
    record = release.row_kind[place_row] == Kind.RECORD
    shown = distinct(release.row_cluster[place_row[record]] * width + release.row_items[places[record]])
    shows = np.zeros(len(rows), bool)
    shows[entry[np.isin(cluster[entry] * width + item, shown)]] = True
    return shows


def _expand(first: Longs, last: Longs) -> tuple[Longs, Longs]:
    """All numbers of the ranges ``first[i] .. last[i] - 1``: which range, and the number."""
    lengths = last - first
    entry = np.repeat(np.arange(len(first)), lengths)
    return entry, np.arange(len(entry)) + np.repeat(first - (np.cumsum(lengths) - lengths), lengths)
