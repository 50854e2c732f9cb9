"""Possible worlds of one cluster: every original that its published chunks allow, or only those that the method allows.

*Release level*: the sub-records of later record chunks stand on the slots of the first one in any way, one of a chunk
to a slot; no record is empty unless a term chunk or a joint may fill it. *Method level*: moreover VERPART, run on such
a world, must give back these chunks under some order of equal supports. That is so if and only if every item x of a
later chunk fails against every earlier one: among the items there with at least the support of x, some combination of
up to m - 1 occurs with x in fewer than k records. (Failing is monotone: an item that fails against some items fails
against more, so the order most favourable to the release tries the items of a chunk before others of equal support.)

Rows are taken as labelled, equal sub-records as interchangeable, and term chunks are left out: their multiplicities are
not told. Small clusters are enumerated, others sampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.compiled import Flags, Ints, compiled
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloven.kinds.disassociated.release import Cluster, Disassociated, Row


Level = Literal["release", "method"]
Ties = Literal["some", "text"]
"""Which order of equal supports a world may assume: any one, or that of the names, which most releases publish."""
Masks = dict[str, int]
"""Slots that hold each item, as bits."""


@dataclass(frozen=True)
class Worlds:
    """The possible worlds of a cluster.

    Attributes:
        slots: number of records.
        chunks: items of each record chunk.
        level: what a world must agree with.
        exact: whether all were looked at; if not, they are a uniform sample.
        arrangements: how many arrangements there are, consistent or not.
        examined: how many of them were looked at.
        worlds: those that are consistent, each the slots (bits) of every item.
    """

    slots: int
    chunks: tuple[frozenset[str], ...]
    level: Level
    exact: bool
    arrangements: int
    examined: int
    worlds: tuple[Masks, ...]

    def __len__(self) -> int:
        return len(self.worlds)

    def together(self, first: str, second: str) -> list[int]:
        """In how many records the two items meet, in each world."""
        return [(world[first] & world[second]).bit_count() for world in self.worlds]


def possible_worlds(
    cluster: Cluster,
    k: int,
    m: int,
    level: Level = "method",
    *,
    ties: Ties = "some",
    limit: int = 20_000,
    rng: np.random.Generator | None = None,
) -> Worlds:
    """All worlds of a cluster with up to ``limit`` arrangements; else ``limit`` random arrangements are tried.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> cluster = cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release.cluster(0)
    >>> [len(possible_worlds(cluster, 2, 2, level)) for level in ("release", "method")]
    [6, 5]
    """
    if level not in ("release", "method"):
        message = f"level must be 'release' or 'method' (got {level!r})"
        raise ParameterError(message)
    layout = _Layout.of(cluster)
    total = how_many_arrangements(cluster)
    exact = total <= limit
    tried = layout.all() if exact else layout.some(limit, rng or np.random.default_rng())
    alone = not cluster.term_chunk and cluster.joint is None
    full = (1 << cluster.size) - 1
    worlds = []
    examined = 0
    for masks in tried:
        examined += 1
        if alone and _union(masks) != full:
            continue
        if level == "release" or fails_everywhere(masks, layout.chunks, k, m, ties):
            worlds.append(masks)
    return Worlds(cluster.size, layout.chunks, level, exact, total, examined, tuple(worlds))


def how_many_arrangements(cluster: Cluster) -> int:
    """Number of ways to put the chunks of a cluster on each other."""
    total = 1
    for copies in _Layout.of(cluster).copies:
        total *= how_many(copies, cluster.size)
    return total


def too_large(release: Disassociated, limit: int) -> int:
    """Clusters with several record chunks whose arrangements are more than ``limit``."""
    return sum(
        len(cluster.record_chunks) > 1 and how_many_arrangements(cluster) > limit
        for cluster in release.iter_clusters()
    )


def fails_everywhere(
    masks: Mapping[str, int], chunks: Sequence[frozenset[str]], k: int, m: int, ties: Ties = "some"
) -> bool:
    """Whether every item of a later chunk fails against every earlier one, as the method found it.

    With ``ties="text"`` an item was tried only after those of equal support whose names come first.
    """
    for later in range(1, len(chunks)):
        for x in chunks[later]:
            support = masks[x].bit_count()
            for earlier in range(later):
                inside = [
                    masks[y]
                    for y in chunks[earlier]
                    if masks[y].bit_count() >= support + (ties == "text" and y > x)
                ]
                if not fails(masks[x], inside, k, m):
                    return False
    return True


def fails(mask: int, others: Sequence[int], k: int, m: int) -> bool:
    """Whether some combination of up to m - 1 others occurs with this item, but in fewer than k records."""
    level = [mask]
    for _ in range(min(m - 1, len(others))):
        following = set()
        for held in level:
            for other in others:
                both = held & other
                if both and both.bit_count() < k:
                    return True
                if both != held:
                    following.add(both)
        following.discard(0)
        level = list(following)
    return False


@dataclass(frozen=True)
class _Layout:
    """The chunks of a cluster, ready to be put on each other."""

    slots: int
    chunks: tuple[frozenset[str], ...]
    first: Masks
    rows: tuple[tuple[Row, ...], ...]
    copies: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, cluster: Cluster) -> _Layout:
        chunks = cluster.record_chunks
        different = tuple(tuple(dict.fromkeys(chunk)) for chunk in chunks[1:])
        return cls(
            cluster.size,
            tuple(frozenset(item for row in chunk for item in row) for chunk in chunks),
            _masks(chunks[0], tuple((slot,) for slot in range(len(chunks[0])))) if chunks else {},
            different,
            tuple(
                tuple(chunk.count(row) for row in rows)
                for chunk, rows in zip(chunks[1:], different, strict=True)
            ),
        )

    def all(self) -> Iterator[Masks]:
        """Every arrangement of every chunk."""
        every = [list(in_order(copies, self.slots)) for copies in self.copies]
        return map(self._world, product(*every))

    def some(self, many: int, rng: np.random.Generator) -> Iterator[Masks]:
        """Random arrangements, all equally likely."""
        return (
            self._world([drawn_arrangement(copies, self.slots, rng) for copies in self.copies])
            for _ in range(many)
        )

    def _world(self, arrangements: Sequence[Arrangement]) -> Masks:
        world = dict(self.first)
        for rows, arrangement in zip(self.rows, arrangements, strict=True):
            world |= _masks(rows, arrangement)
        return world


def _masks(rows: Sequence[Row], arrangement: Arrangement) -> Masks:
    """Slots that hold each item."""
    masks: Masks = {}
    for row, slots in zip(rows, arrangement, strict=True):
        here = 0
        for slot in slots:
            here |= 1 << slot
        for item in row:
            masks[item] = masks.get(item, 0) | here
    return masks


def _union(masks: Masks) -> int:
    union = 0
    for mask in masks.values():
        union |= mask
    return union


# All ways to put the sub-records of a chunk on the slots of a cluster, one to a slot.


Arrangement = tuple[tuple[int, ...], ...]
"""The slots of each different sub-record."""


def how_many(copies: Sequence[int], slots: int) -> int:
    """Number of arrangements of sub-records with these copies.

    >>> how_many([2], 4), how_many([1, 1], 3)
    (6, 6)
    """
    total, left = 1, slots
    for many in copies:
        total *= comb(left, many)
        left -= many
    return total


def in_order(copies: Sequence[int], slots: int) -> Iterator[Arrangement]:
    """Arrangements in lexicographic order.

    >>> list(in_order([2], 3))
    [((0, 1),), ((0, 2),), ((1, 2),)]
    """
    yield from _rest(copies, tuple(range(slots)))


def _rest(copies: Sequence[int], free: tuple[int, ...]) -> Iterator[Arrangement]:
    if not copies:
        yield ()
        return
    for here in combinations(free, copies[0]):
        taken = set(here)
        for others in _rest(copies[1:], tuple(slot for slot in free if slot not in taken)):
            yield (here, *others)


@compiled
def to_next_in_order(put: Ints, copies: Ints, taken: Flags) -> None:
    """Go on to the next arrangement of ``in_order``: the slots of all sub-records, one after the other.

    ``taken`` are the slots that are used. There must be a next one.
    """
    # The last sub-record that can still move up moves; what stands behind it begins again.
    place, end, part = len(put), len(put), len(copies) - 1
    moved = False
    while not moved:
        place -= 1
        if place < end - copies[part]:
            end -= copies[part]
            part -= 1
        taken[put[place]] = False
        for slot in range(put[place] + 1, len(taken)):
            if not taken[slot] and _has_room(taken, slot + 1, end - place - 1):
                put[place], taken[slot], moved = slot, True, True
                break
    # Behind it in the same sub-record ascending from there, in the next ones from the start.
    slot = put[place] + 1
    for behind in range(place + 1, len(put)):
        if behind >= end:
            slot = 0
            part += 1
            end += copies[part]
        while taken[slot]:
            slot += 1
        put[behind] = slot
        taken[slot] = True


@compiled
def _has_room(taken: Flags, first: int, many: int) -> bool:
    """Whether so many slots from ``first`` on are free."""
    for slot in range(first, len(taken)):
        if many == 0:
            break
        many -= not taken[slot]
    return bool(many == 0)


def drawn_arrangement(copies: Sequence[int], slots: int, rng: np.random.Generator) -> Arrangement:
    """One arrangement, all equally likely."""
    order = rng.permutation(slots).tolist()
    found, at = [], 0
    for many in copies:
        found.append(tuple(sorted(order[at : at + many])))
        at += many
    return tuple(found)


# What follows from the possible worlds of a cluster: pairs of items of two record chunks are *broken* if no world joins
# them in k records. The disassociation guarantee does not hold for them against a reader who knows the method.


def broken(worlds: Worlds, k: int) -> list[tuple[str, str]]:
    """Pairs that no world joins in k records, the item of the earlier chunk first. In a sample: none that was drawn."""
    return [
        (y, x)
        for earlier, later in combinations(worlds.chunks, 2)
        for y, x in product(sorted(earlier), sorted(later))
        if worlds.worlds and max(worlds.together(y, x)) < k
    ]
