"""The attacks on one distance table, by name.

A table has a row for each record that shows a generalised item, and a column for each item that it stands for. The
distance of a cell says how far the item is from what the record shows for certain; NaN says that it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, compiled
from cloven.errors import ParameterError
from cloven.statistics.sums import total

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Ints


# TBA, the threshold-based attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).


def threshold(distance: Floats, factor: float = 1.0) -> NDArray[np.int32]:
    """Eliminate all distances above ``factor`` times their mean, the largest first; -1 for the cells that stay.

    >>> threshold(np.array([[0.1, 0.9], [0.8, 0.2]])).tolist()
    [[-1, 0], [1, -1]]
    """
    known = distance[~np.isnan(distance)]
    return largest_first(distance, factor * float(known.mean()) if len(known) else np.inf, distance.size)


if TYPE_CHECKING:
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


def grouping(distance: Floats, factor: float = 1.0, most: int | None = None) -> Course:
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


def redistribution(distance: Floats, factor: float = 1.0, most: int | None = None) -> Course:
    """Eliminate up to ``most`` cells; the threshold is ``factor`` times the mean vulnerability.

    NaN is a distance that is not known: the cell is in no group, and stays.

    >>> import numpy as np
    >>> redistribution(np.array([[0.1, 0.9, 0.2], [0.7, 0.2, 0.6], [0.1, 0.1, 0.8]])).order.tolist()
    [[-1, 0, -1], [2, -1, -1], [-1, -1, 1]]
    """
    return rounds(distance, factor, distance.size if most is None else most, True)


# MDA, the maximum distance attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2).


def maximum(distance: Floats) -> NDArray[np.int32]:
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


# Groups of comparable distances, and which of them is the most vulnerable one.
#
# Rows and columns of a distance table are groups (definition 5.1 of the paper on attacks), and the *vulnerability* of
# a group is the largest gap between neighbours of its sorted weighted distances (definition 5.2). Every elimination
# touches nearly all groups, but each by little: one item of the group gains some weight w, so that its weighted
# distance falls, by at most w times the largest distance of the group, and the largest gap cannot have grown by more.
# So a group is weighed and sorted anew only if what it gained since it was last looked at could make it the most
# vulnerable one. Its old order is nearly right then, which makes sorting cheap.
#
# Exact ties stay ties although weights are rounded: gaps are compared in steps of about a billionth of the largest
# distance. The step is no round number, so that simple fractions do not lie on the border between two steps.


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
