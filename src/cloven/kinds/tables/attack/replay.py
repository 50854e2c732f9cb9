"""The reader who replays the method (minimality attack; Wong, Fu, Wang, Pei, VLDB 2007, section 3).

Mondrian with l-diversity or t-closeness cuts as long as both halves keep to it. Somebody who knows everybody's
quasi-identifiers sees which cuts a class still allowed by its size; that it was not cut tells that each of them would
have left a half that misses the demand. So worlds, which are ways to deal the values of the class to its rows, are
ruled out in which one of these cuts was possible. What is in no world that is left is no candidate; how likely the
others are is their share of the worlds. Of a replay-proof release the one cut is known that was taken back.

Left out: that a cut higher up was made along another line than the first one tells that those before it failed. Such
knowledge spans several classes, and would rule out more; what is ruled out here is ruled out all the same.

Rows whose class cannot be told from their quasi-identifiers (classes overlap where taxonomies are flat, and where lots
decide), and classes that may be two which look alike, are left as they are, and counted in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import row_numbers
from cloven.errors import ParameterError
from cloven.kinds.tables.attack.replay_worlds import ClassWorlds, Demands
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.guesses import Found, Known
from cloven.kinds.tables.release import GeneralisedTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Attribute, Table, ValueTree
    from cloven.kinds.tables.attack.replay_worlds import Worlds
    from cloven.kinds.tables.guesses import ValueGuesses
    from cloven.kinds.tables.release import TableRelease


REPLAY_PROOF = "replay-proof"


def why_not(release: TableRelease) -> str:
    """Why there is nothing to replay; nothing if there is."""
    told = release.parameters
    if not isinstance(release, GeneralisedTable) or told.get("method") != "mondrian":
        return "only Mondrian is replayed, and the release was made by another method"
    if not told.get("constraints"):
        return "no cut was decided by a sensitive value: the release promises neither l nor t"
    return ""


@dataclass(frozen=True)
class Replayed:
    """Find out a value by asking why classes were not cut further.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute if left out.
        draws: worlds that are drawn in a class that has too many to look at all.
        most: steps of the search through all worlds of a class, at most.
    """

    attribute: str | None = None
    draws: int = 1_000
    most: int = 50_000

    def __post_init__(self) -> None:
        for name in ("draws", "most"):
            if getattr(self, name) < 1:
                message = f"{name} must be a whole number from 1 (got {getattr(self, name)})"
                raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "replayed", "attribute": self.attribute, "draws": self.draws, "most": self.most}

    def guess(
        self,
        release: TableRelease,
        crowd: Crowd,
        known: Known,
        away: Flags | None = None,
        *,
        rng: np.random.Generator,
    ) -> ValueGuesses:
        """Guess the value of every person; those ``away`` are known not to be in the table, and get what classes show.

        Raises:
            ParameterError: there is nothing to replay, or the crowd is not that of the release.
        """
        return self.replay(release, crowd, rng).guess(self, known, away)

    def replay(self, release: TableRelease, crowd: Crowd, rng: np.random.Generator) -> Replay:
        """Rule out worlds of every class, once for all persons and all sensitive attributes."""
        why = why_not(release)
        if why:
            raise ParameterError(why)
        if len(crowd) != len(release):
            message = (
                f"the reader must know everybody in the release: it has {len(release):,} rows, and {len(crowd):,}"
                " persons are known; give all of them, and nobody else"
            )
            raise ParameterError(message)
        view = Buckets.of(crowd.known.reads(release))
        placed = Placed.of(view, crowd, release.k, strict=release.parameters.get("mode") != "relaxed")
        demands = Demands.of(view, release.parameters["constraints"])
        axes = crowd.axes
        found = _Classes(self, view, placed, demands, axes, release)
        chances, possible, notes = found.replayed(rng)
        return Replay(release, view, placed, chances, possible, notes)


@dataclass(frozen=True, eq=False)
class Replay:
    """What a release tells about looks (distinct quasi-identifiers) of the crowd, as rows of the release.

    Attributes:
        release: the release.
        view: the same as classes.
        placed: which look is in which class.
        chances: for looks whose class is known: how likely they have each kind of the class.
        possible: whether they may have it.
        notes: what was done.
    """

    release: TableRelease
    view: Buckets
    placed: Placed
    chances: dict[int, tuple[Longs, Floats]]
    possible: dict[int, Flags]
    notes: dict[str, Any]

    def guess(self, attack: Replayed, known: Known, away: Flags | None = None) -> ValueGuesses:
        """What follows for persons."""
        plain = AttributeDisclosure(attack.attribute, "rows").guess(self.release, known)
        place = self.view.position(plain.attribute)
        domain = self.view.domains[place]
        value_of_row = domain.members[domain.member_offsets[self.view.cells[:, place]]]
        candidate, confidence = plain.candidate.copy(), plain.confidence.copy()
        matched, found = plain.matched.copy(), plain.found.copy()
        look_of = self.placed.look_of(self.view, known)
        here = np.ones(len(known), bool) if away is None else ~away
        for person in np.flatnonzero(here & (look_of >= 0)).tolist():
            look = int(look_of[person])
            if look not in self.chances:
                continue
            rows, chances = self.chances[look]
            values = value_of_row[rows]
            confidence[person] = np.bincount(values, chances, len(plain.values))
            candidate[person] = np.bincount(values, self.possible[look], len(plain.values)) > 0
            matched[person], found[person] = 1, Found.EVERYWHERE
        return replace(
            plain,
            candidate=candidate,
            confidence=confidence,
            matched=matched,
            found=found,
            attack=attack.parameters,
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class _Classes:
    """All classes of a release, one after the other."""

    attack: Replayed
    view: Buckets
    placed: Placed
    demands: Demands
    axes: tuple[Axis, ...]
    release: TableRelease

    def replayed(
        self, rng: np.random.Generator
    ) -> tuple[dict[int, tuple[Longs, Floats]], dict[int, Flags], dict[str, Any]]:
        """What each look whose class is known may have; rows of the release stand for kinds."""
        told = self.release.parameters
        proof, relaxed = told.get("partition") == REPLAY_PROOF, told.get("mode") == "relaxed"
        everybody = np.arange(len(self.placed.look))
        widest = [axis.width(everybody) for axis in self.axes]
        notes = dict.fromkeys(("classes", "unplaced", "alike", "uncut", "ruled_out", "sampled", "unknown"), 0)
        fewest = self.attack.draws
        chances: dict[int, tuple[Longs, Floats]] = {}
        possible: dict[int, Flags] = {}
        notes["classes"] = len(self.view)
        for number, rows in enumerate(self.placed.rows_of_class):
            if rows is None:
                notes["unplaced"] += 1
                continue
            first, copies = self._kinds(number)
            cuts = None
            if len(rows) >= 2 * self.release.k:
                if may_be_two(self.axes, rows, self.release.k, relaxed=relaxed):
                    notes["alike"] += 1
                elif proof:
                    cuts = first_cut(self.axes, widest, rows, self.release.k, relaxed=relaxed)
                else:
                    cuts = every_cut(self.axes, rows, self.release.k)
            if cuts is None or len(copies) == 1:
                share = copies / copies.sum()
                for look in np.unique(self.placed.look[rows]).tolist():
                    chances[look], possible[look] = (first, share), np.ones(len(copies), bool)
                continue
            notes["uncut"] += 1
            worlds = self._worlds(cuts, first, copies, rng)
            notes["ruled_out"] += worlds.kept < 1.0 - 1e-9
            notes["sampled"] += worlds.worlds > 0
            notes["unknown"] += not worlds.known
            fewest = min(fewest, worlds.worlds) if worlds.worlds else fewest
            for look, cell in zip(self.placed.look[rows].tolist(), cuts.cell_of_row.tolist(), strict=True):
                chances[look], possible[look] = (first, worlds.chances[cell]), worlds.possible[cell]
        return chances, possible, {**notes, "fewest_worlds": fewest if notes["sampled"] else None}

    def _kinds(self, number: int) -> tuple[Longs, Longs]:
        """Distinct combinations of sensitive values in a class: a row of each, and how many have it; most last."""
        rows = np.arange(self.view.offsets[number], self.view.offsets[number + 1])
        secret = self.view.cells[rows][:, self.view.sensitive]
        _, first, copies = np.unique(row_numbers(secret), return_index=True, return_counts=True)
        order = np.argsort(copies, kind="stable")
        return rows[first[order]], copies[order].astype(np.int64)

    def _worlds(self, cuts: Cuts, first: Longs, copies: Longs, rng: np.random.Generator) -> Worlds:
        values = self.demands.values[first]
        found = ClassWorlds.of(self.demands.rules, cuts, values, copies, self.attack.draws, self.attack.most)
        return found.left(rng)


# Which class of a release everybody is in, for somebody who knows everybody's quasi-identifiers.
#
# Most people fit one class. Where cells overlap, counting helps: if as many people fit a class as it has rows, all of
# them are in it; if as many as it has rows are in it for sure, nobody else is.


_LOOKS = 2_000  # worked on at once


@dataclass(frozen=True, eq=False)
class Placed:
    """Where everybody is.

    Attributes:
        look: for each person of the crowd, a number for all that have the same quasi-identifiers.
        shapes: looks x quasi-identifiers of the release: positions in the published domains.
        rows_of_class: persons of each class; None where that cannot be told.
    """

    look: Longs
    shapes: Longs
    rows_of_class: tuple[Longs | None, ...]

    @classmethod
    def of(cls, view: Buckets, crowd: Crowd, k: int, *, strict: bool) -> Placed:
        """Find everybody's class; ``strict``: equal rows are in one class, so that cuts help to tell which."""
        shapes = _shapes(view, crowd.known)
        _, first, look = np.unique(row_numbers(shapes), return_index=True, return_inverse=True)
        look = look.reshape(-1).astype(np.int64)
        fits = Fits(*_fitting(view, shapes[first]), np.bincount(look), view.sizes).counted()
        if strict:
            axes = crowd.axes
            double = _doubles(fits, look, axes, k)
            fits = fits.cut_apart(np.array([axis.keys[first] for axis in axes]), double, k)
        home = np.full(len(first), -1, np.int64)
        sure = fits.sure
        home[fits.look[sure]] = fits.number[sure]
        order = np.argsort(home[look], kind="stable")
        edges = np.searchsorted(home[look][order], np.arange(len(view) + 1))
        rows: list[Longs | None] = []
        for each, size in enumerate(view.sizes.tolist()):
            mine = order[edges[each] : edges[each + 1]]
            rows.append(np.sort(mine) if len(mine) == size else None)
        return cls(look, shapes[first], tuple(rows))

    def look_of(self, view: Buckets, known: Known) -> Longs:
        """The look of each person; -1 for what nobody in the crowd looks like."""
        asked = _shapes(view, known)
        both = row_numbers(np.concatenate((self.shapes, asked)))
        place = np.full(int(both.max(initial=-1)) + 1, -1, np.int64)
        place[both[: len(self.shapes)]] = np.arange(len(self.shapes))
        found: Longs = place[both[len(self.shapes) :]]
        return found


def _shapes(view: Buckets, known: Known) -> Longs:
    return np.column_stack([known.at(view.domains[place]) for place in view.quasi_identifiers])


def _fitting(view: Buckets, shapes: Longs) -> tuple[Longs, Longs]:
    """Pairs of a look and a class that it fits."""
    tables = []
    for place in view.quasi_identifiers:
        domain, cells = view.domains[place], view.cells[view.offsets[:-1], place]
        holds = np.zeros((len(domain.values), len(domain.labels)), bool)
        holds[domain.members, np.repeat(np.arange(len(domain.labels)), np.diff(domain.member_offsets))] = True
        tables.append(np.packbits(holds[:, cells], axis=1))
    looks, classes = [], []
    for start in range(0, len(shapes), _LOOKS):
        some = shapes[start : start + _LOOKS]
        fits = np.full((len(some), tables[0].shape[1]), 255, np.uint8)
        for table, at in zip(tables, some.T, strict=True):
            fits &= np.where(at[:, None] >= 0, table[np.maximum(at, 0)], 0)
        look, number = np.nonzero(np.unpackbits(fits, axis=1, count=len(view)))
        looks.append(look + start)
        classes.append(number)
    return np.concatenate(looks), np.concatenate(classes)


@dataclass(frozen=True, eq=False)
class Fits:
    """Which looks may be in which classes.

    Attributes:
        look, number: pairs of a look and a class that it may be in.
        rows: rows of each look.
        sizes: rows of each class.
    """

    look: Longs
    number: Longs
    rows: Longs
    sizes: Longs

    @property
    def sure(self) -> Flags:
        """Whether the look of each pair can be in no other class."""
        found: Flags = np.bincount(self.look, minlength=len(self.rows))[self.look] == 1
        return found

    def keep(self, pairs: NDArray[Any]) -> Fits:
        """Some of the pairs."""
        return replace(self, look=self.look[pairs], number=self.number[pairs])

    def counted(self) -> Fits:
        """Without pairs that counting rules out."""
        found = self
        while True:
            before = len(found.look)
            fits = np.bincount(found.number, found.rows[found.look], len(found.sizes))
            full = (fits == found.sizes)[found.number]  # everybody who fits is in it
            settled = np.zeros(len(found.rows), bool)
            settled[found.look[full]] = True
            found = found.keep(full | ~settled[found.look])
            sure = found.sure
            inside = np.bincount(found.number[sure], found.rows[found.look[sure]], len(found.sizes))
            found = found.keep(sure | (inside < found.sizes)[found.number])
            if len(found.look) == before:
                return found

    def cut_apart(self, keys: Longs, double: Flags, k: int) -> Fits:
        """Without pairs that no cut allows.

        Classes whose looks overlap were parted by some cut, with k rows and whole classes on both sides, save those
        that may be two which look alike (``double``). What every such cut would part is in different classes.
        """
        found = self
        while True:
            before = len(found.look)
            stay = np.ones(before, bool)
            for pairs in found.tangles():
                stay[pairs] = found.keep(pairs).reachable(keys, double, k)
            found = found.keep(stay).counted()
            if len(found.look) == before:
                return found

    def tangles(self) -> list[Longs]:
        """Pairs of looks and classes that hang together, where there is more than one class."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        looks, classes = len(self.rows), len(self.sizes)
        graph = coo_array(
            (np.ones(len(self.look)), (self.look, looks + self.number)), shape=(looks + classes,) * 2
        )
        group = connected_components(graph, directed=False)[1]
        many = np.bincount(group[looks:], minlength=int(group.max()) + 1)
        mine = group[self.look]
        order = np.argsort(mine, kind="stable")
        order = order[many[mine[order]] > 1]
        return np.split(order, np.flatnonzero(np.diff(mine[order])) + 1) if len(order) else []

    def reachable(self, keys: Longs, double: Flags, k: int) -> Flags:
        """Which pairs some cut leaves together; all of them if no cut would do."""
        looks, look = np.unique(self.look, return_inverse=True)
        classes, number = np.unique(self.number, return_inverse=True)
        sizes, rows, sure = self.sizes[classes], self.rows[looks][look], self.sure
        allowed = np.zeros(len(look), bool)
        for axis in keys[:, looks]:
            for border in np.unique(axis)[1:].tolist():
                right = axis[look] >= border
                sides = [
                    double[classes]
                    | _can_be(number[mine], rows[mine], sizes) & ~_must_be(number[~mine & sure], len(sizes))
                    for mine in (~right, right)
                ]
                if _consistent(sides, sizes, int(self.rows[looks][axis >= border].sum()), k):
                    allowed |= np.where(right, sides[1][number], sides[0][number])
                if allowed.all():
                    return allowed
        return allowed if allowed.any() else ~allowed


def _doubles(fits: Fits, look: Longs, axes: Sequence[Axis], k: int) -> Flags:
    """Classes that may be two which show the same cells."""
    double = np.zeros(len(fits.sizes), bool)
    by_class = np.argsort(fits.number, kind="stable")
    edges = np.searchsorted(fits.number[by_class], np.arange(len(double) + 1))
    one_of = np.zeros(len(fits.rows), np.int64)
    one_of[look] = np.arange(len(look))
    for number in np.flatnonzero(fits.sizes >= 2 * k).tolist():
        mine = fits.look[by_class[edges[number] : edges[number + 1]]]
        double[number] = may_be_two(
            axes, np.repeat(one_of[mine], fits.rows[mine]), k, relaxed=False, exactly=False
        )
    return double


def _consistent(sides: list[Flags], sizes: Longs, right: int, k: int) -> bool:
    """Whether every class has a side that it can be on, and the sides are filled."""
    left = int(sizes.sum()) - right
    only_left, only_right = sides[0] & ~sides[1], sides[1] & ~sides[0]
    return bool(
        min(left, right) >= k
        and (sides[0] | sides[1]).all()
        and sizes[only_left].sum() <= left
        and sizes[only_right].sum() <= right
    )


def _can_be(number: Longs, rows: Longs, sizes: Longs) -> Flags:
    """Classes that can be filled with looks of one side."""
    found: Flags = np.bincount(number, rows, len(sizes)) >= sizes
    return found


def _must_be(number: Longs, classes: int) -> Flags:
    """Classes that have somebody for sure."""
    found: Flags = np.bincount(number, minlength=classes) > 0
    return found


# Which cuts of a class Mondrian would have tried, by quasi-identifiers alone.
#
# Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006), as here, tries every border between different values of every
# attribute that leaves k rows on both sides before it gives a class up; replay-proof, it tries the one that is first.


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of one class that were not made.

    Attributes:
        orders: axes x rows: the rows of the class in the order of each axis that can be cut.
        allowed: axes x rows: whether there is a cut before this row.
        cell_of_row: rows that no cut parts are one cell.
        sides: cuts x cells: whether the cell lies on the right; cuts that part alike are one.
    """

    orders: Longs
    allowed: Flags
    cell_of_row: Longs
    sides: Flags

    @classmethod
    def of(cls, orders: Sequence[Longs], allowed: Sequence[Flags]) -> Cuts:
        """Cuts along some axes."""
        rows = len(orders[0])
        masks = [_beyond(order, flags) for order, flags in zip(orders, allowed, strict=True)]
        together = np.concatenate(masks)
        together ^= together[:, :1]  # which side is called the right one does not matter
        distinct = np.unique(np.packbits(together, axis=1), axis=0)
        parted = np.unpackbits(distinct, axis=1, count=rows).astype(bool)
        _, first, cell = np.unique(
            np.packbits(parted, axis=0), axis=1, return_index=True, return_inverse=True
        )
        return cls(np.array(orders), np.array(allowed), cell.reshape(-1).astype(np.int64), parted[:, first])


def _beyond(order: Longs, allowed: Flags) -> Flags:
    """Cuts x rows: which rows lie beyond each cut of one axis."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    beyond: Flags = place[None] >= np.flatnonzero(allowed)[:, None]
    return beyond


def every_cut(axes: Sequence[Axis], rows: Longs, k: int) -> Cuts | None:
    """All borders between different values with k rows on both sides; None if there is none."""
    orders, allowed = [], []
    for axis in axes:
        order, borders = _borders(axis, rows, k)
        if borders.any():
            orders.append(order)
            allowed.append(borders)
    return Cuts.of(orders, allowed) if orders else None


def first_cut(
    axes: Sequence[Axis], widest: Sequence[float], rows: Longs, k: int, *, relaxed: bool
) -> Cuts | None:
    """The cut that comes first: along the widest axis that can be cut, nearest to the middle.

    With a taxonomy, first of those that part the branches below the lowest common node. Relaxed, it lies in the middle;
    where lots decide about equal rows there, nobody can say which it is.
    """
    wide = [axis.width(rows) / most if most > 0 else 0.0 for axis, most in zip(axes, widest, strict=True)]
    for number in sorted(range(len(axes)), key=lambda each: (-wide[each], each)):
        if wide[number] <= 0:
            return None
        order, borders = _borders(axes[number], rows, k)
        if relaxed:
            if not borders[len(rows) // 2]:
                return None
            borders = np.arange(len(rows)) == len(rows) // 2
        branches = borders & _between_branches(axes[number], rows[order])
        at = _most_even(branches if branches.any() else borders)
        if at:
            only = np.zeros(len(rows), bool)
            only[at] = True
            return Cuts.of([order], [only])
    return None


def may_be_two(axes: Sequence[Axis], rows: Longs, k: int, *, relaxed: bool, exactly: bool = True) -> bool:
    """Whether two classes that show the same cells may stand in these rows: then they may well have been cut.

    Ranges and sets of two sides of a cut differ; nodes of a taxonomy need not. Not ``exactly``: the rows fit the cells,
    and some of them may be in other classes, so that what else they show says nothing.
    """
    for axis in axes:
        if axis.paths is None:
            continue
        order, borders = _borders(axis, rows, k)
        if relaxed:
            borders = np.zeros(len(rows), bool)
            borders[k : len(rows) - k + 1] = True
        keys, at = axis.keys[rows[order]], np.flatnonzero(borders)
        if not len(at) or keys[0] == keys[-1]:
            continue
        low, high = np.full(len(at), keys[0]), np.full(len(at), keys[-1])
        whole = axis.covered(low, high)
        alike = (axis.covered(low, keys[at - 1]) == whole) & (axis.covered(keys[at], high) == whole)
        if any(
            relaxed or not exactly or _look_alike(axes, axis, rows[order], cut) for cut in at[alike].tolist()
        ):
            return True
    return False


def _look_alike(axes: Sequence[Axis], cut_along: Axis, rows: Longs, at: int) -> bool:
    """Whether both sides of a cut show the same cells on the other axes."""
    return all(axis is cut_along or axis.cell(rows[:at]) == axis.cell(rows[at:]) for axis in axes)


def _borders(axis: Axis, rows: Longs, k: int) -> tuple[Longs, Flags]:
    """Rows of a class in the order of an axis; whether there may be a cut before each."""
    keys = axis.keys[rows]
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    borders = np.zeros(len(rows), bool)
    borders[1:] = sorted_keys[1:] != sorted_keys[:-1]
    borders[:k] = False
    borders[len(rows) - k + 1 :] = False
    if axis.persons is not None:
        who = axis.persons[rows][order]
        borders &= (_persons_before(who) >= k) & (_persons_before(who[::-1])[::-1] + _alone(who) >= k)
    return order, borders


def _persons_before(who: Longs) -> Longs:
    """Different persons before each row."""
    first = np.zeros(len(who), bool)
    first[np.unique(who, return_index=True)[1]] = True
    return np.cumsum(first) - first


def _alone(who: Longs) -> Longs:
    """1 for rows whose person is in none that follows."""
    last = np.zeros(len(who), np.int64)
    last[len(who) - 1 - np.unique(who[::-1], return_index=True)[1]] = 1
    return last


def _between_branches(axis: Axis, rows: Longs) -> Flags:
    """Whether two neighbours are parted right below the lowest node that covers all rows."""
    keys = axis.keys[rows]
    found = np.zeros(len(rows), bool)
    if axis.paths is not None:
        top = axis.shared(keys[:1], keys[-1:])[0]
        found[1:] = axis.shared(keys[:-1], keys[1:]) == top
    return found


def _most_even(borders: Flags) -> int:
    """The border nearest to the middle, of two the upper one; 0 if there is none."""
    at = np.flatnonzero(borders)
    if not len(at):
        return 0
    middle = len(borders) // 2
    return int(min(at.tolist(), key=lambda place: (abs(place - middle), place < middle)))


# Everybody in a release, as somebody knows them who has a register of the same people: quasi-identifiers, no more.
#
# How values are ordered and grouped (taxonomies, blocks of numbers) stands in what is published with a method, so that
# such a reader knows along which lines a table can be cut.


@dataclass(frozen=True, eq=False, repr=False)
class Crowd:
    """The quasi-identifiers of everybody in a release.

    Attributes:
        attributes: the quasi-identifiers, with their order and taxonomies.
        codes: persons x quasi-identifiers: positions in the values of each.
        persons: who each row is about, where somebody has several; None if everybody has one.
    """

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]
    persons: Longs | None = None

    @classmethod
    def of(cls, table: Table, rows: NDArray[Any] | None = None) -> Crowd:
        """The quasi-identifiers of all rows of a table, or of some; nothing else of it is kept."""
        places = list(table.positions("quasi-identifier"))
        some = table if rows is None else table.take(rows)
        attributes = tuple(table.attributes[place] for place in places)
        persons = some.persons if some.several_each else None
        return cls(attributes, np.ascontiguousarray(some.codes[:, places]), persons)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Crowd({len(self):,} persons by {', '.join(each.name for each in self.attributes)})"

    @property
    def known(self) -> Known:
        """The same as what is known of single persons."""
        names = tuple(attribute.name for attribute in self.attributes)
        return Known(names, tuple(attribute.values for attribute in self.attributes), self.codes)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Along which lines the crowd can be cut."""
        return tuple(
            replace(Axis.of(attribute, self.codes[:, place]), persons=self.persons)
            for place, attribute in enumerate(self.attributes)
        )


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier as a line.

    Attributes:
        keys: where each person stands: numbers by size, taxonomies as a walk meets their values, others by name.
        numbers: the number behind each key, if they are numbers.
        paths: nodes of the taxonomy from the root down to each key, -1 below it; nothing without one.
        below: values below each node of ``paths``.
        persons: who each row is about, where somebody has several.
    """

    keys: Longs
    numbers: Floats | None = None
    paths: Longs | None = None
    below: Longs | None = None
    persons: Longs | None = None

    @classmethod
    def of(cls, attribute: Attribute, codes: NDArray[np.int32]) -> Axis:
        """The line that an attribute gives."""
        if attribute.tree is not None:
            order, paths = _walk(attribute.tree, numbers=attribute.numbers is not None)
            below = np.where(paths >= 0, attribute.tree.sizes[paths], 0)
            return cls(order[codes], None, paths, below)
        if attribute.numbers is None:
            return cls(codes.astype(np.int64))
        if attribute.blocks is not None:
            return cls(attribute.blocks.of(attribute.numbers)[codes], attribute.blocks.lows)
        return cls(codes.astype(np.int64), attribute.numbers)

    def shared(self, one: Any, other: Any) -> Any:
        """How many nodes, from the root down, the paths to two keys share."""
        if self.paths is None:
            return np.zeros(np.shape(one), np.int64)
        first, second = self.paths[one], self.paths[other]
        return np.minimum.accumulate((first == second) & (first >= 0), axis=-1).sum(axis=-1)

    def covered(self, low: Any, high: Any) -> Any:
        """Values below the lowest node that covers two keys."""
        if self.below is None:
            return np.zeros(np.shape(low), np.int64)
        return np.take_along_axis(
            self.below[low], np.atleast_1d(self.shared(low, high) - 1)[..., None], axis=-1
        )[..., 0]

    def cell(self, rows: Longs) -> tuple[int, ...]:
        """What tells the smallest published cover of some persons from others."""
        keys = np.unique(self.keys[rows])
        if self.paths is None or self.below is None:
            return tuple(keys.tolist() if self.numbers is None else (keys[0], keys[-1]))
        many = int(self.covered(keys[:1], keys[-1:])[0])
        # Nodes one above the other may cover the same: the topmost stands for all.
        return many, int(self.paths[keys[0], np.argmax(self.below[keys[0]] == many)])

    def width(self, rows: Longs) -> float:
        """How far some persons lie apart, as Mondrian measures it."""
        keys = self.keys[rows]
        low, high = int(keys.min()), int(keys.max())
        if low == high:
            return 0.0
        if self.numbers is not None:
            return float(self.numbers[high] - self.numbers[low])
        if self.paths is not None:
            return float(self.covered(np.array([low]), np.array([high]))[0] - 1)
        return float(len(np.unique(keys)) - 1)


def _walk(tree: ValueTree, *, numbers: bool) -> tuple[Longs, Longs]:
    """Place of each value in a walk through a taxonomy, and the nodes above each place.

    Branches follow in the order of their nodes; of numbers, in the order of their first one.
    """
    down = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    first: dict[int, int] = {}
    for leaf, path in enumerate(down):
        for node in path:
            first.setdefault(node, leaf)
    met = sorted(
        range(tree.leaves), key=lambda leaf: [(first[node] if numbers else 0, node) for node in down[leaf]]
    )
    order = np.empty(tree.leaves, np.int64)
    order[met] = np.arange(tree.leaves)
    paths = np.full((tree.leaves, max(map(len, down))), -1, np.int64)
    for place, leaf in enumerate(met):
        paths[place, : len(down[leaf])] = down[leaf]
    return order, paths
