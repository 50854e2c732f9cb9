"""The horizontal step: which records share a cluster. HORPART is the default; others plug in here.

A horizontal step is any object with ``partition(part) -> cluster of each record``; see ``Part`` for what it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import distinct, offsets_of, positions, take_rows
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints, Longs


SmallClusters = Literal["add", "abandon", "suppress", "remaining", "keep"]
STEPS = ("horpart", "hierarchical")
"""Names of the built-in horizontal steps."""


class Part(NamedTuple):
    """One block of records, sorted by content, and the sizes to keep to.

    Attributes:
        offsets: row starts of the records.
        terms: term numbers in tie order.
        n_terms: how many terms there are.
        person: person of each record, or empty.
        k: least number of records (or persons) of a cluster.
        m: size of the combinations that must hold.
        maximum: largest wanted cluster, inclusive.
        small: what to do with clusters below k.
    """

    offsets: Longs
    terms: NDArray[np.int32]
    n_terms: int
    person: Longs
    k: int
    m: int
    maximum: int
    small: SmallClusters


class Horizontal(Protocol):
    """Puts records into clusters."""

    def partition(self, part: Part) -> Longs:
        """Cluster of each record, numbered 0, 1, ...; -1 for records that are left out."""
        ...


@dataclass(frozen=True)
class HorPart:
    """HORPART: split by the most frequent term until parts are small (Terrovitis et al., PVLDB 2012, Fig. 4)."""

    def partition(self, part: Part) -> Longs:
        """Cluster of each record; see ``horpart`` for the strategies."""
        from cloven.kinds.disassociated.methods import horpart as kernel

        code = {
            "add": kernel.ADD,
            "abandon": kernel.ABANDON,
            "suppress": kernel.SUPPRESS,
            "remaining": kernel.REMAINING,
            "keep": kernel.KEEP,
        }[part.small]
        people = int(part.person.max()) + 1 if len(part.person) else 0
        clusters, count = kernel.horpart(
            part.offsets, part.terms, part.n_terms, part.k, part.maximum, code, part.person, people
        )
        return _again(part, clusters, count) if part.small == "remaining" else clusters


def _again(part: Part, clusters: Longs, count: int) -> Longs:
    """The remaining-list strategy: partition the records left over again, until a pass saves nothing.

    What is left then is cut into slices between k and the maximum, in canonical order; a rest below k joins the
    cluster saved last (AlShuhail 2021, Algorithm 3, with the exit it lacks).
    """
    from cloven.kinds.disassociated.methods import horpart as kernel

    while True:
        left = np.flatnonzero(clusters < 0)
        if holders(part.person, left) < part.k:
            break
        offsets, terms = take_rows(part.offsets, part.terms, left)
        if np.bincount(terms, minlength=1).max() < part.k:
            break  # no term can make a cluster of k, so another pass would only peel off a handful
        person = part.person[left] if len(part.person) else part.person
        people = int(part.person.max()) + 1 if len(part.person) else 0
        found, more = kernel.horpart(
            offsets, terms, part.n_terms, part.k, part.maximum, kernel.REMAINING, person, people
        )
        if more == 0:
            break
        clusters[left] = np.where(found >= 0, found + count, -1)
        count += more
    for piece in slices(part, left):
        if holders(part.person, piece) >= part.k or count == 0:
            clusters[piece] = count
            count += 1
        else:
            clusters[piece] = count - 1
    return clusters


def slices(part: Part, records: Longs) -> list[Longs]:
    """Cut a list of records into pieces of at most the maximum; only the last may fall below k holders.

    When there are enough records for all pieces, none falls below k.
    """
    if len(records) == 0:
        return []
    pieces = -(-len(records) // part.maximum)
    cut = [np.asarray(piece) for piece in np.array_split(records, pieces)]
    out: list[Longs] = []
    for piece in cut:
        if out and holders(part.person, out[-1]) < part.k:
            out[-1] = np.concatenate((out[-1], piece))
        else:
            out.append(piece)
    return out


def horizontal_step(name: str) -> Horizontal:
    """The built-in horizontal step of this name, one of ``STEPS``."""
    if name == "hierarchical":
        return Hierarchical()
    return HorPart()


# How many stand behind something: records, or distinct persons where they are told (else ``person`` is empty).


def holders(person: Longs, records: Longs) -> int:
    """Holders behind some records.

    >>> holders(np.array([7, 7, 8]), np.array([0, 1])), holders(np.empty(0, int), np.array([0, 1]))
    (1, 2)
    """
    return len(distinct(person[records])) if len(person) else len(records)


def holders_of_clusters(person: Longs, clusters: Longs) -> Longs:
    """Holders of each cluster 0, 1, ...; ``clusters`` is the cluster of each record, -1 for none.

    >>> holders_of_clusters(np.array([7, 7, 8, 9]), np.array([0, 0, 1, -1])).tolist()
    [1, 1]
    """
    inside = np.flatnonzero(clusters >= 0)
    if not len(person):
        return np.bincount(clusters[inside]).astype(np.int64)
    width = int(person.max()) + 1
    pairs = distinct(clusters[inside] * width + person[inside])
    return np.bincount(pairs // width).astype(np.int64)


# Hierarchical clustering by shared m-itemsets instead of HORPART (AlShuhail 2021, section 3.3.2, idea only).
#
# The thesis asks for a similarity "based on the frequency of m-itemsets" and leaves the rest open. Here: start with
# every record alone and go through the itemsets that at least k records hold, the most frequent first (rarest first
# keeps about half as many pairs on BMS-WebView-2 and T10I4D100K); the clusters whose records hold it are merged, those
# with most holders first, as long as they stay within the maximum. An itemset with k holders in one cluster is one that
# VERPART can keep. After the m-itemsets come those of m-1 items, and so on down to single items. No record moves twice.


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

    def partition(self, part: Part) -> Longs:
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

    def _largest(self, offsets: Longs, m: int, n_terms: int) -> int:
        """Largest itemset size up to m that the budget and a 64-bit number allow."""
        lengths = np.bincount(np.diff(offsets))
        for items in range(m, 1, -1):
            total = sum(int(count) * comb(length, items) for length, count in enumerate(lengths.tolist()))
            if total <= self.budget and items * np.log2(max(2, n_terms)) < 62:
                return items
        return 1


def _itemsets(offsets: Longs, terms: Longs, items: int, base: int, k: int) -> tuple[Longs, Longs]:
    """Holders of each itemset of this size with at least k of them, most frequent first."""
    total = sum(comb(length, items) for length in np.diff(offsets).tolist())
    keys, owner = np.empty(total, np.int64), np.empty(total, np.int64)
    _combinations(offsets, terms, items, base, keys, owner)
    order = np.argsort(keys, kind="stable")
    _, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    chosen = np.flatnonzero(counts >= k)
    chosen = chosen[np.argsort(-counts[chosen], kind="stable")]
    return offsets_of(counts[chosen]), owner[order[positions(first[chosen], counts[chosen])]]


def _without_small(part: Part, clusters: Longs) -> Longs:
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


def _fill_rooms(number: Longs, left: Longs, count: int, maximum: int) -> Longs:
    """Give records without a cluster to clusters with room, last cluster first; returns those that found none."""
    room = maximum - np.bincount(number[number >= 0], minlength=count)
    seats = np.repeat(np.arange(count)[::-1], np.maximum(0, room[::-1]))[: len(left)]
    number[left[: len(seats)]] = seats
    return left[len(seats) :]
