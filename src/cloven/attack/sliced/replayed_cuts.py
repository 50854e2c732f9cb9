"""Which cuts of a class Mondrian would have tried, by quasi-identifiers alone.

Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006), as here, tries every border between different values of every
attribute that leaves k rows on both sides before it gives a class up; replay-proof, it tries the one that is first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.crowd import Axis

    Longs = NDArray[np.int64]
    Flags = NDArray[np.bool_]


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
