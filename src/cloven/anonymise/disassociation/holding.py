"""How many stand behind something: records, or distinct persons where they are told (else ``person`` is empty)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray


def holders(person: NDArray[np.int64], records: NDArray[np.int64]) -> int:
    """Holders behind some records.

    >>> holders(np.array([7, 7, 8]), np.array([0, 1])), holders(np.empty(0, int), np.array([0, 1]))
    (1, 2)
    """
    return len(distinct(person[records])) if len(person) else len(records)


def holders_of_clusters(person: NDArray[np.int64], clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Holders of each cluster 0, 1, ...; ``clusters`` is the cluster of each record, -1 for none.

    >>> holders_of_clusters(np.array([7, 7, 8, 9]), np.array([0, 0, 1, -1])).tolist()
    [1, 1]
    """
    inside = np.flatnonzero(clusters >= 0)
    if not len(person):
        return np.bincount(clusters[inside]).astype(np.int64)
    width = int(person.max()) + 1
    pairs = distinct(clusters[inside] * width + person[inside])
    return np.bincount(pairs // width).astype(np.int64)
