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
def _key(offsets: Ints, values: Ints, row: int, skip: int, bits: int) -> int:
    """The values of a list behind the first ``skip``, as many as fit into one number; a missing one counts as none."""
    key, at = 0, offsets[row] + skip
    for _ in range(62 // bits):
        key <<= bits
        if at < offsets[row + 1]:
            key |= int(values[at]) + 1
        at += 1
    return key


@compiled
def _keys(offsets: Ints, values: Ints, bits: int) -> Ints:
    keys = np.empty(len(offsets) - 1, np.int64)
    for row in range(len(keys)):
        keys[row] = _key(offsets, values, row, 0, bits)
    return keys


@compiled
def _sort_run(keys: Ints, rows: Ints, spare: Ints, offsets: Ints, values: Ints, known: int) -> None:
    """Stable bottom-up merge sort of lists by key; equal keys are settled behind the first ``known`` values."""
    n, width = len(rows), 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for at in range(start, end):
                right = i == middle
                if i < middle and j < end:
                    right = keys[j] < keys[i]
                    if keys[i] == keys[j]:
                        right = _precedes(offsets, values, rows[i], rows[j], known)
                if right:
                    spare[0, at], spare[1, at], j = keys[j], rows[j], j + 1
                else:
                    spare[0, at], spare[1, at], i = keys[i], rows[i], i + 1
        for at in range(n):
            keys[at], rows[at] = spare[0, at], spare[1, at]
        width *= 2


@compiled
def _sort_ties(offsets: Ints, values: Ints, keys: Ints, order: Ints, bits: int) -> None:
    """Settle runs of equal keys by the values that follow those in the key."""
    size, full = 62 // bits, (1 << bits) - 1
    run_keys, spare, first = np.empty(len(order), np.int64), np.empty((2, len(order)), np.int64), 0
    while first < len(order):
        last = first + 1
        while last < len(order) and keys[order[last]] == keys[order[first]]:
            last += 1
        if last - first > 1 and keys[order[first]] & full:
            for i in range(first, last):
                run_keys[i] = _key(offsets, values, order[i], size, bits)
            _sort_run(run_keys[first:last], order[first:last], spare, offsets, values, 2 * size)
        first = last


def lexicographic_order(offsets: NDArray[Any], values: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the lists in ascending order; equal lists keep their order. Values are not negative.

    >>> lexicographic_order(np.array([0, 2, 3, 3, 5]), np.array([1, 2, 1, 0, 9])).tolist()
    [2, 3, 1, 0]
    """
    # One type of array, so that the kernels are compiled once.
    offsets, values = np.asarray(offsets, np.int64), np.asarray(values, np.int32)
    bits = int(values.max(initial=0) + 1).bit_length()
    keys = _keys(offsets, values, bits)
    order = np.argsort(keys, kind="stable")
    _sort_ties(offsets, values, keys, order, bits)
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
    out = np.empty(bounds[-1], np.int32)
    _fill_rows(offsets, np.asarray(values, np.int32), np.asarray(rows, np.int64), bounds, out)
    return bounds, out
