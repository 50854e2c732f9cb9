"""k-medoids: PAM (Kaufman and Rousseeuw 1990), with the swap step of FasterPAM.

BUILD takes, one by one, the medoid that lowers the sum of distances most. Swapping then exchanges a medoid for another
point as long as that lowers the sum; what every exchange would gain is found for all medoids at once, from the nearest
and second nearest medoid of each point (Schubert and Rousseeuw, Information Systems 101, 2021, section 4). Ties go to
the lower number, so the result depends on the distances alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_GAIN = 1e-12
"""Gains below this are rounding."""


def k_medoids(distance: NDArray[np.float64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Medoids, ascending, and for each point the position of its medoid among them.

    >>> distance = np.abs(np.subtract.outer([0.0, 1, 2, 10, 11], [0.0, 1, 2, 10, 11]))
    >>> medoids, nearest = k_medoids(distance, 2)
    >>> medoids.tolist(), nearest.tolist()
    ([1, 3], [0, 0, 0, 1, 1])
    """
    medoids = _build(distance, count)
    while _swap(distance, medoids):
        pass
    found = np.sort(np.array(medoids, np.int64))
    nearest = distance[:, found].argmin(axis=1)
    nearest[found] = np.arange(count)  # a medoid at distance 0 from another still is its own
    return found, nearest


def _build(distance: NDArray[np.float64], count: int) -> list[int]:
    medoids = [int(distance.sum(axis=0).argmin())]
    nearest = distance[:, medoids[0]].copy()
    while len(medoids) < count:
        gain = np.maximum(nearest[:, None] - distance, 0).sum(axis=0)
        gain[medoids] = -1
        medoids.append(int(gain.argmax()))
        nearest = np.minimum(nearest, distance[:, medoids[-1]])
    return medoids


def _swap(distance: NDArray[np.float64], medoids: list[int]) -> bool:
    """Walk once over all points, taking every exchange that gains; whether there was one."""
    exchanged = False
    for point in range(len(distance)):
        if point in medoids:
            continue
        gains = _gains(distance, medoids, point)
        best = int(gains.argmax())
        if gains[best] > SMALLEST_GAIN:
            medoids[best] = point
            exchanged = True
    return exchanged


def _gains(distance: NDArray[np.float64], medoids: list[int], point: int) -> NDArray[np.float64]:
    """What the sum of distances loses if the point takes the place of each medoid."""
    to_medoids = distance[:, medoids]
    owner = to_medoids.argmin(axis=1)
    rows = np.arange(len(distance))
    nearest = to_medoids[rows, owner]
    to_medoids = to_medoids.copy()
    to_medoids[rows, owner] = np.inf
    second = to_medoids.min(axis=1)
    now = distance[:, point]
    gains = np.full(len(medoids), np.maximum(nearest - now, 0).sum())
    # Points that lose their medoid go to the second nearest or to the new one.
    losing = nearest - np.minimum(second, now) - np.maximum(nearest - now, 0)
    np.add.at(gains, owner, losing)
    return gains
