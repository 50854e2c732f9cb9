"""Assignment inside kernels: rows to columns, so that the sum of what they weigh is as large as possible.

Shortest augmenting paths (D. F. Crouse, IEEE Transactions on Aerospace and Electronic Systems 52, 2016, 1679-1696),
step by step as ``scipy.optimize.linear_sum_assignment`` takes them: of several best assignments it finds the same.
Thousands of small tables are solved without going back to Python for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Flags, Floats, Ints


class _State(NamedTuple):
    """Prices of rows and columns; the row of each column and the other way round; the paths of the latest search."""

    row_price: Floats
    column_price: Floats
    column_of: Ints
    row_of: Ints
    cost: Floats
    path: Ints
    seen_rows: Flags
    seen_columns: Flags
    left: Ints


@compiled
def assigned(weight: Floats) -> Ints:
    """The column of each row in an assignment of the largest weight, -1 for none; rows or columns may be left over."""
    turned = weight.shape[1] < weight.shape[0]
    price = -weight.T.copy() if turned else -weight
    rows, columns = price.shape
    state = _State(
        np.zeros(rows),
        np.zeros(columns),
        np.full(rows, -1, np.int64),
        np.full(columns, -1, np.int64),
        np.empty(columns),
        np.full(columns, -1, np.int64),
        np.zeros(rows, np.bool_),
        np.zeros(columns, np.bool_),
        np.empty(columns, np.int64),
    )
    for row in range(rows):
        _augment(price, row, state)
    return state.row_of if turned else state.column_of


@compiled
def _augment(price: Floats, row: int, state: _State) -> None:
    """Give one more row a column; others may have to change theirs."""
    column, lowest = _shortest_path(price, row, state)
    state.row_price[row] += lowest
    for other in range(len(state.row_price)):
        if state.seen_rows[other] and other != row:
            state.row_price[other] += lowest - state.cost[state.column_of[other]]
    for other in range(len(state.column_price)):
        if state.seen_columns[other]:
            state.column_price[other] -= lowest - state.cost[other]
    while True:
        owner = state.path[column]
        state.row_of[column] = owner
        before = state.column_of[owner]
        state.column_of[owner] = column
        column = before
        if owner == row:
            break


@compiled
def _shortest_path(price: Floats, row: int, state: _State) -> tuple[int, float]:
    """The free column that is cheapest to reach from a row by exchanges, and what that costs."""
    many, lowest = price.shape[1], 0.0
    for at in range(many):
        state.left[at] = many - at - 1  # backwards, so that equal prices leave everything in its place
    state.seen_rows[:] = False
    state.seen_columns[:] = False
    state.cost[:] = np.inf
    while True:
        state.seen_rows[row] = True
        best, least = -1, np.inf
        for at in range(many):
            column = state.left[at]
            cost = lowest + price[row, column] - state.row_price[row] - state.column_price[column]
            if cost < state.cost[column]:
                state.path[column], state.cost[column] = row, cost
            # Of equal ones a free column ends the search.
            if state.cost[column] < least or (state.cost[column] == least and state.row_of[column] == -1):
                best, least = at, state.cost[column]
        lowest, column = least, state.left[best]
        state.seen_columns[column] = True
        many -= 1
        state.left[best] = state.left[many]
        if state.row_of[column] == -1:
            return int(column), lowest
        row = state.row_of[column]
