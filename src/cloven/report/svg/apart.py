"""Keep the marks of a chart apart: a mark that would cover another one stands beside its place, with a line to it.

Charts are as wide as the page, so overlaps are judged at a usual width; on a narrow screen names are not shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import cos, pi, sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USUAL_WIDTH = 700
RADIUS = 12
"""Half the width of a mark, with room around it."""
GAP = 16
"""From the middle of a mark to its name."""
LETTER, LINE = 6.4, 15
"""Usual width of a letter, and height of a line."""
RINGS = (0, 27, 42, 58, 76, 96)


@dataclass(frozen=True)
class Mark:
    """Where a mark stands, from its place, in pixels; and on which side its name does."""

    dx: float
    dy: float
    left: bool = False


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) * 2 < self.width + other.width
            and abs(self.y - other.y) * 2 < self.height + other.height
        )


def apart(
    places: Sequence[tuple[float, float]],
    names: Sequence[str],
    height: int,
    note: tuple[float, str] | None = None,
) -> list[Mark]:
    """Marks for some places (shares of width and height, from the top), the first ones where they belong.

    A note that stands above a line at the right end, such as a limit (share of the height, and words), is left free.

    >>> apart([(0.5, 0.5), (0.5, 0.5), (0.9, 0.1)], ["", "", ""], 300)
    [Mark(dx=0.0, dy=0.0, left=False), Mark(dx=27.0, dy=0.0, left=False), Mark(dx=0.0, dy=0.0, left=False)]
    """
    taken: list[_Box] = []
    if note is not None:
        width = LETTER * len(note[1])
        taken.append(_Box(USUAL_WIDTH - 4 - width / 2, note[0] * height - 9, width, LINE))
    out = []
    for (x, y), name in zip(places, names, strict=True):
        at = x * USUAL_WIDTH, y * height
        free = (mark for mark in _tries() if _fits(_boxes(at, mark, name), taken, height))
        mark = next(free, Mark(0.0, 0.0))
        taken += _boxes(at, mark, name)
        out.append(mark)
    return out


def _tries() -> Iterator[Mark]:
    """Nearest first; to the sides rather than above and below."""
    for ring in RINGS:
        for step, left in product((0, 4, 1, 7, 3, 5, 2, 6) if ring else (0,), (False, True)):
            yield Mark(round(ring * cos(step * pi / 4), 1), round(ring * sin(step * pi / 4), 1), left)


def _boxes(at: tuple[float, float], mark: Mark, name: str) -> list[_Box]:
    x, y = at[0] + mark.dx, at[1] + mark.dy
    found = [_Box(x, y, 2 * RADIUS, 2 * RADIUS)]
    if name:
        width = LETTER * len(name)
        middle = x + (-1 if mark.left else 1) * (GAP + width / 2)
        found.append(_Box(middle, y, width, LINE))
    return found


def _fits(boxes: list[_Box], taken: list[_Box], height: int) -> bool:
    inside = all(
        box.x - box.width / 2 >= -4
        and box.x + box.width / 2 <= USUAL_WIDTH + 12
        and -8 <= box.y <= height - 4
        for box in boxes[1:]
    )
    return inside and not any(box.meets(other) for box in boxes for other in taken)
