"""The items of every record chunk by support, descending, then by number: the order in which VERPART could try them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated

    Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ChunkItems:
    """Items of record chunks as compressed rows; chunks are sorted by cluster and number.

    Attributes:
        cluster: cluster of each chunk.
        chunk: its number in the cluster.
        start: where its items begin in ``item``; one longer than the number of chunks.
        item: the items.
        support: sub-records of the chunk that hold each.
    """

    cluster: Longs
    chunk: Longs
    start: Longs
    item: Longs
    support: Longs

    @classmethod
    def of(cls, release: Disassociated) -> ChunkItems:
        """List the items of a release."""
        rows = np.flatnonzero(release.row_kind == Kind.RECORD)
        cluster, chunk = release.row_cluster[rows], release.row_chunk[rows].astype(np.int64)
        new = np.ones(len(rows), bool)
        new[1:] = (np.diff(cluster) != 0) | (np.diff(chunk) != 0)
        width = max(1, len(release.vocabulary))
        number = np.full(release.rows, -1, np.int64)
        number[rows] = np.cumsum(new) - 1
        owner = np.repeat(number, np.diff(release.row_offsets))
        keys = np.sort(owner[owner >= 0] * width + release.row_items[owner >= 0])
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        support = np.diff(np.append(first, len(keys)))
        owner, item = np.divmod(keys[first], width)
        order = np.lexsort((item, -support, owner))
        start = np.searchsorted(owner, np.arange(int(new.sum()) + 1))
        return cls(cluster[new], chunk[new], start, item[order], support[order])

    def __len__(self) -> int:
        return len(self.cluster)

    @property
    def owner(self) -> Longs:
        """Running number of the chunk of each item."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def find(self, cluster: Longs, chunk: Longs) -> Longs:
        """Running numbers of some chunks that are there."""
        wide = int(self.chunk.max(initial=0)) + 1
        return np.searchsorted(self.cluster * wide + self.chunk, cluster * wide + chunk)
