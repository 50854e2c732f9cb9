"""A number that was measured on several random reconstructions: its mean and an interval."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


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
