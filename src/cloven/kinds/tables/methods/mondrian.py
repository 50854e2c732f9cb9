"""Mondrian: halve a table again and again, as long as both halves keep what is promised.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. The attribute with the widest
normalised range is cut first: numbers by their span, values with a taxonomy by the leaves below their lowest common
ancestor, other values by how many there are. Where the paper tries the median alone, here the cut nearest to the median
that keeps to everything is taken, so that in the end no allowable cut is left.

Which cut is taken then tells something about sensitive values to whoever knows everybody's quasi-identifiers and makes
the cuts again (minimality attack; Wong, Fu, Wang, Pei, VLDB 2007). Replay-proof, quasi-identifiers and k alone decide
about the tree of cuts; classes that miss a constraint are joined with what lies on the other side of their cut, again
and again. As a union of classes keeps to what all of them keep to, that is the same as taking a cut back from above
unless both of its sides as a whole keep to everything, and so it is computed. A class then tells of one cut alone that
one of its sides missed something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.data.defaults import K
from cloven.data.given import expect_table
from cloven.data.table import slack
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import check_complete, generalised, walk
from cloven.kinds.tables.methods.constraints import (
    DISTINCT,
    WORDED_CONSTRAINTS,
    Constraint,
    Demands,
    DistinctL,
    all_met,
    described,
    harm_of,
    sensitive_codes,
    sensitive_groups,
)
from cloven.kinds.tables.methods.lots import Drawing
from cloven.kinds.tables.methods.parameters import (
    ROWS_ALIKE,
    SEED,
    check_choice,
    check_k,
    check_seed,
    possible_k,
)
from cloven.protocols import Choice, Dimension, Whole
from cloven.values import choice, option, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.methods.constraints import Worded

    Coded = tuple[
        tuple[int, float, float],
        NDArray[np.int32],
        Floats,
        Floats,
        Flags,
    ]


Partition = Literal["adaptive", "replay-proof"]
Mode = Literal["strict", "relaxed"]


@dataclass(frozen=True)
class Mondrian:
    """Coarse cells: every person looks like at least ``k - 1`` others on the quasi-identifiers.

    Attributes:
        k: rows of a class, at least; persons, where somebody has several rows.
        l: short for ``DistinctL(l)``: so many different values of each sensitive attribute in every class.
        constraints: more that every class must keep to.
        mode: ``strict``: equal values stay on one side of a cut; ``relaxed``: they may come to both, classes are more
            even and their ranges may overlap. Which of equal rows come where is drawn by lot.
        partition: ``adaptive``: the cut nearest to the middle that keeps to everything is taken; ``replay-proof``: cuts
            are decided without a look at sensitive values, and taken back where a side misses a constraint.
        seed: for the lots; experiments only, and marks the release. They come from the operating system otherwise.

    >>> from cloven.data.table import Attribute, Table
    >>> age = Attribute("age", "quasi-identifier", ("20", "30", "40", "50"), np.array([20.0, 30.0, 40.0, 50.0]))
    >>> illness = Attribute("illness", "sensitive", ("Flu", "Gout"))
    >>> codes = np.array([[0, 0], [1, 1], [2, 0], [3, 1]], np.int32)
    >>> release = Mondrian(k=2).anonymise(Table((age, illness), codes, np.arange(4))).release
    >>> [[domain.labels[cell] for domain, cell in zip(release.domains, row)] for row in release.cells.tolist()]
    [['20..30', 'Flu'], ['20..30', 'Gout'], ['40..50', 'Flu'], ['40..50', 'Gout']]
    """

    k: int = option(K, whole(2), ROWS_ALIKE)
    l: int | None = option(None, whole(2), "So many different sensitive values in every class.")
    constraints: tuple[Constraint, ...] = ()
    mode: Mode = choice("strict", Mode, "Whether equal values stay on one side of a cut")
    seed: int | None = option(None, whole(0), SEED, last=True)
    partition: Partition = choice("adaptive", Partition, "Whether sensitive values decide about cuts")
    WORDED: ClassVar[Mapping[str, Worded]] = {"constraints": WORDED_CONSTRAINTS}
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        if self.mode not in ("strict", "relaxed"):
            message = f"mode must be 'strict' or 'relaxed', got {self.mode!r}"
            raise ParameterError(message)
        check_choice("partition", self.partition, get_args(Partition))
        check_seed(self.seed)
        object.__setattr__(self, "k", check_k(self.k))
        object.__setattr__(self, "constraints", tuple(self.constraints))
        _ = self.demanded  # a bad l is refused here

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies."""
        found: dict[str, Dimension] = {
            "k": possible_k(data),
            "mode": Choice(("strict", "relaxed")),
        }
        kinds = [len(np.unique(data.codes[:, position])) for position in data.positions("sensitive")]
        if kinds and min(kinds) >= 2:
            found["l"] = Whole(2, min(10, *kinds))
        return found

    @property
    def demanded(self) -> tuple[Constraint, ...]:
        """All constraints, the short one first."""
        return (*(() if self.l is None else (DistinctL(self.l),)), *self.constraints)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values; what the constraints speak of is added with the table."""
        return {
            "method": "mondrian",
            "unsafe": False,
            "seeded": self.seed is not None,
            "mode": self.mode,
            # The usual way is what a release without this word was made in.
            **({} if self.partition == "adaptive" else {"partition": self.partition}),
            "l": self.l,
            "constraints": [constraint.parameters for constraint in self.demanded],
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        report("cut", 0.0)
        classes = self.classes(table)
        report("assemble", 0.0)
        promised = [entry for constraint in self.demanded for entry in described(constraint, table)]
        told = {
            **self.parameters,
            "constraints": promised,
            **({"persons": True} if table.several_each else {}),
        }
        published = generalised(table, classes, k=self.k, parameters=told)
        report("assemble", 1.0)
        return published

    def classes(self, table: Table) -> Longs:
        """Class of each row, numbered from 0."""
        from cloven.kinds.tables.methods.constraints import check_reachable

        check_complete(table)
        check_reachable(table, self.k, self.demanded)
        relaxed = self.mode == "relaxed"
        # Of strict cuts no order of rows can be seen.
        rows = Drawing.of(self.seed).order(len(table)) if relaxed else np.arange(len(table))
        dims = dimensions(table)
        stamps = np.full(int(dims.start[-1]), -1, np.int64)
        widest = np.array([width(dims, dim, rows, stamps, 0) for dim in range(len(dims.kind))])
        promised = demands(table, self.demanded, self.k)
        cutting = promised if self.partition == "adaptive" else demands(table, (), self.k)
        return partition(dims, cutting, promised, rows, self.k, relaxed, widest)


# A table and its constraints in the form that compiled Mondrian reads.


def dimensions(table: Table) -> Dimensions:
    """The quasi-identifiers. Values with a taxonomy are ordered as a walk through it meets them, numbers by size."""
    positions = table.positions("quasi-identifier")
    kinds, keys, places, paths, below, depths = [], [], [], [], [], []
    for position in positions:
        attribute, codes = table.attributes[position], table.codes[:, position]
        place, path, sizes, depth = np.zeros(len(attribute)), np.empty(0, np.int32), np.empty(0, np.int64), 0
        if attribute.tree is not None:
            kinds.append(TREE)
            order, nodes = walk(attribute.tree, by_value=attribute.numbers is not None)
            sizes = np.where(nodes >= 0, attribute.tree.sizes[nodes], 0).ravel()
            path, depth = nodes.ravel(), nodes.shape[1]
            codes = order[codes]
        elif attribute.numbers is not None:
            kinds.append(NUMBERS)
            place = attribute.numbers.astype(np.float64)
            if attribute.blocks is not None:
                # No cut goes through a block.
                codes = attribute.blocks.of(place)[codes].astype(np.int32)
                place = attribute.blocks.lows
        else:
            kinds.append(SET)
        keys.append(codes.astype(np.int32))
        places.append(place)
        paths.append(path)
        below.append(sizes)
        depths.append(depth)
    return Dimensions(
        kind=np.array(kinds, np.int64),
        keys=np.ascontiguousarray(keys, np.int32),
        start=_starts(places),
        place=np.concatenate(places),
        depth=np.array(depths, np.int64),
        path_start=_starts(paths),
        path=np.concatenate(paths),
        below=np.concatenate(below),
    )


def demands(table: Table, constraints: Sequence[Constraint], persons: int = 0) -> Demands:
    """The constraints, one entry for each group of sensitive attributes.

    Where somebody has several rows, every class needs so many different ``persons`` too.
    """
    coded = [
        _coded(table, constraint, group)
        for constraint in constraints
        for group in sensitive_groups(constraint, table)
    ]
    if table.persons is not None and table.several_each:
        who = np.unique(table.persons, return_inverse=True)[1].astype(np.int32)
        place = np.arange(int(who.max()) + 1, dtype=np.float64)
        coded.append(((DISTINCT, float(persons), 0.0), who, place, place, np.ones(len(place), np.bool_)))
    counts = [np.bincount(codes, minlength=len(number)) for _, codes, number, _, _ in coded]
    start = _starts(counts)
    codes = [found + first for (_, found, *_), first in zip(coded, start[:-1].tolist(), strict=True)]
    settings = np.array([setting for setting, *_ in coded], np.float64).reshape(-1, 3)
    return Demands(
        kind=settings[:, 0].astype(np.int64),
        level=settings[:, 1].copy(),
        factor=settings[:, 2].copy(),
        start=start,
        codes=np.column_stack(codes).astype(np.int32) if codes else np.empty((len(table), 0), np.int32),
        shares=_joined([count / len(table) for count in counts], np.float64),
        number=_joined([number for _, _, number, _, _ in coded], np.float64),
        upto=_joined([upto for _, _, _, upto, _ in coded], np.float64),
        harmful=_joined([harmful for *_, harmful in coded], np.bool_),
        near=np.array([bool((upto > number).any()) for _, _, number, upto, _ in coded], np.bool_),
    )


def _coded(table: Table, constraint: Constraint, group: tuple[int, ...]) -> Coded:
    """A constraint on a group of attributes: what it asks for, codes of the rows, and what the values are."""
    codes, harm = sensitive_codes(table, group), harm_of(constraint, table, group)
    number = np.arange(int(codes.max(initial=-1)) + 1, dtype=np.float64)
    if len(group) > 1:
        return constraint.coded, codes, number, number, np.ones(len(number), np.bool_)
    attribute = table.attributes[group[0]]
    there = np.unique(table.codes[:, group[0]])
    harmful = harm.harmful(attribute.values)[there]
    if not harm.within or attribute.numbers is None:
        return constraint.coded, codes, number, number, harmful
    near = attribute.numbers[there]
    return constraint.coded, codes, near, harm.upto(near) + slack(near), harmful


def _joined(parts: Sequence[NDArray[np.generic]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


def _starts(parts: Sequence[NDArray[np.generic]]) -> Longs:
    """Where each part starts when they are joined, and where the last ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


# Compiled Mondrian: cut rows in two, along the widest attribute that can be cut, until nothing can be cut.
#
# A cut lies between two neighbours in the order of an attribute (strict: only between different values). Of the cuts
# whose halves both keep to everything, the most even one is taken; with a taxonomy, first of those that part the
# branches below the lowest common ancestor.


NUMBERS, TREE, SET = 0, 1, 2


class Dimensions(NamedTuple):
    """Quasi-identifiers in a form that compiled code reads.

    Attributes:
        kind: numbers, values with a tree, or values without.
        keys: attributes x rows: position of each value in the order of its attribute.
        start: where the keys of each attribute start in ``place``.
        place: the number behind each key of a numeric attribute.
        depth: longest path of each tree.
        path_start: where the paths of each tree start in ``path`` and ``below``.
        path: nodes from the root down to each key, ``depth`` of them; -1 beyond the leaf.
        below: number of leaves below each node of ``path``.
    """

    kind: Longs
    keys: NDArray[np.int32]
    start: Longs
    place: Floats
    depth: Longs
    path_start: Longs
    path: NDArray[np.int32]
    below: Longs


class Group(NamedTuple):
    """Sensitive values of the rows in hand.

    Attributes:
        total: count of each value.
        values: values that are there, constraint after constraint.
        ends: where those of each constraint start, and where the last end.
    """

    total: Longs
    values: Longs
    ends: Longs


@compiled
def common_depth(dims: Dimensions, dim: int, first: int, last: int) -> int:
    """How many nodes, from the root down, the paths to two keys share."""
    depth = dims.depth[dim]
    left = dims.path_start[dim] + first * depth
    right = dims.path_start[dim] + last * depth
    shared = 0
    while shared < depth and dims.path[left + shared] == dims.path[right + shared] >= 0:
        shared += 1
    return shared


@compiled
def width(dims: Dimensions, dim: int, rows: Ints, stamps: Ints, stamp: int) -> float:
    """How far the values of some rows reach, in the unit of the attribute; 0 if they are all the same."""
    keys = dims.keys[dim]
    low, high = keys[rows[0]], keys[rows[0]]
    for row in rows:
        low, high = min(low, keys[row]), max(high, keys[row])
    if low == high:
        return 0.0
    if dims.kind[dim] == NUMBERS:
        return float(dims.place[dims.start[dim] + high] - dims.place[dims.start[dim] + low])
    if dims.kind[dim] == TREE:
        node = dims.path_start[dim] + low * dims.depth[dim] + common_depth(dims, dim, low, high) - 1
        return float(dims.below[node] - 1)
    distinct = -1
    for row in rows:
        at = dims.start[dim] + keys[row]
        if stamps[at] != stamp:
            stamps[at] = stamp
            distinct += 1
    return float(distinct)


@compiled
def _gather(demands: Demands, rows: Ints, total: Ints) -> Group:
    """Count the sensitive values of some rows; ``total`` must be 0 everywhere."""
    constraints = len(demands.kind)
    values = np.empty(len(rows) * constraints, np.int64)
    ends = np.zeros(constraints + 1, np.int64)
    found = 0
    for number in range(constraints):
        for row in rows:
            value = demands.codes[row, number]
            if total[value] == 0:
                values[found] = value
                found += 1
            total[value] += 1
        if demands.near[number]:
            values[ends[number] : found].sort()
        ends[number + 1] = found
    return Group(total, values[:found], ends)


@compiled
def _move(demands: Demands, row: int, left: Ints, right: Ints, step: int) -> None:
    """Bring a row to the left (step 1) or to the right (step -1)."""
    for number in range(len(demands.kind)):
        value = demands.codes[row, number]
        left[value] += step
        right[value] -= step


@compiled
def _both_met(demands: Demands, group: Group, left: Ints, right: Ints, at: int, size: int) -> bool:
    return all_met(demands, left, group.values, group.ends, at) and all_met(
        demands, right, group.values, group.ends, size - at
    )


@compiled
def find_cut(demands: Demands, group: Group, rows: Ints, allowed: Flags, k: int, room: Ints) -> int:
    """The most even allowed position where both sides keep to everything; 0 if there is none.

    ``room`` holds four rows of counts, 0 everywhere before and after.
    """
    for value in group.values:
        room[1, value] = group.total[value]
    for row in rows[: len(rows) // 2]:
        _move(demands, row, room[0], room[1], 1)
    for value in group.values:
        room[2, value], room[3, value] = room[0, value], room[1, value]
    found = _outwards(demands, group, rows, allowed, k, room)
    for value in group.values:
        room[:, value] = 0
    return found


@compiled
def _outwards(demands: Demands, group: Group, rows: Ints, allowed: Flags, k: int, room: Ints) -> int:
    """Walk from the middle outwards, with one pair of counts up and one down, so that each step moves one row."""
    size = len(rows)
    middle = size // 2
    for offset in range(middle + 1):
        up, down = middle + offset, middle - offset
        if up > size - k and down < k:
            break
        if offset:
            _move(demands, rows[up - 1], room[0], room[1], 1)
            _move(demands, rows[down], room[2], room[3], -1)
        if k <= up <= size - k and allowed[up] and _both_met(demands, group, room[0], room[1], up, size):
            return up
        if offset == 0 or not k <= down <= size - k or not allowed[down]:
            continue
        if _both_met(demands, group, room[2], room[3], down, size):
            return down
    return 0


@compiled
def mark_boundaries(dims: Dimensions, dim: int, rows: Ints, allowed: Flags, relaxed: bool) -> bool:
    """Mark where sorted rows may be cut: between different values. True if with a tree only the shallowest.

    Relaxed, equal values may come to both sides.
    """
    keys = dims.keys[dim]
    size = len(rows)
    for at in range(1, size):
        allowed[at] = relaxed or keys[rows[at - 1]] != keys[rows[at]]
    if relaxed or dims.kind[dim] != TREE:
        return False
    top = common_depth(dims, dim, keys[rows[0]], keys[rows[-1]])
    for at in range(1, size):
        if allowed[at]:
            allowed[at] = common_depth(dims, dim, keys[rows[at - 1]], keys[rows[at]]) == top
    return True


@compiled
def cut_along(
    dims: Dimensions,
    dim: int,
    demands: Demands,
    group: Group,
    rows: Ints,
    k: int,
    relaxed: bool,
    allowed: Flags,
    room: Ints,
) -> int:
    """Sort rows along an attribute and find where to cut them; 0 if nowhere."""
    keys = np.empty(len(rows), np.int32)
    for at in range(len(rows)):
        keys[at] = dims.keys[dim, rows[at]]
    rows[:] = rows[np.argsort(keys, kind="mergesort")]
    branches = mark_boundaries(dims, dim, rows, allowed, relaxed)
    at = find_cut(demands, group, rows, allowed, k, room)
    if at == 0 and branches:
        sorted_keys = dims.keys[dim]
        for place in range(1, len(rows)):
            allowed[place] = sorted_keys[rows[place - 1]] != sorted_keys[rows[place]]
        at = find_cut(demands, group, rows, allowed, k, room)
    return at


@compiled
def partition(
    dims: Dimensions, cutting: Demands, demands: Demands, rows: Ints, k: int, relaxed: bool, widest: Floats
) -> Ints:
    """Class of each row; ``rows`` is the order to start from, ``widest`` the width of the whole table.

    A cut is chosen so that both sides keep to ``cutting``, and taken back if one does not keep to ``demands``.
    """
    attributes = len(dims.kind)
    class_of = np.empty(len(rows), np.int64)
    stamps, stamp = np.zeros(max(1, int(dims.start[-1])), np.int64), 0
    total = np.zeros(max(1, int(cutting.start[-1]), int(demands.start[-1])), np.int64)
    room = np.zeros((4, len(total)), np.int64)
    allowed = np.zeros(len(rows) + 1, np.bool_)
    stack = np.empty((2 * len(rows) // k + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, len(rows)
    waiting, classes = 1, 0
    wide = np.zeros(attributes, np.float64)
    while waiting:
        waiting -= 1
        start, end = stack[waiting, 0], stack[waiting, 1]
        mine = rows[start:end]
        at = 0
        if len(mine) >= 2 * k:
            stamp += 1
            for dim in range(attributes):
                wide[dim] = width(dims, dim, mine, stamps, stamp) / widest[dim] if widest[dim] > 0 else 0.0
            group = _gather(cutting, mine, total)
            at = _widest_cut(dims, cutting, group, mine, k, relaxed, wide, allowed, room)
            for value in group.values:
                total[value] = 0
            if at and len(cutting.kind) < len(demands.kind) and not _stands(demands, mine, at, total, room):
                at = 0
        if at == 0:
            class_of[mine] = classes
            classes += 1
        else:
            stack[waiting, 0], stack[waiting, 1] = start, start + at
            stack[waiting + 1, 0], stack[waiting + 1, 1] = start + at, end
            waiting += 2
    return class_of


@compiled
def _stands(demands: Demands, rows: Ints, at: int, total: Ints, room: Ints) -> bool:
    """Whether both sides of a cut keep to everything; ``total`` and ``room`` are 0 before and after."""
    group = _gather(demands, rows, total)
    for value in group.values:
        room[1, value] = group.total[value]
    for row in rows[:at]:
        _move(demands, row, room[0], room[1], 1)
    met = _both_met(demands, group, room[0], room[1], at, len(rows))
    for value in group.values:
        room[:, value], total[value] = 0, 0
    return met


@compiled
def _widest_cut(
    dims: Dimensions,
    demands: Demands,
    group: Group,
    rows: Ints,
    k: int,
    relaxed: bool,
    wide: Floats,
    allowed: Flags,
    room: Ints,
) -> int:
    """Cut along the widest attribute that can be cut; ``wide`` is used up."""
    for _ in range(len(wide)):
        dim = int(np.argmax(wide))
        if wide[dim] <= 0.0:
            return 0
        at = cut_along(dims, dim, demands, group, rows, k, relaxed, allowed, room)
        if at:
            return at
        wide[dim] = 0.0
    return 0
