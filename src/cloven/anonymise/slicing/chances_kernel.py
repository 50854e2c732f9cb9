"""The l-diversity of slicing, kept up to date while buckets are split (Li et al., IEEE TKDE 24(3), 2012, section 3).

With ``f(t, B)`` the product over the columns of the share of bucket B that shows t's part,

    p(t, s) = sum over B of f(t, B) p(s | t, B) / sum over B of f(t, B)  <=  1 / l    for every signature t,

over all buckets. A split of B changes the terms of B only, and only for signatures that match B. So each bucket keeps
the list of its matching signatures, and each signature keeps both sums. Terms of very different size come and go
in these sums: they are kept with their rounding errors (Neumaier 1974), so that what is taken out leaves no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.slicing.tally_kernel import Tally, count
from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Coded

_SLACK = 1e-12
"""Relative rounding error that p(t, s) = 1/l is granted."""


class Sums(NamedTuple):
    """For each signature the sum of f, and of f p(s) for each value; each with its rounding errors."""

    weight: np.ndarray
    weight_lost: np.ndarray
    value: np.ndarray
    value_lost: np.ndarray


@compiled
def empty_sums(signatures: int, values: int) -> Sums:
    """Sums of no bucket."""
    return Sums(
        np.zeros(signatures), np.zeros(signatures),
        np.zeros((signatures, values)), np.zeros((signatures, values)),
    )  # fmt: skip


@compiled
def begin(data: Coded, tally: Tally, sums: Sums, order: Ints, goes_left: Flags) -> None:
    """Enter the whole table as the one bucket: as a right half that nothing stands beside."""
    count(data, order, goes_left, tally, 1)
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
                sums.value[t, s] = whole / tally.parts[1, part] * tally.values[1, data.beside[part], s]
    count(data, order, goes_left, tally, -1)


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
def _rates(
    tally: Tally, part: int, whole: float, in_left: float, in_right: float
) -> tuple[float, float, float]:
    """What each row with a part adds to f p(s) of a bucket and its two halves."""
    here, there = tally.parts[0, part], tally.parts[1, part]
    return whole / (here + there), in_left / here if here else 0.0, in_right / there if there else 0.0


@compiled
def _value_sum(
    sums: Sums, t: int, s: int, held: int, also: int, rates: tuple[float, float, float]
) -> tuple[float, float]:
    """The sum of f p(s) of a signature once the halves, with so many rows of the value, stand for their bucket."""
    total, lost = sums.value[t, s], sums.value_lost[t, s]
    if held + also == 0:
        return total, lost
    return _replaced(total, lost, rates[0] * (held + also), rates[1] * held, rates[2] * also)


@compiled
def all_diverse(data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums, l: int) -> bool:
    """Whether p(t, s) <= 1/l would hold for every signature that matches the bucket."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        total, lost = _replaced(sums.weight[t], sums.weight_lost[t], whole, in_left, in_right)
        limit = (total + lost) / l * (1 + _SLACK)
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            rates, values = _rates(tally, part, whole, in_left, in_right), tally.values[:, data.beside[part]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                total, lost = _value_sum(sums, t, s, values[0, s], values[1, s], rates)
                if total + lost > limit:
                    return False
    return True


@compiled
def enter(data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums) -> None:
    """Put the halves in the place of their bucket in the sums of all signatures that match it."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        sums.weight[t], sums.weight_lost[t] = _replaced(
            sums.weight[t], sums.weight_lost[t], whole, in_left, in_right
        )
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            rates, values = _rates(tally, part, whole, in_left, in_right), tally.values[:, data.beside[part]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                sums.value[t, s], sums.value_lost[t, s] = _value_sum(
                    sums, t, s, values[0, s], values[1, s], rates
                )


@compiled
def keep(data: Coded, tally: Tally, side: int, matching: Ints, first: int, last: int, used: int) -> int:
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
