"""What people do with sets of items, done on data that a release allows and held against the original.

Four analyses, each with the share of it that is kept: how often items occur, how often pairs do, how sure one item
makes another (rules), and a model that tells an item from the others. What is kept is 1 less the mean relative error;
of a model it is the part of what it learns above chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import held_by
from cloven.statistics.mining import Ranked, supports, top_itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions

    Ints = NDArray[np.int32]

MOST = 100
"""Items, and pairs of items, that are looked at: the most frequent ones."""
TARGETS = 10
"""Items that models tell from the others."""
OFTEN, SELDOM = 0.5, 0.01
"""Shares of the records between which an item is worth telling."""
LEARNED = 0.05
"""What a model must know above chance on the original, so that there is something to keep."""


@dataclass(frozen=True, eq=False)
class Analyses:
    """What the analyses find on the original.

    Attributes:
        items: the most frequent items, each alone, and how often they occur.
        pairs: the most frequent pairs, and how often they and each of their two items occur.
        targets: items that models tell.
        test: the records that models are tried on; they learn from the others.
        skills: area under the curve of the model of each target, above chance.
    """

    items: tuple[tuple[str, ...], ...]
    item_supports: Longs
    pairs: tuple[tuple[str, ...], ...]
    pair_supports: Longs
    end_supports: Longs
    targets: tuple[str, ...]
    test: Ranked
    skills: Floats

    @classmethod
    def of(cls, data: Transactions | Ranked) -> Analyses:
        """Do them on the original; models learn from every second record and are tried on the others."""
        ranked = Ranked.of(data)
        original = ranked.data
        items = top_itemsets(ranked, MOST, max_size=1)
        pairs = top_itemsets(ranked, MOST, min_size=2, max_size=2)
        share = original.supports / max(1, len(original))
        worth = np.flatnonzero((share <= OFTEN) & (share >= SELDOM))
        best = worth[np.argsort(-original.supports[worth], kind="stable")][:TARGETS]
        targets = tuple(original.vocabulary[code] for code in best.tolist())
        half = np.arange(len(original)) % 2 == 0
        learn, test = Ranked.of(original.take(half)), Ranked.of(original.take(~half))
        skills = _skills(learn, test, targets)
        ends = supports(ranked, _ends(pairs.itemsets))
        return cls(
            items.itemsets, items.supports, pairs.itemsets, pairs.supports, ends, targets, test, skills
        )

    def item_counts(self, published: Transactions | Ranked) -> float | None:
        """Share of the counts of items that is kept."""
        return _kept(self.item_supports, supports(published, self.items))

    def pair_counts(self, published: Transactions | Ranked) -> float | None:
        """Share of the counts of pairs that is kept."""
        return _kept(self.pair_supports, supports(published, self.pairs))

    def rules(self, published: Transactions | Ranked) -> float | None:
        """Share of the confidence of rules from one item of a frequent pair to the other that is kept."""
        after = supports(published, _ends(self.pairs))
        found = np.repeat(supports(published, self.pairs), 2) / np.maximum(1, after)
        return _kept(np.repeat(self.pair_supports, 2) / self.end_supports, found)

    def models(self, published: Transactions | Ranked) -> float | None:
        """Share of what models learn above chance that they learn from this data too; None if there is nothing."""
        can = self.skills > LEARNED
        if not can.any():
            return None
        named = tuple(name for name, worth in zip(self.targets, can.tolist(), strict=True) if worth)
        found = _skills(Ranked.of(published), self.test, named)
        return float(np.clip(found / self.skills[can], 0.0, 1.0).mean())


def _ends(pairs: tuple[tuple[str, ...], ...]) -> list[tuple[str]]:
    return [(item,) for pair in pairs for item in pair]


def _kept(before: Longs | Floats, after: Longs | Floats) -> float | None:
    """1 less the mean relative error, an error of more than all counting as all.

    >>> _kept(np.array([100, 50]), np.array([90, 50]))
    0.95
    """
    if not len(before):
        return None
    return float(1 - np.minimum(1.0, np.abs(after - before) / before).mean())


def _skills(learn: Ranked, test: Ranked, targets: tuple[str, ...]) -> Floats:
    """Area under the curve, above chance, of naive Bayes models of items (each by what else a record holds)."""
    code_of, names = learn.data.code_of(), test.data.vocabulary
    # A weight for each item of the records to try on; what nobody could learn of has none.
    learned = np.array([code_of.get(name, len(code_of)) for name in names], np.int64)
    tried = test.data.code_of()
    found = np.zeros(len(targets))
    for number, target in enumerate(targets):
        if target in code_of and target in tried:
            weights = np.append(_weights(learn, code_of[target]), 0.0)[learned]
            found[number] = _skill(weights, test, tried[target])
    return found


def _skill(weights: Floats, test: Ranked, target: int) -> float:
    """Area under the curve, above chance, of scores by these weights of items."""
    weights[target] = 0.0
    record = np.repeat(np.arange(len(test.data)), np.diff(test.data.offsets))
    scores = np.bincount(record, weights[test.data.codes], len(test.data)).round(
        9
    )  # so that equal records are equal
    has = np.zeros(len(scores), np.bool_)
    has[test.holders(int(test.rank_of[target]))] = True
    if not has.any() or has.all():
        return 0.0
    others = np.sort(scores[~has])
    mine = np.sort(scores[has])  # who looks up one after the other finds the next one near
    above = np.searchsorted(others, mine, "left") + np.searchsorted(others, mine, "right")
    return float(above.mean() / 2 / len(others) - 0.5)


def _weights(learn: Ranked, target: int) -> Floats:
    """How much each item speaks for the target: logarithms of how much more often it stands beside it."""
    has = learn.holders(int(learn.rank_of[target]))
    beside = held_by(learn.offsets, learn.items, has, len(learn.code_of))[learn.rank_of]
    apart = learn.supports[learn.rank_of] - beside
    with_it, without = (beside + 0.5) / (len(has) + 1), (apart + 0.5) / (len(learn.data) - len(has) + 1)
    weights: Floats = np.log(with_it / without)
    return weights
