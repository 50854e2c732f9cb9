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

STEPS = 60
"""Halvings of the search for the common shift: more than a float can tell."""


@compiled
def _shifted(evidence: Floats, expected: float, out: NDArray[np.float32]) -> None:
    """Probabilities with these log odds, up to a common shift that makes them add up to ``expected``."""
    low, high = -60.0 - evidence.max(), 60.0 - evidence.min()
    for _ in range(STEPS):
        shift = (low + high) / 2
        total = 0.0
        for value in evidence:
            total += 1 / (1 + np.exp(-(value + shift)))
        if total < expected:
            low = shift
        else:
            high = shift
    for i in range(len(evidence)):
        out[i] = np.float32(1 / (1 + np.exp(-(evidence[i] + low))))


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
        _shifted(sharpness * (here - here.mean()) / spread, expected[target], found[first:last])
    return found
