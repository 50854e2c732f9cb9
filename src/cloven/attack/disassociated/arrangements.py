"""All ways to put the sub-records of a chunk on the slots of a cluster, one to a slot."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

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


def drawn(copies: Sequence[int], slots: int, rng: np.random.Generator) -> Arrangement:
    """One arrangement, all equally likely."""
    order = rng.permutation(slots).tolist()
    found, at = [], 0
    for many in copies:
        found.append(tuple(sorted(order[at : at + many])))
        at += many
    return tuple(found)
