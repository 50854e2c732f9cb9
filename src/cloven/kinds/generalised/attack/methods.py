"""The attacks on one distance table, by name.

A table has a row for each record that shows a generalised item, and a column for each item that it stands for. The
distance of a cell says how far the item is from what the record shows for certain; NaN says that it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Floats, compiled
from cloven.errors import ParameterError
from cloven.kinds.generalised.attack.groups import Course, known, largest_first, rounds, scale_of, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray


# TBA, the threshold-based attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).


def threshold(distance: NDArray[np.float64], factor: float = 1.0) -> NDArray[np.int32]:
    """Eliminate all distances above ``factor`` times their mean, the largest first; -1 for the cells that stay.

    >>> threshold(np.array([[0.1, 0.9], [0.8, 0.2]])).tolist()
    [[-1, 0], [1, -1]]
    """
    known = distance[~np.isnan(distance)]
    return largest_first(distance, factor * float(known.mean()) if len(known) else np.inf, distance.size)


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Order = NDArray[np.int32]

BEYOND = 1.1
"""What an infinite distance counts, in largest finite distances of the table."""
ROWS_AT_ONCE = 1000
"""Rows of a table that are compared with each other; the time of an attack grows with the square of their number."""


@dataclass(frozen=True)
class Method:
    """An attack on one table.

    Attributes:
        run: from distances and a factor for the threshold to the round in which each cell is eliminated, or -1.
        comparable: whether only distances of one row or one column are compared.
        rounds: whether it looks at the table again in every round, so that large tables are taken in parts.
    """

    run: Callable[[Floats, float], Order]
    comparable: bool
    rounds: bool


BY_DISTANCE: Mapping[str, Method] = {
    "mda": Method(lambda distance, _factor: maximum(distance), comparable=False, rounds=False),
    "tba": Method(threshold, comparable=False, rounds=False),
    "wba": Method(
        lambda distance, factor: weighted(distance, factor, distance.size), comparable=False, rounds=True
    ),
    "gba": Method(lambda distance, factor: grouping(distance, factor).order, comparable=True, rounds=True),
    "rba": Method(
        lambda distance, factor: redistribution(distance, factor).order,
        comparable=True,
        rounds=True,
    ),
}
"""Maximum distance, threshold, weight, grouping and redistribution based attack."""


def eliminated(
    distance: Floats, method: str = "rba", factor: float = 1.0, rows_at_once: int = ROWS_AT_ONCE
) -> Order:
    """Round in which each cell of a table is eliminated, -1 for those that stay.

    Args:
        distance: the table; NaN where a distance is not known, such a cell stays; infinite ones count a tenth more
            than the largest finite one.
        method: mda, tba, wba, gba or rba.
        factor: the threshold of the method is the mean that it takes, times this.
        rows_at_once: a longer table is dealt out to several with fewer rows, one row to each in turn.

    >>> table = np.array([[0.56, 0.78, 1.57], [1.75, 0.58, 1.74], [1.60, 1.51, 1.03]])
    >>> eliminated(table, "gba").tolist()
    [[-1, -1, -1], [0, -1, 1], [-1, -1, -1]]
    """
    if method not in BY_DISTANCE:
        message = f"method must be one of {', '.join(BY_DISTANCE)} (got {method!r})"
        raise ParameterError(message)
    table, chosen = finite(np.asarray(distance, np.float64)), BY_DISTANCE[method]
    parts = max(1, -(-len(table) // rows_at_once)) if chosen.rounds else 1
    order, before = np.full(table.shape, -1, np.int32), 0
    for part in range(parts):
        here = _where_known(table[part::parts], chosen, factor)
        order[part::parts] = np.where(here >= 0, here + before, -1)
        before += int(np.count_nonzero(here >= 0))
    return order


def _where_known(table: Floats, method: Method, factor: float) -> Order:
    """Run a method on the rows and columns of which something is known."""
    known = ~np.isnan(table)
    inside = np.ix_(known.any(axis=1), known.any(axis=0))
    order = np.full(table.shape, -1, np.int32)
    if known.any():
        order[inside] = method.run(np.ascontiguousarray(table[inside]), factor)
    return order


def finite(distance: Floats) -> Floats:
    """The table with a finite distance where it is infinite, such as between items that are never together."""
    if distance.ndim != 2 or (distance < 0).any():
        message = (
            f"distances must be a table of numbers that are not negative (got {distance.ndim} dimensions"
            + (f", {np.nanmin(distance):g} as the smallest)" if distance.ndim == 2 else ")")
        )
        raise ParameterError(message)
    endless = np.isposinf(distance)
    if not endless.any():
        return distance
    top = distance[np.isfinite(distance)].max(initial=0.0)
    return np.where(endless, BEYOND * top if top > 0 else 1.0, distance)


# GBA, the grouping-based attack (section 5.1 of the paper on attacks, Algorithm 1).
#
# In every round the row or column of highest vulnerability loses its largest item, as long as that vulnerability
# exceeds the mean of all groups at the start. Each distance is weighted by how likely its item is not an original one:
# a row with m items left gives each the weight 1/m, so does a column, and a distance counts d (1 - 1/m) (1 - 1/n). In
# other words, the weight of an eliminated item goes to all others of its row, and of its column, in equal parts.
#
# Definition 5.3 prints the number of rows in the factor for rows and that of columns in the factor for columns; the
# sentence about 1/m, and tables that are not square, need the lengths, as here.


def grouping(distance: NDArray[np.float64], factor: float = 1.0, most: int | None = None) -> Course:
    """Eliminate up to ``most`` cells; the threshold is ``factor`` times the mean vulnerability.

    NaN is a distance that is not known: the cell is in no group, and stays.

    >>> import numpy as np
    >>> grouping(np.array([[0.1, 0.9, 0.2], [0.7, 0.2, 0.6], [0.1, 0.1, 0.8]])).order.tolist()
    [[-1, 0, -1], [2, -1, -1], [-1, -1, 1]]
    """
    return rounds(distance, factor, distance.size if most is None else most, False)


# RBA, the redistribution-based attack (section 5.2 of the paper on attacks, Algorithm 2).
#
# As GBA, but the weight of an eliminated item goes to the items in the lower cluster of its row, and of its column, and
# to no others: what is likely to be added does not come closer for it. The clusters are those of the weighted distances
# before the elimination, cut at the largest gap, the lowest of equal ones; the item itself gets nothing back, so that
# the weights of a group always add up to 1. Where nobody else is in the lower cluster, or nothing parts the items, all
# items left share the weight. Read so, the printed tables 8 and 9 follow.


def redistribution(distance: NDArray[np.float64], factor: float = 1.0, most: int | None = None) -> Course:
    """Eliminate up to ``most`` cells; the threshold is ``factor`` times the mean vulnerability.

    NaN is a distance that is not known: the cell is in no group, and stays.

    >>> import numpy as np
    >>> redistribution(np.array([[0.1, 0.9, 0.2], [0.7, 0.2, 0.6], [0.1, 0.1, 0.8]])).order.tolist()
    [[-1, 0, -1], [2, -1, -1], [-1, -1, 1]]
    """
    return rounds(distance, factor, distance.size if most is None else most, True)


# MDA, the maximum distance attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).


def maximum(distance: NDArray[np.float64]) -> NDArray[np.int32]:
    """Eliminate the largest distance of the table, and nothing else: 0 there, -1 for the cells that stay.

    >>> maximum(np.array([[0.1, 0.9], [0.8, 0.2]])).tolist()
    [[-1, 0], [-1, -1]]
    """
    return largest_first(distance, -np.inf, 1)


# WBA, the weight-based attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).
#
# Distances are weighted as in GBA, but treated uniformly: in every round the largest weighted distance of the whole
# table is eliminated, as long as it exceeds the mean of the weighted table at the start. A cell that is the last of its
# row or column weighs nothing, so that no row or column is emptied.
#
# Weighted distances only ever fall. So a row's largest one changes only if that cell itself has been touched.


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints


@compiled
def _largest_of_row(
    distance: Floats, in_row: Ints, in_column: Ints, order: Ints, i: int, scale: float
) -> tuple[int, float]:
    """Column of the largest weighted distance of a row, the first of equal ones, and its size in steps."""
    best, column = -1.0, 0
    own = 1.0 - 1.0 / max(1, in_row[i])
    for j in range(distance.shape[1]):
        if order[i, j] < 0 and not np.isnan(distance[i, j]):
            size = steps(distance[i, j] * own * (1.0 - 1.0 / in_column[j]), scale)
            if size > best:
                best, column = size, j
    return column, best


@compiled
def weighted(distance: Floats, factor: float, most: int) -> Ints:
    """Round in which each cell is eliminated, -1 for those that stay; up to ``most`` cells.

    ``factor`` times the mean weighted distance is the threshold. NaN is a distance that is not known: the cell stays.
    """
    n, m = distance.shape
    scale = scale_of(distance)
    in_row, in_column = known(distance)
    total = 0.0
    for i in range(n):
        for j in range(m):
            if not np.isnan(distance[i, j]):
                total += distance[i, j] * (1 - 1 / in_row[i]) * (1 - 1 / in_column[j])
    threshold = steps(factor * total / max(1, in_row.sum()), scale)
    order = np.full((n, m), -1, np.int32)
    column, size = np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        column[i], size[i] = _largest_of_row(distance, in_row, in_column, order, i, scale)
    for turn in range(most):
        i = int(np.argmax(size))
        if size[i] <= threshold:
            break
        j = int(column[i])
        order[i, j] = turn
        in_row[i] -= 1
        in_column[j] -= 1
        for x in range(n):
            if x == i or column[x] == j:
                column[x], size[x] = _largest_of_row(distance, in_row, in_column, order, x, scale)
    return order
