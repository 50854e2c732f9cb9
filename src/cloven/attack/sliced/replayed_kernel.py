"""Compiled: worlds of a class, ways to deal its sensitive values to its rows, under which no cut was possible.

*Kinds* are the distinct combinations of sensitive values in the class. A cut was refused if one of its sides misses one
of the demands. Rows that no cut parts are a *cell*: what counts is how many rows of each cell have which kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, BY_HARM = 0, 1, 2, 3, 4, 5
SLACK = 1e-9
"""How far sums of floating point numbers may miss a threshold that they meet exactly on paper."""


class Rules(NamedTuple):
    """What the parameters of a release demand of every class.

    Attributes:
        demand: which of the six each is.
        level: l, log l or t.
        factor: c.
        start: where the values that each speaks of start among all, and where the last end.
        shares: share of each value in the whole table.
        number: the number behind each value, ascending inside a demand; its place where nothing is near.
        upto: the largest number that counts as the same value.
        harmful: whether the value harms.
    """

    demand: NDArray[np.int64]
    level: NDArray[np.float64]
    factor: NDArray[np.float64]
    start: NDArray[np.int64]
    shares: NDArray[np.float64]
    number: NDArray[np.float64]
    upto: NDArray[np.float64]
    harmful: NDArray[np.bool_]


class Deal(NamedTuple):
    """What is to be dealt in a class, and to whom.

    Attributes:
        values: demands x kinds: the value that each demand sees in a kind.
        copies: rows of each kind; the last kind is the most frequent one.
        sizes: rows of each cell.
        sides: cuts x cells: whether a cell lies on the right.
        beyond: cuts x sides: rows there.
    """

    values: NDArray[np.int64]
    copies: NDArray[np.int64]
    sizes: NDArray[np.int64]
    sides: NDArray[np.bool_]
    beyond: NDArray[np.int64]


@compiled
def kept(rules: Rules, values: Ints, counts: Ints, size: int, room: Ints) -> bool:
    """Whether rows with these kinds keep to every demand; ``room`` is 0 everywhere before and after."""
    for number in range(len(rules.demand)):
        for kind in range(len(counts)):
            room[values[number, kind]] += counts[kind]
        met = _met(rules, number, room[rules.start[number] : rules.start[number + 1]], size)
        for kind in range(len(counts)):
            room[values[number, kind]] = 0
        if not met:
            return False
    return True


@compiled
def _met(rules: Rules, number: int, counts: Ints, size: int) -> bool:
    demand, level = rules.demand[number], rules.level[number]
    if demand == DISTINCT:
        return bool(np.count_nonzero(counts) >= level)
    if demand == BY_HARM:
        return _different(rules, rules.start[number], counts, level)
    if demand == ENTROPY:
        total = 0.0
        for count in counts:
            if count > 0:
                total += count * np.log(count)
        return bool(np.log(size) - total / size >= level - SLACK)
    if demand == RECURSIVE:
        ordered = np.sort(counts)[::-1]
        return bool(ordered[0] < rules.factor[number] * (size - ordered[: int(level) - 1].sum()))
    shares = rules.shares[rules.start[number] : rules.start[number + 1]]
    return bool(_distance(demand, counts, size, shares) <= level + SLACK)


@compiled
def _different(rules: Rules, start: int, counts: Ints, level: float) -> bool:
    """Enough values that are not near to each other, or none that harms."""
    found, same, harms = 0, -np.inf, False
    for value in range(len(counts)):
        if counts[value] == 0:
            continue
        harms = harms or rules.harmful[start + value]
        if rules.number[start + value] > same:
            found += 1
            same = rules.upto[start + value]
    return bool(found >= level or not harms)


@compiled
def _distance(demand: int, counts: Ints, size: int, shares: NDArray[np.float64]) -> float:
    """Earth mover's distance between the values of some rows and those of the table."""
    moved, carried = 0.0, 0.0
    for value in range(len(counts)):
        more = counts[value] / size - shares[value]
        carried += more
        moved += abs(carried) if demand == ORDERED else max(0.0, more)
    return moved / max(1, len(counts) - 1) if demand == ORDERED else moved


@compiled
def refused(
    rules: Rules, values: Ints, copies: Ints, orders: Ints, allowed: Flags, world: Ints, room: Ints
) -> bool:
    """Whether in this world (a kind for each row) every cut has a side that misses something."""
    rows = orders.shape[1]
    for axis in range(len(orders)):
        left = np.zeros(len(copies), np.int64)
        for at in range(1, rows):
            left[world[orders[axis, at - 1]]] += 1
            if not allowed[axis, at] or not kept(rules, values, left, at, room):
                continue
            if kept(rules, values, copies - left, rows - at, room):
                return False
    return True


@compiled
def drawn(
    rng: np.random.Generator,
    rules: Rules,
    deal: Deal,
    orders: Ints,
    allowed: Flags,
    cells: Ints,
    draws: int,
    counts: Ints,
) -> int:
    """Deal the kinds by lot again and again, count those worlds that are left; gives how many are."""
    world = np.repeat(np.arange(len(deal.copies)), deal.copies)
    room = np.zeros(len(rules.shares), np.int64)
    left = 0
    for _ in range(draws):
        for at in range(len(world) - 1, 0, -1):
            other = rng.integers(0, at + 1)
            world[at], world[other] = world[other], world[at]
        if refused(rules, deal.values, deal.copies, orders, allowed, world, room):
            left += 1
            for row in range(len(world)):
                counts[cells[row], world[row]] += 1
    return left


@compiled
def walked(
    rng: np.random.Generator,
    rules: Rules,
    deal: Deal,
    orders: Ints,
    allowed: Flags,
    cells: Ints,
    world: Ints,
    worlds: int,
    counts: Ints,
) -> None:
    """Walk from a world that is left to others by exchanging the kinds of two rows; each world is as likely.

    After as many tries as there are rows a world is counted.
    """
    room = np.zeros(len(rules.shares), np.int64)
    rows = len(world)
    for _ in range(worlds):
        for _ in range(rows):
            one, other = rng.integers(0, rows), rng.integers(0, rows)
            if world[one] == world[other] or cells[one] == cells[other]:
                world[one], world[other] = world[other], world[one]
                continue
            world[one], world[other] = world[other], world[one]
            if not refused(rules, deal.values, deal.copies, orders, allowed, world, room):
                world[one], world[other] = world[other], world[one]
        for row in range(rows):
            counts[cells[row], world[row]] += 1


class Partly(NamedTuple):
    """A world while it is dealt: rows of each kind but the last in cells, and what they make of each cut.

    Attributes:
        free: rows of each cell that have no kind yet.
        inside: cells x kinds: rows.
        beside: cuts x sides x kinds: rows.
        seen: cuts x sides x values: rows with a value, for demands of different values.
        distinct: cuts x sides x demands: different values.
    """

    free: NDArray[np.int64]
    inside: NDArray[np.int64]
    beside: NDArray[np.int64]
    seen: NDArray[np.int64]
    distinct: NDArray[np.int64]


@compiled
def _begun(rules: Rules, deal: Deal) -> Partly:
    """Nothing is dealt; the last kind is sure to be on every side that the others cannot fill."""
    cells, cuts, kinds = len(deal.sizes), len(deal.sides), len(deal.copies)
    found = Partly(
        deal.sizes.copy(),
        np.zeros((cells, kinds), np.int64),
        np.zeros((cuts, 2, kinds), np.int64),
        np.zeros((cuts, 2, len(rules.shares)), np.int64),
        np.zeros((cuts, 2, len(rules.demand)), np.int64),
    )
    others = deal.copies[:-1].sum()
    for cut in range(cuts):
        for side in range(2):
            if others < deal.beyond[cut, side]:
                _note(found, deal, cut, side, kinds - 1, 1)
    return found


@compiled
def _note(partly: Partly, deal: Deal, cut: int, side: int, kind: int, step: int) -> None:
    """One row of a kind more, or fewer, on one side of a cut."""
    for number in range(len(deal.values)):
        value = deal.values[number, kind]
        before = partly.seen[cut, side, value]
        partly.seen[cut, side, value] = before + step
        if before == 0:
            partly.distinct[cut, side, number] += 1
        elif before + step == 0:
            partly.distinct[cut, side, number] -= 1


@compiled
def _put(rules: Rules, partly: Partly, deal: Deal, cell: int, kind: int, step: int) -> bool:
    """Deal one row of a kind to a cell, or take it back.

    Gives whether some cut now has as many different values as it needs on both sides, whatever comes.
    """
    partly.free[cell] -= step
    partly.inside[cell, kind] += step
    enough = False
    for cut in range(len(deal.sides)):
        side = int(deal.sides[cut, cell])
        partly.beside[cut, side, kind] += step
        _note(partly, deal, cut, side, kind, step)
        enough = enough or (step > 0 and _enough(rules, partly, cut))
    return enough


@compiled
def _enough(rules: Rules, partly: Partly, cut: int) -> bool:
    for side in range(2):
        for number in range(len(rules.demand)):
            if partly.distinct[cut, side, number] < rules.level[number]:
                return False
    return True


@compiled
def _stays(rules: Rules, deal: Deal, partly: Partly, room: Ints) -> bool:
    """Whether a whole world leaves no cut."""
    last = len(deal.copies) - 1
    counts = np.empty(last + 1, np.int64)
    for cut in range(len(deal.sides)):
        met = True
        for side in range(2):
            if met:
                size = deal.beyond[cut, side]
                counts[:] = partly.beside[cut, side]
                counts[last] = size - counts[:last].sum()
                met = kept(rules, deal.values, counts, size, room)
        if met:
            return False
    return True


@compiled
def searched(
    rules: Rules, deal: Deal, must_cell: int, must_kind: int, only_one: bool, most: int, shares: Ints
) -> tuple[int, float, NDArray[np.int64]]:
    """Deal the kinds in all ways, rarer ones first; the last one takes what is left.

    Args:
        rules: what is demanded.
        deal: kinds and cells.
        must_cell: a cell in which one row at least has ``must_kind``; -1 for any.
        must_kind: see there.
        only_one: stop at the first world that is left.
        most: steps after which the search is given up.
        shares: cells x kinds (floats): share of rows, added up over worlds that are left, each as likely.

    Returns:
        Steps, or -1 if it was given up; share of all worlds that are left; of the last one, cells x kinds.
    """
    kinds, cells = len(deal.copies), len(deal.sizes)
    partly, room = _begun(rules, deal), np.zeros(len(rules.shares), np.int64)
    token = np.repeat(np.arange(kinds - 1), deal.copies[: kinds - 1])
    fixed = 0
    if must_cell >= 0:
        if must_kind == kinds - 1:
            partly.free[must_cell] -= 1  # kept for it
        else:
            place = np.argmax(token == must_kind)
            token[1 : place + 1] = token[:place].copy()
            token[0] = must_kind
            fixed = 1
    monotone = bool((rules.demand == DISTINCT).all())
    sure = deal.copies[:-1].sum() < deal.beyond.min()  # the last kind is on every side
    cell = np.full(len(token) + 1, -1, np.int64)
    weight = np.zeros(len(token) + 1)  # logarithm of the ways to choose rows inside cells
    every = _log_ways(deal.copies)
    at, steps, total = 0, 0, 0.0
    found = np.zeros((cells, kinds), np.int64)
    while at >= 0:
        if at == len(token):
            if (monotone and sure) or _stays(rules, deal, partly, room):
                share = np.exp(weight[at] - every)
                total += share
                found[:] = partly.inside
                found[:, kinds - 1] = deal.sizes - partly.inside[:, : kinds - 1].sum(axis=1)
                if only_one:
                    return steps, total, found
                for each in range(cells):
                    for kind in range(kinds):
                        shares[each, kind] += share * found[each, kind] / deal.sizes[each]
            at -= 1
            continue
        kind = token[at]
        if cell[at] >= 0:
            _put(rules, partly, deal, cell[at], kind, -1)
            start = cell[at] + 1
        else:
            follows = at > fixed and token[at - 1] == kind
            start = cell[at - 1] if follows else 0
            if at < fixed:
                start = must_cell
        while start < cells and partly.free[start] == 0:
            start += 1
        if start >= cells or (at < fixed and start != must_cell):
            cell[at] = -1
            at -= 1
            continue
        steps += 1
        if steps > most:
            return -1, total, found
        cell[at] = start
        weight[at + 1] = weight[at] + np.log(partly.free[start] / (partly.inside[start, kind] + 1))
        could_be_cut = _put(rules, partly, deal, start, kind, 1)
        if not (monotone and could_be_cut):
            at += 1
            cell[at] = -1
    return steps, total, found


@compiled
def _log_ways(copies: Ints) -> float:
    """Logarithm of the number of ways to deal copies to rows."""
    found, placed = 0.0, 0
    for count in copies:
        for each in range(1, count + 1):
            placed += 1
            found += np.log(placed / each)
    return found
