"""What a set-generalised release must protect, and what it may merge.

Privacy constraints are itemsets that an attacker may know; utility constraints are groups of items that mean much the
same to an analyst. Groups may overlap and need not cover all items: a block must lie inside at least one group, and an
item in no group stays as it is or is suppressed (Loukides, Gkoulalas-Divanis and Malin, KAIS 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.protocols import Related


Itemset = tuple[str, ...]
Groups = tuple[tuple[str, Itemset], ...]
Reading = Literal["empty-is-enough", "subsets-too"]
"""When a protected itemset with support 0 is satisfied: always (definition 3.2 of the paper on attacks), or only if
each of its proper subsets has support 0 or at least k, which is stricter (COAT)."""
NAMES_SHOWN = 6


@dataclass(frozen=True)
class Policy:
    """Privacy and utility constraints. Items, itemsets and groups may be given in any order; they are kept sorted.

    Attributes:
        protected: itemsets to protect, each sorted, without repeats.
        all_up_to: protect every combination of up to so many items that occurs too; 0 for the listed ones alone.
        groups: groups within which items may be merged, by name; None for one group of everything.

    >>> Policy(protected=(("flu", "fever"), ("asthma",)))
    Policy(protected=(('asthma',), ('fever', 'flu')), all_up_to=0, groups=None)
    """

    protected: tuple[Itemset, ...] = ()
    all_up_to: int = 0
    groups: Groups | None = None

    def __post_init__(self) -> None:
        itemsets = {_itemset(items, "a protected itemset") for items in _each(self.protected, "protected")}
        object.__setattr__(self, "protected", tuple(sorted(itemsets)))
        if isinstance(self.all_up_to, bool) or not isinstance(self.all_up_to, int) or self.all_up_to < 0:
            message = f"all_up_to must be a whole number from 0, got {self.all_up_to!r}; 0 protects the listed itemsets"
            raise ParameterError(message)
        if self.groups is not None:
            object.__setattr__(self, "groups", _groups(self.groups))

    @property
    def largest(self) -> int:
        """Number of items of the largest protected itemset; 0 if nothing is protected."""
        return max(self.all_up_to, max(map(len, self.protected), default=0))

    @property
    def items(self) -> set[str]:
        """All items that it names."""
        return {item for items in (*self.protected, *dict(self.groups or ()).values()) for item in items}


def listed(items: Sequence[str]) -> str:
    """The first of some items, and how many more there are.

    >>> listed("abcdefgh")
    "'a', 'b', 'c', 'd', 'e', 'f' and 2 more"
    """
    more = f" and {len(items) - NAMES_SHOWN:,} more" if len(items) > NAMES_SHOWN else ""
    return ", ".join(shorten(item, 40) for item in items[:NAMES_SHOWN]) + more


def _groups(groups: Groups) -> Groups:
    named: dict[str, Itemset] = {}
    for group in _each(groups, "groups"):
        if not isinstance(group, tuple | list) or len(group) != 2 or not isinstance(group[0], str):
            message = f"a group must be a name and its items, got {shorten(str(group))}"
            raise ParameterError(message)
        name, items = group
        if name in named:
            message = f"two groups are called {shorten(name)}; give each its own name"
            raise ParameterError(message)
        named[name] = _itemset(items, f"group {shorten(name)}")
    return tuple(sorted(named.items()))


def _each(values: Iterable[Any], what: str) -> list[Any]:
    if isinstance(values, str):
        message = f"{what} must be a list, got the text {shorten(values)}"
        raise ParameterError(message)
    return list(values)


def _itemset(items: Iterable[str], what: str) -> Itemset:
    if isinstance(items, str):
        message = f"{what} must be a list of items, got the text {shorten(items)}; write ({shorten(items)},)"
        raise ParameterError(message)
    found = tuple(items)
    strange = [item for item in found if not isinstance(item, str)]
    if strange or not found:
        told = f"it holds {strange[0]!r}, which is not a string" if strange else "it is empty"
        message = f"{what} needs at least one item, each a string: {told}"
        raise ParameterError(message)
    return tuple(sorted(set(found)))


# Policies that need not be written by hand: what to protect, and groups within which items may be merged.
#
# Privacy generators give a ``Policy``; utility generators give its ``groups``, to be put in with
# ``dataclasses.replace``.


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
