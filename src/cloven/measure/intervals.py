"""Intervals for shares (E. B. Wilson, J. American Statistical Association 22, 1927, pages 209-212)."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from cloven.errors import ParameterError


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Score interval of a share; it stays inside 0..1 and works for small numbers.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if not 0 <= successes <= trials:
        message = f"successes must lie between 0 and trials={trials} (got {successes})"
        raise ParameterError(message)
    if not 0 < confidence < 1:
        message = f"confidence must lie between 0 and 1 (got {confidence})"
        raise ParameterError(message)
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low, high = share + z * z / (2 * trials) - spread, share + z * z / (2 * trials) + spread
    scale = 1 + z * z / trials
    # The ends are exact at 0 and 1; rounding must not push them past the share.
    return 0.0 if successes == 0 else low / scale, 1.0 if successes == trials else high / scale
