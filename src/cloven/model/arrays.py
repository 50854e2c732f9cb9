"""Sets of whole numbers as sorted arrays, and many slices of one array at once.

``numpy.unique`` hashes, which is ten times slower than sorting on keys composed as ``row * width + column``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Distinct values, ascending.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    if len(values) == 0 or (values[1:] > values[:-1]).all():
        return values
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]


def counted(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values, ascending, and how often each is there.

    >>> [found.tolist() for found in counted(np.array([3, 1, 3]))]
    [[1, 3], [1, 2]]
    """
    ordered = np.sort(values)
    first = np.flatnonzero(np.concatenate((np.ones(min(1, len(ordered)), bool), ordered[1:] != ordered[:-1])))
    return ordered[first], np.diff(np.append(first, len(ordered)))


def among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is among the known ones, in any order.

    >>> among(np.array([5, 2, 5]), np.array([4, 5])).tolist()
    [True, False, True]
    """
    if len(known) == 0:
        return np.zeros(len(values), bool)
    ordered = distinct(known)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[place] == values
    return found


def without(values: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Values that are not among the known ones; both ascending and distinct.

    >>> without(np.array([1, 2, 5]), np.array([2, 3])).tolist()
    [1, 5]
    """
    if len(known) == 0:
        return values
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    fresh: NDArray[Any] = values[known[place] != values]
    return fresh


def positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions that many slices cover, one slice after the other.

    >>> positions(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    covered: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
    return covered


def counted_up(first: NDArray[Any], last: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """All numbers of many runs, one run after the other, and where each run starts and the last one ends.

    >>> offsets, numbers = counted_up(np.array([5, 0]), np.array([6, 2]))
    >>> offsets.tolist(), numbers.tolist()
    ([0, 2, 5], [5, 6, 0, 1, 2])
    """
    lengths = np.asarray(last, np.int64) - first + 1
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    # Steps of 1, and between two runs the step that leads there; no array wider than the result.
    numbers = np.ones(int(offsets[-1]), np.int32)
    if len(first):
        numbers[offsets[:-1]] = np.concatenate((first[:1], first[1:] - np.asarray(last[:-1])))
        np.cumsum(numbers, out=numbers)
    return offsets, numbers
