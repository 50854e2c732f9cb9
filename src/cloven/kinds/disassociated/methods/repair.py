"""Safe disassociation: no cover problem is left (Awad, Al Bouna, Couchot and Philippe, arXiv 1904.03112, 2019).

A cover (see ``cloven.kinds.disassociated.covers.covers``) is an item x, an earlier chunk, and the set I of its items
with at least the support of x, if the rarest y of I always comes with all of I. Its repair, in this order:

1. suppress one occurrence of the most frequent item of I above the support of y, in a row that holds all of I: now y
   stands once without it, and is no longer covered;
2. if all of I are equally frequent, suppress two different ones in two different rows;
3. else move x to the term chunk.

A suppression must keep the chunk k^m-anonymous. Among equally good ones lots decide, drawn from the operating system: a
fixed rule could be replayed backwards. Supports changed, so everything is tested again until nothing is left. Chunks
always stand in an order in which the method could have made them; another would show what was suppressed or moved. The
steps are ours: the body of the paper could not be had (docs/explanation/cover-problem.md).
"""

from __future__ import annotations

import secrets
from bisect import bisect
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from cloven.kinds.disassociated.release import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


SUPPRESSED = -2
"""Label of an occurrence that is not published, so that nothing is covered."""
WITHHELD = -3
"""Label of an occurrence that is not published because too few hold its item."""


class Cover(NamedTuple):
    """One cover: the item, its chunk, the earlier chunk, its items in I by support, and the rows that hold all of I."""

    item: int
    chunk: int
    earlier: int
    inside: tuple[int, ...]
    rows: int


@dataclass
class Chunks:
    """The record chunks of one cluster while they are repaired; rows are bits.

    Attributes:
        k: least support.
        m: size of the combinations that must have it.
        masks: rows that hold each item, for each chunk.
        group: utility group of each chunk; items are tried only against chunks of their own group.
        moved: items that go to the term chunk.
        removed: (row, item) of suppressed occurrences.
    """

    k: int
    m: int
    masks: list[dict[int, int]]
    group: list[int]
    moved: list[int] = field(default_factory=list)
    removed: list[tuple[int, int]] = field(default_factory=list)

    def make_safe(self, lots: Lots) -> None:
        """Repair one cover after the other until there is none.

        A move touches only chunks after the earlier one, so those before it stay without covers; a suppression makes
        an item rarer, so all are tested again.
        """
        first = 0
        while (found := next(self.covers(first), None)) is not None:
            before = len(self.removed)
            self._repair(found, lots)
            first = found.earlier if len(self.removed) == before else 0

    def covers(self, first: int = 0) -> Iterator[Cover]:
        """All covers, earlier chunks first (from the chunk ``first`` on), frequent items first.

        Items are numbered in the order in which ties are tried. A reader who knows it knows the set that x was tried
        against exactly: of the items as frequent as x only those that come first. So both sets are tested.
        """
        for earlier in range(first, len(self.masks) - 1):
            masks = self.masks[earlier]
            order = _by_support(masks)
            keys = [(-masks[item].bit_count(), item) for item in order]
            held = [-1]
            for item in order:
                held.append(held[-1] & masks[item])
            for chunk in range(earlier + 1, len(self.masks)):
                if self.group[chunk] != self.group[earlier]:
                    continue
                for item in _by_support(self.masks[chunk]):
                    support = self.masks[chunk][item].bit_count()
                    for end in dict.fromkeys((bisect(keys, (1 - support,)), bisect(keys, (-support, item)))):
                        if end and held[end].bit_count() == masks[order[end - 1]].bit_count():
                            yield Cover(item, chunk, earlier, tuple(order[:end]), held[end])

    def move(self, item: int, chunk: int) -> None:
        """Move an item to the term chunk; an empty chunk goes, and one that is now opened later moves back."""
        del self.masks[chunk][item]
        self.moved.append(item)
        left = [number for number, masks in enumerate(self.masks) if masks]
        left.sort(key=lambda number: (self.group[number], _opener(self.masks[number])))
        self.masks, self.group = [self.masks[c] for c in left], [self.group[c] for c in left]

    def _repair(self, cover: Cover, lots: Lots) -> None:
        masks = self.masks[cover.earlier]
        least = masks[cover.inside[-1]].bit_count()
        above = [item for item in cover.inside if masks[item].bit_count() > least]
        for _, items in _levels(above, masks):
            admissible = [(row, item) for item in items for row in self._free(item, cover)]
            if admissible:
                self._remove(*admissible[lots.below(len(admissible))], cover.earlier)
                return
        level = not above and least - 1 >= self.masks[cover.chunk][cover.item].bit_count()
        if not (level and self._remove_two(cover, lots)):
            self.move(cover.item, cover.chunk)

    def _remove_two(self, cover: Cover, lots: Lots) -> bool:
        """Suppress two different items of I in two different rows, if that can be."""
        single = [(row, item) for item in cover.inside for row in self._free(item, cover)]
        for row, item in shuffled(single, lots):
            self._remove(row, item, cover.earlier)
            others = [other for other in cover.inside if other != item]
            second = [(r, other) for other in others for r in self._free(other, cover) if r != row]
            if second:
                self._remove(*second[lots.below(len(second))], cover.earlier)
                return True
            self.masks[cover.earlier][item] |= 1 << row
            self.removed.pop()
        return False

    def _free(self, item: int, cover: Cover) -> Iterator[int]:
        """Rows that hold all of I, and from which the item may go without breaking k^m-anonymity."""
        masks = self.masks[cover.earlier]
        rows = cover.rows & masks[item] if self._stays_first(item, cover.earlier) else 0
        while rows:
            bit = rows & -rows
            others = [mask for other, mask in masks.items() if other != item and mask & bit]
            if all(
                (masks[item] & _all(some)).bit_count() > self.k
                # Supports only fall with more items, so the largest combinations decide.
                for some in combinations(others, min(self.m - 1, len(others)))
            ):
                yield bit.bit_length() - 1
            rows ^= bit

    def _stays_first(self, item: int, chunk: int) -> bool:
        """Whether the chunk is still opened before all later ones if the item loses an occurrence.

        Otherwise the order of the chunks would show that something was suppressed, and where to put it back.
        """
        rarer = {item: self.masks[chunk][item].bit_count() - 1}
        return all(
            self.group[later] != self.group[chunk] or _opener(self.masks[chunk], rarer) < _opener(masks)
            for later, masks in enumerate(self.masks[chunk + 1 :], chunk + 1)
        )

    def _remove(self, row: int, item: int, chunk: int) -> None:
        self.masks[chunk][item] &= ~(1 << row)
        self.removed.append((row, item))


def shuffled(values: list[tuple[int, int]], lots: Lots) -> list[tuple[int, int]]:
    """The values in random order (Fisher and Yates)."""
    out = list(values)
    for last in range(len(out) - 1, 0, -1):
        other = lots.below(last + 1)
        out[last], out[other] = out[other], out[last]
    return out


def _by_support(masks: dict[int, int]) -> list[int]:
    return sorted(masks, key=lambda item: (-masks[item].bit_count(), item))


def _opener(masks: dict[int, int], supports: Mapping[int, int] = MappingProxyType({})) -> tuple[int, int]:
    """Support (negative) and number of the item that is tried first; ``supports`` replace those of some items."""
    return min((-supports.get(item, mask.bit_count()), item) for item, mask in masks.items())


def _levels(items: list[int], masks: dict[int, int]) -> list[tuple[int, list[int]]]:
    """Items grouped by support, the most frequent first: there one occurrence is the smallest loss."""
    levels: dict[int, list[int]] = {}
    for item in items:
        levels.setdefault(masks[item].bit_count(), []).append(item)
    return sorted(levels.items(), reverse=True)


def _all(masks: tuple[int, ...]) -> int:
    both = -1
    for mask in masks:
        both &= mask
    return both


# Lots that protect people: drawn from the operating system, or, marked as such, from a seed.


class Lots(Protocol):
    """Draws lots."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``, all equally likely."""
        ...


@dataclass(frozen=True)
class SystemLots:
    """From the operating system: nobody can draw them again."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return secrets.randbelow(limit)


@dataclass(frozen=True)
class SeededLots:
    """From a generator that was started with a seed: for experiments, which must be repeatable."""

    rng: np.random.Generator

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return int(self.rng.integers(limit))


def lots_of(seed: int | None) -> Lots:
    """Lots of the operating system, or of a seed if there is one."""
    return SystemLots() if seed is None else SeededLots(np.random.default_rng(seed))


# Repair what exact worlds still break: the cover test is sound, but it does not find every broken pair.
#
# A pair of items of two record chunks is broken if no possible world of the cluster, at method level, joins it in k
# records (``cloven.kinds.disassociated.covers.worlds``). The item of the later chunk, the rarer one, goes to the term
# chunk, until nothing is broken. Clusters with more arrangements than ``MOST`` are not looked at;
# ``cloven.kinds.disassociated.covers.worlds.too_large`` counts them.


MOST = 2_000
"""Arrangements of a cluster that are enumerated at most."""


def make_exact(chunks: Chunks, size: int, has_term_chunk: bool, lots: Lots) -> None:
    """Move items to the term chunk until no enumerable world is broken and no cover is left."""
    from cloven.kinds.disassociated.covers.worlds import broken, how_many_arrangements, possible_worlds

    while len(chunks.masks) > 1:
        cluster = _cluster(chunks, size, has_term_chunk)
        if how_many_arrangements(cluster) > MOST:
            return
        # Numbers follow the order in which ties are tried; a reader who knows it rules out most.
        worlds = possible_worlds(cluster, chunks.k, chunks.m, ties="text", limit=MOST)
        found = broken(worlds, chunks.k)
        if found:
            later = int(found[0][1])
        elif chunks.removed and not len(worlds):
            # Nothing but suppression explains such a cluster: a reader could put back what is missing.
            later = max(chunks.masks[-1], key=lambda item: (-chunks.masks[-1][item].bit_count(), item))
        else:
            return
        chunks.move(later, next(c for c, masks in enumerate(chunks.masks) if later in masks))
        chunks.make_safe(lots)


def _cluster(chunks: Chunks, size: int, has_term_chunk: bool) -> Cluster:
    """The chunks as they would be published."""
    rows = []
    for masks in chunks.masks:
        held = [
            tuple(f"{item:012}" for item, mask in masks.items() if mask >> row & 1) for row in range(size)
        ]
        rows.append(tuple(row for row in held if row))
    term = ("a term chunk",) if has_term_chunk or chunks.moved else ()
    return Cluster(size, None, tuple(rows), term)
