"""Sums and powers inside kernels: the same to the last bit whether compiled or not, and on every machine.

NumPy adds in blocks, and its exponentials depend on the processor; compiled code adds from the first to the last, and
asks the mathematical library.
"""

from __future__ import annotations

import math

import numpy as np

from cloven.compiled import Floats, compiled


@compiled
def total(values: Floats) -> float:
    """Their sum from the first to the last."""
    found = 0.0
    for value in values:
        found += value
    return found


@compiled
def deviation(values: Floats) -> float:
    """Standard deviation."""
    mean, squares = total(values) / len(values), 0.0
    for value in values:
        squares += (value - mean) * (value - mean)
    return float((squares / len(values)) ** 0.5)


@compiled
def exponentials(values: Floats) -> Floats:
    """The exponential of each."""
    found = np.empty(len(values))
    for i in range(len(values)):
        found[i] = math.exp(values[i])
    return found
