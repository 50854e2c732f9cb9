"""Intervals for shares (E. B. Wilson, J. American Statistical Association 22, 1927, 209-212) and for differences."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt
from statistics import NormalDist, variance
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def paired_difference(
    only_first: float,
    only_second: float,
    pairs: int,
    contrasts: Sequence[float] = (),
    confidence: float = 0.95,
) -> tuple[float, float, float]:
    """Difference of two shares of the same people, and its interval.

    Adjusted Wald interval of Bonett and Price (J. Educational and Behavioral Statistics 37, 2012, pages 479-488): one
    person is added to each kind of disagreement, so that it works where nobody disagrees.

    Args:
        only_first: of how many only the first is true; a part of a person where there are several answers.
        only_second: of how many only the second is.
        pairs: people.
        contrasts: the same difference as parts of the trial give it; where they differ more than the people explain,
            the interval is as wide as they say.
        confidence: of the interval.

    >>> value, low, high = paired_difference(0, 0, 600)
    >>> value, round(high, 4)
    (0.0, 0.0046)
    >>> paired_difference(0, 0, 0)
    (0.0, -1.0, 1.0)
    """
    if pairs == 0:
        return 0.0, -1.0, 1.0
    one, two = (only_first + 1) / (pairs + 2), (only_second + 1) / (pairs + 2)
    within = (one + two - (one - two) ** 2) / (pairs + 2)
    between = variance(contrasts) / len(contrasts) if len(contrasts) > 1 else 0.0
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(max(within, between))
    value = (only_first - only_second) / pairs
    return value, max(-1.0, one - two - spread), min(1.0, one - two + spread)


def difference(
    found: int, trials: int, other: int, other_trials: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Difference of two shares of different people, and its interval (R. G. Newcombe, Statistics in Medicine 17, 1998).

    >>> value, low, high = difference(0, 200, 0, 200)
    >>> value, round(high, 3)
    (0.0, 0.019)
    """
    if not (trials and other_trials):
        return 0.0, -1.0, 1.0
    one, two = found / trials, other / other_trials
    low, high = wilson(found, trials, confidence)
    other_low, other_high = wilson(other, other_trials, confidence)
    value = one - two
    return (
        value,
        max(-1.0, value - sqrt((one - low) ** 2 + (other_high - two) ** 2)),
        min(1.0, value + sqrt((high - one) ** 2 + (two - other_low) ** 2)),
    )


# A number that was measured on several random reconstructions: its mean and an interval.


@dataclass(frozen=True)
class Sampled:
    """Mean over reconstructions with a 95 % interval.

    Attributes:
        mean: the mean.
        low: lower end of the interval, None after a single reconstruction.
        high: upper end, None after a single reconstruction.
        values: the value of each reconstruction.
    """

    mean: float
    low: float | None
    high: float | None
    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], *, smallest: float = 0.0, largest: float = 1.0) -> Sampled:
        """Student's t interval for the mean, cut to the range that the measure can have.

        >>> Sampled.of([0.2, 0.3, 0.4]).mean
        0.3
        """
        from scipy.special import stdtrit

        mean = float(np.mean(values))
        if len(values) < 2:
            return cls(mean, None, None, tuple(values))
        half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / sqrt(len(values))
        return cls(mean, max(smallest, mean - half), min(largest, mean + half), tuple(values))

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "values": list(self.values)}


def plain_values(report: Any) -> dict[str, object]:
    """Fields of a report as plain values for JSON."""
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    return {name: value.to_dict() if isinstance(value, Sampled) else value for name, value in values.items()}
