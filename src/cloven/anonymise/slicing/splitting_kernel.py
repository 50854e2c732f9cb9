"""How one bucket is split in two, as in Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006, section 4), or better.

Strict: equal values stay together, so the cut goes to the border nearest to the middle. Relaxed: both halves have the
same size; rows that have the middle value are dealt to both, evenly along their order. Rows come in the order of their
sensitive values, so dealing gives both halves their share of each.

Stratified, which is ours: the rows of each sensitive value are cut in the middle for themselves, so both halves have
the sensitive values of the whole in the same proportions, up to one row each. Where a quasi-identifier goes with the
sensitive value, a plain cut soon breaks l-diversity, and this one does not. The ranges of the halves overlap: no cell
gets wider, as slicing publishes values, but less is kept of what goes with the axis than by a plain cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Axes


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
def divide(rank: Ints, rows: Ints, strict: bool, goes_left: Flags) -> int:
    """Say for each row whether it goes left; gives how many do."""
    half = len(rows) // 2
    middle = np.sort(rank[rows])[half]
    below, equal = 0, 0
    for row in rows:
        below += rank[row] < middle
        equal += rank[row] == middle
    wanted = half - below  # of the rows with the middle value
    if strict:
        wanted = 0 if wanted <= below + equal - half else equal
    met = 0
    for row in rows:
        goes_left[row] = rank[row] < middle
        if rank[row] == middle:
            goes_left[row] = (met + 1) * wanted // equal > met * wanted // equal
            met += 1
    return int(below + wanted)


@compiled
def divide_strata(rank: Ints, stratum: Ints, rows: Ints, goes_left: Flags) -> int:
    """Send the lower half of each stratum left; gives how many rows go. Rows of a stratum stand together."""
    left, start = 0, 0
    odd_goes_left = False
    while start < len(rows):
        end = start + 1
        while end < len(rows) and stratum[rows[end]] == stratum[rows[start]]:
            end += 1
        inside = rows[start:end]
        half = len(inside) // 2
        if len(inside) % 2:
            half += odd_goes_left
            odd_goes_left = not odd_goes_left
        for place, number in enumerate(np.argsort(rank[inside], kind="mergesort")):
            goes_left[inside[number]] = place < half
        left += half
        start = end
    return left
