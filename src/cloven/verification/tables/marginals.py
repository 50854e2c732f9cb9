"""Can published cells of one attribute be filled with the values that persons have, one person each?"""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain


def unplaced(domain: CellDomain, times: NDArray[np.int64], there: NDArray[np.int64]) -> int:
    """Cells that stay without a value in the best filling.

    Args:
        domain: the cells.
        times: how often each cell is published.
        there: how many persons have each value.
    """
    first, last = domain.members[domain.member_offsets[:-1]], domain.members[domain.member_offsets[1:] - 1]
    if (last - first + 1 == np.diff(domain.member_offsets)).all():
        return _unplaced_ranges(first, last, times, there)
    return _unplaced_sets(domain, times, there)


def _unplaced_ranges(
    first: NDArray[np.int32], last: NDArray[np.int32], times: NDArray[np.int64], there: NDArray[np.int64]
) -> int:
    """Ranges: value by value, the range that ends first is filled first; no order does better."""
    order = np.argsort(first, kind="stable").tolist()
    waiting: list[list[int]] = []
    left, at = 0, 0
    for value, persons in enumerate(there.tolist()):
        while at < len(order) and first[order[at]] == value:
            heapq.heappush(waiting, [int(last[order[at]]), int(times[order[at]])])
            at += 1
        while waiting and persons:
            filled = min(persons, waiting[0][1])
            persons -= filled
            waiting[0][1] -= filled
            if not waiting[0][1]:
                heapq.heappop(waiting)
        while waiting and waiting[0][0] <= value:
            left += heapq.heappop(waiting)[1]
    return left


def _unplaced_sets(domain: CellDomain, times: NDArray[np.int64], there: NDArray[np.int64]) -> int:
    """Other sets: a maximum flow from cells to values."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    cells, values = len(domain.labels), len(domain.values)
    source, sink = cells + values, cells + values + 1
    edges = [(source, cell, int(count)) for cell, count in enumerate(times)]
    edges += [(cells + value, sink, int(count)) for value, count in enumerate(there) if count]
    for cell, (start, end) in enumerate(pairwise(domain.member_offsets.tolist())):
        edges += [(cell, cells + int(value), int(times[cell])) for value in domain.members[start:end]]
    begins, ends, room = np.array(edges, np.int32).T
    graph = csr_array((room, (begins, ends)), shape=(sink + 1, sink + 1))
    return int(times.sum() - maximum_flow(graph, source, sink).flow_value)
