"""Attackers of different strength (Barakat et al. 2016, section 6), for any m.

*Strong*: knows what matters, so every cover counts. *Moderate*: knows m random items of each record of a random part of
the data. *Weak*: knows random items and random words of a dictionary, or what is frequent in a public data set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cloven.breach.knowledge import Knowledge, codes_of
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions


@dataclass(frozen=True)
class Strong:
    """Knows every pair that a cover is about."""

    name: ClassVar[str] = "strong"
    random: ClassVar[bool] = False

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """Every pair."""
        del original, rng
        return Knowledge.all(len(release.vocabulary))


@dataclass(frozen=True)
class Moderate:
    """Knows up to m random items of each of some records; records and items are drawn anew each time.

    Attributes:
        share: part of the records of which something is known. The paper does not tell its own.
    """

    share: float = 0.1
    name: ClassVar[str] = "moderate"
    random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            message = f"share of known records must be above 0 and at most 1 (got {self.share})"
            raise ParameterError(message)

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """One itemset of each known record: m of its items, or all if it has fewer."""
        if original is None:
            message = "a moderate attacker knows parts of records: give original, the data behind the release"
            raise ParameterError(message)
        records = rng.choice(len(original), max(1, round(self.share * len(original))), replace=False)
        length = original.lengths[records]
        start = np.cumsum(length) - length
        row = np.repeat(np.arange(len(records)), length)
        place = np.arange(len(row)) + np.repeat(original.offsets[records] - start, length)
        shuffled = np.lexsort((rng.random(len(row)), row))
        kept = shuffled[np.arange(len(row)) - np.repeat(start, length) < release.m]
        codes = codes_of(release, original.vocabulary)[original.codes[place[kept]]]
        offsets = np.concatenate(([0], np.cumsum(np.minimum(length, release.m))))
        return Knowledge.of_itemsets(offsets, codes, len(release.vocabulary))


@dataclass(frozen=True)
class WeakWords:
    """Knows some random items of the data and some random words: all pairs of them.

    A word that is the name of an item, letter by letter, counts as that item; other words match nothing.

    Attributes:
        dictionary: the words to draw from, such as the lemmas of WordNet; repeats do not count.
        items: how many items.
        words: how many words.
    """

    dictionary: Sequence[str] = field(repr=False)
    items: int = 10
    words: int = 10
    name: ClassVar[str] = "weak (words)"
    random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "dictionary", tuple(dict.fromkeys(self.dictionary)))
        if not 0 <= self.words <= len(self.dictionary) or self.items < 0:
            message = (
                f"a weak attacker needs {self.items} items and {self.words} words of a dictionary"
                f" (got {len(self.dictionary)} words); give a longer dictionary or ask for fewer"
            )
            raise ParameterError(message)

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """All pairs of newly drawn items and words."""
        names = release.vocabulary if original is None else original.vocabulary
        known = _some(names, self.items, rng) + _some(self.dictionary, self.words, rng)
        return _one_itemset(codes_of(release, list(dict.fromkeys(known))), len(release.vocabulary))


@dataclass(frozen=True)
class WeakPublic:
    """Knows what goes together in a public data set: its most frequent itemsets, and its strongest rules.

    A rule gives the itemset of both its sides. Rules are taken from ten times as many itemsets, best confidence first.

    Attributes:
        data: the public data; items are matched by name.
        top: how many itemsets of 2 to m items, and how many rules.
        rules: whether rules are known too.
    """

    data: Transactions
    top: int = 1000
    rules: bool = True
    name: ClassVar[str] = "weak (public)"
    random: ClassVar[bool] = False

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """The same each time."""
        from cloven.measure.mining import top_itemsets

        del original, rng
        most = max(2, release.m)
        pool = top_itemsets(self.data, self.top * (10 if self.rules else 1), min_size=2, max_size=most)
        known = list(pool.itemsets[: self.top])
        if self.rules and len(pool):
            best = np.argsort(-self._confidence(pool.itemsets, pool.supports), kind="stable")[: self.top]
            known += [pool.itemsets[number] for number in best.tolist()]
        offsets = np.cumsum([0, *(len(itemset) for itemset in known)])
        codes = codes_of(release, [item for itemset in known for item in itemset])
        return Knowledge.of_itemsets(offsets, codes, len(release.vocabulary))

    def _confidence(
        self, itemsets: Sequence[tuple[str, ...]], supports: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Confidence of the best rule that each itemset gives, with one item as its right side."""
        from cloven.measure.mining import supports as count

        left = [itemset[:at] + itemset[at + 1 :] for itemset in itemsets for at in range(len(itemset))]
        sizes = np.array([len(itemset) for itemset in itemsets])
        least = np.minimum.reduceat(count(self.data, left), np.cumsum(sizes) - sizes)
        return supports / least


def _some(names: Sequence[str], many: int, rng: np.random.Generator) -> list[str]:
    """Random names, without repeats; all if there are no more."""
    chosen = rng.permutation(len(names))[:many]
    return [names[number] for number in chosen.tolist()]


def _one_itemset(codes: NDArray[np.int64], width: int) -> Knowledge:
    return Knowledge.of_itemsets(np.array([0, len(codes)]), codes, width)
