"""Which published rows are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated


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
    alike[rows[np.repeat(np.arange(len(rows)), size)[here != before]]] = False
    return np.maximum.accumulate(np.where(alike, 0, np.arange(release.rows)))
