"""Sort lists of numbers lexicographically, lists given as compressed rows; a list that begins another comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _precedes(offsets, values, a, b, skip):
    """Is list b strictly before list a? The first ``skip`` values are known to be equal."""
    i, j = offsets[a] + skip, offsets[b] + skip
    while i < offsets[a + 1] and j < offsets[b + 1]:
        if values[i] != values[j]:
            return values[j] < values[i]
        i += 1
        j += 1
    return j >= offsets[b + 1] and i < offsets[a + 1]


@njit(cache=True, nogil=True)
def _merge_sort(offsets, values, order, first, last, skip, spare):
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


@njit(cache=True, nogil=True)
def _sort_ties(offsets, values, keys, order):
    """Settle runs of equal keys; a key holds the first two values of a list."""
    spare, first = np.empty(len(order), np.int64), 0
    while first < len(order):
        last = first + 1
        while last < len(order) and keys[order[last]] == keys[order[first]]:
            last += 1
        if last - first > 1 and offsets[order[first] + 1] - offsets[order[first]] >= 2:
            _merge_sort(offsets, values, order, first, last, 2, spare)
        first = last


@njit(cache=True, nogil=True)
def _prefix_keys(offsets, values):
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
