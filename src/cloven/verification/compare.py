"""Comparing neighbours in a list of rows, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def compare_columns(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Compare each row with the next, column by column: -1 if it is smaller, 0 if equal, 1 if greater.

    >>> compare_columns([np.array([0, 0, 1]), np.array([5, 5, 4])])
    array([ 0, -1])
    """
    result = np.zeros(max(0, len(columns[0]) - 1), np.int64)
    for column in columns:
        result = np.where(result == 0, np.sign(column[:-1] - column[1:]), result)
    return result


def compare_neighbours(
    offsets: NDArray[np.int64], items: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Compare the items of each given row with those of the row after it, like Python lists.

    >>> offsets, items = np.array([0, 1, 3, 4]), np.array([7, 7, 8, 2])
    >>> compare_neighbours(offsets, items, np.array([0, 1]))
    array([-1,  1])
    """
    result = np.zeros(len(rows), np.int64)
    here, there = offsets[rows], offsets[rows + 1]
    here_end, there_end = there, offsets[rows + 2]
    open_pairs = np.arange(len(rows))
    step = 0
    while open_pairs.size:
        left, right = here[open_pairs] + step, there[open_pairs] + step
        left_ends, right_ends = left >= here_end[open_pairs], right >= there_end[open_pairs]
        ended = left_ends | right_ends
        result[open_pairs[ended]] = right_ends[ended].astype(np.int64) - left_ends[ended]
        going = ~ended
        open_pairs = open_pairs[going]
        sign = np.sign(items[left[going]].astype(np.int64) - items[right[going]])
        result[open_pairs] = sign
        open_pairs = open_pairs[sign == 0]
        step += 1
    return result
