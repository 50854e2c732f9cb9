"""Compiled: how much weight lies on some points of a plane, where the weight is given as rectangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def _add(tree: NDArray[Any], place: int, amount: float) -> None:  # pragma: no cover - compiled
    at = place + 1
    while at < len(tree):
        tree[at] += amount
        at += at & -at


@compiled
def _sum(tree: NDArray[Any], place: int) -> float:  # pragma: no cover - compiled
    total, at = 0.0, place + 1
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@compiled
def weight_at(
    points: Ints,
    order: Ints,
    rectangles: Ints,
    opening: Ints,
    closing: Ints,
    weight: NDArray[Any],
    height: int,
) -> NDArray[np.float64]:  # pragma: no cover - compiled
    """Sum of the weights of the rectangles that hold each point.

    A line sweeps over the first coordinate; a Fenwick tree over the second holds the rectangles that it cuts.

    Args:
        points: points x 2.
        order: points by their first coordinate.
        rectangles: rectangles x 4: first and last of the first coordinate, then of the second.
        opening: rectangles by where they start.
        closing: rectangles by where they end.
        weight: weight of each rectangle at each of its points.
        height: how many values the second coordinate has.
    """
    tree = np.zeros(height + 2, np.float64)
    found = np.zeros(len(points), np.float64)
    opened, closed = 0, 0
    for point in order:
        at = points[point, 0]
        while opened < len(opening) and rectangles[opening[opened], 0] <= at:
            one = opening[opened]
            _add(tree, rectangles[one, 2], weight[one])
            _add(tree, rectangles[one, 3] + 1, -weight[one])
            opened += 1
        while closed < len(closing) and rectangles[closing[closed], 1] < at:
            one = closing[closed]
            _add(tree, rectangles[one, 2], -weight[one])
            _add(tree, rectangles[one, 3] + 1, weight[one])
            closed += 1
        found[point] = max(0.0, _sum(tree, points[point, 1]))
    return found
