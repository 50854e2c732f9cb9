"""Does everything stand in canonical order, so that no order tells more than the content?"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.published_table import Sliced
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable
    from cloven.verification.verdict import Check


def check_order(release: GeneralisedTable | Sliced) -> Check:
    """Cells ascend by their values, rows or parts by their cells, buckets by their rows, columns by attributes."""
    faults = [_cell_order(domain) for domain in release.domains]
    if isinstance(release, Sliced):
        faults += _sliced_order(release)
    else:
        falls = ~_not_falling(release.cells)
        faults.append(spot(falls, lambda at: f"row {at + 1} does not come after the row before it"))
    return conclude("canonical order", "release", len(release), faults, "all orders follow from the content")


def _cell_order(domain: CellDomain) -> Fault:
    edges = pairwise(domain.member_offsets.tolist())
    held = [domain.members[start:end] for start, end in edges]
    wrong = np.array([not _before(one, two) for one, two in pairwise(held)], np.bool_)
    return spot(
        wrong, lambda at: f"cell {at + 1} of {shorten(domain.name)} does not come after the one before it"
    )


def _before(one: NDArray[np.int32], two: NDArray[np.int32]) -> bool:
    """Whether the first comes before the second, value by value from the left."""
    if one[0] != two[0]:
        return bool(one[0] < two[0])
    both = min(len(one), len(two))
    apart = np.flatnonzero(one[:both] != two[:both])
    return bool(one[apart[0]] < two[apart[0]]) if len(apart) else len(one) < len(two)


def _sliced_order(release: Sliced) -> list[Fault]:
    columns = list(release.columns)
    sound = columns == sorted(tuple(sorted(column)) for column in columns)
    inside = np.ones(max(0, len(release) - 1), np.bool_)
    inside[release.bucket_offsets[1:-1] - 1] = False
    faults = [Fault(int(not sound), f"columns {release.columns} do not ascend")]
    faults += [_part_order(release.cells[:, column], inside, number) for number, column in enumerate(columns)]
    edges = release.bucket_offsets.tolist()
    content = [release.cells[start:end].tolist() for start, end in pairwise(edges)]
    wrong = np.array([before > after for before, after in pairwise(content)], np.bool_)
    faults.append(spot(wrong, lambda at: f"bucket {at + 1} does not come after the one before it"))
    return faults


def _part_order(parts: NDArray[np.int32], inside: NDArray[np.bool_], number: int) -> Fault:
    falls = ~_not_falling(parts) & inside
    return spot(falls, lambda at: f"part {at + 1} of column {number} is out of order")


def _not_falling(cells: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each row is at least the one before it, from left to right."""
    result = np.ones(max(0, len(cells) - 1), np.bool_)
    open_ = result.copy()
    for column in cells.T:
        step = np.diff(column)
        result &= ~(open_ & (step < 0))
        open_ &= step == 0
    return result
