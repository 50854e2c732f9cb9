"""How one bucket is split in two, as in Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006, section 4), or better.

Strict: equal values stay together, so the cut goes to the border nearest to the middle. Relaxed: both halves have the
same size; which rows with the middle value go where is drawn by lot. Neither looks at sensitive values.

Stratified, which is ours: the rows of each sensitive value are cut in the middle for themselves, so both halves have
the sensitive values of the whole in the same proportions, up to one row each. Where a quasi-identifier goes with the
sensitive value, a plain cut soon breaks l-diversity, and this one does not. The ranges of the halves overlap: no cell
gets wider, as slicing publishes values, but less is kept of what goes with the axis than by a plain cut. Along an axis
on which all rows are equal, it deals the rows of each sensitive value by lot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.lots_kernel import COIN, ROUNDING, TIES, drawn, lot
from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Axes
    from cloven.anonymise.slicing.lots_kernel import Round


@compiled
def axes_by_width(axes: Axes, rows: Ints) -> Ints:
    """Axes along which rows differ, the widest first; of equally wide ones the first."""
    widths = np.zeros(len(axes.rank))
    for axis in range(len(axes.rank)):
        rank, start = axes.rank[axis], axes.offsets[axis]
        low, high = rank[rows[0]], rank[rows[0]]
        for row in rows:
            low, high = min(low, rank[row]), max(high, rank[row])
        widths[axis] = axes.coordinate[start + high] - axes.coordinate[start + low]
    order = np.argsort(-widths, kind="mergesort")
    return order[: np.count_nonzero(widths > 0)]


@compiled
def divide(rank: Ints, rows: Ints, strict: bool, lots: Round, goes_left: Flags) -> int:
    """Send the lower half left; gives how many rows go."""
    half = len(rows) // 2
    middle = np.partition(rank[rows], half)[half]
    if strict:
        below, equal = _around(rank, rows, middle)
        half = below if half - below <= below + equal - half else below + equal
    _send(rank, rows, middle, half, lots, goes_left)
    return half


@compiled
def divide_strata(rank: Ints, stratum: Ints, rows: Ints, lots: Round, goes_left: Flags) -> int:
    """Send the lower half of each stratum left; gives how many rows go.

    Half of the strata with an odd number of rows send the greater part left; which ones is drawn by lot.
    """
    width = np.int64(rank.max()) + 1 if len(rank) else np.int64(1)
    order = rows[np.argsort(stratum[rows] * width + rank[rows])]
    odd = _odd_strata(stratum, order)
    greater = (odd + int(lot(lots, rows[0], COIN) & np.uint64(1))) // 2
    left, start = 0, 0
    while start < len(order):
        end = _end(stratum, order, start)
        inside = order[start:end]
        half = len(inside) // 2
        if len(inside) % 2:
            more = drawn(lots, inside[0], ROUNDING, greater, odd)
            half, greater, odd = half + more, greater - more, odd - 1
        _send(rank, inside, rank[inside[min(half, len(inside) - 1)]], half, lots, goes_left)
        left += half
        start = end
    return left


@compiled
def _around(rank: Ints, rows: Ints, middle: int) -> tuple[int, int]:
    """How many rows lie below a value, and how many have it."""
    below, equal = 0, 0
    for row in rows:
        below += rank[row] < middle
        equal += rank[row] == middle
    return below, equal


@compiled
def _send(rank: Ints, rows: Ints, middle: int, wanted: int, lots: Round, goes_left: Flags) -> None:
    """Send all rows below the middle value left, and of those that have it so many that ``wanted`` go in all."""
    below, equal = _around(rank, rows, middle)
    wanted -= below
    for row in rows:
        goes_left[row] = rank[row] < middle
        if rank[row] == middle:
            goes_left[row] = drawn(lots, row, TIES, wanted, equal)
            wanted -= goes_left[row]
            equal -= 1


@compiled
def _end(stratum: Ints, order: Ints, start: int) -> int:
    """Where the stratum that starts somewhere ends; rows of a stratum stand together."""
    end = start + 1
    while end < len(order) and stratum[order[end]] == stratum[order[start]]:
        end += 1
    return end


@compiled
def _odd_strata(stratum: Ints, order: Ints) -> int:
    odd, start = 0, 0
    while start < len(order):
        end = _end(stratum, order, start)
        odd += (end - start) % 2
        start = end
    return odd
