"""Many slices of one array at once, and which published rows are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated


def positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions that many slices cover, one slice after the other.

    >>> positions(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)


def sums(values: NDArray[np.float64] | NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of each slice; slices may be empty.

    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3])).tolist()
    [3.0, 0.0, 4.0]
    """
    before = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    return before[offsets[1:]] - before[offsets[:-1]]


def first_of_equal(release: Disassociated) -> NDArray[np.int64]:
    """First of the rows that have the same items in the same chunk; in canonical order they stand side by side."""
    heads = (release.row_cluster, release.row_joint, release.row_kind, release.row_chunk)
    lengths = np.diff(release.row_offsets)
    alike = np.zeros(release.rows, bool)
    alike[1:] = lengths[1:] == lengths[:-1]
    for head in heads:
        alike[1:] &= head[1:] == head[:-1]
    rows = np.flatnonzero(alike)
    size = lengths[rows]
    here = release.row_items[positions(release.row_offsets[rows], size)]
    before = release.row_items[positions(release.row_offsets[rows - 1], size)]
    alike[rows] = sums(here != before, np.concatenate(([0], np.cumsum(size)))) == 0
    return np.maximum.accumulate(np.where(alike, 0, np.arange(release.rows)))
