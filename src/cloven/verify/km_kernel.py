"""Depth-first search for a combination of items that too few rows hold.

A row is a list of item numbers, ascending. The search extends a combination by greater items only, so each is
met once. It carries the rows that hold the combination so far, each with the place where its remaining items
start; one pass over these remainders counts every extension. Items that never meet are never tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def extend(
    low: int,
    depth: int,
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    row_end: NDArray[np.int64],
    row_owner: NDArray[np.int64],
    row_weight: NDArray[np.int64],
    items: NDArray[np.int64],
    count: int,
    k: int,
    m: int,
    strict: bool,  # noqa: FBT001
    found: NDArray[np.int64],
) -> int:
    """Look for a rare combination that starts with the ``depth`` items in ``found``; its length, or 0.

    ``found`` holds the combination afterwards, and in its last cell the support. ``rows`` hold the items so
    far and continue at ``starts``; rows of one owner stand side by side and count once. Items
    ``low <= item < count`` may follow.
    """
    support = np.zeros(count, np.int64)
    occurrences = np.zeros(count + 1, np.int64)
    latest = np.full(count, -1, np.int64)
    light = np.zeros(count, np.bool_)
    for at in range(len(rows)):
        row = rows[at]
        for position in range(starts[at], row_end[row]):
            item = items[position]
            occurrences[item + 1] += 1
            if latest[item] != row_owner[row]:
                latest[item] = row_owner[row]
                support[item] += row_weight[row]
            if row_weight[row] < k:
                light[item] = True
    for item in range(low, count):
        if support[item] < k and (strict or support[item] > 0):
            found[depth] = item
            found[-1] = support[item]
            return depth + 1
    if depth + 1 >= m:
        return 0
    first = np.cumsum(occurrences)
    cursor = first.copy()
    next_rows = np.empty(first[count], np.int64)
    next_starts = np.empty(first[count], np.int64)
    for at in range(len(rows)):
        for position in range(starts[at], row_end[rows[at]]):
            item = items[position]
            next_rows[cursor[item]] = rows[at]
            next_starts[cursor[item]] = position + 1
            cursor[item] += 1
    for item in range(low, count):
        # whatever a row with k copies holds has k candidates: only lighter rows can hold a rare combination
        if not strict and not light[item]:
            continue
        found[depth] = item
        begin, end = first[item], first[item + 1]
        length = extend(
            item + 1, depth + 1, next_rows[begin:end], next_starts[begin:end],
            row_end, row_owner, row_weight, items, count, k, m, strict, found,
        )  # fmt: skip
        if length > 0:
            return length
    return 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def scan(
    chunk_start: NDArray[np.int64],
    chunk_items: NDArray[np.int64],
    row_start: NDArray[np.int64],
    row_end: NDArray[np.int64],
    row_owner: NDArray[np.int64],
    row_weight: NDArray[np.int64],
    items: NDArray[np.int64],
    k: int,
    m: int,
    strict: bool,  # noqa: FBT001
) -> tuple[int, int, NDArray[np.int64]]:
    """Search every chunk: number of faulty ones, the first, and its combination followed by its support."""
    faulty, first = 0, -1
    combination = np.empty(0, np.int64)
    for chunk in range(len(chunk_items)):
        begin, end = chunk_start[chunk], chunk_start[chunk + 1]
        rows = np.arange(begin, end)
        depths = min(m, chunk_items[chunk])
        found = np.empty(depths + 1, np.int64)
        length = extend(
            0, 0, rows, row_start[begin:end],
            row_end, row_owner, row_weight, items, chunk_items[chunk], k, depths, strict, found,
        )  # fmt: skip
        if length > 0:
            faulty += 1
            if first < 0:
                first = chunk
                combination = np.append(found[:length], found[-1])
    return faulty, first, combination
