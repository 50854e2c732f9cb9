"""tKd: how many of the most frequent itemsets are no longer among the most frequent.

Top-K deviation of Terrovitis et al., PVLDB 2012, section 7. tKd-ML2 is the same with the groups of a
taxonomy added to every record (multiple-level mining: Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.measure.mining import top_itemsets

if TYPE_CHECKING:
    from cloven.measure.mining import Itemsets
    from cloven.model.transactions import Transactions


def top_k_deviation(original: Itemsets, published: Itemsets) -> float:
    """Share of the itemsets of the original that are missing: 0 is best, 1 is worst.

    Both are the top K by support, ties by size and text, so K is exact.
    """
    if not len(original):
        return 0.0
    return 1 - len(set(original.itemsets) & set(published.itemsets)) / len(original)


def tkd(original: Transactions, published: Transactions, top: int = 1000) -> float:
    """Top-K deviation between two data sets, itemsets of all sizes from 1.

    >>> from cloven.model.transactions import Transactions
    >>> one = Transactions.from_records([["flu", "fever"], ["flu"]])
    >>> two = Transactions.from_records([["flu"], ["fever"], ["flu"]])
    >>> round(tkd(one, two, 3), 2)
    0.33
    """
    return top_k_deviation(top_itemsets(original, top), top_itemsets(published, top))
