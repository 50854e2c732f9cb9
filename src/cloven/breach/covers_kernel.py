"""Compiled search for cover problems (Barakat et al. 2016, Definition 3).

In an earlier chunk let the items be sorted by support, descending. Those with at least the support of x are a prefix.
A row holds the whole prefix of length p if none of the first p items is missing from it, so one pass over the rows
gives the support of every prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints


@compiled
def _by_support(items: Ints, support: Ints) -> Ints:
    """Items by support, descending, then by number."""
    order = np.argsort(items, kind="mergesort")
    items = items[order]
    return items[np.argsort(-support[items], kind="mergesort")]


@compiled
def _prefixes(first: int, last: int, offsets: Ints, items: Ints, rank: Ints, many: int) -> Ints:
    """Number of rows of a chunk that hold the first 1, 2, ... ``many`` items of its order."""
    held = np.zeros(many + 1, np.int64)
    for row in range(first, last):
        inside = np.zeros(many, np.bool_)
        for at in range(offsets[row], offsets[row + 1]):
            inside[rank[items[at]]] = True
        p = 0
        while p < many and inside[p]:
            p += 1
        held[p] += 1
    for p in range(many - 1, 0, -1):
        held[p] += held[p + 1]
    return held


@compiled
def _items_of(first: int, last: int, offsets: Ints, items: Ints, support: Ints) -> Ints:
    """Distinct items of the rows of a chunk; their support is counted."""
    found = np.empty(offsets[last] - offsets[first], np.int64)
    many = 0
    for at in range(offsets[first], offsets[last]):
        if support[items[at]] == 0:
            found[many] = items[at]
            many += 1
        support[items[at]] += 1
    return found[:many]


@compiled
def find_covers(
    chunk_first: Ints, chunk_last: Ints, chunk_cluster: Ints, offsets: Ints, items: Ints, width: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """All covers: later chunk, earlier chunk (running numbers), item, items of I, how many of them are covered.

    ``chunk_first`` and ``chunk_last`` are the rows of each record chunk, sorted by cluster and number.
    """
    support, rank = np.zeros(width, np.int64), np.empty(width, np.int64)
    size = 64
    found = np.empty((size, 5), np.int64)
    many = 0
    start = 0
    while start < len(chunk_first):
        end = start
        while end < len(chunk_first) and chunk_cluster[end] == chunk_cluster[start]:
            end += 1
        total = offsets[chunk_last[end - 1]] - offsets[chunk_first[start]]
        listed, bounds = np.empty(total, np.int64), np.zeros(end - start + 1, np.int64)
        for c in range(start, end):
            here = _items_of(chunk_first[c], chunk_last[c], offsets, items, support)
            bounds[c - start + 1] = bounds[c - start] + len(here)
            listed[bounds[c - start] : bounds[c - start + 1]] = _by_support(here, support)
        for earlier in range(start, end - 1):
            order = listed[bounds[earlier - start] : bounds[earlier - start + 1]]
            rank[order] = np.arange(len(order))
            held = _prefixes(chunk_first[earlier], chunk_last[earlier], offsets, items, rank, len(order))
            for later in range(earlier + 1, end):
                p = 0
                # From the rarest item on the prefix only grows.
                for at in range(bounds[later - start], bounds[later - start + 1]):
                    x = listed[at]
                    while p < len(order) and support[order[p]] >= support[x]:
                        p += 1
                    if p == 0 or held[p] != support[order[p - 1]]:
                        continue
                    least = p - 1
                    while least > 0 and support[order[least - 1]] == support[order[p - 1]]:
                        least -= 1
                    if many == size:
                        size *= 2
                        bigger = np.empty((size, 5), np.int64)
                        bigger[:many] = found
                        found = bigger
                    found[many, 0], found[many, 1], found[many, 2] = later, earlier, x
                    found[many, 3], found[many, 4] = p, p - least
                    many += 1
        for at in range(bounds[-1]):
            support[listed[at]] = 0
        start = end
    return found[:many, 0], found[:many, 1], found[:many, 2], found[:many, 3], found[:many, 4]
