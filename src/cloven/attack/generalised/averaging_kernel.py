"""Means over contextual items, and over generalised items that stand in for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]


@compiled
def averaged(offsets: Ints, members: Ints, table: Floats) -> Floats:
    """Mean of some lines of a table for each set of members, column by column; NaN is left out of the mean.

    Set ``i`` has the lines ``members[offsets[i]:offsets[i + 1]]``; NaN where none of them has a value.
    """
    sets, columns = len(offsets) - 1, table.shape[1]
    mean = np.empty((sets, columns))
    total, many = np.empty(columns), np.empty(columns)
    for i in range(sets):
        total[:], many[:] = 0.0, 0.0
        for at in range(offsets[i], offsets[i + 1]):
            line = members[at]
            for j in range(columns):
                if not np.isnan(table[line, j]):
                    total[j] += table[line, j]
                    many[j] += 1
        for j in range(columns):
            mean[i, j] = total[j] / many[j] if many[j] > 0 else np.nan
    return mean
