"""Compiled checks of constraints on the counts of sensitive values, kept up to date row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = 0, 1, 2, 3, 4
"""Kinds of constraints."""
SLACK = 1e-9
"""How far sums of floating point numbers may miss a threshold that they meet exactly on paper."""


class Demands(NamedTuple):
    """Constraints in a form that compiled code reads.

    Attributes:
        kind: which of the five each is.
        level: l, log l or t.
        factor: c.
        start: where the sensitive values of each constraint start among those of all, and where the last ends.
        codes: rows x constraints: the sensitive value, counted from ``start``.
        shares: share of each sensitive value in the whole table.
        number: the number behind each sensitive value, or its place; ascending inside a constraint.
        upto: the largest number that counts as the same value.
        harmful: whether each sensitive value harms.
        near: of each constraint, whether some values count as the same.
    """

    kind: NDArray[np.int64]
    level: NDArray[np.float64]
    factor: NDArray[np.float64]
    start: NDArray[np.int64]
    codes: NDArray[np.int32]
    shares: NDArray[np.float64]
    number: NDArray[np.float64]
    upto: NDArray[np.float64]
    harmful: NDArray[np.bool_]
    near: NDArray[np.bool_]


@compiled
def all_met(demands: Demands, counts: Ints, values: Ints, ends: Ints, size: int) -> bool:
    """Whether counts of sensitive values keep to every constraint.

    ``values[ends[d]:ends[d + 1]]`` lists the values of constraint d that can have a count above 0, ascending where
    some count as the same.
    """
    for number in range(len(demands.kind)):
        if not _met(demands, number, counts, values[ends[number] : ends[number + 1]], size):
            return False
    return True


@compiled
def _met(demands: Demands, number: int, counts: Ints, values: Ints, size: int) -> bool:
    kind, level = demands.kind[number], demands.level[number]
    if kind == DISTINCT:
        return _distinct(demands, number, counts, values)
    if kind == ENTROPY:
        return bool(_entropy(counts, values, size) >= level - SLACK)
    if kind == RECURSIVE:
        return _recursive(counts, values, size, level, demands.factor[number])
    if kind == EQUAL:
        return bool(_equal_distance(counts, values, size, demands.shares) <= level + SLACK)
    first, last = demands.start[number], demands.start[number + 1]
    return bool(_ordered_distance(counts[first:last], size, demands.shares[first:last]) <= level + SLACK)


@compiled
def _distinct(demands: Demands, constraint: int, counts: Ints, values: Ints) -> bool:
    """Enough values that are all different from each other; nobody has to be hidden whose value does no harm."""
    found, same, harms, near = 0, -np.inf, False, demands.near[constraint]
    for value in values:
        if counts[value] == 0:
            continue
        harms = harms or demands.harmful[value]
        # From the smallest on, each value that is not the same as the last one taken: nothing gets more of them.
        if not near or demands.number[value] > same:
            found += 1
            same = demands.upto[value]
        if found >= demands.level[constraint]:
            return True
    return not harms


@compiled
def _entropy(counts: Ints, values: Ints, size: int) -> float:
    total = 0.0
    for value in values:
        if counts[value] > 0:
            total += counts[value] * np.log(counts[value])
    return float(np.log(size) - total / size)


@compiled
def _recursive(counts: Ints, values: Ints, size: int, level: float, factor: float) -> bool:
    """r1 < c (r_l + ... + r_m): the tail is all but the l - 1 largest counts."""
    ordered = np.sort(counts[values])
    tail, least = size, len(ordered) - (int(level) - 1)
    for position in range(max(0, least), len(ordered)):
        tail -= ordered[position]
    return bool(ordered[-1] < factor * tail)


@compiled
def _equal_distance(counts: Ints, values: Ints, size: int, shares: NDArray[np.float64]) -> float:
    """What has to move is what a class has too much of; of all other values it has too little."""
    moved = 0.0
    for value in values:
        moved += max(0.0, counts[value] / size - shares[value])
    return moved


@compiled
def _ordered_distance(counts: Ints, size: int, shares: NDArray[np.float64]) -> float:
    if len(counts) < 2:
        return 0.0
    carried, moved = 0.0, 0.0
    for value in range(len(counts)):
        carried += counts[value] / size - shares[value]
        moved += abs(carried)
    return moved / (len(counts) - 1)
