"""What is left of the worlds of one class once those are ruled out in which it would have been cut further.

Where there are few enough ways to deal, all are looked at. Else worlds are drawn by lot; where lots hardly find one
that is left, a walk goes from one to the next. What was not met that way is still possible, unless a search that was
brought to its end found no world with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.data.arrays import row_numbers
from cloven.data.table import Harm, slack
from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.kinds.tables.attack.replay import Cuts
    from cloven.kinds.tables.buckets import Buckets


_ALL, _ONE = False, True  # worlds to search for
ENOUGH = 0.05
"""Share of drawn worlds that must be left, or a walk is taken."""
_WORK = 4_000_000
"""Steps times cuts that the searches in one class may take in all."""
_MANY = 20
"""Ways to deal kinds one by one, as if there were room for all, for each step of a search."""


@dataclass(frozen=True, eq=False)
class Demands:
    """What a release demands of its classes, and which value of each demand every row has.

    Attributes:
        rules: the demands.
        values: rows x demands.
    """

    rules: Rules
    values: Longs

    @classmethod
    def of(cls, view: Buckets, constraints: Any) -> Demands:
        """Read the constraints of a release; rows in the order of its buckets."""
        coded, columns, harms = [], [], []
        for entry in constraints:
            coded.append(_coded(entry))
            columns.append(_column(view, entry["attributes"]))
            harms.append(_harm(view, entry, int(columns[-1].max(initial=-1)) + 1))
        counts = [np.bincount(column) for column in columns]
        start = np.concatenate([[0], np.cumsum([len(count) for count in counts])]).astype(np.int64)
        kinds, levels, factors = zip(*coded, strict=True)
        rules = Rules(
            np.array(kinds, np.int64),
            np.array(levels, np.float64),
            np.array(factors, np.float64),
            start,
            np.concatenate(counts) / len(view.cells),
            *(np.concatenate(parts) for parts in zip(*harms, strict=True)),
        )
        values = np.column_stack([column + first for column, first in zip(columns, start, strict=False)])
        return cls(rules, values.astype(np.int64))


def _coded(entry: Mapping[str, Any]) -> tuple[int, float, float]:
    """Demand, level and factor, as the kernels read them."""
    try:
        match entry["demand"]:
            case "distinct-l":
                counted = BY_HARM if "harmless" in entry or "within" in entry else DISTINCT
                return counted, float(entry["l"]), 0.0
            case "entropy-l":
                return ENTROPY, float(np.log(entry["l"])), 0.0
            case "recursive-l":
                return RECURSIVE, float(entry["l"]), float(entry["c"])
            case "t-closeness":
                return (EQUAL if entry["distance"] == "equal" else ORDERED), float(entry["t"]), 0.0
    except (KeyError, TypeError, ValueError):
        pass
    message = (
        f"the constraint {shorten(str(entry))} of the release cannot be understood; get the release again"
    )
    raise ParameterError(message)


def _harm(view: Buckets, entry: Mapping[str, Any], values: int) -> tuple[Floats, Floats, Flags]:
    """Of the values that a demand speaks of: a number, the largest that is as good as the same, and which harm."""
    place = np.arange(values, dtype=np.float64)
    if len(entry["attributes"]) != 1 or not {"harmless", "within"} & set(entry):
        return place, place, np.ones(values, bool)
    harm = Harm.of(entry.get("harmless"), entry.get("within"))
    domain = view.domains[view.position(entry["attributes"][0])]
    codes = np.unique(domain.members[domain.member_offsets[view.cells[:, view.position(domain.name)]]])
    texts = [domain.values[code] for code in codes.tolist()]
    number = np.array([float(text) for text in texts]) if harm.within else place
    upto = harm.upto(number) + slack(number) if harm.within else place
    return number, upto, harm.harmful(texts)


def _column(view: Buckets, names: Any) -> Longs:
    """A number for the values that each row has of some attributes, ascending with them."""
    found = []
    for name in names:
        place = view.position(name)
        domain = view.domains[place]
        found.append(domain.members[domain.member_offsets[view.cells[:, place]]])
    return row_numbers(np.column_stack(found))


@dataclass(frozen=True, eq=False)
class Worlds:
    """What is left of one class.

    Attributes:
        chances: cells x kinds: how likely a row of the cell has the kind.
        possible: cells x kinds: not proved impossible.
        kept: share of all worlds that is left, as far as it is known.
        worlds: how many worlds were drawn or walked to that are left; 0 if all were looked at.
        known: whether anything could be told.
    """

    chances: Floats
    possible: Flags
    kept: float = 1.0
    worlds: int = 0
    known: bool = True


@dataclass(frozen=True, eq=False)
class ClassWorlds:
    """The worlds of one class.

    Attributes:
        rules: what is demanded.
        cuts: those that were not made.
        deal: kinds and cells.
        draws: worlds that are drawn, at most, where not all can be looked at.
        most: steps of a search, at most.
    """

    rules: Rules
    cuts: Cuts
    deal: Deal
    draws: int
    most: int

    @classmethod
    def of(cls, rules: Rules, cuts: Cuts, values: Longs, copies: Longs, draws: int, most: int) -> ClassWorlds:
        """For kinds (the last one the most frequent) with these values and copies."""
        sizes = np.bincount(cuts.cell_of_row).astype(np.int64)
        right = cuts.sides @ sizes
        beyond = np.column_stack([sizes.sum() - right, right]).astype(np.int64)
        deal = Deal(np.ascontiguousarray(values.T), copies, sizes, np.ascontiguousarray(cuts.sides), beyond)
        steps = min(most, max(1_000, _WORK // max(1, len(cuts.sides))))
        return cls(rules, cuts, deal, draws, steps)

    @property
    def never_cut(self) -> bool:
        """Whether no deal at all gives both sides the different values they need: then nothing is ruled out."""
        for number, demand in enumerate(self.rules.demand.tolist()):
            if demand == DISTINCT:
                counts = np.bincount(self.deal.values[number], self.deal.copies)
                if np.minimum(counts, 2).sum() < 2 * self.rules.level[number]:
                    return True
        return False

    @property
    def _hopeless(self) -> bool:
        """Whether there are far too many worlds to look at, and no part of a world says that it is ruled out."""
        if (self.rules.demand == DISTINCT).all():
            return False
        cells = len(self.deal.sizes)
        ways = (comb(int(copies) + cells - 1, cells - 1) for copies in self.deal.copies[:-1])
        return prod(ways) > _MANY * self.most

    def left(self, rng: np.random.Generator) -> Worlds:
        """Rule out worlds."""
        shape = (len(self.deal.sizes), len(self.deal.copies))
        plain = np.tile(self.deal.copies / self.deal.copies.sum(), (shape[0], 1))
        if self.never_cut:
            return Worlds(plain, np.ones(shape, bool))
        if self._hopeless:
            return self._sampled(plain, rng)
        shares = np.zeros(shape)
        steps, kept, _ = searched(self.rules, self.deal, -1, -1, _ALL, self.most, shares)
        if steps >= 0 and kept > 0:
            return Worlds(shares / kept, shares > 0, min(1.0, kept))
        if steps >= 0:  # no world leaves the class as it is: it was not made in this way
            return Worlds(plain, np.ones(shape, bool), 0.0, known=False)
        return self._sampled(plain, rng)

    def _sampled(self, plain: Floats, rng: np.random.Generator) -> Worlds:
        counts = np.zeros(plain.shape, np.int64)
        cuts = self.cuts
        given = (self.rules, self.deal, cuts.orders, cuts.allowed, cuts.cell_of_row)
        left = drawn(rng, *given, self.draws, counts)
        share, worlds = left / self.draws, left
        if share == 1.0:
            return Worlds(counts / counts.sum(axis=1, keepdims=True), np.ones(plain.shape, bool), 1.0, left)
        if share < ENOUGH:
            start = self._some_world(rng)
            if start is None:
                return Worlds(plain, np.ones(plain.shape, bool), share, left, known=False)
            worlds = max(1, self.draws // 4)
            counts[:] = 0
            walked(rng, *given, start, worlds, counts)
        possible = self._possible(counts > 0)
        return Worlds(counts / counts.sum(axis=1, keepdims=True), possible, share, worlds)

    def _some_world(self, rng: np.random.Generator) -> Longs | None:
        """A kind for each row under which no cut was possible, if the search finds one."""
        empty = np.zeros((len(self.deal.sizes), len(self.deal.copies)))
        steps, kept, found = searched(self.rules, self.deal, -1, -1, _ONE, self.most, empty)
        if steps < 0 or kept == 0:
            return None
        world = np.empty(len(self.cuts.cell_of_row), np.int64)
        for cell, counts in enumerate(found):
            hand = np.repeat(np.arange(len(counts)), counts)
            world[self.cuts.cell_of_row == cell] = rng.permutation(hand)
        return world

    def _possible(self, met: Flags) -> Flags:
        """Kinds that were met in a cell, or of which no search to its end shows that they cannot be there."""
        possible, budget = np.ones_like(met), self.most
        empty = np.zeros(met.shape)
        for cell, kind in np.argwhere(~met).tolist():
            if budget <= 0:
                break
            steps, kept, _ = searched(self.rules, self.deal, cell, kind, _ONE, budget, empty)
            budget -= budget if steps < 0 else steps
            possible[cell, kind] = steps < 0 or kept > 0
        return possible


# Compiled: worlds of a class, ways to deal its sensitive values to its rows, under which no cut was possible.
#
# *Kinds* are the distinct combinations of sensitive values in the class. A cut was refused if one of its sides misses
# one of the demands. Rows that no cut parts are a *cell*: what counts is how many rows of each cell have which kind.


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

    demand: Longs
    level: Floats
    factor: Floats
    start: Longs
    shares: Floats
    number: Floats
    upto: Floats
    harmful: Flags


class Deal(NamedTuple):
    """What is to be dealt in a class, and to whom.

    Attributes:
        values: demands x kinds: the value that each demand sees in a kind.
        copies: rows of each kind; the last kind is the most frequent one.
        sizes: rows of each cell.
        sides: cuts x cells: whether a cell lies on the right.
        beyond: cuts x sides: rows there.
    """

    values: Longs
    copies: Longs
    sizes: Longs
    sides: Flags
    beyond: Longs


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
                total += count * math.log(count)
        return bool(math.log(size) - total / size >= level - SLACK)
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
def _distance(demand: int, counts: Ints, size: int, shares: Floats) -> float:
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

    free: Longs
    inside: Longs
    beside: Longs
    seen: Longs
    distinct: Longs


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
) -> tuple[int, float, Longs]:
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
                share = math.exp(weight[at] - every)
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
        weight[at + 1] = weight[at] + math.log(partly.free[start] / (partly.inside[start, kind] + 1))
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
            found += math.log(placed / each)
    return found
