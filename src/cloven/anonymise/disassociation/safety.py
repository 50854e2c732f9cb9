"""Run the repair of cover problems over all clusters of a block, between the vertical step and refining."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.disassociation.safe import SUPPRESSED, Chunks
from cloven.anonymise.disassociation.vertical import Vertical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.disassociation.lots import Lots

    Longs = NDArray[np.int64]


def without_covers(
    vertical: Vertical,
    records: tuple[Longs, NDArray[np.int32]],
    members: tuple[Longs, Longs],
    group: Longs,
    *,
    k: int,
    m: int,
    exact: bool,
    may_be_empty: bool,
    lots: Lots,
) -> Vertical:
    """Labels with the covers repaired.

    Args:
        vertical: result of the vertical step.
        records: row starts and terms.
        members: records, cluster by cluster, and where each cluster starts among them.
        group: utility group of each term.
        k: least support.
        m: size of the combinations that must have it.
        exact: also repair what exact worlds break.
        may_be_empty: readers know that a record may have nothing published.
        lots: decide between equally good suppressions.
    """
    chunk, chunks, subrecords = vertical.chunk.copy(), vertical.chunks.copy(), vertical.subrecords.copy()
    for cluster in np.flatnonzero(chunks > 1).tolist():
        rows = members[0][members[1][cluster] : members[1][cluster + 1]].tolist()
        at = [np.arange(records[0][row], records[0][row + 1]) for row in rows]
        repaired = _read(at, records[1], chunk, int(chunks[cluster]), group, k, m)
        repaired.make_safe(lots)
        if exact:
            from cloven.anonymise.disassociation.safe_exact import make_exact

            listed = may_be_empty or any((chunk[places] == -1).any() for places in at)
            make_exact(repaired, len(rows), listed, lots)
        if repaired.moved or repaired.removed:
            _write(at, records[1], chunk, repaired)
            chunks[cluster] = len(repaired.masks)
            subrecords[cluster] = sum(_rows(masks).bit_count() for masks in repaired.masks)
    return Vertical(chunk, chunks, subrecords)


def _read(
    at: list[Longs],
    terms: NDArray[np.int32],
    chunk: NDArray[np.int32],
    many: int,
    group: Longs,
    k: int,
    m: int,
) -> Chunks:
    """The record chunks of one cluster as bits."""
    masks: list[dict[int, int]] = [{} for _ in range(many)]
    for row, places in enumerate(at):
        for term, number in zip(terms[places].tolist(), chunk[places].tolist(), strict=True):
            if number >= 0:
                masks[number][term] = masks[number].get(term, 0) | 1 << row
    return Chunks(k, m, masks, [int(group[next(iter(items))]) for items in masks])


def _write(at: list[Longs], terms: NDArray[np.int32], chunk: NDArray[np.int32], repaired: Chunks) -> None:
    """Label the occurrences of one cluster anew."""
    number = {term: c for c, masks in enumerate(repaired.masks) for term in masks}
    number |= dict.fromkeys(repaired.moved, -1)
    gone = set(repaired.removed)
    moved = set(repaired.moved)
    for row, places in enumerate(at):
        for place, term in zip(places.tolist(), terms[places].tolist(), strict=True):
            if chunk[place] >= 0:
                # What was suppressed before its item moved to the term chunk stands there again: it is named anyway.
                hidden = (row, term) in gone and term not in moved
                chunk[place] = SUPPRESSED if hidden else number[term]


def _rows(masks: dict[int, int]) -> int:
    rows = 0
    for mask in masks.values():
        rows |= mask
    return rows
