"""Hierarchical clustering by shared m-itemsets instead of HORPART (AlShuhail 2021, section 3.3.2, idea only).

The thesis asks for a similarity "based on the frequency of m-itemsets" and leaves the rest open. Here: start with
every record alone and go through the itemsets that at least k records hold, the most frequent first (rarest first
keeps about half as many pairs on BMS-WebView-2 and T10I4D100K); the clusters whose records hold it are merged, those
with most holders first, as long as they stay within the maximum. An itemset with k holders in one cluster is one that
VERPART can keep. After the m-itemsets come those of m-1 items, and so on down to single items. No record moves twice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods.horizontal import holders, holders_of_clusters, slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.horizontal import Part


@dataclass(frozen=True)
class Hierarchical:
    """Agglomerative clustering by shared itemsets.

    Attributes:
        budget: most combinations that may be listed; larger itemsets than fit are not used.
    """

    budget: int = 60_000_000

    def partition(self, part: Part) -> Longs:
        """Cluster of each record."""
        if part.small == "abandon":
            message = "small_clusters='abandon' gives up a split, and Hierarchical never splits; use 'add'"
            raise ParameterError(message)
        frequent = np.bincount(part.terms, minlength=part.n_terms) >= part.k
        keep = frequent[part.terms]
        offsets = np.concatenate(([0], np.cumsum(keep)))[part.offsets]
        terms = (np.cumsum(frequent) - 1)[part.terms[keep]]
        base = max(1, int(frequent.sum()))
        forest = _Forest(list(range(len(offsets) - 1)), [1] * (len(offsets) - 1))
        for items in range(self._largest(offsets, part.m, base), 0, -1):
            for found in _itemsets(offsets, terms, items, base, part.k):
                forest.merge(found, part.maximum)
        roots = [forest.root(record) for record in range(len(offsets) - 1)]
        clusters = np.unique(roots, return_inverse=True)[1].astype(np.int64)
        return _without_small(part, clusters)

    def _largest(self, offsets: Longs, m: int, n_terms: int) -> int:
        """Largest itemset size up to m that the budget and a 64-bit number allow."""
        lengths = np.bincount(np.diff(offsets))
        for items in range(m, 1, -1):
            total = sum(int(count) * comb(length, items) for length, count in enumerate(lengths.tolist()))
            if total <= self.budget and items * np.log2(max(2, n_terms)) < 62:
                return items
        return 1


@dataclass(frozen=True)
class _Forest:
    """Clusters as trees: the parent of each record, and the size of each root's cluster."""

    parent: list[int]
    size: list[int]

    def root(self, record: int) -> int:
        """The record that a cluster is called by, which is its first."""
        parent = self.parent
        while parent[record] != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record

    def merge(self, holding: list[int], maximum: int) -> None:
        """Merge the clusters of the records that hold an itemset, those with most holders first."""
        held = Counter(map(self.root, holding))
        target, *others = sorted(held, key=lambda root: (-held[root], root))
        for other in others:
            together = self.size[target] + self.size[other]
            if together <= maximum:
                # The smaller number stays the root, so that numbering follows the canonical order of records.
                target, gone = min(target, other), max(target, other)
                self.parent[gone] = target
                self.size[target] = together
            elif self.size[target] == maximum or 2 * self.size[other] > maximum:
                target = other


def _itemsets(offsets: Longs, terms: NDArray[np.int64], items: int, base: int, k: int) -> Iterator[list[int]]:
    """Records that hold each itemset of this size which at least k of them hold, most frequent first."""
    keys, owner = _combinations(offsets, terms, items, base)
    order = np.lexsort((owner, keys))
    _, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    chosen = np.flatnonzero(counts >= k)
    chosen = chosen[np.argsort(-counts[chosen], kind="stable")]
    owner = owner[order]
    for start, count in zip(first[chosen].tolist(), counts[chosen].tolist(), strict=True):
        yield owner[start : start + count].tolist()


def _combinations(offsets: Longs, terms: NDArray[np.int64], items: int, base: int) -> tuple[Longs, Longs]:
    """Every combination of so many terms of a record as one number, and its record."""
    lengths = np.diff(offsets)
    keys, owner = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for length in np.unique(lengths[lengths >= items]).tolist():
        records = np.flatnonzero(lengths == length)
        rows = np.sort(terms[offsets[records][:, None] + np.arange(length)], axis=1)
        picked = np.array(list(combinations(range(length), items)))
        key = np.zeros((len(records), len(picked)), np.int64)
        for place in range(items):
            key = key * base + rows[:, picked[:, place]]
        keys.append(key.ravel())
        owner.append(np.repeat(records, len(picked)))
    return np.concatenate(keys), np.concatenate(owner)


def _without_small(part: Part, clusters: Longs) -> Longs:
    """Apply the strategy for clusters below k and number what is left 0, 1, ..."""
    if part.small == "keep":
        return clusters
    fine = holders_of_clusters(part.person, clusters) >= part.k
    number: Longs = np.where(fine, np.cumsum(fine) - 1, -1)[clusters]
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


def _fill_rooms(number: Longs, left: Longs, count: int, maximum: int) -> Longs:
    """Give records without a cluster to clusters with room, last cluster first; returns those that found none."""
    room = maximum - np.bincount(number[number >= 0], minlength=count)
    seats = np.repeat(np.arange(count)[::-1], np.maximum(0, room[::-1]))[: len(left)]
    number[left[: len(seats)]] = seats
    return left[len(seats) :]
