"""From scores to probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Floats, compiled
from cloven.statistics.sums import total as total_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def shifted(odds: Floats, expected: float, out: NDArray[np.float32]) -> None:
    """Probabilities with these odds, times a common factor that makes them add up to ``expected``.

    Newton's method on the logarithm of the factor. The sum is convex below one half and concave above it, so a step
    that would leave the bracket is replaced by its middle.
    """
    # A probability is below its odds, so this is too low; with all odds as small as the smallest it is too high.
    shift = low = math.log(expected / total_of(odds))
    high = math.log(expected / (len(odds) - expected)) - math.log(odds.min())
    for _ in range(STEPS):
        factor, total, slope = math.exp(shift), 0.0, 0.0
        for value in odds:
            share = factor * value / (1 + factor * value)
            total += share
            slope += share * (1 - share)
        if abs(total - expected) <= 1e-7 * expected:
            break
        if total < expected:
            low = shift
        else:
            high = shift
        step = shift + (expected - total) / slope
        shift = step if low < step < high else (low + high) / 2
    factor = math.exp(shift)
    for i in range(len(odds)):
        out[i] = np.float32(factor * odds[i] / (1 + factor * odds[i]))


STEPS = 40
"""Newton steps at most; five or six are enough."""
