"""Eliminations that never look at a table twice: the largest values first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]


@compiled
def known(table: Floats) -> tuple[Ints, Ints]:
    """How many values of each row and of each column are known."""
    rows, columns = table.shape
    in_row, in_column = np.zeros(rows, np.int64), np.zeros(columns, np.int64)
    for i in range(rows):
        for j in range(columns):
            if not np.isnan(table[i, j]):
                in_row[i] += 1
                in_column[j] += 1
    return in_row, in_column


@compiled
def largest_first(value: Floats, above: float, most: int) -> Ints:
    """Round in which each cell is eliminated, -1 for those that stay; up to ``most`` cells above a threshold.

    Equal values are taken row by row. A cell that is the last one of its row or column stays: a generalised item
    stands for at least one item, and every item it stands for is in at least one record. NaN is no value, and stays.
    """
    n, m = value.shape
    in_row, in_column = known(value)
    falling = -value.copy().reshape(n * m)
    for cell in range(n * m):
        if np.isnan(falling[cell]):
            falling[cell] = np.inf
    order, turn = np.full((n, m), -1, np.int32), 0
    for cell in np.argsort(falling, kind="mergesort"):
        i, j = cell // m, cell % m
        if turn >= most or not value[i, j] > above:
            break
        if in_row[i] >= 2 and in_column[j] >= 2:
            order[i, j] = turn
            turn += 1
            in_row[i] -= 1
            in_column[j] -= 1
    return order
