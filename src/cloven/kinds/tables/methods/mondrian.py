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
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.data.defaults import K
from cloven.data.harm import slack
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.constraints import (
    DISTINCT,
    WORDED_CONSTRAINTS,
    Constraint,
    Demands,
    DistinctL,
    described,
    harm_of,
    sensitive_codes,
    sensitive_groups,
)
from cloven.kinds.tables.methods.mondrian_kernel import NUMBERS, SET, TREE, Dimensions
from cloven.kinds.tables.methods.parameters import check_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.methods.constraints import Worded
    from cloven.protocols import Dimension


Partition = Literal["adaptive", "replay-proof"]


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

    k: int = K
    l: int | None = None
    constraints: tuple[Constraint, ...] = ()
    mode: Literal["strict", "relaxed"] = "strict"
    seed: int | None = None
    partition: Partition = "adaptive"
    WORDED: ClassVar[Mapping[str, Worded]] = {"constraints": WORDED_CONSTRAINTS}

    def __post_init__(self) -> None:
        k = check_whole("k", self.k, 2, "with k = 1 nobody is protected")
        if self.mode not in ("strict", "relaxed"):
            message = f"mode must be 'strict' or 'relaxed', got {self.mode!r}"
            raise ParameterError(message)
        if self.partition not in get_args(Partition):
            message = f"partition must be one of {', '.join(get_args(Partition))}, got {self.partition!r}"
            raise ParameterError(message)
        if self.seed is not None:
            check_whole("seed", self.seed, 0, "it starts a random generator")
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "constraints", tuple(self.constraints))
        _ = self.demanded  # a bad l is refused here

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "tables"

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies."""
        from cloven.protocols import Choice, Whole

        found: dict[str, Dimension] = {
            "k": Whole(2, max(2, min(100, len(data) // 20))),
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
        from cloven.kinds.tables.methods.assembly import generalised

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

    def classes(self, table: Table) -> NDArray[np.int64]:
        """Class of each row, numbered from 0."""
        from cloven.kinds.tables.methods.assembly import check_complete
        from cloven.kinds.tables.methods.feasibility import check_reachable
        from cloven.kinds.tables.methods.lots import Drawing
        from cloven.kinds.tables.methods.mondrian_kernel import partition, width

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


if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table, ValueTree
    from cloven.kinds.tables.methods.constraints import Constraint

    Coded = tuple[
        tuple[int, float, float],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.bool_],
    ]


def dimensions(table: Table) -> Dimensions:
    """The quasi-identifiers. Values with a taxonomy are ordered as a walk through it meets them, numbers by size."""
    positions = table.positions("quasi-identifier")
    kinds, keys, places, paths, below, depths = [], [], [], [], [], []
    for position in positions:
        attribute, codes = table.attributes[position], table.codes[:, position]
        place, path, sizes, depth = np.zeros(len(attribute)), np.empty(0, np.int32), np.empty(0, np.int64), 0
        if attribute.tree is not None:
            kinds.append(TREE)
            order, path, sizes, depth = _walk(attribute.tree, by_value=attribute.numbers is not None)
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


def _walk(
    tree: ValueTree, *, by_value: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Place of each value in a walk through the tree; by place the nodes above it, leaves below those; the depth.

    Branches stand in the order of their nodes, or by their first value: groups of numbers then ascend.
    """
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    keys: list[tuple[object, ...]] = list(paths)
    if by_value:
        first: dict[int, int] = {}
        for leaf, path in enumerate(paths):
            for node in path:
                first.setdefault(node, leaf)
        keys = [tuple((first[node], node) for node in path) for path in paths]
    walk = sorted(range(tree.leaves), key=keys.__getitem__)
    depth = max(map(len, paths))
    nodes = np.full((tree.leaves, depth), -1, np.int32)
    for place, leaf in enumerate(walk):
        nodes[place, : len(paths[leaf])] = paths[leaf]
    order = np.empty(tree.leaves, np.int32)
    order[walk] = np.arange(tree.leaves, dtype=np.int32)
    sizes = np.where(nodes >= 0, tree.sizes[nodes], 0)
    return order, nodes.ravel(), sizes.ravel(), depth


def _starts(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.int64]:
    """Where each part starts when they are joined, and where the last ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
