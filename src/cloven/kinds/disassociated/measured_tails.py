"""Which tails of likely counts leave out one truth in twenty: measured by the owner, on the data, and published.

Readers of a release take them from its manifest (``likely.py``); nothing here is needed to read one.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.figures import percent
from cloven.kinds.counts import COVERED
from cloven.kinds.disassociated.counts import all_records, expected, told
from cloven.kinds.disassociated.likely import (
    LARGEST_TAIL,
    LEAST_TAIL,
    PARAMETER,
    SIZES,
    Tails,
    beyond,
    hidden_part,
    spread,
    up_to,
)
from cloven.statistics.mining import supports

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated

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
    """Tails that leave out one truth in twenty of so many sets of items, rounded so as to leave out fewer.

    Raises:
        ParameterError: neither a tail nor the end of owners who do not measure leaves out so few.
    """
    drawn = np.concatenate([draw(data, release, size, sets // 2, rng) for draw in (from_records, by_support)])
    found = expected(release.shown, drawn)
    true = truth(data, release, drawn)
    hidden = true - np.rint(found.exact)
    _, shape, chance = hidden_part(found, size)
    below = np.quantile(up_to(hidden, shape, chance), (1 - COVERED) / 2)
    reached = np.where(hidden > 0, beyond(np.maximum(hidden - 1, 0), shape, chance), 1.0)
    above = np.quantile(reached, (1 - COVERED) / 2)
    tails = _rounded(float(below)), _rounded(float(above))
    if tails[1] <= LEAST_TAIL:
        room = all_records(release.parameters, release.records)
        high = spread(told(release, drawn), Tails(size), room=room)[2]
        _refuse_unheld(float((true > high).mean()), size)
    return tails


def _refuse_unheld(passed: float, size: int) -> None:
    """Refuse to say that an end was measured which more truths pass than may."""
    if passed > (1 - COVERED) / 2:
        message = (
            f"of sets of {size} items {percent(passed)} are held by more than any interval says that can be published;"
            " leave --measure-counts out, and tell who reads the release"
        )
        raise ParameterError(message)


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
