"""Depth-first search for a combination of items that too few rows hold.

A row is a list of item numbers, ascending. The search extends a combination by greater items only, so each is
met once. It carries the rows that hold the combination so far, each with the place where its remaining items
start; one pass over these remainders counts every extension. Items that never meet are never tried.

The rows carried at each depth lie on one stack, those of a deeper combination above those of a shallower one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Flags, Ints, Longs


_COUNTED = 1 << 14
# Pairs of items of a chunk up to which all are counted at once.


class Rows(NamedTuple):
    """Rows to search.

    Attributes:
        start: where the items of each row start in ``items``.
        end: one past their last.
        owner: whose row it is; rows of one owner stand side by side and count once.
        weight: how many equal rows it stands for.
        items: numbers of items, ascending inside a row.
    """

    start: Longs
    end: Longs
    owner: Longs
    weight: Longs
    items: Ints


@compiled
def count_extensions(
    numbers: Longs, starts: Longs, rows: Rows, k: int, support: Longs, times: Longs, light: Flags
) -> None:
    """For each item after ``starts``: its support, how many rows hold it, and whether one has below k copies."""
    support[:] = 0
    times[:] = 0
    light[:] = False
    latest = np.full(len(support), -1, np.int64)
    for at in range(len(numbers)):
        row = numbers[at]
        for position in range(starts[at], rows.end[row]):
            item = rows.items[position]
            times[item] += 1
            if latest[item] != rows.owner[row]:
                latest[item] = rows.owner[row]
                support[item] += rows.weight[row]
            if rows.weight[row] < k:
                light[item] = True


@compiled
def spread(stack: Longs, begin: int, end: int, rows: Rows, first: Longs) -> None:
    """Write the rows that hold each extension to the stack, those of ``item`` from ``first[item]``."""
    cursor = first.copy()
    for at in range(begin, end):
        row = stack[0, at]
        for position in range(stack[1, at], rows.end[row]):
            item = rows.items[position]
            stack[0, cursor[item]] = row
            stack[1, cursor[item]] = position + 1
            cursor[item] += 1


@compiled
def rare_item(low: int, k: int, strict: bool, support: Longs) -> int:
    """The first item from ``low`` on with too little support, or -1."""
    for item in range(low, len(support)):
        if support[item] < k and (strict or support[item] > 0):
            return item
    return -1


@compiled
def search(begin: int, end: int, rows: Rows, count: int, k: int, m: int, strict: bool) -> Longs:
    """A rare combination in rows ``begin`` to ``end``, followed by its support; empty if there is none."""
    support, times = np.empty(count, np.int64), np.empty(count, np.int64)
    first, light = np.zeros((m, count + 1), np.int64), np.zeros((m, count), np.bool_)
    chosen, lower, upper = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    stack = np.empty((2, end - begin), np.int64)
    for at in range(end - begin):
        stack[0, at], stack[1, at] = begin + at, rows.start[begin + at]
    depth, low, top, upper[0] = 0, 0, end - begin, end - begin
    while True:
        here, there = lower[depth], upper[depth]
        held, after = stack[0, here:there], stack[1, here:there]
        count_extensions(held, after, rows, k, support, times, light[depth])
        rare = rare_item(low, k, strict, support)
        if rare >= 0:
            chosen[depth] = rare
            return np.append(chosen[: depth + 1], support[rare])
        if depth + 1 < m:
            first[depth, 0] = top
            first[depth, 1:] = top + np.cumsum(times)
            if first[depth, count] > stack.shape[1]:
                taller = np.empty((2, 2 * first[depth, count]), np.int64)
                taller[:, :top] = stack[:, :top]
                stack = taller
            spread(stack, here, there, rows, first[depth])
            chosen[depth] = low - 1
        else:
            depth -= 1
        while depth >= 0:
            # whatever a row with k copies holds has k candidates: only lighter rows can hold something rare
            chosen[depth] += 1
            while chosen[depth] < count and not strict and not light[depth, chosen[depth]]:
                chosen[depth] += 1
            if chosen[depth] < count:
                break
            depth -= 1
        if depth < 0:
            return np.empty(0, np.int64)
        item, top = chosen[depth], first[depth, count]
        low = item + 1
        depth += 1
        lower[depth], upper[depth] = first[depth - 1, item], first[depth - 1, item + 1]


@compiled
def is_safe(
    begin: int, end: int, rows: Rows, count: int, k: int, m: int, strict: bool, support: Longs, pairs: Longs
) -> bool:
    """Whether one look proves that a chunk has no rare combination; each row has an owner of its own.

    If it does not, nothing is said: triples, and pairs of very many items, are left to ``search``. Rows with k copies
    hold nothing rare.
    """
    light, sound = strict, True
    support[:count] = 0
    for row in range(begin, end):
        light |= rows.weight[row] < k
        for position in range(rows.start[row], rows.end[row]):
            support[rows.items[position]] += rows.weight[row]
    for item in range(count):
        sound &= support[item] >= k
    if not sound or not light or m == 1 or count == 1:
        return sound
    if m > 2 or count * count > len(pairs):
        return False
    pairs[: count * count] = 0
    for row in range(begin, end):
        for position in range(rows.start[row], rows.end[row]):
            first = rows.items[position] * count
            for other in range(position + 1, rows.end[row]):
                pairs[first + rows.items[other]] += rows.weight[row]
    for item in range(count):
        for other in range(item + 1, count):
            held = pairs[item * count + other]
            sound &= held >= k or (held == 0 and not strict)
    return sound


@compiled
def scan(
    chunk_rows: Longs, chunk_items: Longs, rows: Rows, k: int, m: int, strict: bool, alone: bool
) -> tuple[int, int, Longs]:
    """Search every chunk: number of faulty ones, the first, and its combination followed by its support.

    ``chunk_rows`` are the first row of each chunk, and one past the last; ``alone`` says that no two rows have the same
    owner, so that most chunks can be told by counting pairs.
    """
    faulty, first = 0, -1
    combination, most = np.empty(0, np.int64), 0
    for count in chunk_items:
        most = max(most, count)
    support, pairs = np.empty(most, np.int64), np.empty(_COUNTED, np.int64)
    for chunk in range(len(chunk_items)):
        begin, end, count = chunk_rows[0, chunk], chunk_rows[1, chunk], chunk_items[chunk]
        if alone and is_safe(begin, end, rows, count, k, m, strict, support, pairs):
            continue
        found = search(begin, end, rows, count, k, min(m, count), strict)
        if len(found) > 0:
            faulty += 1
            if first < 0:
                first, combination = chunk, found
    return faulty, first, combination
