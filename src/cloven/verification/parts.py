"""Parts of a key, each joined with the row it is in and the cluster of its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key import Key
    from cloven.verification.layout import Layout


@dataclass(frozen=True)
class Parts:
    """One entry for each part of the key.

    Attributes:
        record: source position of its record.
        cluster: cluster of its record.
        row: its row in the layout.
        chunk: its chunk in the layout.
        kind: kind of that chunk.
        part: for each item, the part that holds it.
        items: item codes, by part and ascending.
    """

    record: NDArray[np.int64]
    cluster: NDArray[np.int64]
    row: NDArray[np.int64]
    chunk: NDArray[np.int64]
    kind: NDArray[np.int8]
    part: NDArray[np.int64]
    items: NDArray[np.int64]


def join_parts(layout: Layout, key: Key) -> Parts:
    """Look up row, chunk and cluster of every part of a key whose arrays are sound."""
    position = np.empty(len(layout.row_source), np.int64)
    position[layout.row_source] = np.arange(len(position))
    row = position[key.release_row]
    chunk = layout.row_chunk[row]
    part = np.repeat(np.arange(len(key.record)), np.diff(key.offsets))
    order = np.lexsort((key.items, part))
    return Parts(
        record=np.asarray(key.record, np.int64),
        cluster=key.record_cluster[np.searchsorted(key.records, key.record)],
        row=row,
        chunk=chunk,
        kind=layout.chunk_kind[chunk],
        part=part,
        items=np.asarray(key.items, np.int64)[order],
    )
