"""Fill records with items: popular items, patterns of items, and every item at least once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
