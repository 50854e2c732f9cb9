"""Random orders of the slots of a cluster, the same as ``Generator.permuted`` of NumPy gives, inside compiled loops.

Each cluster has lots of its own: those of ``np.random.default_rng([seed, cluster])``, which are PCG64 (M. O'Neill,
HMC-CS-2014-0905; multiplier of 128 bits, XSL RR).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Ints

AHEAD = 2048
"""Lots that are drawn at a time."""

_HALF = (1 << 64) - 1
_HIGH, _LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
_32, _58, _63, _64 = np.uint64(32), np.uint64(58), np.uint64(63), np.uint64(64)
_QUARTER = np.uint64((1 << 32) - 1)


class Lots(NamedTuple):
    """Lots of one cluster.

    Attributes:
        state: of the source, as ``states`` gives it.
        ahead: numbers of 32 bits that were drawn.
        used: how many of them were used.
    """

    state: Ints
    ahead: Ints
    used: Ints


def states(seed: int, clusters: Iterable[int]) -> NDArray[np.uint64]:
    """The source of the lots of each cluster: the upper and lower half of its state, and of its increment."""
    told = (np.random.PCG64([seed, cluster]).state["state"] for cluster in clusters)
    halves = [
        (each["state"] >> 64, each["state"] & _HALF, each["inc"] >> 64, each["inc"] & _HALF) for each in told
    ]
    return np.array(halves, np.uint64).reshape(-1, 4)


@compiled
def lots_of(state: Ints) -> Lots:
    """The lots of a source, from where it stands."""
    return Lots(state, np.empty(AHEAD, np.uint32), np.full(1, AHEAD))


@compiled
def draw(state: Ints, ahead: Ints) -> None:
    """Draw lots ahead: of 64 random bits the lower half comes first."""
    high, low, more, least = state[0], state[1], state[2], state[3]
    for at in range(0, len(ahead), 2):
        high = _upper_half(low, _LOW) + high * _LOW + low * _HIGH + more
        low = low * _LOW + least
        high += np.uint64(low < least)
        turn, bits = high >> _58, high ^ low
        bits = bits >> turn | bits << ((_64 - turn) & _63)
        ahead[at] = bits & _QUARTER
        ahead[at + 1] = bits >> _32
    state[0], state[1] = high, low


@compiled
def _upper_half(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product."""
    left = (a >> _32) * (b & _QUARTER) + ((a & _QUARTER) * (b & _QUARTER) >> _32)
    right = (a & _QUARTER) * (b >> _32) + (left & _QUARTER)
    return (a >> _32) * (b >> _32) + (left >> _32) + (right >> _32)


@compiled
def shuffle(put: Ints, many: int, slots: int, state: Ints, ahead: Ints, used: Ints) -> None:
    """Make so many random orders of the slots, and write the first places of each into a row of ``put``.

    Each slot from the last on is exchanged with one up to it (R. Durstenfeld, Communications of the ACM 7, 1964, 420).
    That one is drawn below the next power of two until it is small enough.
    """
    order, at, most = np.empty(slots, np.int64), used[0], 1
    while most < slots - 1:
        most = 2 * most + 1
    for row in range(many):
        for slot in range(slots):
            order[slot] = slot
        last, top = slots - 1, most
        while top > 0:
            while last > top >> 1:
                if at == len(ahead):
                    draw(state, ahead)
                    at = 0
                drawn = int(np.int64(ahead[at])) & top
                at += 1
                # A lot that is too large changes nothing; to branch on it would take longer.
                other = min(drawn, last)
                order[last], order[other] = order[other], order[last]
                last -= int(drawn <= last)
            top >>= 1
        for place in range(put.shape[1]):
            put[row, place] = order[place]
    used[0] = at
