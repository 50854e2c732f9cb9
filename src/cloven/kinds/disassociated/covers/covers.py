"""Find the cover problems of a release, from the release alone (Barakat et al. 2016, Definition 3, made precise).

Take an item x of a record chunk and an earlier record chunk of its cluster, and let I be the items of the earlier chunk
that have at least the support of x. When the method tried x there, exactly I was in the chunk. If the rarest y of I
is *covered*, that is, if every row with y holds all of I, then x and y cannot meet in k records: they would meet all of
I in these k records too, and x would have been let in. So a reader who knows the method knows that x and y meet in
fewer than k records of the cluster, although the release promises that k cannot be excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Longs, compiled
from cloven.data.arrays import among, positions, run_starts
from cloven.kinds.disassociated.evidence import evidence
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.compiled import Flags, Ints
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Cover:
    """One cover problem in plain Python.

    Attributes:
        cluster: where.
        chunk: record chunk of the item.
        earlier: record chunk that it was not let into.
        item: the item x.
        covered: the items y that x meets fewer than k times.
        covering: the other items of I; empty if y is alone.
    """

    cluster: int
    chunk: int
    earlier: int
    item: str
    covered: tuple[str, ...]
    covering: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Covers:
    """All cover problems of a release; one entry is one item and one earlier chunk.

    Attributes:
        release: the release.
        cluster: cluster of each.
        chunk: record chunk of the item.
        earlier: the earlier record chunk.
        item: the item.
        covering: how many items of the earlier chunk have its support or more (the set I).
        covered: how many of these are covered.
        undecided: where the inference does not hold, and how many items or clusters that concerns.
    """

    release: Disassociated
    cluster: Longs
    chunk: Longs
    earlier: Longs
    item: Longs
    covering: Longs
    covered: Longs
    undecided: dict[str, int]

    def __len__(self) -> int:
        return len(self.cluster)

    def __repr__(self) -> str:
        return f"Covers({len(self):,} in {len(np.unique(self.cluster)):,} clusters)"

    @property
    def single(self) -> Flags:
        """Those with one item in I: nothing but y itself covers y."""
        return np.equal(self.covering, 1)

    def __iter__(self) -> Iterator[Cover]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Cover:
        inside = self.prefix(number)
        names = self.release.vocabulary
        covered = int(self.covered[number])
        return Cover(
            int(self.cluster[number]),
            int(self.chunk[number]),
            int(self.earlier[number]),
            names[self.item[number]],
            tuple(names[y] for y in inside[len(inside) - covered :]),
            tuple(names[y] for y in inside[: len(inside) - covered]),
        )

    @cached_property
    def chunk_items(self) -> ChunkItems:
        """Items of every record chunk by support."""
        return ChunkItems.of(self.release)

    def prefix(self, number: int) -> list[int]:
        """The set I of an entry by support, descending: the covered items come last."""
        listed = self.chunk_items
        at = listed.start[
            listed.find(self.cluster[number : number + 1], self.earlier[number : number + 1])[0]
        ]
        inside: list[int] = listed.item[at : at + self.covering[number]].tolist()
        return inside

    @cached_property
    def leaks(self) -> tuple[Longs, Longs]:
        """Every covered item of every entry: number of the entry, and the item. No pair of a cluster comes twice."""
        listed = self.chunk_items
        end = listed.start[listed.find(self.cluster, self.earlier)] + self.covering
        number = np.repeat(np.arange(len(self)), self.covered)
        return number, listed.item[positions(end - self.covered, self.covered)]

    @cached_property
    def everywhere(self) -> Flags:
        """For each of ``leaks``: whether no other cluster provides the candidates that its cluster lacks."""
        return leaked_everywhere(self)

    def pairs(self) -> tuple[Longs, Longs, Longs]:
        """Every leaked pair once for its cluster, sorted: cluster, item, covered item."""
        number, covered = self.leaks
        cluster, item = self.cluster[number], self.item[number]
        order = np.lexsort((covered, item, cluster))
        return cluster[order], item[order], covered[order]


def covers(release: Disassociated) -> Covers:
    """Find all cover problems.

    Nothing is said where the inference does not hold: in shared chunks, whose items were tried in two phases; with
    utility groups, whose items were not tried against each other; and where persons were counted, whose supports are
    not published. A repaired release is not asked either: its supports are lower bounds.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> release = cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release
    >>> [(found.item, found.covered, found.covering) for found in covers(release)]
    [('e', ('c',), ('a', 'b'))]
    """
    undecided = _undecided(release)
    rows = np.flatnonzero(release.row_kind == Kind.RECORD)
    if not len(rows) or any(reason != "items of shared chunks" for reason in undecided):
        none = np.empty(0, np.int64)
        return Covers(release, none, none, none, none, none, none, undecided)
    cluster, chunk = release.row_cluster[rows], release.row_chunk[rows]
    first = run_starts(cluster, chunk)
    last = np.append(first[1:], len(rows))
    found = find_covers(
        rows[first], rows[last - 1] + 1, cluster[first], np.array(release.row_offsets), np.array(release.row_items),
        len(release.vocabulary),
    )  # fmt: skip
    later, earlier, item, covering, covered = found
    number = chunk[first]
    return Covers(
        release, cluster[first][later], number[later].astype(np.int64), number[earlier].astype(np.int64), item,
        covering, covered, undecided,
    )  # fmt: skip


def _undecided(release: Disassociated) -> dict[str, int]:
    """Reasons for which nothing can be concluded, and how much each concerns."""
    parameters: dict[str, Any] = dict(release.parameters)
    out = {}
    several = int((_chunks(release) > 1).sum())
    for reason, holds in (
        ("clusters with utility groups", bool(parameters.get("utility_groups"))),
        ("clusters that count persons", bool(parameters.get("persons"))),
        ("clusters repaired by suppression", bool(parameters.get("safe"))),
    ):
        if holds:
            out[reason] = several
    shared = release.row_kind == Kind.SHARED
    if shared.any():
        at = np.repeat(shared, np.diff(release.row_offsets))
        owner = np.repeat(release.row_joint, np.diff(release.row_offsets))[at]
        out["items of shared chunks"] = len(
            np.unique(owner * len(release.vocabulary) + release.row_items[at])
        )
    return out


def _chunks(release: Disassociated) -> Longs:
    """Number of record chunks of each cluster."""
    many = np.zeros(release.clusters, np.int64)
    record = release.row_kind == Kind.RECORD
    np.maximum.at(many, release.row_cluster[record], release.row_chunk[record] + 1)
    return many


# Compiled search for cover problems (Barakat et al. 2016, Definition 3).
#
# In an earlier chunk let the items be sorted by support, descending. Those with at least the support of x are a prefix.
# A row holds the whole prefix of length p if none of the first p items is missing from it, so one pass over the rows
# gives the support of every prefix.


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


# The items of every record chunk by support, descending, then by number: the order in which VERPART could try them.


@dataclass(frozen=True, eq=False)
class ChunkItems:
    """Items of record chunks as compressed rows; chunks are sorted by cluster and number.

    Attributes:
        cluster: cluster of each chunk.
        chunk: its number in the cluster.
        start: where its items begin in ``item``; one longer than the number of chunks.
        item: the items.
        support: sub-records of the chunk that hold each.
    """

    cluster: Longs
    chunk: Longs
    start: Longs
    item: Longs
    support: Longs

    @classmethod
    def of(cls, release: Disassociated) -> ChunkItems:
        """List the items of a release."""
        rows = np.flatnonzero(release.row_kind == Kind.RECORD)
        cluster, chunk = release.row_cluster[rows], release.row_chunk[rows].astype(np.int64)
        new = np.ones(len(rows), bool)
        new[1:] = (np.diff(cluster) != 0) | (np.diff(chunk) != 0)
        width = max(1, len(release.vocabulary))
        number = np.full(release.rows, -1, np.int64)
        number[rows] = np.cumsum(new) - 1
        owner = np.repeat(number, np.diff(release.row_offsets))
        keys = np.sort(owner[owner >= 0] * width + release.row_items[owner >= 0])
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        support = np.diff(np.append(first, len(keys)))
        owner, item = np.divmod(keys[first], width)
        order = np.lexsort((item, -support, owner))
        start = np.searchsorted(owner, np.arange(int(new.sum()) + 1))
        return cls(cluster[new], chunk[new], start, item[order], support[order])

    def __len__(self) -> int:
        return len(self.cluster)

    @property
    def owner(self) -> Longs:
        """Running number of the chunk of each item."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def find(self, cluster: Longs, chunk: Longs) -> Longs:
        """Running numbers of some chunks that are there."""
        wide = int(self.chunk.max(initial=0)) + 1
        return np.searchsorted(self.cluster * wide + self.chunk, cluster * wide + chunk)


# Which leaked pairs are leaked over the whole release: no other cluster provides the candidates that one lacks.
#
# A cluster that leaks a pair has at most k - 1 records with both items; any other cluster has as many as its chunks
# allow (``evidence``). A pair with fewer than k candidates in all is a breach of the whole release. ``evidence`` takes
# a millisecond for each pair, and long records leak tens of thousands. So what is easily seen is looked up first, for
# all pairs at once: candidates in clusters that show both items in different chunks; whether these are all there are;
# and whether one cluster that has an item from the root is enough. Few pairs are left.


TERM = -1


def leaked_everywhere(covers: Covers) -> Flags:
    """For each leak (``Covers.leaks``): whether the whole release has fewer than k candidates for the pair."""
    keys, pair = np.unique(leaked_keys(covers), return_inverse=True)
    return (candidates(covers, keys) < covers.release.k)[pair.ravel()]


def leaked_keys(covers: Covers) -> Longs:
    """The pair of each leak as one number: the lower item times the number of items, and the higher."""
    number, covered = covers.leaks
    item = covers.item[number]
    return np.minimum(item, covered) * len(covers.release.vocabulary) + np.maximum(item, covered)


def candidates(covers: Covers, keys: Longs) -> Longs:
    """How many candidates the release has for pairs (by key, ascending, each once): counted up to k."""
    release, width = covers.release, len(covers.release.vocabulary)
    if not len(keys) or not release.rows:
        return np.zeros(len(keys), np.int64)
    leaked, cluster = leaked_keys(covers), covers.cluster[covers.leaks[0]]
    asked = among(leaked, keys)
    pair, cluster = np.searchsorted(keys, leaked[asked]), cluster[asked]
    pairs = _Pairs.of(covers, keys)
    found = np.minimum(pairs.surely(pair, cluster), release.k)
    found[pairs.by_the_root()] = release.k
    for at in np.flatnonzero((found < release.k) & ~pairs.nowhere_else()).tolist():
        told = evidence(release, np.array(divmod(int(keys[at]), width)))
        leaking = told.at_most[cluster[pair == at]]
        total = told.total_at_most - int(np.maximum(leaking - (release.k - 1), 0).sum())
        found[at] = min(total, release.k)
    return found


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of items, and the clusters that show both.

    Attributes:
        release: the release.
        items: both items of each pair.
        place_item: item of every place where a cluster shows one; see ``_places``.
        place_cluster: its cluster.
        place_chunk: its record chunk, or ``TERM``.
        place_support: how many sub-records hold it there.
        met: a pair, once for each cluster that shows both.
        at: the places of both items there.
    """

    release: Disassociated
    items: tuple[Longs, Longs]
    place_item: Longs
    place_cluster: Longs
    place_chunk: Longs
    place_support: Longs
    met: Longs
    at: tuple[Longs, Longs]

    @classmethod
    def of(cls, covers: Covers, keys: Longs) -> _Pairs:
        """Look pairs up; a key is the first item times the number of items, and the second."""
        width = len(covers.release.vocabulary)
        shown, chunk, support = _places(covers)
        cluster, item = np.divmod(shown, width)
        posting = np.argsort(item, kind="stable")
        starts = np.searchsorted(item[posting], np.arange(width + 1))
        first, second = np.divmod(keys, width)
        swap = np.diff(starts)[first] > np.diff(starts)[second]
        fewer, more = np.where(swap, second, first), np.where(swap, first, second)
        many = np.diff(starts)[fewer]
        met = np.repeat(np.arange(len(keys)), many)
        here = posting[positions(starts[fewer], many)]
        wanted = cluster[here] * width + more[met]
        there = np.minimum(np.searchsorted(shown, wanted), len(shown) - 1)
        both = shown[there] == wanted
        return cls(
            covers.release, (fewer, more), item, cluster, chunk, support, met[both], (here[both], there[both])
        )

    def __len__(self) -> int:
        return len(self.items[0])

    def surely(self, pair: Longs, cluster: Longs) -> Longs:
        """Candidates in clusters that show the two items in different chunks; these clusters leak these pairs."""
        here, there = self.at
        owner, k, clusters = self.place_cluster[here], self.release.k, self.release.clusters
        support = np.minimum(self.place_support[here], self.place_support[there])
        meet = np.minimum(support, _room(self.release)[owner])
        leak = np.isin(self.met * clusters + owner, pair * clusters + cluster)
        meet = np.where(leak, np.minimum(meet, k - 1), meet)
        apart = self.place_chunk[here] != self.place_chunk[there]
        return np.bincount(self.met, np.where(apart, meet, 0), len(self)).astype(np.int64)

    def nowhere_else(self) -> Flags:
        """Pairs that meet only where record chunks show them apart: the candidates there are all there are."""
        here, there = self.at
        chunk = self.place_chunk
        unclear = (chunk[here] == chunk[there]) | (chunk[here] == TERM) | (chunk[there] == TERM)
        shared = _elsewhere(self.release)
        both, one, two = self._many()
        beside = ((one > both) & shared[self.items[1]]) | ((two > both) & shared[self.items[0]])
        neither = shared[self.items[0]] & shared[self.items[1]]
        found: Flags = ~beside & ~neither & (np.bincount(self.met[unclear], minlength=len(self)) == 0)
        return found

    def by_the_root(self) -> Flags:
        """Pairs with k candidates in one cluster that has at least one of the items from the root.

        It shows the other item k times in a record chunk, or neither of them. It leaks nothing about the pair: that
        needs both to be shown.
        """
        k, release = self.release.k, self.release
        supply, source = _from_the_root(release)
        often = (self.place_chunk != TERM) & (self.place_support >= k)
        hosts = np.bincount(self.place_item[often], minlength=len(supply))
        enough = np.zeros(len(self), bool)
        for item, at, other in zip(self.items, self.at, reversed(self.items), strict=True):
            taken = np.bincount(self.met[often[at]], minlength=len(self))
            enough |= (hosts[item] > taken) & (supply[other] >= k)
        both, one, two = self._many()
        free = int((release.cluster_size >= k).sum()) > one + two - both
        apart = source[self.items[0]] != source[self.items[1]]
        least = np.minimum(supply[self.items[0]], supply[self.items[1]])
        found: Flags = enough | (free & apart & (least >= k))
        return found

    def _many(self) -> tuple[Longs, Longs, Longs]:
        """How many clusters show both items of each pair, the one, the other."""
        shows = np.bincount(self.place_item, minlength=len(self.release.vocabulary))
        return np.bincount(self.met, minlength=len(self)), shows[self.items[0]], shows[self.items[1]]


def _elsewhere(release: Disassociated) -> Flags:
    """Items that a cluster can have which does not show them: from shared chunks, or the list of the root."""
    outside = (release.row_kind == Kind.SHARED) | (
        (release.row_kind == Kind.TERM) & (release.row_cluster < 0)
    )
    found = np.zeros(len(release.vocabulary), bool)
    found[release.row_items[np.repeat(outside, np.diff(release.row_offsets))]] = True
    return found


def _from_the_root(release: Disassociated) -> tuple[Longs, Longs]:
    """For each item: sub-records of the root that hold it alone, 0 if it is shared elsewhere too; and their chunk."""
    width = len(release.vocabulary)
    spans = (release.cluster_joint >= 0).all() and (release.joint_parent < 0).sum() == 1
    shared = np.flatnonzero(release.row_kind == Kind.SHARED)
    lengths = np.diff(release.row_offsets)[shared]
    item = release.row_items[positions(release.row_offsets[shared], lengths)]
    chunk, length, root = (
        np.repeat(each, lengths)
        for each in (release.row_chunk[shared], lengths, release.at_root[shared] & spans)
    )
    alone = root & (length == 1)
    source = np.full(width, -1, np.int64)
    source[item[alone]] = chunk[alone]
    supply = np.bincount(item[alone], minlength=width)
    supply[item[~root | (chunk != source[item])]] = 0
    return supply, source


def _places(covers: Covers) -> tuple[Longs, Longs, Longs]:
    """Where clusters show items: keys (cluster, item) ascending, record chunk or term chunk, least records to meet."""
    release, listed = covers.release, covers.chunk_items
    width = len(release.vocabulary)
    own = (release.row_kind == Kind.TERM) & (release.row_cluster >= 0)
    rows = np.flatnonzero(own)
    at = np.repeat(own, np.diff(release.row_offsets))
    length = np.diff(release.row_offsets)[rows]
    term = np.repeat(release.row_cluster[rows], length) * width + release.row_items[at]
    record = listed.cluster[listed.owner] * width + listed.item
    keys = np.concatenate((record, term))
    chunk = np.concatenate((listed.chunk[listed.owner], np.full(len(term), TERM)))
    support = np.concatenate((listed.support, np.ones(len(term), np.int64)))
    order = np.argsort(keys, kind="stable")
    # An item of a record chunk that is in the term chunk too, as after a repair, has its place in the record chunk.
    order = order[np.diff(keys[order], prepend=-1) != 0]
    return keys[order], chunk[order], support[order]


def _room(release: Disassociated) -> Longs:
    """How many records of each cluster can take sub-records from two record chunks, so that no record is empty."""
    record = release.row_kind == Kind.RECORD
    spare = np.bincount(release.row_cluster[record], minlength=release.clusters) - release.cluster_size
    filled = (release.cluster_joint >= 0) | release.has_terms | release.may_be_empty
    return np.where(filled, release.cluster_size, np.maximum(spare, 0))
