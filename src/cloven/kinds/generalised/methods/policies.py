"""Policies that need not be written by hand: what to protect, and groups within which items may be merged.

Privacy generators give a ``Policy``; utility generators give its ``groups``, to be put in with ``dataclasses.replace``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError, shorten
from cloven.kinds.generalised.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.policy import Groups, Itemset
    from cloven.protocols import Related


def random_items(data: Transactions, share: float, rng: np.random.Generator) -> Policy:
    """Protect a random share of the items, each on its own, as the paper on attacks does; at least one.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["a", "b", "c", "d"]])
    >>> len(random_items(data, 0.5, np.random.default_rng(1)).protected)
    2
    """
    if not 0 < share <= 1:
        message = f"the share of items to protect must lie above 0 and at most at 1, got {share!r}"
        raise ParameterError(message)
    items = len(data.vocabulary)
    if items == 0:
        message = "no item can be drawn: the data holds none"
        raise ParameterError(message)
    drawn = rng.choice(items, max(1, round(share * items)), replace=False)
    return Policy(protected=tuple((data.vocabulary[code],) for code in np.sort(drawn).tolist()))


def all_itemsets(m: int) -> Policy:
    """Protect every combination of up to ``m`` items: k^m-anonymity.

    >>> all_itemsets(2).largest
    2
    """
    if m < 1:
        message = f"m must be a whole number from 1, got {m!r}: an attacker knows at least one item"
        raise ParameterError(message)
    return Policy(all_up_to=m)


def everything() -> None:
    """One utility group of everything: any items may be merged. This is what a policy without groups means."""
    return


def taxonomy_groups(taxonomy: Taxonomy, level: int) -> Groups:
    """Groups of a taxonomy, ``level`` steps above their leaves; above a short branch this is the root.

    >>> from cloven.data.taxonomy import Taxonomy
    >>> rows = [["tea", "drinks", "*"], ["milk", "drinks", "*"], ["bread", "food", "*"]]
    >>> taxonomy_groups(Taxonomy.from_rows(rows), 1)
    (('drinks', ('milk', 'tea')), ('food', ('bread',)))
    """
    if level < 1:
        message = f"level must be a whole number from 1, got {level!r}: level 0 are the items themselves"
        raise ParameterError(message)
    below: dict[str, set[str]] = {}
    wanted: set[str] = set()
    for leaf in taxonomy.leaf_group:
        path = (*taxonomy.ancestors(leaf), taxonomy.root)
        wanted.add(path[min(level, len(path)) - 1])
        for group in path:
            below.setdefault(group, set()).add(leaf)
    return tuple((name, tuple(sorted(below[name]))) for name in sorted(wanted))


def related_groups(
    items: Sequence[str], related: Related, threshold: float, protected: Iterable[Itemset] | None = None
) -> Groups:
    """For every protected itemset one group: its items, and whatever is related to one of them above a threshold.

    Args:
        items: the vocabulary, in the order that ``related`` knows it by.
        related: any relatedness; the paper on attacks takes Wu and Palmer's above 0.5 (section 6.2.3).
        threshold: how related an item must be, and more.
        protected: the itemsets; left out, every item on its own.

    An itemset that nothing is related to gets no group. Groups may overlap, and need not cover all items.
    """
    code_of = {item: code for code, item in enumerate(items)}
    everyone = np.arange(len(items))
    groups: dict[str, Itemset] = {}
    for itemset in ((item,) for item in items) if protected is None else protected:
        unknown = [item for item in itemset if item not in code_of]
        if unknown:
            message = (
                f"protected item {shorten(unknown[0])} is not in the vocabulary; relate all items of the data"
            )
            raise ParameterError(message)
        codes = np.array([code_of[item] for item in itemset], np.int64)
        # Comparing with NaN, which means no score, is false.
        close = np.asarray((related.block(codes, everyone) > threshold).any(axis=0))
        close[codes] = True
        if close.sum() > 1:
            groups[_unused(", ".join(itemset), groups)] = tuple(
                items[code] for code in np.flatnonzero(close).tolist()
            )
    return tuple(sorted(groups.items()))


def _unused(name: str, groups: dict[str, Itemset]) -> str:
    """The itemsets ("a, b") and ("a", "b") must not become one group."""
    while name in groups:
        name += "'"
    return name
