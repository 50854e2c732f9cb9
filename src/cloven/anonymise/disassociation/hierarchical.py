"""Hierarchical clustering by shared m-itemsets instead of HORPART (AlShuhail 2021, section 3.3.2, idea only).

The thesis asks for a similarity "based on the frequency of m-itemsets" and leaves the rest open. Here: start with every
record alone and go through the itemsets that at least k records hold, the most frequent first (rarest first keeps about
half as many pairs on BMS-WebView-2 and T10I4D100K); the clusters whose records hold it are merged, those with most
holders first, as long as they stay within the maximum. An itemset with k holders in one cluster is one that
VERPART can keep. After the m-itemsets come those of m-1 items, and so on down to single items. No record moves twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.disassociation.holding import holders, holders_of_clusters
from cloven.anonymise.disassociation.horizontal import slices
from cloven.compiled import compiled
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.disassociation.horizontal import Part
    from cloven.compiled import Ints


@compiled
def _combinations(offsets: Ints, terms: Ints, size: int, base: int, keys: Ints, owner: Ints) -> None:
    """Write every combination of ``size`` terms of every record as one number."""
    pick, at = np.empty(size, np.int64), 0
    for record in range(len(offsets) - 1):
        first, n = offsets[record], offsets[record + 1] - offsets[record]
        if n < size:
            continue
        row = np.sort(terms[first : first + n])
        for i in range(size):
            pick[i] = i
        while True:
            key = np.int64(0)
            for i in range(size):
                key = key * base + row[pick[i]]
            keys[at], owner[at] = key, record
            at += 1
            i = size - 1
            while i >= 0 and pick[i] == n - size + i:
                i -= 1
            if i < 0:
                break
            pick[i] += 1
            for j in range(i + 1, size):
                pick[j] = pick[j - 1] + 1


@compiled
def _root(parent: Ints, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@compiled
def _merge(starts: Ints, owner: Ints, parent: Ints, size: Ints, maximum: int) -> None:
    """Merge, itemset by itemset, the clusters that hold it."""
    seen = np.full(len(parent), -1, np.int64)
    held = np.zeros(len(parent), np.int64)
    for itemset in range(len(starts) - 1):
        first, last = starts[itemset], starts[itemset + 1]
        roots, n = np.empty(last - first, np.int64), 0
        for e in range(first, last):
            root = _root(parent, owner[e])
            if seen[root] != itemset:
                seen[root] = itemset
                held[root] = 0
                roots[n] = root
                n += 1
            held[root] += 1
        if n < 2:
            continue
        keys = np.empty(n, np.int64)
        for i in range(n):
            keys[i] = (-held[roots[i]] << 32) + roots[i]
        order = np.argsort(keys)
        target = roots[order[0]]
        for i in range(1, n):
            other = roots[order[i]]
            if size[target] + size[other] <= maximum:
                # The smaller number stays the root, so that numbering follows the canonical order of records.
                low, high = min(target, other), max(target, other)
                parent[high] = low
                size[low] = size[target] + size[other]
                target = low
            elif size[target] == maximum or 2 * size[other] > maximum:
                target = other


@dataclass(frozen=True)
class Hierarchical:
    """Agglomerative clustering by shared itemsets.

    Attributes:
        budget: most combinations that may be listed; larger itemsets than fit are not used.
    """

    budget: int = 60_000_000

    def partition(self, part: Part) -> NDArray[np.int64]:
        """Cluster of each record."""
        if part.small == "abandon":
            message = "small_clusters='abandon' gives up a split, and 'hierarchical' never splits; use 'add'"
            raise ParameterError(message)
        n = len(part.offsets) - 1
        parent, size = np.arange(n), np.ones(n, np.int64)
        frequent = np.bincount(part.terms, minlength=part.n_terms) >= part.k
        keep = frequent[part.terms]
        offsets = np.concatenate(([0], np.cumsum(keep)))[part.offsets]
        terms = (np.cumsum(frequent) - 1)[part.terms[keep]]
        for items in range(self._largest(offsets, part.m, int(frequent.sum())), 0, -1):
            starts, owner = _itemsets(offsets, terms, items, max(1, int(frequent.sum())), part.k)
            _merge(starts, owner, parent, size, part.maximum)
        roots = np.array([_root(parent, record) for record in range(n)], np.int64)
        _, clusters = np.unique(roots, return_inverse=True)
        return _without_small(part, clusters.astype(np.int64))

    def _largest(self, offsets: NDArray[np.int64], m: int, n_terms: int) -> int:
        """Largest itemset size up to m that the budget and a 64-bit number allow."""
        lengths = np.bincount(np.diff(offsets))
        for items in range(m, 1, -1):
            total = sum(int(count) * comb(length, items) for length, count in enumerate(lengths.tolist()))
            if total <= self.budget and items * np.log2(max(2, n_terms)) < 62:
                return items
        return 1


def _itemsets(
    offsets: NDArray[np.int64], terms: NDArray[np.int64], items: int, base: int, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Holders of each itemset of this size with at least k of them, most frequent first."""
    total = sum(comb(length, items) for length in np.diff(offsets).tolist())
    keys, owner = np.empty(total, np.int64), np.empty(total, np.int64)
    _combinations(offsets, terms, items, base, keys, owner)
    order = np.argsort(keys, kind="stable")
    _, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    chosen = np.flatnonzero(counts >= k)
    chosen = chosen[np.argsort(-counts[chosen], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(counts[chosen])))
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], counts[chosen])
    return starts, owner[order[np.repeat(first[chosen], counts[chosen]) + within]]


def _without_small(part: Part, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Apply the strategy for clusters below k and number what is left 0, 1, ..."""
    if part.small == "keep":
        return clusters
    fine = holders_of_clusters(part.person, clusters) >= part.k
    number = np.where(fine, np.cumsum(fine) - 1, -1)[clusters]
    left = np.flatnonzero(number < 0)
    count = int(fine.sum())
    if part.small == "suppress" or len(left) == 0:
        return number
    if part.small == "add":
        left = _fill_rooms(number, left, count, part.maximum)
    for piece in slices(part, left):
        if holders(part.person, piece) >= part.k or count == 0:
            count += 1
        number[piece] = count - 1
    return number


def _fill_rooms(
    number: NDArray[np.int64], left: NDArray[np.int64], count: int, maximum: int
) -> NDArray[np.int64]:
    """Give records without a cluster to clusters with room, last cluster first; returns those that found none."""
    room = maximum - np.bincount(number[number >= 0], minlength=count)
    seats = np.repeat(np.arange(count)[::-1], np.maximum(0, room[::-1]))[: len(left)]
    number[left[: len(seats)]] = seats
    return left[len(seats) :]
