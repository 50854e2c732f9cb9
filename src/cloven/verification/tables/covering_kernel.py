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


@compiled
def count_covered(held: Held, parts: Ints, rows: Ints, weights: Ints, covered: Ints) -> Ints:
    """How many persons each part covers; marks the rows that some part covers."""
    found = np.zeros(len(parts), np.int64)
    for part in range(len(parts)):
        for row in range(len(rows)):
            fits = True
            for attribute in range(rows.shape[1]):
                if not holds(held, attribute, parts[part, attribute], rows[row, attribute]):
                    fits = False
                    break
            if fits:
                found[part] += weights[row]
                covered[row] = 1
    return found


@compiled
def pairs_covered(held: Held, parts: Ints, rows: Ints) -> Ints:
    """All pairs of a row and a part that covers it."""
    found = np.empty((1024, 2), np.int64)
    number = 0
    for row in range(len(rows)):
        for part in range(len(parts)):
            fits = True
            for attribute in range(rows.shape[1]):
                if not holds(held, attribute, parts[part, attribute], rows[row, attribute]):
                    fits = False
                    break
            if fits:
                if number == len(found):
                    larger = np.empty((2 * len(found), 2), np.int64)
                    larger[:number] = found
                    found = larger
                found[number, 0], found[number, 1] = row, part
                number += 1
    return found[:number]
