"""Sets of whole numbers as sorted arrays, and many slices of one array at once.

``numpy.unique`` hashes, which is ten times slower than sorting on keys composed as ``row * width + column``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Ints

WIDE = 8
"""Numbers are looked up in a table if their range is at most so many times as long as their list."""
MANY = 1 << 14
"""Keys from which on counting is worth a kernel."""


def freeze(holder: object, names: Iterable[str]) -> None:
    """Make arrays of a frozen dataclass read-only: views, so that the caller's own arrays stay as they are."""
    for name in names:
        frozen = getattr(holder, name).view()
        frozen.setflags(write=False)
        object.__setattr__(holder, name, frozen)


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
    first = run_starts(ordered)
    return ordered[first], np.diff(np.append(first, len(ordered)))


def among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is among the known ones, in any order.

    >>> among(np.array([5, 2, 5]), np.array([4, 5])).tolist()
    [True, False, True]
    """
    if len(known) == 0:
        return np.zeros(len(values), bool)
    found: NDArray[np.bool_]
    if known.dtype == values.dtype == np.int64:
        low, high = int(known.min()), int(known.max())
        if high - low < WIDE * (len(values) + len(known)):
            table = np.zeros(high - low + 2, bool)  # the last place stands for everything outside
            table[known - low] = True
            found = table[np.where((values >= low) & (values <= high), values - low, -1)]
            return found
    ordered = distinct(known)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found = ordered[place] == values
    return found


def among_ascending(values: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The same where both ascend: each is passed through once.

    >>> among_ascending(np.array([2, 5, 7]), np.array([4, 5, 7])).tolist()
    [False, True, True]
    """
    return _met(values, known) if len(values) + len(known) >= MANY else among(values, known)


@compiled
def _met(values: Ints, known: Ints) -> NDArray[np.bool_]:
    found, at = np.zeros(len(values), np.bool_), 0
    for place in range(len(values)):
        while at < len(known) and known[at] < values[place]:
            at += 1
        found[place] = at < len(known) and known[at] == values[place]
    return found


def places(known: NDArray[Any], values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each value stands among the known ones, which ascend, are distinct and hold every value.

    >>> places(np.array([4, 5, 6]), np.array([6, 4])).tolist(), places(np.array([4, 9]), np.array([9])).tolist()
    ([2, 0], [1])
    """
    if len(known) and known[-1] - known[0] == len(known) - 1:
        return values.astype(np.int64) - int(known[0])
    return np.searchsorted(known, values)


def stable_order(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Positions by ascending key, equal keys as they stand; keys of a narrow range are counted, not compared.

    >>> stable_order(np.array([2, 1, 2, 0])).tolist()
    [3, 1, 0, 2]
    """
    if len(keys) >= MANY:
        low, high = int(keys.min()), int(keys.max())
        if high - low < WIDE * len(keys):
            return _order_by_counting(np.array(keys, np.int64), low, high - low + 1)
    return np.argsort(keys, kind="stable")


@compiled
def _order_by_counting(keys: Ints, low: int, width: int) -> Ints:
    start = np.zeros(width + 1, np.int64)
    for key in keys:
        start[key - low + 1] += 1
    for number in range(width):
        start[number + 1] += start[number]
    order = np.empty(len(keys), np.int64)
    for place in range(len(keys)):
        number = keys[place] - low
        order[start[number]] = place
        start[number] += 1
    return order


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


def run_starts(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """First position of each run of rows that are equal in all columns.

    >>> run_starts(np.array([7, 7, 8, 8]), np.array([1, 1, 1, 2])).tolist()
    [0, 2, 3]
    """
    new = np.ones(len(columns[0]), bool)
    new[1:] = False
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where runs of these lengths start, and where the last ends.

    >>> offsets_of(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions that many slices cover, one slice after the other.

    >>> positions(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    covered: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
    return covered


def lots(numbers: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """A lot from 0 to 1 for each number: the same wherever it is drawn, whatever else is drawn there.

    SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014), with the number as its counter.

    >>> bool((lots(np.arange(9), 3)[4:] == lots(np.arange(4, 9), 3)).all())
    True
    """
    begin = np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + begin
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def repeats(offsets: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each list of compressed rows equals the one before it.

    >>> repeats(np.array([0, 2, 4, 5]), np.array([1, 2, 1, 2, 1])).tolist()
    [False, True, False]
    """
    return _repeated(offsets, values)


@compiled
def _repeated(offsets: Ints, values: Ints) -> NDArray[np.bool_]:
    same = np.zeros(len(offsets) - 1, np.bool_)
    for row in range(1, len(same)):
        before, here, end = offsets[row - 1], offsets[row], offsets[row + 1]
        if end - here == here - before:
            at = here
            while at < end and values[at] == values[at - here + before]:
                at += 1
            same[row] = at == end
    return same


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


# Number the rows of a matrix so that equal rows have equal numbers; several times faster than sorting whole rows.


_ROOM = 1 << 62


def row_numbers(rows: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each row, from 0; they ascend with the content, compared from left to right.

    >>> row_numbers(np.array([[1, 5], [0, 7], [1, 5], [1, 2]])).tolist()
    [2, 0, 2, 1]
    """
    number = np.zeros(len(rows), np.int64)
    if not len(rows):
        return number
    room = 1
    for column in rows.T:
        low, width = int(column.min()), int(column.max()) - int(column.min()) + 1
        if room * width >= _ROOM:
            number, room = _dense(number), len(rows)
        if room * width >= _ROOM:  # far apart numbers in few rows
            column, low, width = _dense(column), 0, len(rows)
        number = number * width + (column.astype(np.int64) - low)
        room *= width
    return _dense(number)


def _dense(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


# Sort and pick lists of numbers that are given as compressed rows; a list that begins another comes first.


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
