"""Ranks inside kernels."""

from __future__ import annotations

import numpy as np

from cloven.compiled import Floats, compiled

FEW = 16
"""Places up to which the largest values are kept in order while all are read; a partition of all costs far more."""


@compiled
def nth_largest(values: Floats, n: int) -> float:
    """The n-th largest of at least n values, n counted from 1; none of them is NaN.

    >>> nth_largest(np.array([3.0, 1.0, 3.0, 2.0]), 3)
    2.0
    """
    if n > FEW:
        return float(np.partition(values, len(values) - n)[len(values) - n])
    best = np.empty(n)  # the largest so far, descending
    for i in range(len(values)):
        value, at = values[i], min(i, n)
        if at == n and value <= best[n - 1]:
            continue
        at = min(at, n - 1)
        while at > 0 and best[at - 1] < value:
            best[at] = best[at - 1]
            at -= 1
        best[at] = value
    return float(best[n - 1])
