"""How far the true count of a set of items lies from what is expected by chance: a distribution, not a spread of draws.

Items of one person belong together more than a release shows, above all where they are left over. So the hidden part
of a count is taken to be negative binomial. Its mean grows with what is expected, and with how much the items belong
together where they can be seen (*lift*); its spread is large where little is expected:

    log mean = a + b log(left) + c lift        log dispersion = d + e log(mean)

The five numbers were fitted to public data sets (``experiments/likely_counts.py``), for pairs and for larger sets. An
owner may measure, on the data, which tails of it leave out one truth in twenty (``measure``), and publish them: two
rounded numbers for each size, of thousands of sets of items. Without them, what holds for other data is all there is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.counts import COVERED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.compiled import Flags, Floats, Ints, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.counts import Expected
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated

PARAMETER = "likely_tails"
"""Where the manifest has what the owner measured."""
SIZES = (2, 3)
"""Sizes of the sets that an owner measures; larger ones take what holds for the largest."""
LARGEST_TAIL = 0.49
"""So that the interval holds what is likely."""
LEAST_TAIL = 1e-12
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
        measured: whether the owner measured them.
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


def spread(found: Expected, tails: Tails, numbers: Shape | None = None) -> tuple[Longs, Longs, Longs]:
    """What is likely of each set, and the two ends of the interval."""
    mean, shape, chance = hidden_part(found, tails.size, numbers)
    at_least = _first(lambda value: up_to(value, shape, chance) >= tails.below, mean)
    middle = _first(lambda value: up_to(value, shape, chance) >= HALF, mean)
    at_most = _first(lambda value: beyond(value, shape, chance) <= tails.above, mean)
    exact = np.rint(found.exact).astype(np.int64)
    return exact + middle, exact + at_least, exact + at_most


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


# What an owner measures.


FEWEST = 1_000
"""Records below which figures that are measured on them move with a single one (12 and 30 did, 4,917 did not)."""


def measured(
    result: Anonymised, data: Transactions, rng: np.random.Generator, sets: int = 10_000
) -> Anonymised:
    """The same release with the tails of its likely counts, measured on the data.

    Half of the sets of items are drawn from records, half item by item. What is published of them are two quantiles
    for each size, rounded outwards to two digits, so that none rests on one person; but they are figures of the data.

    Raises:
        ParameterError: so few records that one of them can be read off the figures.
    """
    if len(data) < FEWEST:
        message = (
            f"counts are measured for the public from {FEWEST:,} records on, got {len(data):,}: of fewer the figures"
            " tell of single ones; leave --measure-counts out"
        )
        raise ParameterError(message)
    found = {str(size): list(tails_on(data, result.release, size, rng, sets)) for size in SIZES}
    parameters = {**result.release.parameters, PARAMETER: found}
    return replace(result, release=replace(result.release, parameters=parameters))


def tails_on(
    data: Transactions, release: Disassociated, size: int, rng: np.random.Generator, sets: int
) -> tuple[float, float]:
    """Tails that leave out one truth in twenty of so many sets of items, rounded so as to leave out fewer."""
    from cloven.kinds.disassociated.counts import expected

    drawn = np.concatenate([draw(data, release, size, sets // 2, rng) for draw in (from_records, by_support)])
    found = expected(release.shown, drawn)
    hidden = truth(data, release, drawn) - np.rint(found.exact)
    _, shape, chance = hidden_part(found, size)
    below = np.quantile(up_to(hidden, shape, chance), (1 - COVERED) / 2)
    reached = np.where(hidden > 0, beyond(np.maximum(hidden - 1, 0), shape, chance), 1.0)
    above = np.quantile(reached, (1 - COVERED) / 2)
    return _rounded(float(below)), _rounded(float(above))


def from_records(
    data: Transactions, release: Disassociated, size: int, sets: int, rng: np.random.Generator
) -> Longs:
    """Sets of published items that a random record holds, so that they occur."""
    record, item = _published(data, release)
    lengths = np.bincount(record, minlength=len(data))
    starts = np.cumsum(lengths) - lengths
    fitting = np.flatnonzero(lengths >= size)
    if not len(fitting):
        message = f"no record holds {size} published items; there is nothing to measure likely counts on"
        raise ParameterError(message)
    drawn = rng.choice(fitting, sets)
    places = [rng.choice(length, size, replace=False) for length in lengths[drawn].tolist()]
    return np.sort(item[starts[drawn][:, None] + np.array(places)], axis=1)


def by_support(
    data: Transactions, release: Disassociated, size: int, sets: int, rng: np.random.Generator
) -> Longs:
    """Sets of different published items, each drawn as often as people hold it."""
    _, item = _published(data, release)
    if len(np.unique(item)) < size:
        message = f"fewer than {size} items are published; there is nothing to measure likely counts on"
        raise ParameterError(message)
    found = np.empty((0, size), np.int64)
    while len(found) < sets:
        drawn = np.sort(item[rng.integers(len(item), size=(2 * sets, size))], axis=1)
        found = np.concatenate((found, drawn[(np.diff(drawn, axis=1) > 0).all(axis=1)]))
    return found[:sets]


def truth(data: Transactions, release: Disassociated, sets: Longs) -> Longs:
    """How many records of the data hold each set of items of a release."""
    from cloven.statistics.mining import supports

    names = release.vocabulary
    return supports(data, [[names[code] for code in row] for row in sets.tolist()])


def _published(data: Transactions, release: Disassociated) -> tuple[Longs, Longs]:
    """Records and items (as the release numbers them) of all occurrences of published items."""
    known = {name: code for code, name in enumerate(release.vocabulary)}
    code = np.array([known.get(name, -1) for name in data.vocabulary], np.int64)[data.codes]
    record = np.repeat(np.arange(len(data)), data.lengths)
    return record[code >= 0], code[code >= 0]


def _rounded(tail: float) -> float:
    """Two digits, downwards, so that an interval is never too short for it.

    >>> _rounded(0.0239), _rounded(0.7), _rounded(0.0)
    (0.023, 0.49, 1e-12)
    """
    if tail >= LARGEST_TAIL or tail <= LEAST_TAIL:
        return LARGEST_TAIL if tail >= LARGEST_TAIL else LEAST_TAIL
    unit = 10.0 ** (floor(log10(tail)) - 1)
    return float(f"{floor(tail / unit + 1e-9) * unit:.1e}")


def _is_tail(value: object) -> bool:
    return isinstance(value, float) and LEAST_TAIL <= value <= LARGEST_TAIL
