"""Settings as points: broken promises, risk, utility; and which of them no other one beats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Point(NamedTuple):
    """Where a setting lies; no broken promise, little risk and much utility are good."""

    broken: bool
    risk: float
    utility: float

    def beats(self, other: Point, margin: float = 0.0) -> bool:
        """At least as good in everything and better in something; with a margin, better by it in risk and utility.

        >>> Point(False, 0.1, 0.9).beats(Point(False, 0.1, 0.8)), Point(True, 0.1, 0.9).beats(Point(False, 0.1, 0.8))
        (True, False)
        >>> Point(False, 0.1, 0.9).beats(Point(False, 0.11, 0.89), margin=0.05)
        False
        """
        if self.broken > other.broken:
            return False
        if margin > 0:
            return self.risk + margin < other.risk and self.utility > other.utility + margin
        return self.risk <= other.risk and self.utility >= other.utility and self != other


def undominated(points: Sequence[Point]) -> list[int]:
    """Positions of the points that no other one beats, by rising risk; of equal points all.

    >>> undominated([Point(False, 0.3, 0.9), Point(False, 0.1, 0.8), Point(False, 0.2, 0.7)])
    [1, 0]
    """
    best = [here for here, point in enumerate(points) if not any(other.beats(point) for other in points)]
    return sorted(best, key=lambda here: (points[here].risk, -points[here].utility, here))
