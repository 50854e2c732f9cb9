"""What people do with sets of items, done on data that a release allows and held against the original.

Four analyses, each with the share of it that is kept: how often items occur, how often pairs do, how sure one item
makes another (rules), and a model that tells an item from the others. What is kept is 1 less the mean relative error;
of a model it is the part of what it learns above chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import positions
from cloven.statistics.mining import Ranked, supports, top_itemsets

if TYPE_CHECKING:
    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions

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
    test: Transactions
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
        learn, test = original.take(half), original.take(~half)
        skills = np.array([_skill(learn, test, name) for name in targets])
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
        learn = published.data if isinstance(published, Ranked) else published
        can = self.skills > LEARNED
        if not can.any():
            return None
        named = [name for name, worth in zip(self.targets, can.tolist(), strict=True) if worth]
        found = np.array([_skill(learn, self.test, name) for name in named])
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


def _skill(learn: Transactions, test: Transactions, target: str) -> float:
    """Area under the curve, above chance, of a naive Bayes model of one item (by what else a record holds)."""
    weights = _weights(learn, target)
    code_of = test.code_of()
    if target not in code_of or not weights:
        return 0.0
    mine = np.array([weights.get(name, 0.0) for name in test.vocabulary])
    mine[code_of[target]] = 0.0
    scores = np.round(np.add.reduceat(mine[test.codes], test.offsets[:-1]), 9)  # equal records are equal
    has = np.zeros(len(test), np.bool_)
    has[_holding(test, code_of[target])] = True
    if not has.any() or has.all():
        return 0.0
    others = np.sort(scores[~has])
    mine = np.sort(scores[has])  # who looks up one after the other finds the next one near
    above = np.searchsorted(others, mine, "left") + np.searchsorted(others, mine, "right")
    return float(above.mean() / 2 / len(others) - 0.5)


def _holding(data: Transactions, code: int) -> Longs:
    """Records that hold an item."""
    return np.searchsorted(data.offsets, np.flatnonzero(data.codes == code), "right") - 1


def _weights(learn: Transactions, target: str) -> dict[str, float]:
    """How much each item speaks for the target: logarithms of how much more often it stands beside it."""
    code_of = learn.code_of()
    if target not in code_of:
        return {}
    has = _holding(learn, code_of[target])
    codes = learn.codes[positions(learn.offsets[has], learn.lengths[has])]
    beside = np.bincount(codes, minlength=len(learn.vocabulary))
    apart = learn.supports - beside
    with_it, without = (beside + 0.5) / (len(has) + 1), (apart + 0.5) / (len(learn) - len(has) + 1)
    return dict(zip(learn.vocabulary, np.log(with_it / without).tolist(), strict=True))
