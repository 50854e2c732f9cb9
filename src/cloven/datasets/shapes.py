"""Published shapes of well-known data sets, for benchmarks where the data themselves cannot be had."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from cloven.datasets.baskets import sparse
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions


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


_FITTED = "published; skew and spread fitted to the public copy"

SHAPES = MappingProxyType(
    {
        "aol": Shape(65_517, 1_216_655, 35.0, 1_000, source="records and items published; the rest assumed"),
        "groceries": Shape(9_835, 169, 4.41, 32, 0.8, 0.8, _FITTED),
        "kosarak": Shape(990_002, 41_270, 8.1, 2_498),
        "pos": Shape(515_597, 1_657, 6.5, 164),
        "retail": Shape(88_162, 16_470, 10.3, 76),
        "t10i4d100k": Shape(100_000, 870, 10.1, 29, 0.1, 0.4, _FITTED),
        "webview1": Shape(59_602, 497, 2.51, 267, 0.6, 1.0, _FITTED),
        "webview2": Shape(77_512, 3_340, 4.62, 161, 0.65, 1.0, _FITTED),
    }
)


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
