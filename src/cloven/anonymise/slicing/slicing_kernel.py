"""Tuple partition of slicing as one compiled loop (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.3).

A queue of buckets, at first the whole table. A bucket is split as in Mondrian: along the widest axis, in the middle;
where the two halves would break a promise, along the next widest; a bucket that cannot be split is finished.

The promise is checked before a split is made. ``BY_BUCKET`` looks at the two halves alone. ``BY_MATCHING`` is the
paper's: with ``f(t, B)`` the product over the columns of the share of B that shows t's part,

    p(t, s) = sum over B of f(t, B) p(s | t, B) / sum over B of f(t, B)  <=  1 / l    for every signature t,

over all buckets. A split of B changes the terms of B only, and only for signatures that match B. So each bucket keeps
the list of its matching signatures, and each signature keeps both sums. Terms of very different size come and go
in these sums: they are kept with their rounding errors (Neumaier 1974), so that what is taken out leaves no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.slicing.splitting_kernel import axes_by_width, divide, divide_strata
from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Axes, Coded

STRICT, RELAXED, STRATIFIED, ADAPTIVE = range(4)
BY_MATCHING, BY_BUCKET = range(2)
_SLACK = 1e-12
"""Relative rounding error that p(t, s) = 1/l is granted."""


class Sums(NamedTuple):
    """For each signature the sum of f, and of f p(s) for each value; each with its rounding errors."""

    weight: np.ndarray
    weight_lost: np.ndarray
    value: np.ndarray
    value_lost: np.ndarray


class Tally(NamedTuple):
    """Rows of the two halves of a bucket by part, and by part and sensitive value."""

    parts: Ints
    values: Ints


@compiled
def partition(data: Coded, axes: Axes, k: int, l: int, how: int, check: int) -> Ints:
    """Bucket of each row; the whole table must keep the promise."""
    rows = len(data.signature_of_row)
    order = np.arange(rows)
    bounds = np.zeros((2 * (rows // k) + 2, 4), np.int64)  # rows from, to; matching signatures from, to
    signatures = len(data.part_of_signature)
    matching = np.arange(signatures).astype(np.int32)
    bounds[0, 1], bounds[0, 3] = rows, signatures
    tally = Tally(
        np.zeros((2, len(data.beside)), np.int64),
        np.zeros((2, data.beside.max() + 1, data.value_offsets[-1]), np.int32),
    )
    kept = signatures if check == BY_MATCHING else 1
    sums = Sums(
        np.zeros(kept), np.zeros(kept),
        np.zeros((kept, data.value_offsets[-1])), np.zeros((kept, data.value_offsets[-1])),
    )  # fmt: skip
    goes_left = np.zeros(rows, np.bool_)
    bucket_of = np.empty(rows, np.int64)
    if check == BY_MATCHING:
        _begin(data, tally, sums, order, goes_left)
    made, done, used, finished = 1, 0, signatures, 0
    while done < made:
        start, end, first, last = bounds[done]
        done += 1
        left = _split(
            data, axes, order, start, end, matching[first:last], k, l, how, check, tally, sums, goes_left
        )
        if left == 0:
            bucket_of[order[start:end]] = finished
            finished += 1
            continue
        bounds[made, 0], bounds[made, 1] = start, start + left
        bounds[made + 1, 0], bounds[made + 1, 1] = start + left, end
        if check == BY_MATCHING:
            if used + 2 * (last - first) > len(matching):
                matching = np.append(matching[:used], np.empty(used + 2 * (last - first), np.int32))
            for side in range(2):
                bounds[made + side, 2] = used
                used = _keep(data, tally, side, matching, first, last, used)
                bounds[made + side, 3] = used
        _count(data, order[start:end], goes_left, tally, -1)
        made += 2
    return bucket_of


@compiled
def _split(
    data: Coded, axes: Axes, order: Ints, start: int, end: int, matching: Ints, k: int, l: int, how: int,
    check: int, tally: Tally, sums: Sums, goes_left: Flags,
) -> int:  # fmt: skip
    """Split a bucket if that keeps the promise; gives the rows of the left half, 0 if there is no such split.

    After a split the rows are in order and the halves are tallied.
    """
    rows = order[start:end]
    size = end - start
    if size < 2 * k:
        return 0
    widest = axes_by_width(axes, rows)
    ways = 3 if how == ADAPTIVE else 1
    for attempt in range(ways * len(widest)):
        rank = axes.rank[widest[attempt % len(widest)]]
        way = attempt // len(widest) if how == ADAPTIVE else how
        if way == STRATIFIED:
            left = divide_strata(rank, axes.stratum, rows, goes_left)
        else:
            left = divide(rank, rows, way == STRICT, goes_left)
        if left < k or size - left < k:
            continue
        _count(data, rows, goes_left, tally, 1)
        if check == BY_BUCKET:
            safe = _halves_diverse(data, rows, tally, l)
        else:
            safe = _all_diverse(data, matching, left, size - left, tally, sums, l)
        if safe:
            if check == BY_MATCHING:
                _enter(data, matching, left, size - left, tally, sums)
            order[start:end] = np.append(rows[goes_left[rows]], rows[~goes_left[rows]])
            return left
        _count(data, rows, goes_left, tally, -1)
    return 0


@compiled
def _begin(data: Coded, tally: Tally, sums: Sums, order: Ints, goes_left: Flags) -> None:
    """Enter the whole table as the one bucket: as a right half that nothing stands beside."""
    _count(data, order, goes_left, tally, 1)
    rows = len(order)
    columns = data.part_of_signature.shape[1]
    for t in range(len(data.part_of_signature)):
        whole = 1.0
        for c in range(columns):
            whole *= _factor(tally.parts[1, data.part_of_signature[t, c]], rows, len(data.signature_of_row))
        sums.weight[t] = whole
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                sums.value[t, s] = whole * tally.values[1, data.beside[part], s] / tally.parts[1, part]
    _count(data, order, goes_left, tally, -1)


@compiled
def _count(data: Coded, rows: Ints, goes_left: Flags, tally: Tally, step: int) -> None:
    """Enter the rows of both halves into the tally, or take them out."""
    for row in rows:
        side = 0 if goes_left[row] else 1
        signature = data.signature_of_row[row]
        for c in range(data.part_of_signature.shape[1]):
            tally.parts[side, data.part_of_signature[signature, c]] += step
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[signature, data.sensitive_column[j]]
            tally.values[side, data.beside[part], data.sensitive[row, j]] += step


@compiled
def _halves_diverse(data: Coded, rows: Ints, tally: Tally, l: int) -> bool:
    """Whether in each half, among the rows with the same part, no sensitive value has more than 1/l of them."""
    for row in rows:
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[data.signature_of_row[row], data.sensitive_column[j]]
            for side in range(2):
                held = tally.values[side, data.beside[part], data.sensitive[row, j]]
                if held * l > tally.parts[side, part]:
                    return False
    return True


@compiled
def _factor(count: int, size: int, rows: int) -> float:
    """Share of a bucket, times a constant that keeps products of many shares within the range of floats."""
    return float(count * np.sqrt(rows) / size)


@compiled
def _shares(data: Coded, t: int, left: int, right: int, tally: Tally) -> tuple[float, float, float]:
    """F of a signature for a bucket and its two halves."""
    rows = len(data.signature_of_row)
    whole, in_left, in_right = 1.0, 1.0, 1.0
    for c in range(data.part_of_signature.shape[1]):
        part = data.part_of_signature[t, c]
        here, there = tally.parts[0, part], tally.parts[1, part]
        whole *= _factor(here + there, left + right, rows)
        in_left *= _factor(here, left, rows)
        in_right *= _factor(there, right, rows)
    return whole, in_left, in_right


@compiled
def _plus(total: float, lost: float, term: float) -> tuple[float, float]:
    """A sum and what rounding took from it so far, after one more term."""
    new = total + term
    back = new - total
    return new, lost + ((total - (new - back)) + (term - back))


@compiled
def _replaced(
    total: float, lost: float, whole: float, in_left: float, in_right: float
) -> tuple[float, float]:
    """A sum in which the term of a bucket gives way to the terms of its halves."""
    total, lost = _plus(total, lost, -whole)
    total, lost = _plus(total, lost, in_left)
    return _plus(total, lost, in_right)


@compiled
def _value_terms(
    tally: Tally, part: int, beside: int, s: int, whole: float, in_left: float, in_right: float
) -> tuple[float, float, float]:
    """F p(s) of a bucket and its two halves."""
    here, there = tally.parts[0, part], tally.parts[1, part]
    held, also = tally.values[0, beside, s], tally.values[1, beside, s]
    return (
        whole * (held + also) / (here + there),
        in_left * held / here if here else 0.0,
        in_right * also / there if there else 0.0,
    )


@compiled
def _all_diverse(
    data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums, l: int
) -> bool:
    """Whether p(t, s) <= 1/l would hold for every signature that matches the bucket."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        total, lost = _replaced(sums.weight[t], sums.weight_lost[t], whole, in_left, in_right)
        limit = (total + lost) / l * (1 + _SLACK)
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                a, b, c = _value_terms(tally, part, data.beside[part], s, whole, in_left, in_right)
                total, lost = _replaced(sums.value[t, s], sums.value_lost[t, s], a, b, c)
                if total + lost > limit:
                    return False
    return True


@compiled
def _enter(data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums) -> None:
    """Put the halves in the place of their bucket in the sums of all signatures that match it."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        sums.weight[t], sums.weight_lost[t] = _replaced(
            sums.weight[t], sums.weight_lost[t], whole, in_left, in_right
        )
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                a, b, c = _value_terms(tally, part, data.beside[part], s, whole, in_left, in_right)
                sums.value[t, s], sums.value_lost[t, s] = _replaced(
                    sums.value[t, s], sums.value_lost[t, s], a, b, c
                )


@compiled
def _keep(data: Coded, tally: Tally, side: int, matching: Ints, first: int, last: int, used: int) -> int:
    """Append the signatures among ``matching[first:last]`` that match one half; gives the new length."""
    for number in range(first, last):
        t = matching[number]
        fits = True
        for c in range(data.part_of_signature.shape[1]):
            if tally.parts[side, data.part_of_signature[t, c]] == 0:
                fits = False
                break
        if fits:
            matching[used] = t
            used += 1
    return used
