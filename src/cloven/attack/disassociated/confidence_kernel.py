"""From scores to probabilities: how sure the attack is of each candidate.

The log odds of a candidate rise by ``sharpness`` for each standard deviation by which its score exceeds the mean of the
target's candidates, and the probabilities of a target add up to the number of slots that hold it. So an attack that
cannot tell the slots apart answers with the prior, copies / candidates. If true and false scores were two normal
distributions d standard deviations apart, sharpness d would be calibrated; 0.4 belongs to a link AUC of 0.61.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]

STEPS = 40
"""Newton steps at most; five or six are enough."""


@compiled
def shifted(odds: Floats, expected: float, out: NDArray[np.float32]) -> None:
    """Probabilities with these odds, times a common factor that makes them add up to ``expected``.

    Newton's method on the logarithm of the factor. The sum is convex below one half and concave above it, so a step
    that would leave the bracket is replaced by its middle.
    """
    # A probability is below its odds, so this is too low; with all odds as small as the smallest it is too high.
    shift = low = np.log(expected / odds.sum())
    high = np.log(expected / (len(odds) - expected)) - np.log(odds.min())
    for _ in range(STEPS):
        factor, total, slope = np.exp(shift), 0.0, 0.0
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
    factor = np.exp(shift)
    for i in range(len(odds)):
        out[i] = np.float32(factor * odds[i] / (1 + factor * odds[i]))


@compiled
def confidences(offsets: Ints, score: Floats, expected: Floats, sharpness: float) -> NDArray[np.float32]:
    """A probability for every candidate of every target."""
    found = np.zeros(len(score), np.float32)
    for target in range(len(offsets) - 1):
        first, last = offsets[target], offsets[target + 1]
        many = last - first
        if many == 0:
            continue
        if expected[target] >= many:
            found[first:last] = np.float32(1)
            continue
        here = score[first:last]
        spread = here.std()
        if sharpness == 0.0 or spread <= 1e-12:
            found[first:last] = np.float32(expected[target] / many)
            continue
        shifted(np.exp(sharpness * (here - here.mean()) / spread), expected[target], found[first:last])
    return found
