"""Axes: round ends and round steps."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True)
class Scale:
    """From ``low`` to ``high``, with marks between them."""

    low: float
    high: float
    marks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a value lies, from 0 (left or bottom) to 1; what lies outside is held at the end.

        >>> Scale(0.0, 0.4, ()).at(0.1)
        0.25
        """
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def scale(low: float, high: float, steps: int = 5, most: float | None = None) -> Scale:
    """A scale that holds ``low`` and ``high`` and has about so many steps.

    >>> scale(0.0, 0.187).marks
    (0.0, 0.05, 0.1, 0.15, 0.2)
    """
    span = max(high - low, 1e-6)
    power = 10.0 ** floor(log10(span / steps))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10) if span / (power * nice) <= steps)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if most is not None:
        last = min(last, round(most / step))
    marks = tuple(round(step * i, 10) for i in range(first, max(last, first + 1) + 1))
    return Scale(marks[0], marks[-1], marks)
