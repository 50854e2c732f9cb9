"""Compiled passes over the possible worlds of a cluster; a world is one row of bits (its slots) for each item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints

    Bits = NDArray[np.uint64]


@compiled
def _count(word: np.uint64) -> int:
    """Number of bits."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def meetings(bits: Bits, first: Ints, second: Ints, k: int) -> tuple[Ints, Ints, Ints]:
    """Fewest and most records in which each pair meets, and the number of worlds that join it k times."""
    pairs = len(first)
    least, most = np.full(pairs, 2**62, np.int64), np.zeros(pairs, np.int64)
    joined = np.zeros(pairs, np.int64)
    for world in range(bits.shape[0]):
        for at in range(pairs):
            met = 0
            for word in range(bits.shape[2]):
                met += _count(bits[world, first[at], word] & bits[world, second[at], word])
            least[at], most[at] = min(least[at], met), max(most[at], met)
            joined[at] += met >= k
    return least, most, joined


@compiled
def certainties(bits: Bits, first: Ints, second: Ints) -> tuple[Flags, Flags]:
    """For each pair: items that every record with both holds in every world, and items that some such record holds."""
    pairs, items = len(first), bits.shape[1]
    certain, possible = np.ones((pairs, items), np.bool_), np.zeros((pairs, items), np.bool_)
    for world in range(bits.shape[0]):
        for at in range(pairs):
            for word in range(bits.shape[2]):
                both = bits[world, first[at], word] & bits[world, second[at], word]
                if both == 0:
                    continue
                for item in range(items):
                    held = bits[world, item, word]
                    if both & ~held:
                        certain[at, item] = False
                    if both & held:
                        possible[at, item] = True
    return certain, possible


@compiled
def fewest_records(bits: Bits, first: Ints, second: Ints) -> int:
    """Fewest records, over the worlds, that hold one of these pairs."""
    fewest = 2**62
    for world in range(bits.shape[0]):
        many = 0
        for word in range(bits.shape[2]):
            held = np.uint64(0)
            for at in range(len(first)):
                held |= bits[world, first[at], word] & bits[world, second[at], word]
            many += _count(held)
        fewest = min(fewest, many)
    return fewest


@compiled
def held_in(bits: Bits, items: Ints, slots: int) -> Ints:
    """Number of worlds in which each slot holds each of these items."""
    worlds = np.zeros((len(items), slots), np.int64)
    for world in range(bits.shape[0]):
        for at in range(len(items)):
            for slot in range(slots):
                word = bits[world, items[at], slot >> 6]
                worlds[at, slot] += np.int64((word >> np.uint64(slot & 63)) & np.uint64(1))
    return worlds
