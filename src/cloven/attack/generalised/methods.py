"""The attacks on one distance table, by name.

A table has a row for each record that shows a generalised item, and a column for each item that it stands for. The
distance of a cell says how far the item is from what the record shows for certain; NaN says that it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.grouping import grouping
from cloven.attack.generalised.maximum import maximum
from cloven.attack.generalised.redistribution import redistribution
from cloven.attack.generalised.threshold import threshold
from cloven.attack.generalised.weighted_kernel import weighted
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
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


METHODS: Mapping[str, Method] = {
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
    if method not in METHODS:
        message = f"method must be one of {', '.join(METHODS)} (got {method!r})"
        raise ParameterError(message)
    table, chosen = finite(np.asarray(distance, np.float64)), METHODS[method]
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
