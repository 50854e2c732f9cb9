"""Trees of values: from a taxonomy, from nested dictionaries, and balanced ranges for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError
from cloven.model.taxonomy import Taxonomy
from cloven.model.value_tree import ValueTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAN_OUT = 4
"""Branches of an automatic node."""


def tree_of(taxonomy: Taxonomy, values: Sequence[str]) -> ValueTree:
    """The tree over some values, in their order; groups above none of them are left out.

    >>> rows = [["tea", "drinks", "*"], ["milk", "drinks", "*"], ["bread", "*"]]
    >>> tree = tree_of(Taxonomy.from_rows(rows), ("bread", "milk", "tea"))
    >>> tree.labels, tree.parent.tolist()
    (('bread', 'milk', 'tea', 'drinks', '*'), [4, 3, 3, 4, 4])
    """
    chains = [taxonomy.ancestors(value) for value in values]
    used = {group for chain in chains for group in chain}
    height = {group: chain[::-1].index(group) for chain in chains for group in chain}
    # Lower groups come first, so that the root is last.
    groups = [*sorted(used, key=lambda group: (-height[group], group)), taxonomy.root]
    number = {group: len(values) + place for place, group in enumerate(groups)}
    above = [number[taxonomy.leaf_group[value]] for value in values]
    above += [number[taxonomy.group_parent[group]] for group in groups[:-1]] + [number[taxonomy.root]]
    labels = [*values, *(_apart(group, taxonomy.leaf_group) for group in groups)]
    return ValueTree(tuple(labels), np.array(above, np.int32), len(values))


def nested_taxonomy(nested: Mapping[str, Any], *, source: str | None = None) -> Taxonomy:
    """A taxonomy from nested dictionaries: groups hold dictionaries or lists, values hold nothing.

    One name on top is the root; if there are several, the root is ``*``.

    >>> work = {"*": {"gov": ["Federal-gov", "State-gov"], "Private": None}}
    >>> nested_taxonomy(work).ancestors("State-gov")
    ('gov',)
    """
    if not isinstance(nested, Mapping) or not nested:
        message = "a tree is a dictionary of groups that hold dictionaries or lists"
        raise InputError(message, source=source, value=str(nested))
    one = len(nested) == 1 and bool(next(iter(nested.values())))
    try:
        rows = list(_rows(nested, () if one else ("*",), source))
    except RecursionError as error:
        message = "the tree is nested too deeply; a few levels will do"
        raise InputError(message, source=source) from error
    return Taxonomy.from_rows(rows, source=source)


def _rows(inner: Any, above: tuple[str, ...], source: str | None) -> Iterator[tuple[str, ...]]:
    """Leaf first, root last."""
    if isinstance(inner, Mapping):
        for name, deeper in inner.items():
            if deeper is None or (isinstance(deeper, Mapping | list | tuple) and not deeper):
                yield (str(name), *above)
            else:
                yield from _rows(deeper, (str(name), *above), source)
    elif isinstance(inner, list | tuple):
        for leaf in inner:
            if isinstance(leaf, Mapping | list | tuple) or leaf is None:
                message = (
                    f"the list of group {above[0]!r} holds values only; write deeper groups as a dictionary"
                )
                raise InputError(message, source=source, value=str(leaf))
            yield (str(leaf), *above)
    else:
        message = f"group {above[0]!r} must hold a dictionary or a list; write a value without group as null"
        raise InputError(message, source=source, value=str(inner))


def balanced_ranges(values: Sequence[str], fan_out: int = FAN_OUT) -> ValueTree:
    """A tree of ranges over ordered values: neighbours join in groups of about the same number, level by level.

    >>> balanced_ranges(("1", "2", "3", "4", "5", "6"), 2).labels[6:]
    ('1..2', '3..4', '5..6', '1..4', '5..6', '1..6')
    """
    labels = list(values)
    parent: list[int] = []
    # First and last value, and number, of each node of the level below.
    level = [(place, place, place) for place in range(len(values))]
    while len(level) > 1 or not parent:
        joined = []
        for part in np.array_split(np.arange(len(level)), -(-len(level) // fan_out)):
            first, last = level[part[0]][0], level[part[-1]][1]
            joined.append((first, last, len(labels)))
            labels.append(values[first] if first == last else f"{values[first]}..{values[last]}")
            parent += [joined[-1][2]] * len(part)
        level = joined
    parent.append(len(labels) - 1)
    return ValueTree(tuple(labels), np.array(parent, np.int32), len(values))


def _apart(group: str, leaves: Mapping[str, str]) -> str:
    """A group that has the name of a value is written apart from it."""
    while group in leaves:
        group += " (group)"
    return group
