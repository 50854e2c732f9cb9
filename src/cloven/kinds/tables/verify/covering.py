"""Compiled: which rows do published parts cover?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Held(NamedTuple):
    """The values that cells hold, attribute after attribute.

    Attributes:
        first_cell: where the cells of each attribute start in ``offsets``.
        offsets: where the values of each cell start in ``members``, and at the end of each attribute where they end.
        members: values of each cell, ascending.
    """

    first_cell: NDArray[np.int64]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]


@compiled
def holds(held: Held, attribute: int, cell: int, value: int) -> bool:
    """Whether a cell holds a value."""
    low = held.offsets[held.first_cell[attribute] + cell]
    high = held.offsets[held.first_cell[attribute] + cell + 1] - 1
    if value < held.members[low] or value > held.members[high]:
        return False
    if held.members[high] - held.members[low] == high - low:
        return True
    while low < high:
        middle = (low + high) // 2
        if held.members[middle] < value:
            low = middle + 1
        else:
            high = middle
    return bool(held.members[low] == value)


def count_covered(held: Held, parts: Ints, rows: Ints, weights: Ints, covered: Ints) -> NDArray[np.int64]:
    """How many persons each part covers; marks the rows that some part covers."""
    if not len(rows) or not len(parts):
        return np.zeros(len(parts), np.int64)
    turns, order = _turns(held, parts, rows)
    found, _ = _covering(held, parts, rows[order][:, turns], turns, order, weights, covered, wanted=False)
    return found


def pairs_covered(held: Held, parts: Ints, rows: Ints) -> NDArray[np.int64]:
    """All pairs of a row and a part that covers it."""
    if not len(rows) or not len(parts):
        return np.empty((0, 2), np.int64)
    turns, order = _turns(held, parts, rows)
    nobody = np.zeros(len(rows), np.int64)
    _, pairs = _covering(held, parts, rows[order][:, turns], turns, order, nobody, nobody, wanted=True)
    return pairs


def _turns(held: Held, parts: Ints, rows: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """In which order attributes are compared, those first whose cells hold the fewest rows; and rows sorted by it."""
    shares = []
    for attribute in range(rows.shape[1]):
        first, last = held.first_cell[attribute], held.first_cell[attribute + 1] - 1
        offsets = held.offsets[first : last + 1]
        times = np.bincount(rows[:, attribute][rows[:, attribute] >= 0], minlength=1)
        members = held.members[offsets[0] : offsets[-1]]
        inside = np.where(members < len(times), times[np.minimum(members, len(times) - 1)], 0)
        before = np.concatenate(([0], np.cumsum(inside)))
        of_cell = before[offsets[1:] - offsets[0]] - before[offsets[:-1] - offsets[0]]
        shares.append(of_cell[parts[:, attribute]].mean())
    turns = np.argsort(np.array(shares), kind="stable").astype(np.int64)
    order = np.lexsort(tuple(rows[:, turn] for turn in turns[::-1])) if len(turns) else np.arange(len(rows))
    return turns, order.astype(np.int64)


@compiled
def _end_of(rows: Ints, turn: int, start: int, end: int, value: int) -> int:
    """First of the sorted rows from ``start`` to ``end`` whose value is above a given one."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if rows[middle, turn] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _covering(
    held: Held,
    parts: Ints,
    rows: Ints,
    turns: Ints,
    order: Ints,
    weights: Ints,
    covered: Ints,
    wanted: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Persons that each part covers, and the pairs if they are wanted.

    Rows are sorted, so those with the same values in the first attributes stand side by side: a part goes down from
    attribute to attribute, and leaves out whole ranges of rows that it does not hold.
    """
    found, pairs, number, depth = np.zeros(len(parts), np.int64), np.empty((1024, 2), np.int64), 0, len(turns)
    at, end = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    for part in range(len(parts)):
        level = 0
        at[0], end[0] = 0, len(rows)
        while level >= 0:
            if level == depth:
                for place in range(at[level], end[level]):
                    row = order[place]
                    found[part] += weights[row]
                    if wanted:
                        if number == len(pairs):
                            larger = np.empty((2 * len(pairs), 2), np.int64)
                            larger[:number] = pairs
                            pairs = larger
                        pairs[number, 0], pairs[number, 1] = row, part
                        number += 1
                    else:
                        covered[row] = 1
                level -= 1
                continue
            if at[level] >= end[level]:
                level -= 1
                continue
            attribute, start, value = turns[level], at[level], rows[at[level], level]
            cell = held.first_cell[attribute] + parts[part, attribute]
            least = held.members[held.offsets[cell]]
            if value < least:
                at[level] = _end_of(rows, level, start, end[level], least - 1)
                continue
            if value > held.members[held.offsets[cell + 1] - 1]:
                level -= 1
                continue
            at[level] = _end_of(rows, level, start, end[level], value)
            if holds(held, attribute, parts[part, attribute], value):
                at[level + 1], end[level + 1] = start, at[level]
                level += 1
    return found, pairs[:number]
