"""Sums over all ways to deal the values of a bucket to its rows, and over all parts that fit a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@compiled
def believed(
    match_starts: Ints,
    matches: Ints,
    fit_starts: Ints,
    fits: Ints,
    slot_starts: Ints,
    slot_part: Ints,
    pair_starts: Ints,
    lift: Floats,
    value_starts: Ints,
    values: Ints,
    total: int,
    known: Ints,
    theta: Floats,
    theta_starts: Ints,
    cells: Floats,
    cell_starts: Ints,
    parts: Ints,
    width: int,
) -> Floats:  # pragma: no cover - compiled
    """One number for each value of each bucket that fits each person: the sum over fitting parts of their ``lift``.

    Person p fits the buckets ``matches[match_starts[p]:...]`` and the parts ``fits[fit_starts[p]:...]`` of this column.
    The slots of bucket b are ``slot_starts[b]:...``, with their part and where their pairs start, one for each value of
    the bucket. Where cells are coarse, a part weighs by how likely the known values are inside its cells: ``theta``
    over ``cells`` (tables of ``width`` sensitive values, one after the other for each attribute).
    """
    out, at = np.zeros(total), 0
    fitting = np.full(len(parts), -1, np.int64)
    attributes = len(theta_starts)
    for person in range(len(match_starts) - 1):
        for place in range(fit_starts[person], fit_starts[person + 1]):
            fitting[fits[place]] = person
        for match in range(match_starts[person], match_starts[person + 1]):
            bucket = matches[match]
            count = value_starts[bucket + 1] - value_starts[bucket]
            for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
                part = slot_part[slot]
                if fitting[part] != person:
                    continue
                for number in range(count):
                    weight = lift[pair_starts[slot] + number]
                    if attributes and weight > 0:
                        value = values[value_starts[bucket] + number]
                        for attribute in range(attributes):
                            here = known[person, attribute]
                            if here >= 0:
                                cell = parts[part, attribute]
                                weight *= (
                                    theta[theta_starts[attribute] + here * width + value]
                                    / cells[cell_starts[attribute] + cell * width + value]
                                )
                    out[at + number] += weight
            at += count
    return out


@compiled
def dealt(
    slot_starts: Ints,
    slot_rows: Ints,
    pair_starts: Ints,
    likely: Floats,
    value_starts: Ints,
    copies: Ints,
    most: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Chance of every value for every slot of small buckets, over all ways to deal the copies to the rows.

    A way weighs the product of ``likely`` over rows. Rows are dealt one after the other; a state says how many copies
    of each value are gone, and so how many rows have one; sums over the rows before and after meet in it. Buckets with
    more than ``most`` states, or with copies that are no whole numbers (given as -1), are left as they are in ``out``.
    """
    before, after = np.empty(max(1, most)), np.empty(max(1, most))
    for bucket in range(len(slot_starts) - 1):
        first, count = value_starts[bucket], value_starts[bucket + 1] - value_starts[bucket]
        states, whole = 1, True
        for number in range(count):
            whole = whole and copies[first + number] >= 0
            states = states * (copies[first + number] + 1) if states <= most else states
        if not whole or states > most:
            continue
        step = np.ones(count, np.int64)
        for number in range(1, count):
            step[number] = step[number - 1] * (copies[first + number - 1] + 1)
        rows = slot_rows[slot_starts[bucket] : slot_starts[bucket + 1]].sum()
        pair_of, begins = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
        row = 0
        for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
            begins[row] = True
            for _ in range(slot_rows[slot]):
                pair_of[row] = pair_starts[slot]
                row += 1
        gone, row = np.zeros(count, np.int64), 0
        before[:states], before[0] = 0.0, 1.0
        for state in range(states - 1):
            if before[state] > 0:
                for number in range(count):
                    if gone[number] < copies[first + number]:
                        before[state + step[number]] += before[state] * likely[pair_of[row] + number]
            row += _counted_up(gone, copies, first)
        total = before[states - 1]
        if not total > 0:
            continue
        for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
            out[pair_starts[slot] : pair_starts[slot] + count] = 0.0
        after[states - 1] = 1.0
        for state in range(states - 2, -1, -1):
            row += _counted_down(gone, copies, first)
            after[state] = 0.0
            for number in range(count):
                if gone[number] < copies[first + number]:
                    more = likely[pair_of[row] + number] * after[state + step[number]]
                    after[state] += more
                    if begins[row]:
                        out[pair_of[row] + number] += before[state] * more / total


@compiled
def _counted_up(gone: Ints, copies: Ints, first: int) -> int:  # pragma: no cover - compiled
    """The next state; gives how many rows more have a value then."""
    number, more = 0, 1
    while gone[number] == copies[first + number]:
        more -= gone[number]
        gone[number] = 0
        number += 1
    gone[number] += 1
    return more


@compiled
def _counted_down(gone: Ints, copies: Ints, first: int) -> int:  # pragma: no cover - compiled
    """The state before; gives how many rows more have a value then."""
    number, more = 0, -1
    while gone[number] == 0:
        gone[number] = copies[first + number]
        more += gone[number]
        number += 1
    gone[number] -= 1
    return more
