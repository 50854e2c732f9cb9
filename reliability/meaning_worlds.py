"""All original data sets that a small disassociated release allows, and what they say of its promise (algorithms A1).

Written apart from ``verify``. A state tells, for every cluster, what its records hold of all that is published with a
count: a sorted tuple of bit sets. Chunks are dealt out row by row, at most one row of a chunk to a record; states that
differ in the order of records alone are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

State = tuple[tuple[int, ...], ...]
MOST_STATES = 1200


@dataclass(frozen=True)
class Chunk:
    """Rows to deal out: to records of which clusters, and which items each of these cannot take."""

    rows: tuple[int, ...]
    barred: dict[int, int]


@dataclass(frozen=True)
class Facts:
    """All that the worlds of a release depend on; items are bits.

    Attributes:
        sizes: records of each cluster.
        chunks: record chunks and shared chunks.
        published: items of each cluster that are published with a count.
        fillers: items of each cluster that any number of its records may hold.
        empty: whether a record may have nothing published.
    """

    sizes: tuple[int, ...]
    chunks: tuple[Chunk, ...]
    published: tuple[int, ...]
    fillers: tuple[int, ...]
    empty: bool


def states_of(facts: Facts) -> set[State] | None:
    """The states of all worlds; None if there are too many."""
    found: set[State] = {tuple((0,) * size for size in facts.sizes)}
    for chunk in facts.chunks:
        dealt = {tuple(tuple(each * 2 for each in cluster) for cluster in state) for state in found}
        for row in sorted(chunk.rows):
            dealt = _dealt(dealt, row, chunk.barred)
            if len(dealt) > MOST_STATES:
                return None
        found = {tuple(tuple(sorted(each >> 1 for each in cluster)) for cluster in state) for state in dealt}
    if facts.empty:
        return found
    bare = [number for number, filler in enumerate(facts.fillers) if not filler]
    return {state for state in found if all(state[number][0] for number in bare)}


def _dealt(states: set[State], row: int, barred: dict[int, int]) -> set[State]:
    """Each state with the row given to one record that has none of its chunk; the lowest bit says who has."""
    found: set[State] = set()
    for state in states:
        for number, bars in barred.items():
            if row & bars:
                continue
            cluster = state[number]
            for at, held in enumerate(cluster):
                if held & 1 or (at and cluster[at - 1] == held):
                    continue
                taken = tuple(sorted((*cluster[:at], held | row * 2 | 1, *cluster[at + 1 :])))
                found.add((*state[:number], taken, *state[number + 1 :]))
        if len(found) > MOST_STATES:
            break
    return found


def subsets(items: int, most: int) -> Iterator[int]:
    """All sets of one to ``most`` of the items."""
    bits = [1 << at for at in range(items.bit_length()) if items >> at & 1]
    for size in range(1, most + 1):
        for chosen in combinations(bits, size):
            yield sum(chosen)


def broken_set(facts: Facts, states: set[State], k: int, m: int) -> int:
    """A set of at most m items that some world gives to a record, and no world to k; 0 if there is none.

    What may have been withheld counts only for sets that hold such an item.
    """
    everything = 0
    for items in (*facts.published, *facts.fillers):
        everything |= items
    hidden = [everything & ~items if facts.empty else 0 for items in facts.published]
    seen = {(number, held) for state in states for number, cluster in enumerate(state) for held in cluster}
    open_, free = set[int](), set[int]()
    for number, held in seen:
        open_.update(subsets(held | facts.fillers[number], m))
        if hidden[number]:
            free.update(each for each in subsets(held | hidden[number], m) if each & hidden[number])
    with_hidden = [facts.fillers[number] | hidden[number] for number in range(len(hidden))]
    for wanted, anywhere in ((open_, facts.fillers), (free - open_, with_hidden)):
        for items in sorted(wanted):
            if not _held_by(states, items, anywhere, k):
                return items
    return 0


def _held_by(states: set[State], items: int, anywhere: Sequence[int], k: int) -> bool:
    """Whether k records hold the items in one of the worlds."""
    needed = [items & ~free for free in anywhere]
    for state in states:
        count = 0
        for need, cluster in zip(needed, state, strict=True):
            count += sum(held & need == need for held in cluster)
        if count >= k:
            return True
    return False


def holds_original(
    facts: Facts, states: set[State], records: Sequence[int], terms: Sequence[int], k: int
) -> bool:
    """Whether one of the worlds is the original.

    Args:
        facts: of the release.
        states: of all worlds.
        records: the original, each record as items; those that are nowhere published are bits too.
        terms: items that a cluster lists in its term chunk: at least one of its records holds each.
        k: fewer than this many occurrences of an item may have been withheld.
    """
    return any(
        _fits(facts, states, chosen, terms, k) for chosen in _parted(tuple(sorted(records)), facts.sizes)
    )


def _parted(records: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All ways to give so many records to each cluster."""
    if not sizes:
        if not records:
            yield ()
        return
    for chosen in sorted({tuple(each) for each in combinations(records, sizes[0])}):
        left = list(records)
        for record in chosen:
            left.remove(record)
        for rest in _parted(tuple(left), sizes[1:]):
            yield (chosen, *rest)


def _fits(
    facts: Facts, states: set[State], chosen: tuple[tuple[int, ...], ...], terms: Sequence[int], k: int
) -> bool:
    withheld: dict[int, int] = {}
    for number, cluster in enumerate(chosen):
        listed = 0
        for record in cluster:
            rest = record & ~facts.published[number]
            listed |= rest
            for bit in subsets(rest & ~facts.fillers[number], 1):
                withheld[bit] = withheld.get(bit, 0) + 1
        if terms[number] & ~listed:
            return False
    if withheld and (not facts.empty or max(withheld.values()) >= k):
        return False
    state = tuple(
        tuple(sorted(record & facts.published[number] for record in cluster))
        for number, cluster in enumerate(chosen)
    )
    return state in states


def holds_some_of_original(states: set[State], records: Sequence[int]) -> bool:
    """Whether, in one of the worlds, each record has nothing but what some record of the original has, each its own."""
    return any(_inside([held for cluster in state for held in cluster], records) for state in states)


def _inside(parts: Sequence[int], records: Sequence[int]) -> bool:
    """Whether every part gets a record of its own that holds all of it: augmenting paths."""
    owner: dict[int, int] = {}

    def place(part: int, seen: set[int]) -> bool:
        for at, record in enumerate(records):
            if at not in seen and parts[part] & ~record == 0:
                seen.add(at)
                if at not in owner or place(owner[at], seen):
                    owner[at] = part
                    return True
        return False

    return len(parts) <= len(records) and all(place(part, set()) for part in range(len(parts)))
