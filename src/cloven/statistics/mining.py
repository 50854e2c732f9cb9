"""The most frequent itemsets, exactly, and supports of given itemsets.

A best-first search. Items are ranked by support; the parent of an itemset is the set without its most
frequent item, so children add an item that is more frequent than all they have. A child is never better
than its parent in the order (support, size): the queue therefore hands out the itemsets in their final
order, and the search stops at the last one wanted. The K-th best itemset seen so far keeps worse ones out of
the queue (rising threshold: Han et al., ICDM 2002).

The pairs of the most frequent items are counted in one go over the records. The K-th best of them bounds the
support of all that is wanted, so that mostly few items are left: their pairs say which extensions a set may have
at all, and these are counted on bits, one for each record (Burdick, Calimlim and Gehrke, ICDE 2001). Where too
many are left, extensions are counted on the records (occurrence deliver: Uno, Kiyomi and Arimura, FIMI 2004).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Ints, Longs, compiled
from cloven.data.arrays import offsets_of
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions


Entry = tuple[int, int, tuple[int, ...]]
"""An itemset in the queue: support with the sign turned, size, codes in ascending order."""
Extensions = Callable[[Ints, int], tuple[Longs, Longs]]
"""More frequent items than all of an itemset (ranks, ascending) that reach a support with it: ranks and supports."""
FIRST = 256
"""Most frequent items whose pairs are counted first."""
MOST_LEADING = 1024
"""Items whose pairs are counted at most."""
MOST_BITS = 1 << 29
"""Bits of all leading items at most: 64 MB."""


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemsets by support (descending), size (ascending) and text.

    Attributes:
        itemsets: names of the items of each, ascending.
        supports: number of records that hold each.
        sizes: number of items of each.
    """

    itemsets: tuple[tuple[str, ...], ...]
    supports: Longs
    sizes: Longs

    def __post_init__(self) -> None:
        self.supports.setflags(write=False)
        self.sizes.setflags(write=False)

    def __len__(self) -> int:
        return len(self.itemsets)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        return zip(self.itemsets, self.supports.tolist(), strict=True)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Records as ranks (0 is the most frequent item) and, for each rank, the records that hold it.

    Whoever asks for several things of the same data ranks it once, and gives that instead of the data.
    """

    data: Transactions
    offsets: Longs
    items: NDArray[np.int32]
    starts: Longs
    tids: NDArray[np.int32]
    rank_of: NDArray[np.int32]
    code_of: Longs

    @classmethod
    def of(cls, data: Transactions | Ranked, limit: int | None = None) -> Ranked:
        """Rank by support, then text; only the ``limit`` first items need to be kept."""
        if isinstance(data, Ranked):
            return data
        code_of = np.argsort(-data.supports, kind="stable")[:limit]
        rank_of = np.full(len(data.vocabulary), -1, np.int32)
        rank_of[code_of] = np.arange(len(code_of), dtype=np.int32)
        offsets, items, starts, tids = rank_records(data.offsets, data.codes, rank_of, len(code_of))
        return cls(data, offsets, items, starts, tids, rank_of, code_of)

    @property
    def supports(self) -> Longs:
        """Number of records that hold each rank."""
        return np.diff(self.starts)

    @cached_property
    def pairs(self) -> Longs:
        """Of the most frequent items, how many records hold each (by rank) and each more frequent one."""
        return count_pairs(self.offsets, self.items, min(FIRST, len(self.code_of)))

    def holders(self, rank: int) -> NDArray[np.int32]:
        """Records that hold an item."""
        return self.tids[self.starts[rank] : self.starts[rank + 1]]


def top_itemsets(
    data: Transactions | Ranked, count: int = 1000, *, min_size: int = 1, max_size: int | None = None
) -> Itemsets:
    """The ``count`` most frequent itemsets; ties go to the smaller set, then to the earlier text.

    Fewer come back only when fewer itemsets occur at all.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "fever"], ["flu", "fever"], ["flu"]])
    >>> list(top_itemsets(data, 2))
    [(('flu',), 3), (('fever',), 2)]
    >>> list(top_itemsets(data, 5, min_size=2))
    [(('fever', 'flu'), 2)]
    """
    _check(count, min_size, max_size)
    # With enough single items no set can use an item that is not among the first `count` itself.
    ranked = Ranked.of(data, count if min_size == 1 else None)
    several = [] if max_size == 1 else list(_best_first(ranked, count, max(2, min_size), max_size))
    return _itemsets(ranked, several if min_size > 1 else _with_items(ranked, several, count))


def top_of_both(data: Transactions | Ranked, count: int) -> tuple[Itemsets, Itemsets]:
    """The ``count`` most frequent itemsets of any size, and those of two or more items, in one search.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "fever"], ["flu", "fever"], ["flu"]])
    >>> [list(found) for found in top_of_both(data, 2)]
    [[(('flu',), 3), (('fever',), 2)], [(('fever', 'flu'), 2)]]
    """
    ranked = Ranked.of(data)
    several = list(_best_first(ranked, count, 2, None))
    return _itemsets(ranked, _with_items(ranked, several, count)), _itemsets(ranked, several)


def _with_items(ranked: Ranked, several: list[Entry], count: int) -> list[Entry]:
    """The best of single items and of the best sets of several."""
    supports = ranked.supports.tolist()
    single = [(-support, 1, (code,)) for support, code in zip(supports, ranked.code_of.tolist(), strict=True)]
    return sorted([*single, *several])[:count]


def _itemsets(ranked: Ranked, found: list[Entry]) -> Itemsets:
    names = ranked.data.vocabulary
    return Itemsets(
        tuple(tuple(names[code] for code in codes) for _, _, codes in found),
        np.array([-support for support, _, _ in found], np.int64),
        np.array([size for _, size, _ in found], np.int64),
    )


def supports(data: Transactions | Ranked, itemsets: Iterable[Sequence[str]]) -> Longs:
    """Number of records that hold each itemset; an unknown item gives 0, an empty set all records.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "fever"], ["flu"], ["cough"]])
    >>> supports(data, [["flu"], ["flu", "fever"], ["cold"]]).tolist()
    [2, 1, 0]
    """
    ranked, records = (data, data.data) if isinstance(data, Ranked) else (None, data)
    code_of = records.code_of()
    wanted = [[code_of.get(item, -1) for item in dict.fromkeys(itemset)] for itemset in itemsets]
    answer = np.array([0 if codes else len(records) for codes in wanted], np.int64)
    singles = records.supports if ranked is None else ranked.supports[ranked.rank_of]
    rank_of = [] if ranked is None else ranked.rank_of.tolist()
    rest, several = [], list[list[int]]()
    for number, codes in enumerate(wanted):
        if not codes or min(codes) < 0:
            continue
        ranks = sorted(rank_of[code] for code in codes) if ranked is not None else []
        if len(codes) == 1:
            answer[number] = singles[codes[0]]
        elif ranked is not None and len(ranks) == 2 and ranks[1] < len(ranked.pairs):
            answer[number] = ranked.pairs[ranks[1], ranks[0]]
        else:
            rest.append(number)
            several.append(sorted(codes, key=singles.__getitem__))
    if rest:
        answer[rest] = _counted(records, several)
    return answer


def _counted(data: Transactions, sets: list[list[int]]) -> Longs:
    """Supports of sets of several items, the rarest first."""
    first = np.array([codes[0] for codes in sets], np.int64)
    order = np.argsort(first, kind="stable")
    starts = np.searchsorted(first[order], np.arange(len(data.vocabulary) + 1))
    offsets = offsets_of(np.array([len(sets[number]) for number in order.tolist()], np.int64))
    items = np.array([code for number in order.tolist() for code in sets[number]], np.int64)
    answer = np.empty(len(sets), np.int64)
    answer[order] = count_itemsets(data.offsets, data.codes, starts, offsets, items)
    return answer


def _check(count: int, min_size: int, max_size: int | None) -> None:
    if count < 1:
        message = f"count must be at least 1, got {count}"
        raise ParameterError(message)
    if min_size < 1 or (max_size is not None and max_size < min_size):
        message = f"sizes must be 1 <= min_size <= max_size, got min_size={min_size}, max_size={max_size}"
        raise ParameterError(message)


class _Threshold:
    """Support that an itemset must have to be among the ``count`` best seen, and ``least``; ties stay in."""

    def __init__(self, count: int, least: int) -> None:
        self.count = count
        self.least = least
        self.best: list[tuple[int, int]] = []

    def lowest(self, size: int) -> int:
        """Least support that a set of this size needs."""
        if len(self.best) < self.count:
            return self.least
        support, turned_size = self.best[0]
        return support if size <= -turned_size else support + 1

    def see(self, support: int, size: int) -> None:
        if len(self.best) < self.count:
            heapq.heappush(self.best, (support, -size))
        elif (support, -size) > self.best[0]:
            heapq.heapreplace(self.best, (support, -size))


def _best_first(ranked: Ranked, count: int, min_size: int, max_size: int | None) -> Iterator[Entry]:
    """The best sets of two items or more, at least."""
    leading = _leading(ranked, count) if min_size == 2 else None
    least = 1 if leading is None else leading.least
    extensions = _walked(ranked) if leading is None else leading.extensions
    item_supports = ranked.supports.tolist()
    codes = ranked.code_of.tolist()
    queue: list[Entry] = [
        (-support, 1, (code,)) for support, code in zip(item_supports, codes, strict=True) if support >= least
    ]
    heapq.heapify(queue)
    threshold = _Threshold(count, least)
    given = 0
    while queue and given < count:
        best = heapq.heappop(queue)
        if best[1] >= min_size:
            given += 1
            yield best
        if given < count and (max_size is None or best[1] < max_size):
            for child in _children(best, ranked, threshold, extensions, min_size):
                heapq.heappush(queue, child)


def _children(
    parent: Entry, ranked: Ranked, threshold: _Threshold, extensions: Extensions, min_size: int
) -> Iterator[Entry]:

    turned_support, size, codes = parent
    itemset = np.sort(ranked.rank_of[list(codes)])
    if not itemset[0] or -turned_support < threshold.lowest(size + 1):
        return
    good, supports = extensions(itemset, threshold.lowest(size + 1))
    for rank, support in zip(good.tolist(), supports.tolist(), strict=True):
        if support < threshold.lowest(size + 1):
            continue
        if size + 1 >= min_size:
            threshold.see(support, size + 1)
        yield -support, size + 1, tuple(sorted((*codes, int(ranked.code_of[rank]))))


def _walked(ranked: Ranked) -> Extensions:
    """Extensions counted on the records."""
    counts = np.zeros(len(ranked.code_of), np.int64)

    def extensions(itemset: Ints, least: int) -> tuple[Longs, Longs]:
        below = counts[: itemset[0]]
        below[:] = 0
        count_extensions(ranked.offsets, ranked.items, ranked.starts, ranked.tids, itemset, counts)
        good = np.flatnonzero(below >= least)
        return good, below[good]

    return extensions


@dataclass(frozen=True, eq=False)
class _Leading:
    """The most frequent items: those that can be in the sets looked for.

    Attributes:
        least: support that these sets have at least.
        pairs: how many records hold an item (by rank) and each more frequent one.
        bits: the records that hold each item.
    """

    least: int
    pairs: Longs
    bits: NDArray[np.uint64]

    def extensions(self, itemset: Ints, least: int) -> tuple[Longs, Longs]:
        """Extensions counted on bits; of single items they are counted already."""
        pairs = self.pairs[itemset, : itemset[0]]
        good = np.flatnonzero((pairs >= least).all(axis=0))
        if len(itemset) == 1:
            return good, pairs[0, good]
        together = self.bits[good] & np.bitwise_and.reduce(self.bits[itemset])
        supports = np.bitwise_count(together).sum(axis=1, dtype=np.int64)
        enough = supports >= least
        return good[enough], supports[enough]


def _leading(ranked: Ranked, count: int) -> _Leading | None:
    """The items that the ``count`` best sets of two or more can have; None if they are too many."""
    pairs, records = ranked.pairs, len(ranked.offsets) - 1
    first = len(pairs)
    found = pairs[np.tri(first, k=-1, dtype=bool)]
    least = max(1, int(np.partition(found, -count)[-count])) if len(found) >= count else 1
    many = int(np.count_nonzero(ranked.supports >= least))
    if many > MOST_LEADING or many * records > MOST_BITS:
        return None
    if many > first:
        pairs = count_pairs(ranked.offsets, ranked.items, many)
    return _Leading(least, pairs[:many, :many], _bits(ranked, many))


def _bits(ranked: Ranked, many: int) -> NDArray[np.uint64]:
    """A bit for each record that holds each of the first items."""
    flags = np.zeros(-(-(len(ranked.offsets) - 1) // 64) * 64, bool)
    bits = np.empty((many, len(flags) // 64), np.uint64)
    for rank in range(many):
        flags[ranked.holders(rank)] = True
        bits[rank] = np.packbits(flags).view(np.uint64)
        flags[ranked.holders(rank)] = False
    return bits


# Compiled loops of itemset mining; imported only when something is mined.
#
# All work on *ranked* data: every item is replaced by its rank (0 is the most frequent), records hold their
# ranks in ascending order, and ``tids[starts[r]:starts[r + 1]]`` lists the records that hold rank ``r``.


@compiled
def rank_records(offsets: Longs, codes: Ints, rank_of: Ints, ranks: int) -> tuple[Longs, Ints, Longs, Ints]:
    """Turn records of codes into both views of ranked data; codes with rank -1 are left out.

    Filling the records from the lists of records, rank by rank, sorts every record without a comparison.
    """
    records = len(offsets) - 1
    starts = np.zeros(ranks + 1, np.int64)
    ends = np.zeros(records + 1, np.int64)
    for record in range(records):
        for at in range(offsets[record], offsets[record + 1]):
            rank = rank_of[codes[at]]
            if rank >= 0:
                starts[rank + 1] += 1
                ends[record + 1] += 1
    for rank in range(ranks):
        starts[rank + 1] += starts[rank]
    for record in range(records):
        ends[record + 1] += ends[record]
    tids = np.empty(starts[ranks], np.int32)
    fill = starts[:-1].copy()
    for record in range(records):
        for at in range(offsets[record], offsets[record + 1]):
            rank = rank_of[codes[at]]
            if rank >= 0:
                tids[fill[rank]] = record
                fill[rank] += 1
    items = np.empty(ends[records], np.int32)
    place = ends[:-1].copy()
    for rank in range(ranks):
        for at in range(starts[rank], starts[rank + 1]):
            record = tids[at]
            items[place[record]] = rank
            place[record] += 1
    return ends, items, starts, tids


@compiled
def count_pairs(offsets: Longs, items: Ints, ranks: int) -> Longs:
    """Number of records that hold each of the first ranks and each one before it."""
    pairs = np.zeros((ranks, ranks), np.int64)
    for record in range(len(offsets) - 1):
        for at in range(offsets[record], offsets[record + 1]):
            if items[at] >= ranks:
                break
            for before in range(offsets[record], at):
                pairs[items[at], items[before]] += 1
    return pairs


@compiled
def count_extensions(
    offsets: Longs, items: Ints, starts: Longs, tids: Ints, itemset: Ints, counts: Longs
) -> None:
    """Count, for each rank below the least of ``itemset``, the records that hold it and the whole itemset.

    ``itemset`` ascends; its last rank is the rarest item, whose list of records is walked. ``counts`` must be
    zero on entry.
    """
    size = len(itemset)
    last = itemset[size - 1]
    for at in range(starts[last], starts[last + 1]):
        record = tids[at]
        begin = offsets[record]
        end = offsets[record + 1]
        here = begin
        while items[here] < itemset[0]:
            here += 1
        prefix = here
        found = 0
        while found < size and here < end:
            if items[here] == itemset[found]:
                found += 1
            elif items[here] > itemset[found]:
                break
            here += 1
        if found == size:
            for earlier in range(begin, prefix):
                counts[items[earlier]] += 1


@compiled
def count_itemsets(offsets: Longs, codes: Ints, starts: Longs, set_offsets: Longs, set_items: Longs) -> Longs:
    """Number of records that hold each of some itemsets, in one go over the records.

    Sets are ordered by their first item, which should be the rarest: those of item ``i`` are ``starts[i]`` to
    ``starts[i + 1] - 1``.
    """
    supports, last = np.zeros(len(set_offsets) - 1, np.int64), np.full(len(starts) - 1, -1, np.int64)
    for record in range(len(offsets) - 1):
        for at in range(offsets[record], offsets[record + 1]):
            last[codes[at]] = record
        for at in range(offsets[record], offsets[record + 1]):
            for number in range(starts[codes[at]], starts[codes[at] + 1]):
                held = 1
                for other in range(set_offsets[number], set_offsets[number + 1]):
                    held &= last[set_items[other]] == record
                supports[number] += held
    return supports
