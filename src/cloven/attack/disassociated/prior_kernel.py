"""Compiled passes over all candidates: what has no score, and what stands in for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints

    Floats = NDArray[np.float64]

SCALE = 1e9
"""Scores that differ by less than its inverse are equal, so that ties stay ties."""


@compiled
def reasons(offsets: Ints, slots: Ints, shows: Flags, score: Floats) -> Ints:
    """0 for targets of which a candidate has a score, 1 if none has, 2 if none even shows an anchor."""
    found = np.empty(len(offsets) - 1, np.int64)
    for target in range(len(found)):
        found[target] = 2
        for at in range(offsets[target], offsets[target + 1]):
            if not np.isnan(score[at]) and shows[slots[at]]:
                found[target] = 0
                break
            if shows[slots[at]]:
                found[target] = 1
    return found


@compiled
def fill(offsets: Ints, score: Floats) -> Floats:
    """Scores rounded, with the mean of a target's scores, or 0, where there is none."""
    found = np.empty(len(score))
    for target in range(len(offsets) - 1):
        total, many = 0.0, 0
        for at in range(offsets[target], offsets[target + 1]):
            if not np.isnan(score[at]):
                total += score[at]
                many += 1
        mean = total / many if many else 0.0
        for at in range(offsets[target], offsets[target + 1]):
            value = mean if np.isnan(score[at]) else score[at]
            found[at] = np.round(value * SCALE) / SCALE
    return found
