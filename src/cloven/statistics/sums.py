"""Sums and powers inside kernels: the same to the last bit whether compiled or not, and on every machine.

NumPy adds in blocks, and its exponentials depend on the processor; compiled code adds from the first to the last, and
asks the mathematical library.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Floats, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


# From scores to probabilities.


@compiled
def shifted(odds: Floats, expected: float, out: NDArray[np.float32]) -> None:
    """Probabilities with these odds, times a common factor that makes them add up to ``expected``.

    Newton's method on the logarithm of the factor. The sum is convex below one half and concave above it, so a step
    that would leave the bracket is replaced by its middle.
    """
    # A probability is below its odds, so this is too low; with all odds as small as the smallest it is too high.
    shift = low = math.log(expected / total(odds))
    high = math.log(expected / (len(odds) - expected)) - math.log(odds.min())
    for _ in range(STEPS):
        factor, found, slope = math.exp(shift), 0.0, 0.0
        for value in odds:
            share = factor * value / (1 + factor * value)
            found += share
            slope += share * (1 - share)
        if abs(found - expected) <= 1e-7 * expected:
            break
        if found < expected:
            low = shift
        else:
            high = shift
        step = shift + (expected - found) / slope
        shift = step if low < step < high else (low + high) / 2
    factor = math.exp(shift)
    for i in range(len(odds)):
        out[i] = np.float32(factor * odds[i] / (1 + factor * odds[i]))


STEPS = 40
"""Newton steps at most; five or six are enough."""
