"""Background knowledge: pairs of items that somebody knows to belong to one person.

An itemset that is known gives all its pairs, whatever its size: a cover is about two items (Barakat et al. 2016,
section 4 and Algorithm 1, step 13).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions

    Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Pairs of item codes (positions in the vocabulary of a release).

    Attributes:
        width: number of items of the release.
        keys: the pairs as ``smaller code * width + larger code``, ascending.
        everything: whether every pair is known; then ``keys`` is empty.
        left_out: what was given but cannot be used, and how often.

    >>> known = Knowledge.of_itemsets(np.array([0, 3]), np.array([4, 0, 2]), 5)
    >>> len(known), known.knows(np.array([2, 4, 1]), np.array([0, 2, 0])).tolist()
    (3, [True, True, False])
    """

    width: int
    keys: Longs
    everything: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def all(cls, width: int) -> Knowledge:
        """Every pair."""
        return cls(width, np.empty(0, np.int64), everything=True)

    @classmethod
    def of_itemsets(
        cls, offsets: Longs, items: NDArray[Any], width: int, left_out: Mapping[str, int] | None = None
    ) -> Knowledge:
        """All pairs of itemsets in compressed rows; a code below 0 is an item that the release does not have."""
        row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[items >= 0]
        items = items[items >= 0].astype(np.int64)
        keys = [np.empty(0, np.int64)]
        for apart in range(1, int(np.bincount(row).max(initial=1))):
            same = row[apart:] == row[:-apart]
            one, two = items[:-apart][same], items[apart:][same]
            keys.append((np.minimum(one, two) * width + np.maximum(one, two))[one != two])
        return cls(width, distinct(np.concatenate(keys)), left_out=left_out or {})

    def __len__(self) -> int:
        return self.width * (self.width - 1) // 2 if self.everything else len(self.keys)

    def __repr__(self) -> str:
        return f"Knowledge({len(self):,} pairs of {self.width:,} items)"

    def knows(self, first: Longs, second: Longs) -> NDArray[np.bool_]:
        """Which of these pairs are known."""
        if self.everything:
            return np.not_equal(first, second)
        if not len(self.keys):
            return np.zeros(len(first), bool)
        asked = np.minimum(first, second) * self.width + np.maximum(first, second)
        at = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        known: NDArray[np.bool_] = self.keys[at] == asked
        return known


class Attacker(Protocol):
    """Somebody with background knowledge. Parameters are fields."""

    @property
    def name(self) -> str:
        """One or two words for tables."""
        ...

    @property
    def random(self) -> bool:
        """Whether each draw differs."""
        ...

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """What such an attacker may know about a release of these data."""
        ...


def codes_of(release: Disassociated, names: Sequence[str]) -> Longs:
    """Codes of some items in the release; -1 for those it does not have."""
    code = {name: number for number, name in enumerate(release.vocabulary)}
    return np.fromiter((code.get(name, -1) for name in names), np.int64, len(names))
