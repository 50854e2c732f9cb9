"""Sparse data of any shape: how many records and items, how long, how skewed, how correlated.

Such data are good for measuring time and memory. They say nothing about utility or risk on real data of the
same shape: their patterns are made up, and utility and risk are all about patterns.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


# Record lengths with a given mean and a given longest record.
#
# Lengths follow a log-normal law on 1, 2, ..., ``longest``, its centre chosen so that the mean comes out right.
# They are drawn one from each n-th part of the law, so that little is left to chance; what is left is settled
# by single steps.


STEPS = 100  # halvings of the search for the centre; the interval is then far below a float's precision


def draw_lengths(
    records: int, mean: float, longest: int, spread: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw lengths that add up to ``records * mean`` (rounded), the largest being exactly ``longest``.

    >>> lengths = draw_lengths(1000, 6.5, 164, 1.0, np.random.default_rng(1))
    >>> lengths.mean(), int(lengths.min()), int(lengths.max())
    (np.float64(6.5), 1, 164)
    """
    total = round(records * mean)
    _check_lengths(records, mean, longest, total)
    law = np.cumsum(_law_with_mean(mean, longest, spread))
    parts = (np.arange(records) + rng.random(records)) / records
    lengths = 1 + np.minimum(np.searchsorted(law, parts, side="right"), longest - 1).astype(np.int64)
    lengths[-1] = longest
    _settle(lengths, total, longest, rng)
    return lengths[np.argsort(rng.random(records), kind="stable")]


def _check_lengths(records: int, mean: float, longest: int, total: int) -> None:
    if total > records * longest or mean < 1:
        message = f"mean_length must be between 1 and max_length ({longest}), got {mean}"
        raise ParameterError(message)
    if total < longest + records - 1:
        message = (
            f"{records} records of mean length {mean} cannot hold one of length {longest};"
            f" take max_length {total - records + 1} or more records"
        )
        raise ParameterError(message)


def _law_with_mean(mean: float, longest: int, spread: float) -> NDArray[np.float64]:
    """Probabilities of the lengths 1 to ``longest``; the centre is found by halving."""
    values = np.arange(1, longest + 1)
    logs = np.log(values)
    low, high = -40.0 * spread, float(logs[-1]) + 40.0 * spread
    for _ in range(STEPS):
        centre = (low + high) / 2
        exponents = -((logs - centre) ** 2) / (2 * spread**2) - logs
        weights = np.exp(exponents - exponents.max())
        law: NDArray[np.float64] = weights / weights.sum()
        if law @ values < mean:
            low = centre
        else:
            high = centre
    return law


def _settle(lengths: NDArray[np.int64], total: int, longest: int, rng: np.random.Generator) -> None:
    """Lengthen or shorten random records by one until the sum is right; the last record stays as it is."""
    others = lengths[:-1]
    while missing := total - int(lengths.sum()):
        movable = np.flatnonzero(others < longest if missing > 0 else others > 1)
        order = np.argsort(rng.random(len(movable)), kind="stable")
        others[movable[order[: abs(missing)]]] += np.sign(missing)


# Fill records with items: popular items, patterns of items, and every item at least once.


KEEP = 0.75  # chance that an item of a chosen pattern is taken, so that patterns occur in part too
PATIENCE = 16  # draws without a new item before the next free item is taken instead


class Patterns(NamedTuple):
    """Groups of items that tend to occur together, end to end, with their cumulative weights."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.float64]


@compiled
def draw(cumulative: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draw a position by cumulative weights."""
    place: int = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return min(place, len(cumulative) - 1)


@compiled
def next_free(owner: NDArray[np.int64], number: int, item: int) -> int:
    """Find the first item from ``item`` on, round the end, that ``number`` does not own yet."""
    while owner[item] == number:
        item = (item + 1) % len(owner)
    return item


@compiled
def draw_patterns(
    sizes: NDArray[np.int64], popularity: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw different items by popularity for patterns of these sizes, end to end."""
    items = np.empty(sizes.sum(), np.int32)
    owner = np.full(len(popularity), -1, np.int64)
    filled = 0
    for pattern in range(len(sizes)):
        for _ in range(sizes[pattern]):
            item = draw(popularity, rng)
            tries = 1
            while owner[item] == pattern and tries < PATIENCE:
                item = draw(popularity, rng)
                tries += 1
            item = next_free(owner, pattern, item)
            owner[item] = pattern
            items[filled] = item
            filled += 1
    return items


@compiled
def add_pattern(
    record: NDArray[np.int32],
    filled: int,
    number: int,
    owner: NDArray[np.int64],
    patterns: Patterns,
    rng: np.random.Generator,
) -> int:
    """Add most of one pattern to a record, as far as there is room; return how many items it now holds."""
    pattern = draw(patterns.weights, rng)
    for item in patterns.items[patterns.starts[pattern] : patterns.starts[pattern + 1]]:
        if filled < len(record) and owner[item] != number and rng.random() < KEEP:
            owner[item] = number
            record[filled] = item
            filled += 1
    return filled


@compiled
def fill_record(
    record: NDArray[np.int32],
    filled: int,
    number: int,
    owner: NDArray[np.int64],
    popularity: NDArray[np.float64],
    patterns: Patterns,
    correlation: float,
    rng: np.random.Generator,
) -> None:
    """Add items and patterns to one record until it is full."""
    misses = 0
    while filled < len(record):
        before = filled
        if misses < PATIENCE and rng.random() < correlation:
            filled = add_pattern(record, filled, number, owner, patterns, rng)
        else:
            item = draw(popularity, rng)
            if misses >= PATIENCE:
                item = next_free(owner, number, item)
            if owner[item] != number:
                owner[item] = number
                record[filled] = item
                filled += 1
        misses = 0 if filled > before else misses + 1


@compiled
def fill_records(
    lengths: NDArray[np.int64],
    reserved: NDArray[np.int32],
    popularity: NDArray[np.float64],
    patterns: Patterns,
    correlation: float,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Items of all records, different and ascending inside each.

    ``reserved`` items are spread over all places first, each once, and every place is as likely (selection
    sampling).
    """
    codes = np.empty(lengths.sum(), np.int32)
    owner = np.full(len(popularity), -1, np.int64)
    placed = 0
    start = 0
    for number in range(len(lengths)):
        record = codes[start : start + lengths[number]]
        filled = 0
        for place in range(start, start + len(record)):
            left = len(reserved) - placed
            if left > 0 and rng.random() * (len(codes) - place) < left:
                owner[reserved[placed]] = number
                record[filled] = reserved[placed]
                placed += 1
                filled += 1
        fill_record(record, filled, number, owner, popularity, patterns, correlation, rng)
        record.sort()
        start += len(record)
    return codes


# Published shapes of well-known data sets (``shapes.toml``), for benchmarks where the data themselves cannot be had.


@dataclass(frozen=True)
class Shape:
    """What is known of a data set from outside.

    Attributes:
        records: number of records.
        items: number of different items.
        mean_length: mean number of items of a record.
        max_length: number of items of the longest record.
        skew: exponent of Zipf's law for the popularity of items.
        spread: standard deviation of the logarithm of the lengths.
        source: which of these numbers are published, fitted or assumed.
    """

    records: int
    items: int
    mean_length: float
    max_length: int
    skew: float = 1.0
    spread: float = 1.0
    source: str = "published; skew and spread assumed"


_SHAPES = tomllib.loads(files("cloven.datasets").joinpath("shapes.toml").read_text(encoding="utf-8"))
SHAPES = MappingProxyType({name: Shape(**entry) for name, entry in _SHAPES.items()})


def shaped(name: str, *, scale: float = 1.0, seed: int = 2024) -> Transactions:
    """Make data of a published shape; ``scale`` multiplies the number of records, everything else stays.

    For time and memory only: the patterns are made up, so utility and risk are not those of the real data.

    >>> shaped("groceries", scale=0.1)
    Transactions(984 records, 169 items, 4,339 occurrences)
    """
    if name not in SHAPES:
        message = f"no shape is called {name!r}; the known shapes are {', '.join(sorted(SHAPES))}"
        raise ParameterError(message)
    if not scale > 0:
        message = f"scale must be above 0, got {scale}"
        raise ParameterError(message)
    shape = SHAPES[name]
    return sparse(
        max(1, round(shape.records * scale)),
        shape.items,
        shape.mean_length,
        shape.max_length,
        skew=shape.skew,
        spread=shape.spread,
        seed=seed,
    )
