"""Which class of a release everybody is in, for somebody who knows everybody's quasi-identifiers.

Most people fit one class. Where cells overlap, counting helps: if as many people fit a class as it has rows, all of
them are in it; if as many as it has rows are in it for sure, nobody else is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.sliced.replayed_cuts import may_be_two
from cloven.model.row_numbers import row_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.crowd import Axis, Crowd
    from cloven.attack.sliced.known import Known
    from cloven.model.buckets import Buckets

    Longs = NDArray[np.int64]

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
    def sure(self) -> NDArray[np.bool_]:
        """Whether the look of each pair can be in no other class."""
        found: NDArray[np.bool_] = np.bincount(self.look, minlength=len(self.rows))[self.look] == 1
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

    def cut_apart(self, keys: Longs, double: NDArray[np.bool_], k: int) -> Fits:
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

    def reachable(self, keys: Longs, double: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
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


def _doubles(fits: Fits, look: Longs, axes: Sequence[Axis], k: int) -> NDArray[np.bool_]:
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


def _consistent(sides: list[NDArray[np.bool_]], sizes: Longs, right: int, k: int) -> bool:
    """Whether every class has a side that it can be on, and the sides are filled."""
    left = int(sizes.sum()) - right
    only_left, only_right = sides[0] & ~sides[1], sides[1] & ~sides[0]
    return bool(
        min(left, right) >= k
        and (sides[0] | sides[1]).all()
        and sizes[only_left].sum() <= left
        and sizes[only_right].sum() <= right
    )


def _can_be(number: Longs, rows: Longs, sizes: Longs) -> NDArray[np.bool_]:
    """Classes that can be filled with looks of one side."""
    found: NDArray[np.bool_] = np.bincount(number, rows, len(sizes)) >= sizes
    return found


def _must_be(number: Longs, classes: int) -> NDArray[np.bool_]:
    """Classes that have somebody for sure."""
    found: NDArray[np.bool_] = np.bincount(number, minlength=classes) > 0
    return found
