"""From log odds to probabilities, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.confidence_kernel import shifted
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@compiled
def rows_as_probabilities(log_odds: Floats, expected: float) -> NDArray[np.float32]:
    """Shift the log odds of each row together so that its probabilities add up to ``expected``."""
    rows, columns = log_odds.shape
    found = np.empty((rows, columns), np.float32)
    for i in range(rows):
        low, high = log_odds[i].min(), log_odds[i].max()
        if expected <= 0.0 or high - low < 1e-12:
            found[i, :] = np.float32(max(0.0, expected) / columns)
        else:
            shifted(np.exp(log_odds[i] - high), expected, found[i])
    return found
