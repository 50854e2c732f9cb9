"""What follows from the possible worlds of a cluster: pairs never joined, and records that give themselves away.

A pair of items of two record chunks is *broken* if no world joins it in k records: the disassociation guarantee does
not hold for it against a reader who knows the method. Whoever knows such a pair of one person learns more: the items
that every record with the pair holds in every world. If these are more than m, the reader has learned something new;
if they are all that the record can hold, the person is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.breach.worlds import Worlds


@dataclass(frozen=True)
class Pair:
    """What all worlds say about two items of different record chunks.

    Attributes:
        items: the items, that of the earlier chunk first.
        least: fewest records in which they meet, over the worlds.
        most: most.
        joined: share of the worlds in which at least k records hold both.
        certain: items that every record with both holds in every world, these two included.
        possible: items that some record with both holds in some world.
    """

    items: tuple[str, str]
    least: int
    most: int
    joined: float
    certain: frozenset[str]
    possible: frozenset[str]


def pairs(worlds: Worlds, k: int) -> Iterator[Pair]:
    """All pairs of items of different record chunks, with what follows about each."""
    for later in range(1, len(worlds.chunks)):
        for earlier in range(later):
            for y in sorted(worlds.chunks[earlier]):
                for x in sorted(worlds.chunks[later]):
                    yield pair(worlds, y, x, k)


def pair(worlds: Worlds, first: str, second: str, k: int) -> Pair:
    """What follows about one pair."""
    meet = [world[first] & world[second] for world in worlds.worlds]
    counts = [both.bit_count() for both in meet]
    items = sorted(set().union(*worlds.chunks))
    certain = frozenset(
        item
        for item in items
        if all(not both & ~world[item] for both, world in zip(meet, worlds.worlds, strict=True))
    )
    possible = frozenset(
        item
        for item in items
        if any(both & world[item] for both, world in zip(meet, worlds.worlds, strict=True))
    )
    never = not any(counts)
    return Pair(
        (first, second),
        min(counts, default=0),
        max(counts, default=0),
        sum(count >= k for count in counts) / len(counts) if counts else 0.0,
        frozenset() if never else certain,
        possible,
    )


def broken(worlds: Worlds, k: int) -> list[Pair]:
    """Pairs that no world joins in k records. In a sample: none that was drawn."""
    return [found for found in pairs(worlds, k) if worlds.worlds and found.most < k]
