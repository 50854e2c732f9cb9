"""Part of a set-generalised release, to try an attack on where all of it would take too long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key_generalised import Generalised


def sampled(result: Generalised, most: int, rng: np.random.Generator) -> Generalised:
    """Release and key with a random part of the rows, all of them if that is not too much; blocks stay as they are.

    ``most`` cells, which are a row and an item of one of its generalised items, are to be gone through.
    """
    release = result.release
    sizes = release.block_sizes[release.row_blocks]
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    cells = np.bincount(row, np.where(sizes > 1, sizes, 0), release.records)
    if cells.sum() <= most:
        return result
    order = rng.permutation(release.records)
    fits = int(np.searchsorted(np.cumsum(cells[order]), most, "right"))
    return with_rows(result, np.sort(order[: max(1, fits)]))


def with_rows(result: Generalised, rows: NDArray[np.int64]) -> Generalised:
    """Release and key with some of the rows, ascending; blocks stay as they are."""
    release = result.release
    row_offsets, row_blocks = _taken(release.row_offsets, release.row_blocks, rows)
    offsets, items = _taken(result.key.offsets, result.key.items, rows)
    return replace(
        result,
        release=replace(release, row_offsets=row_offsets, row_blocks=row_blocks),
        key=replace(result.key, records=result.key.records[rows], offsets=offsets, items=items, persons=None),
    )


def _taken(
    offsets: NDArray[np.int64], values: NDArray[np.int32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    lengths = np.diff(offsets)[rows]
    return np.concatenate(([0], np.cumsum(lengths))), values[positions(offsets[rows], lengths)]
