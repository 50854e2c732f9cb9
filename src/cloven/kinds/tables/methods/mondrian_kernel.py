"""Compiled Mondrian: cut rows in two, along the widest attribute that can be cut, until nothing can be cut.

A cut lies between two neighbours in the order of an attribute (strict: only between different values). Of the cuts
whose halves both keep to everything, the most even one is taken; with a taxonomy, first of those that part the branches
below the lowest common ancestor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled
from cloven.kinds.tables.methods.constraints import Demands, all_met

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS, TREE, SET = 0, 1, 2


class Dimensions(NamedTuple):
    """Quasi-identifiers in a form that compiled code reads.

    Attributes:
        kind: numbers, values with a tree, or values without.
        keys: attributes x rows: position of each value in the order of its attribute.
        start: where the keys of each attribute start in ``place``.
        place: the number behind each key of a numeric attribute.
        depth: longest path of each tree.
        path_start: where the paths of each tree start in ``path`` and ``below``.
        path: nodes from the root down to each key, ``depth`` of them; -1 beyond the leaf.
        below: number of leaves below each node of ``path``.
    """

    kind: NDArray[np.int64]
    keys: NDArray[np.int32]
    start: NDArray[np.int64]
    place: NDArray[np.float64]
    depth: NDArray[np.int64]
    path_start: NDArray[np.int64]
    path: NDArray[np.int32]
    below: NDArray[np.int64]


class Group(NamedTuple):
    """Sensitive values of the rows in hand.

    Attributes:
        total: count of each value.
        values: values that are there, constraint after constraint.
        ends: where those of each constraint start, and where the last end.
    """

    total: NDArray[np.int64]
    values: NDArray[np.int64]
    ends: NDArray[np.int64]


@compiled
def common_depth(dims: Dimensions, dim: int, first: int, last: int) -> int:
    """How many nodes, from the root down, the paths to two keys share."""
    depth = dims.depth[dim]
    left = dims.path_start[dim] + first * depth
    right = dims.path_start[dim] + last * depth
    shared = 0
    while shared < depth and dims.path[left + shared] == dims.path[right + shared] >= 0:
        shared += 1
    return shared


@compiled
def width(dims: Dimensions, dim: int, rows: Ints, stamps: Ints, stamp: int) -> float:
    """How far the values of some rows reach, in the unit of the attribute; 0 if they are all the same."""
    keys = dims.keys[dim]
    low, high = keys[rows[0]], keys[rows[0]]
    for row in rows:
        low, high = min(low, keys[row]), max(high, keys[row])
    if low == high:
        return 0.0
    if dims.kind[dim] == NUMBERS:
        return float(dims.place[dims.start[dim] + high] - dims.place[dims.start[dim] + low])
    if dims.kind[dim] == TREE:
        node = dims.path_start[dim] + low * dims.depth[dim] + common_depth(dims, dim, low, high) - 1
        return float(dims.below[node] - 1)
    distinct = -1
    for row in rows:
        at = dims.start[dim] + keys[row]
        if stamps[at] != stamp:
            stamps[at] = stamp
            distinct += 1
    return float(distinct)


@compiled
def _gather(demands: Demands, rows: Ints, total: Ints) -> Group:
    """Count the sensitive values of some rows; ``total`` must be 0 everywhere."""
    constraints = len(demands.kind)
    values = np.empty(len(rows) * constraints, np.int64)
    ends = np.zeros(constraints + 1, np.int64)
    found = 0
    for number in range(constraints):
        for row in rows:
            value = demands.codes[row, number]
            if total[value] == 0:
                values[found] = value
                found += 1
            total[value] += 1
        if demands.near[number]:
            values[ends[number] : found].sort()
        ends[number + 1] = found
    return Group(total, values[:found], ends)


@compiled
def _move(demands: Demands, row: int, left: Ints, right: Ints, step: int) -> None:
    """Bring a row to the left (step 1) or to the right (step -1)."""
    for number in range(len(demands.kind)):
        value = demands.codes[row, number]
        left[value] += step
        right[value] -= step


@compiled
def _both_met(demands: Demands, group: Group, left: Ints, right: Ints, at: int, size: int) -> bool:
    return all_met(demands, left, group.values, group.ends, at) and all_met(
        demands, right, group.values, group.ends, size - at
    )


@compiled
def find_cut(demands: Demands, group: Group, rows: Ints, allowed: Flags, k: int, room: Ints) -> int:
    """The most even allowed position where both sides keep to everything; 0 if there is none.

    ``room`` holds four rows of counts, 0 everywhere before and after.
    """
    for value in group.values:
        room[1, value] = group.total[value]
    for row in rows[: len(rows) // 2]:
        _move(demands, row, room[0], room[1], 1)
    for value in group.values:
        room[2, value], room[3, value] = room[0, value], room[1, value]
    found = _outwards(demands, group, rows, allowed, k, room)
    for value in group.values:
        room[:, value] = 0
    return found


@compiled
def _outwards(demands: Demands, group: Group, rows: Ints, allowed: Flags, k: int, room: Ints) -> int:
    """Walk from the middle outwards, with one pair of counts up and one down, so that each step moves one row."""
    size = len(rows)
    middle = size // 2
    for offset in range(middle + 1):
        up, down = middle + offset, middle - offset
        if up > size - k and down < k:
            break
        if offset:
            _move(demands, rows[up - 1], room[0], room[1], 1)
            _move(demands, rows[down], room[2], room[3], -1)
        if k <= up <= size - k and allowed[up] and _both_met(demands, group, room[0], room[1], up, size):
            return up
        if offset == 0 or not k <= down <= size - k or not allowed[down]:
            continue
        if _both_met(demands, group, room[2], room[3], down, size):
            return down
    return 0


@compiled
def mark_boundaries(dims: Dimensions, dim: int, rows: Ints, allowed: Flags, relaxed: bool) -> bool:
    """Mark where sorted rows may be cut: between different values. True if with a tree only the shallowest.

    Relaxed, equal values may come to both sides.
    """
    keys = dims.keys[dim]
    size = len(rows)
    for at in range(1, size):
        allowed[at] = relaxed or keys[rows[at - 1]] != keys[rows[at]]
    if relaxed or dims.kind[dim] != TREE:
        return False
    top = common_depth(dims, dim, keys[rows[0]], keys[rows[-1]])
    for at in range(1, size):
        if allowed[at]:
            allowed[at] = common_depth(dims, dim, keys[rows[at - 1]], keys[rows[at]]) == top
    return True


@compiled
def cut_along(
    dims: Dimensions,
    dim: int,
    demands: Demands,
    group: Group,
    rows: Ints,
    k: int,
    relaxed: bool,
    allowed: Flags,
    room: Ints,
) -> int:
    """Sort rows along an attribute and find where to cut them; 0 if nowhere."""
    keys = np.empty(len(rows), np.int32)
    for at in range(len(rows)):
        keys[at] = dims.keys[dim, rows[at]]
    rows[:] = rows[np.argsort(keys, kind="mergesort")]
    branches = mark_boundaries(dims, dim, rows, allowed, relaxed)
    at = find_cut(demands, group, rows, allowed, k, room)
    if at == 0 and branches:
        sorted_keys = dims.keys[dim]
        for place in range(1, len(rows)):
            allowed[place] = sorted_keys[rows[place - 1]] != sorted_keys[rows[place]]
        at = find_cut(demands, group, rows, allowed, k, room)
    return at


@compiled
def partition(
    dims: Dimensions,
    cutting: Demands,
    demands: Demands,
    rows: Ints,
    k: int,
    relaxed: bool,
    widest: NDArray[np.float64],
) -> Ints:
    """Class of each row; ``rows`` is the order to start from, ``widest`` the width of the whole table.

    A cut is chosen so that both sides keep to ``cutting``, and taken back if one does not keep to ``demands``.
    """
    attributes = len(dims.kind)
    class_of = np.empty(len(rows), np.int64)
    stamps, stamp = np.zeros(max(1, int(dims.start[-1])), np.int64), 0
    total = np.zeros(max(1, int(cutting.start[-1]), int(demands.start[-1])), np.int64)
    room = np.zeros((4, len(total)), np.int64)
    allowed = np.zeros(len(rows) + 1, np.bool_)
    stack = np.empty((2 * len(rows) // k + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, len(rows)
    waiting, classes = 1, 0
    wide = np.zeros(attributes, np.float64)
    while waiting:
        waiting -= 1
        start, end = stack[waiting, 0], stack[waiting, 1]
        mine = rows[start:end]
        at = 0
        if len(mine) >= 2 * k:
            stamp += 1
            for dim in range(attributes):
                wide[dim] = width(dims, dim, mine, stamps, stamp) / widest[dim] if widest[dim] > 0 else 0.0
            group = _gather(cutting, mine, total)
            at = _widest_cut(dims, cutting, group, mine, k, relaxed, wide, allowed, room)
            for value in group.values:
                total[value] = 0
            if at and len(cutting.kind) < len(demands.kind) and not _stands(demands, mine, at, total, room):
                at = 0
        if at == 0:
            class_of[mine] = classes
            classes += 1
        else:
            stack[waiting, 0], stack[waiting, 1] = start, start + at
            stack[waiting + 1, 0], stack[waiting + 1, 1] = start + at, end
            waiting += 2
    return class_of


@compiled
def _stands(demands: Demands, rows: Ints, at: int, total: Ints, room: Ints) -> bool:
    """Whether both sides of a cut keep to everything; ``total`` and ``room`` are 0 before and after."""
    group = _gather(demands, rows, total)
    for value in group.values:
        room[1, value] = group.total[value]
    for row in rows[:at]:
        _move(demands, row, room[0], room[1], 1)
    met = _both_met(demands, group, room[0], room[1], at, len(rows))
    for value in group.values:
        room[:, value], total[value] = 0, 0
    return met


@compiled
def _widest_cut(
    dims: Dimensions,
    demands: Demands,
    group: Group,
    rows: Ints,
    k: int,
    relaxed: bool,
    wide: NDArray[np.float64],
    allowed: Flags,
    room: Ints,
) -> int:
    """Cut along the widest attribute that can be cut; ``wide`` is used up."""
    for _ in range(len(wide)):
        dim = int(np.argmax(wide))
        if wide[dim] <= 0.0:
            return 0
        at = cut_along(dims, dim, demands, group, rows, k, relaxed, allowed, room)
        if at:
            return at
        wide[dim] = 0.0
    return 0
