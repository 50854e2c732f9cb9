"""Sparse data of any shape: how many records and items, how long, how skewed, how correlated.

Such data are good for measuring time and memory. They say nothing about utility or risk on real data of the
same shape: their patterns are made up, and utility and risk are all about patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.datasets.lengths import draw_lengths
from cloven.errors import ParameterError
from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.datasets.basket_kernel import Patterns

PATTERN_SIZES = (2, 6)
ITEMS_PER_PATTERN = 4


def sparse(
    records: int,
    items: int,
    mean_length: float,
    max_length: int,
    *,
    skew: float = 1.0,
    spread: float = 1.0,
    patterns: int | None = None,
    correlation: float = 0.5,
    seed: int = 2024,
) -> Transactions:
    """Make sparse data of a given shape.

    Args:
        records: number of records, none empty.
        items: number of items; each occurs at least once, unless there are fewer occurrences than items.
        mean_length: mean number of items of a record; met up to rounding.
        max_length: length of the longest record; met exactly.
        skew: exponent of Zipf's law for the popularity of items; 0 makes all equally popular.
        spread: standard deviation of the logarithm of the lengths, before the cut at 1 and ``max_length``.
        patterns: number of groups of 2 to 6 items that occur together; a quarter of ``items`` unless given.
        correlation: chance that the next thing put in a record is (most of) a pattern, not one item.
        seed: for repeatable experiments; the data are fictional.

    >>> data = sparse(1000, 50, 4.0, 20)
    >>> len(data), len(data.vocabulary), float(data.lengths.mean()), int(data.lengths.max())
    (1000, 50, 4.0, 20)
    """
    count = max(1, items // ITEMS_PER_PATTERN) if patterns is None else patterns
    _check(records, items, max_length, skew, spread, count, correlation)
    from cloven.datasets.basket_kernel import fill_records

    rng = np.random.default_rng(seed)
    lengths = draw_lengths(records, mean_length, max_length, spread, rng)
    # Popularity must not follow the order of names: algorithms break ties by name.
    popularity = np.cumsum(_shuffled(np.arange(1, items + 1, dtype=np.float64) ** -skew, rng))
    every = np.arange(items, dtype=np.int32)
    reserved = _shuffled(every, rng) if lengths.sum() >= items else every[:0]
    codes = fill_records(lengths, reserved, popularity, _patterns(count, popularity, rng), correlation, rng)
    width = len(str(items - 1))
    return Transactions.from_arrays(lengths, codes, tuple(f"{name:0{width}d}" for name in range(items)))


def _patterns(count: int, popularity: NDArray[np.float64], rng: np.random.Generator) -> Patterns:
    """Draw groups of items; a few groups come often and most seldom (exponential weights)."""
    from cloven.datasets.basket_kernel import Patterns, draw_patterns

    fewest, most = PATTERN_SIZES
    sizes = np.minimum(fewest + (rng.random(count) * (most - fewest + 1)).astype(np.int64), len(popularity))
    weights = np.cumsum(-np.log1p(-rng.random(count)))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return Patterns(starts, draw_patterns(sizes, popularity, rng), weights)


def _check(
    records: int, items: int, max_length: int, skew: float, spread: float, patterns: int, correlation: float
) -> None:
    for name, value in (
        ("records", records),
        ("items", items),
        ("max_length", max_length),
        ("patterns", patterns),
    ):
        if value < 1:
            message = f"{name} must be at least 1, got {value}"
            raise ParameterError(message)
    if max_length > items:
        message = f"max_length must be at most the number of items ({items}), got {max_length}"
        raise ParameterError(message)
    if skew < 0 or spread <= 0:
        message = f"skew must be 0 or more and spread above 0, got {skew} and {spread}"
        raise ParameterError(message)
    if not 0 <= correlation <= 1:
        message = f"correlation must be between 0 and 1, got {correlation}"
        raise ParameterError(message)


def _shuffled(values: NDArray, rng: np.random.Generator) -> NDArray:  # type: ignore[type-arg]
    return values[np.argsort(rng.random(len(values)), kind="stable")]
