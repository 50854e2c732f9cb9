"""The published rows of a release, arranged for questions about a person: equal rows once, and what holds each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.model.arrays import distinct, positions
from cloven.model.disassociated import Kind
from cloven.model.equal_rows import first_of_equal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated

    Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Different sub-records of record and shared chunks, in canonical order. A *slot* is one item in one chunk.

    Attributes:
        starts: where each row starts in ``items``.
        items: item codes, ascending inside a row.
        copies: how many published rows are equal to it.
        cluster: cluster of each row, -1 for shared ones.
        joint: joint of each row, -1 for those of record chunks.
        part: number of the chunk of each row, over the whole release.
        slot_part: chunk of each slot; slots ascend by chunk and item.
        slot_item: item of each slot.
        slot_cluster: cluster of the chunk, -1 for shared ones.
        slot_joint: joint of the chunk, -1 for record chunks.
        slot_copies: published rows that hold the item.
        slot_starts: where each slot starts in ``slot_rows``.
        slot_rows: different rows of the chunk that hold the item, ascending.
    """

    starts: Longs
    items: Longs
    copies: Longs
    cluster: Longs
    joint: Longs
    part: Longs
    slot_part: Longs
    slot_item: Longs
    slot_cluster: Longs
    slot_joint: Longs
    slot_copies: Longs
    slot_starts: Longs
    slot_rows: Longs

    @classmethod
    def of(cls, release: Disassociated) -> Rows:
        """Arrange the rows of a release; term chunks are left out."""
        at = np.flatnonzero(release.row_kind != Kind.TERM)
        first = first_of_equal(release)[at]
        head = distinct(first)
        copies = np.bincount(np.searchsorted(head, first), minlength=len(head)).astype(np.int64)
        lengths = np.diff(release.row_offsets)[head]
        items = release.row_items[positions(release.row_offsets[head], lengths)].astype(np.int64)
        cluster, joint = release.row_cluster[head], release.row_joint[head]
        part = _runs(cluster, joint, release.row_chunk[head])
        width = max(1, len(release.vocabulary))
        row = np.repeat(np.arange(len(head)), lengths)
        key = part[row] * width + items
        slots = distinct(key)
        slot = np.searchsorted(slots, key)
        order = np.argsort(slot, kind="stable")
        slot_part = slots // width
        first_row = np.searchsorted(part, slot_part)
        held = sums(slot, copies[row], len(slots)).astype(np.int64)
        return cls(
            starts=offsets_of(lengths),
            items=items,
            copies=copies,
            cluster=cluster,
            joint=joint,
            part=part,
            slot_part=slot_part,
            slot_item=slots % width,
            slot_cluster=cluster[first_row],
            slot_joint=joint[first_row],
            slot_copies=held,
            slot_starts=offsets_of(np.bincount(slot, minlength=len(slots))),
            slot_rows=row[order].astype(np.int64),
        )


def listed(release: Disassociated) -> tuple[Longs, Longs]:
    """Cluster (-1 for the list of the root) and item of every entry of a term chunk."""
    at = np.flatnonzero(release.row_kind == Kind.TERM)
    lengths = np.diff(release.row_offsets)[at]
    items = release.row_items[positions(release.row_offsets[at], lengths)].astype(np.int64)
    return np.repeat(release.row_cluster[at], lengths), items


def offsets_of(lengths: NDArray[Any]) -> Longs:
    """Where runs of these lengths start, and where the last ends."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def sums(group: Longs, values: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Sum of the values of each group."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64)


def _runs(*columns: NDArray[Any]) -> Longs:
    """Number the runs of equal values."""
    change = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    return np.cumsum(change)
