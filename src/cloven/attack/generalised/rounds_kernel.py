"""What GBA and RBA share: round by round, the most vulnerable group loses its largest item (Algorithm 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.attack.generalised.groups_kernel import Groups, choose, drop, groups_of, look, lower, scale_of
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]


class Course(NamedTuple):
    """How a table was taken apart.

    Attributes:
        order: round in which each cell was eliminated, -1 for those that stay.
        group: group that was attacked in each round: rows, then columns.
        vulnerability: its largest gap.
        threshold: what it had to exceed.
        weighted: weighted distances at the end; NaN for cells that are gone or were never known.
        row_weight: weight of each cell in its row at the end, likewise.
        column_weight: weight of each cell in its column at the end, likewise.
    """

    order: Ints
    group: Ints
    vulnerability: Floats
    threshold: float
    weighted: Floats
    row_weight: Floats
    column_weight: Floats


@compiled
def _heirs(groups: Groups, across: Groups, group: int, item: int, to_lower: bool, scale: float) -> Ints:
    """Who gets the weight of an item of a group: the others in the lower cluster, or all others."""
    if to_lower:
        look(groups, across, group)
    left = groups.member[group, : groups.size[group]]
    low = left[: lower(groups, group, scale)] if to_lower else left
    heirs: Ints = low[low != item]
    if len(heirs) == 0:
        heirs = left[left != item]
    return heirs


@compiled
def _inherit(groups: Groups, across: Groups, group: int, item: int, heirs: Ints) -> None:
    """Take an item out of a group and share its weight among its heirs."""
    drop(groups, group, item)
    weight, crossing = groups.weight, across.crossing
    share = weight[group, item] / len(heirs)
    for heir in heirs:
        weight[group, heir] += share
        crossing[heir, group] = weight[group, heir]
    groups.given[0] += share


@compiled
def _eliminate(rows: Groups, columns: Groups, i: int, j: int, to_lower: bool, scale: float) -> None:
    beside = _heirs(rows, columns, i, j, to_lower, scale)
    below = _heirs(columns, rows, j, i, to_lower, scale)
    _inherit(rows, columns, i, j, beside)
    _inherit(columns, rows, j, i, below)
    look(rows, columns, i)
    look(columns, rows, j)


@compiled
def _finished(
    rows: Groups, columns: Groups, order: Ints, group: Ints, vulnerability: Floats, threshold: float
) -> Course:
    weighted = np.full(rows.distance.shape, np.nan)
    row_weight, column_weight = weighted.copy(), weighted.copy()
    for i in range(len(rows.size)):
        look(rows, columns, i)
        for at in range(rows.size[i]):
            j = rows.member[i, at]
            weighted[i, j] = rows.value[i, at]
            row_weight[i, j], column_weight[i, j] = rows.weight[i, j], rows.crossing[i, j]
    return Course(order, group, vulnerability, threshold, weighted, row_weight, column_weight)


@compiled
def rounds(distance: Floats, factor: float, most: int, to_lower: bool) -> Course:
    """Eliminate up to ``most`` cells, from groups above ``factor`` times their mean vulnerability at the start."""
    n, m = distance.shape
    rows, columns, scale = groups_of(distance), groups_of(distance.T.copy()), scale_of(distance)
    for i in range(n):
        look(rows, columns, i)
    for j in range(m):
        look(columns, rows, j)
    threshold = factor * (rows.widest.sum() + columns.widest.sum()) / (n + m)
    order = np.full((n, m), -1, np.int32)
    group, vulnerability = np.empty(min(most, n * m), np.int32), np.empty(min(most, n * m))
    turn, chosen = 0, -1
    while turn < most:
        chosen, i, j = choose(rows, columns, chosen, threshold, scale)
        if chosen < 0:
            break
        group[turn] = chosen
        vulnerability[turn] = rows.widest[chosen] if chosen < n else columns.widest[chosen - n]
        _eliminate(rows, columns, i, j, to_lower, scale)
        order[i, j] = turn
        turn += 1
    return _finished(rows, columns, order, group[:turn].copy(), vulnerability[:turn].copy(), threshold)
