"""Blocks: large data is cut before it is clustered, into parts of at most ``block_records`` records.

Small clusters and refining stay inside a block, so blocks are part of the method: every engine cuts the same. All items
have one order, the most frequent first. A record's *prefix* are its first items in that order. Records are cut by their
first item; prefixes that too many share are cut by the next item, and so on: as many rounds of counting as the longest
prefix is long that is cut, one or two on most data. Neighbouring prefixes then share a block as long as they fit. All
of it is a function of content alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from cloven.data.arrays import counted, take_rows
from cloven.kinds.disassociated.methods.horizontal import holders

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs

    Count = Callable[["Prefixes", Longs], tuple[Longs, Longs]]

B = TypeVar("B")


class Prefixes(NamedTuple):
    """Prefixes so far, as steps from one to the next.

    Attributes:
        rank: place of each term in the order of all items; ``end`` for those that nothing is cut by.
        end: how many items have a place; as a next item, that there is none.
        steps: prefix * (end + 1) + rank of the item that comes next, ascending.
        child: the prefix that each step leads to; 0 is the empty one.
    """

    rank: Longs
    end: int
    steps: Longs
    child: Longs


class Prefix(NamedTuple):
    """A prefix: its number, the ranks of its items, and how many records have it.

    ``end`` as the last rank stands for records without a further item.
    """

    number: int
    path: tuple[int, ...]
    records: int


def blocks(
    offsets: Longs, terms: NDArray[np.int32], barred: Flags, person: Longs, k: int, block_records: int
) -> list[Longs]:
    """Records of each block, ascending; a block with fewer than k holders joins the next one.

    Nothing is cut by ``barred`` terms: a block of those who hold a sensitive item would tell it of each of them.
    """
    n = len(offsets) - 1
    if n <= block_records:
        return [np.arange(n)]
    held = np.bincount(terms, minlength=len(barred))
    walk = Walk(offsets, terms, by_frequency(held, barred, n))
    prefixes, leaves = prefixes_of(walk.prefixes, n, block_records, walk.next_steps)
    walk.go(prefixes)
    block_of = numbered(packed(leaves, block_records), len(prefixes.child) + 1)[walk.prefix]
    by_block = np.argsort(block_of, kind="stable")
    found = np.split(by_block, np.cumsum(np.bincount(block_of))[:-1])
    return joined(
        found, lambda records: holders(person, records) < k, lambda *two: np.sort(np.concatenate(two))
    )


def by_frequency(held: Longs, barred: Flags, records: int) -> Prefixes:
    """No prefix yet: terms ranked by how many records hold them, equal ones as they are numbered.

    Nothing is cut by barred terms, nor by what all records hold.
    """
    counts = np.where(barred | (held >= records), 0, held)
    end = int(np.count_nonzero(counts))
    rank = np.full(len(held), end, np.int64)
    rank[np.argsort(-counts, kind="stable")[:end]] = np.arange(end)
    return Prefixes(rank, end, np.empty(0, np.int64), np.empty(0, np.int64))


def prefixes_of(prefixes: Prefixes, records: int, most: int, count: Count) -> tuple[Prefixes, list[Prefix]]:
    """Prefixes that at most so many records share, in the order of their paths, and the steps that lead to them.

    Records that are equal in all that may be cut by have the same prefix, however many they are.

    Args:
        prefixes: none yet, in some order of items.
        records: how many there are.
        most: how many may share a prefix.
        count: which steps the records of some prefixes take next, and how many take each.
    """
    found = [Prefix(0, (), records)]
    open_ = {0}
    inner: set[int] = set()
    while open_:
        inner |= open_
        steps, taken = count(prefixes, np.array(sorted(open_), np.int64))
        first = len(found)
        for step, many in zip(steps.tolist(), taken.tolist(), strict=True):
            at, rank = divmod(step, prefixes.end + 1)
            found.append(Prefix(len(found), (*found[at].path, rank), many))
        open_ = {
            each.number for each in found[first:] if each.records > most and each.path[-1] < prefixes.end
        }
        every = np.append(prefixes.steps, steps)
        child = np.append(prefixes.child, np.arange(first, len(found)))
        order = np.argsort(every)
        prefixes = prefixes._replace(steps=every[order], child=child[order])
    leaves = [each for each in found if each.number not in inner]
    return prefixes, sorted(leaves, key=lambda leaf: leaf.path)


class Walk:
    """Records on their way along prefixes, none of them empty.

    Attributes:
        prefixes: as far as is known.
        prefix: the longest one of each record.
    """

    def __init__(self, offsets: Longs, terms: NDArray[np.int32], prefixes: Prefixes) -> None:
        self.prefixes = prefixes
        self.prefix = np.zeros(len(offsets) - 1, np.int64)
        self._offsets, self._ranks = offsets, prefixes.rank.astype(np.int32)[terms]
        self._following = np.minimum.reduceat(self._ranks, offsets[:-1]).astype(np.int64)
        self._moving = np.arange(len(self.prefix))

    def go(self, prefixes: Prefixes) -> None:
        """Go on as far as these prefixes lead; who stopped before them stays."""
        moving, end = self._moving, prefixes.end
        while len(moving) and len(prefixes.steps):
            wanted = self.prefix[moving] * (end + 1) + self._following[moving]
            at = np.minimum(np.searchsorted(prefixes.steps, wanted), len(prefixes.steps) - 1)
            known = prefixes.steps[at] == wanted
            moving = moving[known]
            self.prefix[moving] = prefixes.child[at[known]]
            starts, left = take_rows(self._offsets, self._ranks, moving)
            left[left <= np.repeat(self._following[moving], np.diff(starts))] = end
            if len(moving):
                self._following[moving] = np.minimum.reduceat(left, starts[:-1])

    def next_steps(self, prefixes: Prefixes, asked: Longs) -> tuple[Longs, Longs]:
        """The steps that records of the prefixes asked about take next, and how many take each.

        Nobody asks about a prefix twice, so that the others need not be looked at again.
        """
        self.go(prefixes)
        self._moving = self._moving[np.isin(self.prefix[self._moving], asked)]
        return counted(self.prefix[self._moving] * (prefixes.end + 1) + self._following[self._moving])


def packed(leaves: Sequence[Prefix], most: int) -> list[list[Prefix]]:
    """Neighbouring prefixes put together as long as their records are at most so many."""
    out: list[list[Prefix]] = []
    room = 0
    for leaf in leaves:
        if leaf.records > room:
            out.append([])
            room = most
        out[-1].append(leaf)
        room -= leaf.records
    return out


def numbered(found: Sequence[Sequence[Prefix]], prefixes: int) -> Longs:
    """Number of the block of each prefix; -1 for those that were cut further."""
    out = np.full(prefixes, -1, np.int64)
    for number, block in enumerate(found):
        out[[leaf.number for leaf in block]] = number
    return out


def joined(found: Sequence[B], is_small: Callable[[B], bool], union: Callable[[B, B], B]) -> list[B]:
    """Blocks that are too small join the next one; the last joins the one before."""
    out: list[B] = []
    for block in found:
        whole = union(out.pop(), block) if out and is_small(out[-1]) else block
        out.append(whole)
    if len(out) > 1 and is_small(out[-1]):
        last = out.pop()
        out.append(union(out.pop(), last))
    return out
