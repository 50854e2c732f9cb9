"""Rank swapping of one attribute as a compiled loop (BinJubier et al. 2022, Algorithm 2).

Each selected row, in random order, exchanges its value with a partner: a row of another class with another value of the
same rank group, such that neither row then holds a nonsensical combination. Partners are looked for among the selected
rows first, then among all; of those that will do, the first from a random place on. A value is exchanged once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.nonsense import Meeting, Rules


class Pool(NamedTuple):
    """Rows that may still be exchanged, by value, each value's in random order.

    Attributes:
        rows: the rows.
        start: where those of each value start.
        end: where they end; moves down as rows are taken out.
        place: where each row stands in ``rows``; -1 if it is not in this pool.
    """

    rows: Ints
    start: Ints
    end: Ints
    place: Ints


class Groups(NamedTuple):
    """Rank groups of values.

    Attributes:
        values: all values, group after group.
        first: where the group of each value starts.
        last: where it ends.
    """

    values: Ints
    first: Ints
    last: Ints


@compiled
def swap(
    codes: Ints, coarse: Ints, class_of: Ints, groups: Groups, selected: Ints, lots: Ints, marked: Pool, others: Pool,
    meeting: Meeting, rules: Rules,
) -> Flags:  # fmt: skip
    """Exchange values of ``codes`` and ``coarse`` in place; gives which rows were exchanged.

    ``selected`` are the rows to exchange, in the order to do it, and ``lots`` a random number for each.
    """
    attribute = meeting.attribute
    exchanged = np.zeros(len(codes), np.bool_)
    wanted = np.empty(len(groups.values), np.int64)
    for number in range(len(selected)):
        row = selected[number]
        if exchanged[row]:
            continue
        fitting = _fitting(codes, coarse, row, groups, meeting, rules, wanted)
        partner = _partner(
            codes, coarse, class_of, row, wanted[:fitting], lots[number], marked, meeting, rules
        )
        if partner < 0:
            partner = _partner(
                codes, coarse, class_of, row, wanted[:fitting], lots[number], others, meeting, rules
            )
        if partner < 0:
            continue
        _take_out(codes[row, attribute], row, marked)
        _take_out(codes[partner, attribute], partner, marked)
        _take_out(codes[partner, attribute], partner, others)
        for array in (codes, coarse):
            array[row, attribute], array[partner, attribute] = (
                array[partner, attribute],
                array[row, attribute],
            )
        exchanged[row] = exchanged[partner] = True
    return exchanged


@compiled
def _fitting(
    codes: Ints, coarse: Ints, row: int, groups: Groups, meeting: Meeting, rules: Rules, wanted: Ints
) -> int:
    """Other values of the rank group that a row could have; writes them to ``wanted`` and gives how many there are."""
    value = codes[row, meeting.attribute]
    found, seen_bin, fits = 0, np.int64(-2), False
    ruled = (rules.attribute == meeting.attribute).any()
    for place in range(groups.first[value], groups.last[value]):
        other = groups.values[place]
        bin_of = np.int64(meeting.coarse_of_value[other])
        # Values of one bin meet the same; numbers of a rank group are many, and of few bins.
        if ruled or bin_of != seen_bin:
            fits, seen_bin = _fits(codes, coarse, row, other, meeting, rules), bin_of
        if fits and other != value:
            wanted[found] = other
            found += 1
    return found


@compiled
def _partner(
    codes: Ints, coarse: Ints, class_of: Ints, row: int, wanted: Ints, lot: int, pool: Pool, meeting: Meeting,
    rules: Rules,
) -> int:  # fmt: skip
    """A row of the pool with one of the wanted values that may take this row's value; -1 if there is none."""
    total = 0
    for value in wanted:
        total += pool.end[value] - pool.start[value]
    if total == 0:
        return -1
    first = np.int64(lot % np.uint64(total))
    for lap in range(2):
        passed = 0
        for value in wanted:
            size = pool.end[value] - pool.start[value]
            ahead = int(first) - passed
            low = max(0, ahead) if lap == 0 else 0
            high = size if lap == 0 else min(size, ahead)
            for step in range(low, high):
                other = pool.rows[pool.start[value] + step]
                if class_of[other] != class_of[row] and _fits(
                    codes, coarse, other, codes[row, meeting.attribute], meeting, rules
                ):
                    return int(other)
            passed += size
    return -1


@compiled
def _fits(codes: Ints, coarse: Ints, row: int, value: int, meeting: Meeting, rules: Rules) -> bool:
    """Whether a row would hold nothing nonsensical with this value."""
    bin_of = np.int64(meeting.coarse_of_value[value])
    if bin_of < 0:
        return False
    for other in range(codes.shape[1]):
        start, end = meeting.offsets[other], meeting.offsets[other + 1]
        if start == end:
            continue
        key = bin_of * meeting.widths[other] + coarse[row, other]
        place = start + np.searchsorted(meeting.keys[start:end], key)
        if place == end or meeting.keys[place] != key:
            return False
    for rule in range(len(rules.offsets) - 1):
        if _breaks(codes, row, value, meeting.attribute, rules, rule):
            return False
    return True


@compiled
def _breaks(codes: Ints, row: int, value: int, attribute: int, rules: Rules, rule: int) -> bool:
    for term in range(rules.offsets[rule], rules.offsets[rule + 1]):
        held = value if rules.attribute[term] == attribute else codes[row, rules.attribute[term]]
        if not rules.member[rules.member_offsets[term] + held]:
            return False
    return True


@compiled
def _take_out(value: int, row: int, pool: Pool) -> None:
    """Take a row out of a pool if it is there: the last row of its value takes its place."""
    place = pool.place[row]
    if place < 0:
        return
    pool.end[value] -= 1
    last = pool.rows[pool.end[value]]
    pool.rows[place], pool.place[last] = last, place
    pool.place[row] = -1
