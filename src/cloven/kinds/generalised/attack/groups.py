"""Groups of comparable distances, and which of them is the most vulnerable one.

Rows and columns of a distance table are groups (definition 5.1 of the paper on attacks), and the *vulnerability* of a
group is the largest gap between neighbours of its sorted weighted distances (definition 5.2). Every elimination
touches nearly all groups, but each by little: one item of the group gains some weight w, so that its weighted distance
falls, by at most w times the largest distance of the group, and the largest gap cannot have grown by more. So a group
is weighed and sorted anew only if what it gained since it was last looked at could make it the most vulnerable one.
Its old order is nearly right then, which makes sorting cheap.

Exact ties stay ties although weights are rounded: gaps are compared in steps of about a billionth of the largest
distance. The step is no round number, so that simple fractions do not lie on the border between two steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, compiled
from cloven.statistics.sums import total

if TYPE_CHECKING:
    from cloven.compiled import Ints


STEP = 0.914213562e-9
"""Gaps that come to the same multiple of it are equal; in units of the largest distance of the table."""


class Groups(NamedTuple):
    """All rows of a table, or all its columns; one line of each array for each group.

    Attributes:
        distance: distance of each item; NaN where it is not known.
        weight: weight of each item in the group; the weights of what is left add up to 1.
        crossing: weight of each item in the group across; a copy, so that a group is read in one stretch of memory.
        top: largest distance.
        size: how many items are left.
        member: those items, ascending by weighted distance when the group was last looked at.
        value: their weighted distances then.
        widest: the largest gap then.
        seen: weight given out by all groups across when it was last looked at.
        given: weight given out so far by all these groups; one number.
    """

    distance: Floats
    weight: Floats
    crossing: Floats
    top: Floats
    size: Ints
    member: Ints
    value: Floats
    widest: Floats
    seen: Floats
    given: Floats


@compiled
def groups_of(distance: Floats) -> Groups:
    """The rows of a table, with equal weights, not looked at yet."""
    many, items = distance.shape
    known = ~np.isnan(distance)
    groups = Groups(
        distance,
        np.empty((many, items)),
        np.empty((many, items)),
        np.zeros(many),
        known.sum(axis=1),
        np.zeros((many, items), np.int32),
        np.zeros((many, items)),
        np.zeros(many),
        np.zeros(many),
        np.zeros(1),
    )
    groups.crossing[:] = 1.0 / np.maximum(1, known.sum(axis=0))
    for group in range(many):
        size = groups.size[group]
        groups.weight[group, :] = 1.0 / max(1, size)
        order = np.argsort(np.where(known[group], distance[group], np.inf), kind="mergesort")
        groups.member[group, :] = order
        groups.top[group] = distance[group, order[size - 1]] if size else 0.0
    return groups


@compiled
def look(groups: Groups, across: Groups, group: int) -> None:
    """Weigh and sort the items of a group, and find its largest gap."""
    member, value, size = groups.member, groups.value, groups.size[group]
    distance, weight, crossing = groups.distance, groups.weight, groups.crossing
    widest = 0.0
    for at in range(size):
        item, to = member[group, at], at
        now = distance[group, item] * (1.0 - weight[group, item]) * (1.0 - crossing[group, item])
        while to > 0 and value[group, to - 1] > now:
            value[group, to], member[group, to] = value[group, to - 1], member[group, to - 1]
            to -= 1
        value[group, to], member[group, to] = now, item
    for at in range(1, size):
        widest = max(widest, value[group, at] - value[group, at - 1])
    groups.widest[group], groups.seen[group] = widest, across.given[0]


@compiled
def drop(groups: Groups, group: int, item: int) -> None:
    """Take an item out of a group; ``look`` must follow."""
    to = 0
    for at in range(groups.size[group]):
        if groups.member[group, at] != item:
            groups.member[group, to] = groups.member[group, at]
            to += 1
    groups.size[group] = to


@compiled
def largest(groups: Groups, group: int, scale: float) -> int:
    """Item with the largest value of a group; of equal ones the first."""
    at = groups.size[group] - 1
    item, top = groups.member[group, at], groups.value[group, at]
    while at > 0 and steps(top - groups.value[group, at - 1], scale) == 0.0:
        at -= 1
        item = min(item, groups.member[group, at])
    return int(item)


@compiled
def lower(groups: Groups, group: int, scale: float) -> int:
    """How many items lie below the largest gap of a group, the lowest of equal gaps; all where nothing parts them."""
    widest, cut = 0.0, groups.size[group]
    for at in range(1, groups.size[group]):
        gap = steps(groups.value[group, at] - groups.value[group, at - 1], scale)
        if gap > widest:
            widest, cut = gap, at
    return int(cut)


@compiled
def most_vulnerable(
    groups: Groups, across: Groups, first: int, end: int, best: float, scale: float
) -> tuple[int, int, float]:
    """The first of some groups with the highest vulnerability above ``best`` steps, its largest item, and how much.

    The largest item must not be the last one of its row or column. -1 if there is none.
    """
    found, chosen = -1, -1
    widest, top, seen, size = groups.widest, groups.top, groups.seen, groups.size
    left, given = across.size, across.given[0]
    for group in range(first, end):
        gained = top[group] * (given - seen[group])
        # One step more than the bound: rounding must not hide a group.
        if (widest[group] + gained) * scale + 1.0 <= best or size[group] < 2:
            continue
        if gained > 0.0:
            look(groups, across, group)
        gap = steps(widest[group], scale)
        if gap > best:
            item = largest(groups, group, scale)
            if left[item] >= 2:
                best, found, chosen = gap, group, item
    return found, chosen, best


@compiled
def choose(
    rows: Groups, columns: Groups, before: int, threshold: float, scale: float
) -> tuple[int, int, int]:
    """The group of highest vulnerability above the threshold, and the row and column of its largest item.

    Rows come first, then columns, and of equal groups the first is taken. The group is -1 if there is none; columns
    are numbered after the rows. ``before`` is the group of the round before, mostly still among the most vulnerable:
    what it reaches, others need not be looked at to fall short of.
    """
    best = steps(threshold, scale)
    if 0 <= before < len(rows.size):
        best = max(best, most_vulnerable(rows, columns, before, before + 1, best, scale)[2] - 1.0)
    elif before >= 0:
        column = before - len(rows.size)
        best = max(best, most_vulnerable(columns, rows, column, column + 1, best, scale)[2] - 1.0)
    i, j, best = most_vulnerable(rows, columns, 0, len(rows.size), best, scale)
    column, row, _ = most_vulnerable(columns, rows, 0, len(columns.size), best, scale)
    if column >= 0:
        return len(rows.size) + column, row, column
    return i, i, j


@compiled
def steps(gap: float, scale: float) -> float:
    """A gap in whole steps."""
    return float(np.rint(gap * scale))


@compiled
def scale_of(distance: Floats) -> float:
    """Steps in which gaps are compared, per unit of distance."""
    top = 0.0
    for value in distance.flat:
        if value > top:
            top = value
    return 1.0 / (STEP * top) if top > 0.0 else 1.0


# What GBA and RBA share: round by round, the most vulnerable group loses its largest item (Algorithm 1).


if TYPE_CHECKING:
    from cloven.compiled import Ints


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
    threshold = factor * (total(rows.widest) + total(columns.widest)) / (n + m)
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


# Eliminations that never look at a table twice: the largest values first.


if TYPE_CHECKING:
    from cloven.compiled import Ints


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
