"""Sets of whole numbers as sorted arrays, and many slices of one array at once.

``numpy.unique`` hashes, which is ten times slower than sorting on keys composed as ``row * width + column``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Ints

WIDE = 8
"""Numbers are looked up in a table if their range is at most so many times as long as their list."""
MANY = 1 << 14
"""Keys from which on counting is worth a kernel."""
_LEADING, _FEW = 11, 48
# Bits that lists are dealt into buckets by, and how many are sorted by insertion.
_AT_ONCE = 64
# Rows whose memory is asked for together.


def freeze(holder: object, names: Iterable[str]) -> None:
    """Make arrays of a frozen dataclass read-only: views, so that the caller's own arrays stay as they are."""
    for name in names:
        frozen = getattr(holder, name).view()
        frozen.setflags(write=False)
        object.__setattr__(holder, name, frozen)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that must not be written to: kernels are compiled for such arrays, as those of a release are."""
    view = array.view()
    view.setflags(write=False)
    return view


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Distinct values, ascending.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    if len(values) == 0 or (values[1:] > values[:-1]).all():
        return values
    ordered = values if (values[1:] >= values[:-1]).all() else np.sort(values)
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
            order = np.empty(len(keys), np.int64)
            _order_by_counting(read_only(np.asarray(keys, np.int64)), low, high - low + 1, order)
            return order
    return np.argsort(keys, kind="stable")


@compiled
def _order_by_counting(keys: Ints, low: int, width: int, order: Ints) -> None:
    start = np.zeros(width + 1, np.int64)
    for key in keys:
        start[key - low + 1] += 1
    for number in range(width):
        start[number + 1] += start[number]
    for place in range(len(keys)):
        number = keys[place] - low
        order[start[number]] = place
        start[number] += 1


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


def ascend(lengths: NDArray[np.int64], values: NDArray[Any]) -> bool:
    """Whether the values of every list, of these lengths one after the other, ascend, each once.

    >>> ascend(np.array([2, 0, 1]), np.array([1, 2, 1])), ascend(np.array([2, 1]), np.array([1, 1, 1]))
    (True, False)
    """
    ends = np.cumsum(lengths)
    if (ends[-1] if len(ends) else 0) != len(values):
        return False
    rises = values[1:] > values[:-1]
    rises[ends[(ends > 0) & (ends < len(values))] - 1] = True  # from one list to the next
    return bool(rises.all())


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
def _keys(offsets: Ints, values: Ints, bits: int, first: int, last: int, keys: Ints) -> None:
    for row in range(first, last):
        keys[row] = _key(offsets, values, row, 0, bits)


@compiled
def _spread(keys: Ints, shift: int, sorted_keys: Ints, order: Ints) -> Ints:
    """Keys and their places by the leading bits, equal ones as they stand; returns where each such bucket starts."""
    start = np.zeros((1 << _LEADING) + 1, np.int64)
    for key in keys:
        start[(key >> shift) + 1] += 1
    for bucket in range(1 << _LEADING):
        start[bucket + 1] += start[bucket]
    fill = start.copy()
    for place in range(len(keys)):
        at = fill[keys[place] >> shift]
        fill[keys[place] >> shift] += 1
        sorted_keys[at], order[at] = keys[place], place
    return start


@compiled
def _sort_bucket(keys: Ints, order: Ints, spare: Ints, shift: int) -> None:
    """Stable sort by the lowest ``shift`` bits of the keys: few by insertion, many digit by digit."""
    n = len(keys)
    if n <= _FEW:
        for place in range(1, n):
            key, row, back = keys[place], order[place], place
            while back > 0 and keys[back - 1] > key:
                keys[back], order[back] = keys[back - 1], order[back - 1]
                back -= 1
            keys[back], order[back] = key, row
        return
    start = np.empty(257, np.int64)
    for low in range(0, shift, 8):
        start[:] = 0
        for key in keys:
            start[((key >> low) & 255) + 1] += 1
        if start[((keys[0] >> low) & 255) + 1] == n:  # nothing to tell apart
            continue
        for digit in range(256):
            start[digit + 1] += start[digit]
        for place in range(n):
            digit = (keys[place] >> low) & 255
            at = start[digit]
            start[digit] += 1
            spare[0, at], spare[1, at] = keys[place], order[place]
        for place in range(n):
            keys[place], order[place] = spare[0, place], spare[1, place]


@compiled
def _sort_buckets(
    start: Ints,
    shift: int,
    keys: Ints,
    order: Ints,
    offsets: Ints,
    values: Ints,
    bits: int,
    first: int,
    last: int,
) -> None:
    """Sort lists of some buckets by key, then by what follows."""
    largest = 0
    for bucket in range(first, last):
        largest = max(largest, start[bucket + 1] - start[bucket])
    run_keys, spare = np.empty(largest, np.int64), np.empty((2, largest), np.int64)
    for bucket in range(first, last):
        here, there = start[bucket], start[bucket + 1]
        if there - here > 1:
            _sort_bucket(keys[here:there], order[here:there], spare, shift)
            _sort_ties(offsets, values, keys[here:there], order[here:there], run_keys, spare, bits)


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
def _sort_ties(
    offsets: Ints, values: Ints, keys: Ints, order: Ints, run_keys: Ints, spare: Ints, bits: int
) -> None:
    """Settle runs of equal keys by the values that follow those in the key."""
    size, full, first = 62 // bits, (1 << bits) - 1, 0
    while first < len(order):
        last = first + 1
        while last < len(order) and keys[last] == keys[first]:
            last += 1
        if last - first > 1 and keys[first] & full:
            for i in range(first, last):
                run_keys[i] = _key(offsets, values, order[i], size, bits)
            _sort_run(run_keys[first:last], order[first:last], spare, offsets, values, 2 * size)
        first = last


def lexicographic_order(offsets: NDArray[Any], values: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the lists in ascending order; equal lists keep their order. Values are not negative.

    A key holds the first values of a list. Lists are dealt into buckets by the leading bits of their keys; buckets are
    independent, so each core sorts some.

    >>> lexicographic_order(np.array([0, 2, 3, 3, 5]), np.array([1, 2, 1, 0, 9])).tolist()
    [2, 3, 1, 0]
    """
    # One type of array, so that the kernels are compiled once.
    offsets, values = read_only(np.asarray(offsets, np.int64)), read_only(np.asarray(values, np.int32))
    keys, bits = _all_keys(offsets, values)
    sorted_keys, order = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    shift = max(0, 62 // bits * bits - _LEADING)
    start = read_only(_spread(keys, shift, sorted_keys, order))
    lists = (offsets, values, bits)
    at_once(lambda first, last: _sort_buckets(start, shift, sorted_keys, order, *lists, first, last), start)
    return order


def order_inside(
    groups: NDArray[np.int64], offsets: NDArray[np.int64], values: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The same inside each group: ``groups`` says which list is the first of each, and where the last one ends.

    >>> order_inside(np.array([0, 2, 3]), np.array([0, 1, 2, 3]), np.array([7, 4, 1], np.int32)).tolist()
    [1, 0, 2]
    """
    groups, offsets, values = read_only(groups), read_only(offsets), read_only(values)
    (keys, bits), order = _all_keys(offsets, values), np.arange(len(offsets) - 1)
    lists = (offsets, values, bits)
    shift = 62 // bits * bits
    at_once(lambda first, last: _sort_buckets(groups, shift, keys, order, *lists, first, last), groups)
    return order


def _all_keys(offsets: NDArray[np.int64], values: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """A key for each list that holds its first values, and the bits that each takes."""
    bits, keys = int(values.max(initial=0) + 1).bit_length(), np.empty(len(offsets) - 1, np.int64)
    at_once(lambda first, last: _keys(offsets, values, bits, first, last, keys), offsets)
    return keys, bits


@compiled
def _fill_rows(values: Ints, starts: Ints, bounds: Ints, first: int, last: int, out: Ints) -> int:
    """Copy some rows; the beginnings of some are read at once first, so that one does not wait for the other."""
    end, read, e = len(values) - 1, 0, bounds[first]
    for block in range(first, last, _AT_ONCE):
        behind = min(block + _AT_ONCE, last)
        for i in range(block, behind):
            read ^= values[min(starts[i], end)]
        for i in range(block, behind):
            at = starts[i]
            while e < bounds[i + 1]:  # no range: rows are too short to be copied by vectors
                out[e] = values[at]
                at += 1
                e += 1
    return read


def take_rows(
    offsets: NDArray[np.int64], values: NDArray[np.int32], rows: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Some rows of compressed rows, in the order given."""
    offsets, values = read_only(offsets), read_only(np.asarray(values, np.int32))
    starts = offsets[rows]
    bounds = offsets_of(offsets[rows + 1] - starts)
    out = np.empty(bounds[-1], np.int32)
    if len(out):
        at_once(lambda first, last: _fill_rows(values, starts, bounds, first, last, out), bounds)
    return bounds, out


def held_by(
    offsets: NDArray[np.int64], values: NDArray[np.int32], rows: NDArray[Any], many: int
) -> NDArray[np.int64]:
    """How many of some rows of compressed rows hold each value below ``many``.

    >>> held_by(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([0, 1]), 3).tolist()
    [1, 2, 0]
    """
    return np.bincount(take_rows(offsets, values, rows)[1], minlength=many).astype(np.int64)
