"""WBA, the weight-based attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).

Distances are weighted as in GBA, but treated uniformly: in every round the largest weighted distance of the whole
table is eliminated, as long as it exceeds the mean of the weighted table at the start. A cell that is the last of its
row or column weighs nothing, so that no row or column is emptied.

Weighted distances only ever fall. So a row's largest one changes only if that cell itself has been touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.groups_kernel import scale_of, steps
from cloven.attack.generalised.largest_first_kernel import known
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]


@compiled
def _largest_of_row(
    distance: Floats, in_row: Ints, in_column: Ints, order: Ints, i: int, scale: float
) -> tuple[int, float]:
    """Column of the largest weighted distance of a row, the first of equal ones, and its size in steps."""
    best, column = -1.0, 0
    own = 1.0 - 1.0 / max(1, in_row[i])
    for j in range(distance.shape[1]):
        if order[i, j] < 0 and not np.isnan(distance[i, j]):
            size = steps(distance[i, j] * own * (1.0 - 1.0 / in_column[j]), scale)
            if size > best:
                best, column = size, j
    return column, best


@compiled
def weighted(distance: Floats, factor: float, most: int) -> Ints:
    """Round in which each cell is eliminated, -1 for those that stay; up to ``most`` cells.

    ``factor`` times the mean weighted distance is the threshold. NaN is a distance that is not known: the cell stays.
    """
    n, m = distance.shape
    scale = scale_of(distance)
    in_row, in_column = known(distance)
    total = 0.0
    for i in range(n):
        for j in range(m):
            if not np.isnan(distance[i, j]):
                total += distance[i, j] * (1 - 1 / in_row[i]) * (1 - 1 / in_column[j])
    threshold = steps(factor * total / max(1, in_row.sum()), scale)
    order = np.full((n, m), -1, np.int32)
    column, size = np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        column[i], size[i] = _largest_of_row(distance, in_row, in_column, order, i, scale)
    for turn in range(most):
        i = int(np.argmax(size))
        if size[i] <= threshold:
            break
        j = int(column[i])
        order[i, j] = turn
        in_row[i] -= 1
        in_column[j] -= 1
        for x in range(n):
            if x == i or column[x] == j:
                column[x], size[x] = _largest_of_row(distance, in_row, in_column, order, x, scale)
    return order
