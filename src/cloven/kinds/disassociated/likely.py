"""How far the true count of a set of items lies from what is expected by chance: a distribution, and a way to go.

Items of one person belong together more than a release shows, above all where they are left over. So the hidden part
of a count is taken to be negative binomial. Its mean grows with what is expected, and with how much the items belong
together where they can be seen (*lift*); its spread is large where little is expected:

    log mean = a + b log(left) + c lift        log dispersion = d + e log(mean)

The five numbers were fitted to public data sets (``experiments/likely_counts.py``), for pairs and for larger sets. An
owner may measure, on the data, which tails of it leave out one truth in twenty (``measured_tails.py``), and publish
them: two rounded numbers for each size, of thousands of sets of items.

Without them the distribution is not enough. Its spread grows like the root of a count, as that of draws does. But that
items do not meet by chance is no matter of draws: ten times as many people err ten times as far. So the interval

- ends, below, at what is certain. Items may exclude each other where they are hidden, however often they were to meet;
- ends, above, so far on the way from what chance expects to what is possible at most that few pairs of any data set
  went further, all in logarithms:  log high = (1 - w) log expected + w log most. Twice the data has twice of each, and
  so twice the interval. The way w is one number, for all sizes of data and of sets.

It is never shorter than the interval of the distribution. What is likely is the middle of the distribution, but no
less than chance expects: the mean grows more slowly than the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.counts import COVERED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.compiled import Flags, Floats, Ints, Longs
    from cloven.kinds.disassociated.counts import Expected

PARAMETER = "likely_tails"
"""Where the manifest has what the owner measured."""
SIZES = (2, 3)
"""Sizes of the sets that an owner measures; larger ones take what holds for the largest."""
LARGEST_TAIL = 0.49
"""So that the interval holds what is likely."""
LEAST_TAIL = 1e-12
"""No tail of the distribution is enough: the interval ends where it does for owners who did not measure."""
WAY = 0.85
"""How far up from chance to all that is possible, in logarithms: public data sets and invented ones of up to 1.5
million records needed 0.8 and less, and 0.05 are added for data that nobody has seen: docs/results/likely-counts.md."""
HALF = 0.5
"""Counts are compared as if half a record more were seen: what was not seen is not impossible."""
LEAST = 1e-6


class Shape(NamedTuple):
    """The five numbers of the distribution."""

    level: float
    power: float
    lift: float
    dispersion: float
    decline: float


SHAPES = {2: Shape(2.29, 0.46, 0.35, 2.84, -1.01), 3: Shape(1.66, 0.29, 0.49, 1.32, -0.71)}
"""Fitted to ten public data sets, each with k = 5 and k = 10: docs/results/likely-counts.md."""


@dataclass(frozen=True)
class Tails:
    """What is left out of an interval below and above, for sets of one size.

    Attributes:
        size: number of items.
        below: probability that the distribution gives to what lies below the interval.
        above: the same above it.
        measured: whether the owner measured them; else the interval does not end at them alone.
    """

    size: int
    below: float = (1 - COVERED) / 2
    above: float = (1 - COVERED) / 2
    measured: bool = False

    @classmethod
    def of(cls, parameters: Mapping[str, Any], size: int) -> Tails:
        """Those that a release names, else those that the distribution asks for."""
        found = parameters.get(PARAMETER, {})
        known = found.get(str(min(size, SIZES[-1]))) if isinstance(found, dict) else None
        if size < SIZES[0] or known is None:
            return cls(size)
        if not (isinstance(known, list) and len(known) == 2 and all(map(_is_tail, known))):
            wanted = f"two numbers above 0 and up to {LARGEST_TAIL}"
            message = f"{PARAMETER} should be {wanted}; got {known!r}; run `cloven verify` on the release"
            raise ParameterError(message)
        return cls(size, known[0], known[1], measured=True)


def spread(
    found: Expected, tails: Tails, numbers: Shape | None = None, way: float = WAY, room: int | None = None
) -> tuple[Longs, Longs, Longs]:
    """What is likely of each set, and the two ends of the interval, all between the bounds of ``found``.

    With ``room`` so many records may hold a set, as occurrences were suppressed, or persons counted. Then it is all the
    way to what is possible of those that are published.
    """
    mean, shape, chance = hidden_part(found, tails.size, numbers)
    exact, hidden = np.rint(found.exact), found.apart + found.left
    middle = np.maximum(_first(lambda value: up_to(value, shape, chance) >= HALF, mean), np.rint(hidden))
    low: Floats = found.least
    high: Floats = exact + _first(lambda value: beyond(value, shape, chance) <= tails.above, mean)
    if tails.measured and tails.below > LEAST_TAIL:
        low = exact + _first(lambda value: up_to(value, shape, chance) >= tails.below, mean)
    if not tails.measured or tails.above <= LEAST_TAIL:
        high = np.maximum(high, exact + reach(hidden, found.most - exact, way if room is None else 1.0))
    most = found.most if room is None else np.full(len(exact), float(room))
    first, last = (np.clip(end, found.least, most).astype(np.int64) for end in (low, high))
    return np.clip((exact + middle).astype(np.int64), first, last), first, last


def reach(hidden: Floats, most: Floats, way: float = WAY) -> Floats:
    """The count that lies so far on the way from what is expected to all that is possible, in logarithms.

    >>> reach(np.array([0.0, 100.0, 1000.0]), np.array([8.0, 900.0, 9000.0])).tolist()
    [6.0, 648.0, 6474.0]
    """
    chance, possible = hidden + HALF, np.maximum(most, hidden) + HALF
    found: Floats = np.ceil(chance * (possible / chance) ** way - HALF)
    return np.minimum(found, np.ceil(possible - HALF))


def hidden_part(found: Expected, size: int, numbers: Shape | None = None) -> tuple[Floats, Floats, Floats]:
    """Mean, shape and chance of the negative binomial distribution of the hidden part of each count."""
    fit = SHAPES[min(size, SIZES[-1])] if numbers is None else numbers
    lift = np.log((found.exact + found.apart + HALF) / (found.visible + HALF))
    logged = fit.level + fit.power * np.log(np.maximum(found.left, LEAST)) + fit.lift * lift
    mean = found.apart + np.exp(np.clip(logged, -20, 12))
    dispersion = np.exp(np.clip(fit.dispersion + fit.decline * np.log(mean + 0.3), -7, 4))
    return mean, 1 / dispersion, 1 / (1 + mean * dispersion)


def up_to(value: Ints, shape: Floats, chance: Floats) -> Floats:
    """Probability of a value or less."""
    from scipy.special import betainc

    found: Floats = betainc(shape, value + 1, chance)
    return found


def beyond(value: Ints, shape: Floats, chance: Floats) -> Floats:
    """Probability of more than a value, exact in the far tail."""
    from scipy.special import betainc

    found: Floats = betainc(value + 1, shape, 1 - chance)
    return found


def _first(reached: Callable[[Floats], Flags], mean: Floats) -> Longs:
    """The first whole number from 0 at which something holds that goes on to hold, for each mean."""
    low, high = np.full(len(mean), -1.0), np.maximum(np.ceil(mean), 1.0)
    while not (there := reached(high)).all() and high.max() < 2**52:
        low, high = np.where(there, low, high), np.where(there, high, 2 * high)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        there = reached(middle) | (high - low <= 1)
        low, high = np.where(there, low, middle), np.where(there & (high - low > 1), middle, high)
    return high.astype(np.int64)


def _is_tail(value: object) -> bool:
    return isinstance(value, float) and LEAST_TAIL <= value <= LARGEST_TAIL
