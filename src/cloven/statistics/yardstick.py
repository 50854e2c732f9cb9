"""What is counted once on the original, and compared with every data set that a release allows.

tKd, tKd-ML2 and re of Terrovitis et al., PVLDB 2012, section 7: the same for every kind of release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.cores import as_they_come
from cloven.statistics.analyses import Analyses
from cloven.statistics.intervals import Sampled
from cloven.statistics.mining import Ranked, supports, top_itemsets, top_of_both

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.compiled import Longs
    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.statistics.mining import Itemsets


ANALYSES = ("item_counts", "pair_counts", "rules", "models")


class Comparison(NamedTuple):
    """One published data set against the original."""

    tkd: float
    re: RelativeError
    tkd_ml2: float | None
    several: float
    item_counts: float | None = None
    pair_counts: float | None = None
    rules: float | None = None
    models: float | None = None


class Compared(NamedTuple):
    """Several reconstructions against the original: means with intervals."""

    tkd: Sampled
    tkd_ml2: Sampled | None
    re: Sampled | None
    re_pairs: float
    several: Sampled
    item_counts: Sampled | None
    pair_counts: Sampled | None
    rules: Sampled | None
    models: Sampled | None


@dataclass(frozen=True)
class Yardstick:
    """What is counted on the original.

    Attributes:
        top: how many itemsets were asked for.
        frequent: the most frequent itemsets; fewer than asked for if there are no more.
        pairs: pairs of items whose supports are compared, and their supports.
        taxonomy: for itemsets on all levels, or None.
        combinations: the most frequent itemsets of two or more items.
        analyses: what people do with the data; None leaves it out.
    """

    top: int
    frequent: Itemsets
    pairs: list[tuple[str, str]]
    pair_supports: Longs
    taxonomy: Taxonomy | None
    frequent_levels: Itemsets | None
    combinations: Itemsets
    analyses: Analyses | None

    @classmethod
    def of(cls, original: Transactions, top: int, taxonomy: Taxonomy | None) -> Yardstick:
        """Count on the original."""
        pairs, ranked = error_pairs(original), Ranked.of(original)
        levels = None if taxonomy is None else top_itemsets(taxonomy.extend(original), top)
        frequent, several = top_of_both(ranked, top)
        counted = supports(ranked, pairs)
        return cls(top, frequent, pairs, counted, taxonomy, levels, several, Analyses.of(ranked))

    def compare(self, published: Transactions) -> Comparison:
        """Hold a data set against it."""
        levels = None
        if self.taxonomy is not None and self.frequent_levels is not None:
            mined = top_itemsets(self.taxonomy.extend(published), self.top)
            levels = top_k_deviation(self.frequent_levels, mined)
        ranked = Ranked.of(published)
        frequent, several = top_of_both(ranked, self.top)
        return Comparison(
            top_k_deviation(self.frequent, frequent),
            relative_error(self.pair_supports, supports(ranked, self.pairs)),
            levels,
            top_k_deviation(self.combinations, several),
            *self._done_again(ranked),
        )

    def _done_again(self, published: Ranked) -> tuple[float | None, ...]:
        found = self.analyses
        if found is None:
            return ()
        ways = (found.item_counts, found.pair_counts, found.rules, found.models)
        return tuple(way(published) for way in ways)

    def certain(self, published: Transactions) -> Comparison:
        """Hold what is certain against it; the levels of a taxonomy are left out, and analyses."""
        return replace(self, taxonomy=None, analyses=None).compare(published)

    def compare_all(self, worlds: Iterable[Transactions]) -> Compared:
        """Hold several reconstructions against it."""
        found = as_they_come(self.compare, worlds)
        return Compared(
            Sampled.of([each.tkd for each in found]),
            _sampled([each.tkd_ml2 for each in found]),
            _sampled([each.re.mean for each in found], largest=2.0),
            sum(each.re.pairs for each in found) / len(found),
            Sampled.of([each.several for each in found]),
            *(_sampled([getattr(each, name) for each in found]) for name in ANALYSES),
        )


def _sampled(values: list[float | None], largest: float = 1.0) -> Sampled | None:
    known = [value for value in values if value is not None]
    return Sampled.of(known, largest=largest) if known else None


# tKd: how many of the most frequent itemsets are no longer among the most frequent.
#
# Top-K deviation of Terrovitis et al., PVLDB 2012, section 7. tKd-ML2 is the same with the groups of a
# taxonomy added to every record (multiple-level mining: Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011).


def top_k_deviation(original: Itemsets, published: Itemsets) -> float:
    """Share of the itemsets of the original that are missing: 0 is best, 1 is worst.

    Both are the top K by support, ties by size and text, so K is exact.
    """
    if not len(original):
        return 0.0
    return 1 - len(set(original.itemsets) & set(published.itemsets)) / len(original)


def tkd(original: Transactions, published: Transactions, top: int = 1000) -> float:
    """Top-K deviation between two data sets, itemsets of all sizes from 1.

    >>> from cloven.data.transactions import Transactions
    >>> one = Transactions.from_records([["flu", "fever"], ["flu"]])
    >>> two = Transactions.from_records([["flu"], ["fever"], ["flu"]])
    >>> round(tkd(one, two, 3), 2)
    0.33
    """
    return top_k_deviation(top_itemsets(original, top), top_itemsets(published, top))


# re: relative error of the supports of item pairs (Terrovitis et al., PVLDB 2012, section 7).


FIRST, LAST, MIDDLE = 200, 220, 20


class RelativeError(NamedTuple):
    """Mean over the pairs that counted (0 is best, 2 is worst; None if no pair counted) and their number."""

    mean: float | None
    pairs: int


def error_pairs(original: Transactions) -> list[tuple[str, str]]:
    """Pairs of the 200th to the 220th most frequent item of the original (21 items, 210 pairs).

    With fewer than 220 items: of the 20 in the middle of the order, or of all if there are no 20. Ties go by
    text.
    """
    order = np.argsort(-original.supports, kind="stable")
    if len(order) >= LAST:
        chosen = order[FIRST - 1 : LAST]
    else:
        first = max(0, (len(order) - MIDDLE) // 2)
        chosen = order[first : first + MIDDLE]
    return list(combinations(sorted(original.vocabulary[code] for code in chosen.tolist()), 2))


def relative_error(original: Longs, published: Longs) -> RelativeError:
    """Mean of |so - sp| / ((so + sp) / 2) over the pairs whose two supports are not both zero.

    >>> relative_error(np.array([4, 0, 0]), np.array([2, 1, 0]))
    RelativeError(mean=1.3333333333333333, pairs=2)
    """
    total = original + published
    counted = total > 0
    if not counted.any():
        return RelativeError(None, 0)
    errors = 2 * np.abs(original - published)[counted] / total[counted]
    return RelativeError(float(errors.mean()), int(counted.sum()))


# What stays together: the shares of item occurrences and of item pairs that remain inside chunks.


def pairs_of(lengths: Longs) -> int:
    """Pairs inside records of these lengths."""
    return int((lengths * (lengths - 1) // 2).sum())


def share(part: int, whole: int) -> float:
    """A part of a whole; all of it where there is nothing."""
    return part / whole if whole else 1.0
