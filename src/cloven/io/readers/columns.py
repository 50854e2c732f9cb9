"""Which columns of a table hold the record and the item: by their names, and by what stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_RECORD_WORDS = re.compile(
    r"ids?|tid|nr|no|key|orders?|baskets?|carts?|trans(action)?s?|txn|invoices?|bill|receipt|customers?|clients?|users?|"
    r"members?|patients?|persons?|visitors?|visits?|admissions?|cases?|sessions?|records?|households?|documents?|doc|"
    r"query|queries|trips?"
)
_ITEM_WORDS = re.compile(
    r"items?|products?|articles?|sku|ingredients?|drugs?|medications?|diagnos[ei]s|diseases?|symptoms?|findings?|icd|"
    r"procedures?|codes?|terms?|tags?|words?|keywords?|labels?|topics?|skills?|movies?|films?|songs?|books?|titles?|"
    r"pages?|urls?|genres?|categor(y|ies)|descriptions?|names?|values?"
)
_MEASURE_WORDS = re.compile(
    r"date|time|datetime|timestamp|day|month|year|price|cost|amount|total|quantity|qty|count|rating|score|age|weight|"
    r"dose|units?"
)
_COMPARED = 12
_CLOSE = 0.6
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WHOLE = re.compile(r"[-+]?\d+")
_DECIMAL = re.compile(r"[-+]?\d*[.,]\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class Column:
    """One column: its name, its place and the cells that were looked at."""

    name: str
    place: int
    cells: Sequence[str]

    def _named(self, words: re.Pattern[str]) -> bool:
        """Whether one of these words is in its name; ``product_id`` and ``productId`` are alike."""
        return any(words.fullmatch(word.lower()) for word in _WORD.findall(self.name))

    @property
    def named_item(self) -> bool:
        """Whether the name speaks of items."""
        return self._named(_ITEM_WORDS)

    @property
    def named_record(self) -> bool:
        """Whether the name speaks of records; ``product_id`` does not."""
        return self._named(_RECORD_WORDS) and not self.named_item

    @cached_property
    def numeric(self) -> bool:
        """Whether every cell is a whole number."""
        return bool(self.cells) and all(_WHOLE.fullmatch(cell) for cell in self.cells)

    @cached_property
    def decimal(self) -> bool:
        """Whether most cells are decimal numbers, dates or times: no items, no records."""
        return sum(_DECIMAL.fullmatch(cell) is not None for cell in self.cells) > 0.5 * len(self.cells)

    @cached_property
    def distinct(self) -> int:
        """Number of different cells."""
        return len(set(self.cells))

    @property
    def repeats(self) -> bool:
        """Whether some cell stands in several rows."""
        return self.distinct < len(self.cells)

    @property
    def as_record(self) -> float:
        """How well it would say which record a row belongs to."""
        measure = self.decimal or self._named(_MEASURE_WORDS)
        return 2 * self.named_record + self.repeats - 2 * self.named_item - 3 * measure - 0.1 * self.place

    @property
    def as_item(self) -> float:
        """How well it would hold the items."""
        measure = self.decimal or self._named(_MEASURE_WORDS)
        constant = self.distinct < 2 < len(self.cells)
        return 2 * self.named_item + (not self.numeric) - 2 * self.named_record - 3 * measure - 2 * constant


class Pair(NamedTuple):
    """A column of records and a column of items."""

    record: Column
    item: Column
    quality: float


def best_pairs(columns: Sequence[Column]) -> list[Pair]:
    """The likeliest columns of a long table, and the next best for another column of records; none if no two would do.

    >>> table = [Column("order", 0, ["1", "1", "2"]), Column("price", 1, ["0.5", "2.0", "0.5"]),
    ...          Column("product", 2, ["jam", "tea", "jam"])]
    >>> [(pair.record.name, pair.item.name) for pair in best_pairs(table)]
    [('order', 'product')]
    """
    likely = sorted(columns, key=lambda column: -max(column.as_record, column.as_item))[:_COMPARED]
    pairs = [pair for record, item in permutations(likely, 2) if (pair := _pair(record, item)).quality > 0]
    best: dict[str, Pair] = {}
    for pair in sorted(pairs, key=lambda pair: -pair.quality):
        best.setdefault(pair.record.name, pair)
    found = list(best.values())
    return found[:1] + [pair for pair in found[1:2] if pair.quality > _CLOSE * found[0].quality]


def _pair(record: Column, item: Column) -> Pair:
    """In a long table an item stands once in a record, and a record in several rows."""
    rows = list(zip(record.cells, item.cells, strict=True))
    once = len(set(rows)) / max(1, len(rows))
    score = record.as_record + item.as_item
    named = record.named_record and item.named_item
    if score < 0 or not (record.repeats or named):
        return Pair(record, item, 0.0)
    return Pair(
        record, item, (0.5 + 0.08 * min(5.0, score)) * (0.4 + 0.6 * once) * (1.0 if record.repeats else 0.5)
    )
