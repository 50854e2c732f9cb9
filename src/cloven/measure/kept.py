"""What stays together: the shares of item occurrences and of item pairs that remain inside chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions


def items_kept(original: Transactions, release: Disassociated) -> float:
    """Share of the item occurrences of the original that are counted in record or shared chunks."""
    return share(int(_chunk_lengths(release).sum()), len(original.codes))


def pairs_kept(original: Transactions, release: Disassociated) -> float:
    """Share of the item pairs inside records of the original that stay inside one chunk.

    1.0 if no record of the original has two items: there was nothing to tear apart.
    """
    return share(pairs_of(_chunk_lengths(release)), pairs_of(original.lengths))


def _chunk_lengths(release: Disassociated) -> NDArray[np.int64]:
    lengths: NDArray[np.int64] = np.diff(release.row_offsets)[release.row_kind != Kind.TERM]
    return lengths


def pairs_of(lengths: NDArray[np.int64]) -> int:
    """Pairs inside records of these lengths."""
    return int((lengths * (lengths - 1) // 2).sum())


def share(part: int, whole: int) -> float:
    """A part of a whole; all of it where there is nothing."""
    return part / whole if whole else 1.0
