"""What a set-generalised release must protect, and what it may merge.

Privacy constraints are itemsets that an attacker may know; utility constraints are groups of items that mean much the
same to an analyst. Groups may overlap and need not cover all items: a block must lie inside at least one group, and an
item in no group stays as it is or is suppressed (Loukides, Gkoulalas-Divanis and Malin, KAIS 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

Itemset = tuple[str, ...]
Groups = tuple[tuple[str, Itemset], ...]
Reading = Literal["empty-is-enough", "subsets-too"]
"""When a protected itemset with support 0 is satisfied: always (definition 3.2 of the paper on attacks), or only if
each of its proper subsets has support 0 or at least k, which is stricter (COAT)."""


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
