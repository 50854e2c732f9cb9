"""Sort and pick lists of numbers that are given as compressed rows; a list that begins another comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints


@compiled
def _precedes(offsets: Ints, values: Ints, a: int, b: int, skip: int) -> bool:
    """Is list b strictly before list a? The first ``skip`` values are known to be equal."""
    i, j = offsets[a] + skip, offsets[b] + skip
    while i < offsets[a + 1] and j < offsets[b + 1]:
        if values[i] != values[j]:
            return bool(values[j] < values[i])
        i += 1
        j += 1
    return bool(j >= offsets[b + 1] and i < offsets[a + 1])


@compiled
def _merge_sort(
    offsets: Ints, values: Ints, order: Ints, first: int, last: int, skip: int, spare: Ints
) -> None:
    """Stable bottom-up merge sort of order[first:last]."""
    width = 1
    while width < last - first:
        start = first
        while start < last:
            middle, end = min(start + width, last), min(start + 2 * width, last)
            i, j, at = start, middle, start
            while at < end:
                take_right = i == middle or (j < end and _precedes(offsets, values, order[i], order[j], skip))
                if take_right:
                    spare[at], j = order[j], j + 1
                else:
                    spare[at], i = order[i], i + 1
                at += 1
            start = end
        order[first:last] = spare[first:last]
        width *= 2


@compiled
def _sort_ties(offsets: Ints, values: Ints, keys: Ints, order: Ints) -> None:
    """Settle runs of equal keys; a key holds the first two values of a list."""
    spare, first = np.empty(len(order), np.int64), 0
    while first < len(order):
        last = first + 1
        while last < len(order) and keys[order[last]] == keys[order[first]]:
            last += 1
        if last - first > 1 and offsets[order[first] + 1] - offsets[order[first]] >= 2:
            _merge_sort(offsets, values, order, first, last, 2, spare)
        first = last


@compiled
def _prefix_keys(offsets: Ints, values: Ints) -> Ints:
    keys = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(keys)):
        length = offsets[row + 1] - offsets[row]
        if length > 0:
            keys[row] = (np.int64(values[offsets[row]]) + 1) << 32
        if length > 1:
            keys[row] |= np.int64(values[offsets[row] + 1]) + 1
    return keys


def lexicographic_order(offsets: NDArray[Any], values: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the lists in ascending order; equal lists keep their order.

    >>> lexicographic_order(np.array([0, 2, 3, 3, 5]), np.array([1, 2, 1, 0, 9])).tolist()
    [2, 3, 1, 0]
    """
    keys = _prefix_keys(offsets, values)
    order = np.argsort(keys, kind="stable")
    _sort_ties(offsets, values, keys, order)
    return order


@compiled
def _fill_rows(offsets: Ints, values: Ints, rows: Ints, bounds: Ints, out: Ints) -> None:
    for i in range(len(rows)):
        start = offsets[rows[i]]
        for e in range(bounds[i + 1] - bounds[i]):
            out[bounds[i] + e] = values[start + e]


def take_rows(
    offsets: NDArray[np.int64], values: NDArray[np.int32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Some rows of compressed rows, in the order given."""
    bounds = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(offsets[rows + 1] - offsets[rows], out=bounds[1:])
    out = np.empty(bounds[-1], values.dtype)
    _fill_rows(offsets, values, rows, bounds, out)
    return bounds, out
