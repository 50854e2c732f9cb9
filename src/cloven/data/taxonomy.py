"""A taxonomy of items: each leaf has a chain of ever broader groups up to one root.

Files hold one row per leaf, leaf first and root last, separated by ``;`` (the hierarchy files of ARX). A
group may be repeated on the way up to fill a row; repeats are one group. Leaves and groups have separate
names: a leaf ``other`` may belong to a group ``other``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import ValueTree
from cloven.data.transactions import Transactions
from cloven.errors import InputError
from cloven.intake.packing import MAX_BYTES, Budget, perhaps_gzipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True)
class Taxonomy:
    """Leaves, groups and one root.

    Attributes:
        leaf_group: the innermost group of each leaf (the root, when there is none between).
        group_parent: the parent of each group; the root has none and is not a key.
        root: the group of everything.

    >>> rows = [["tea", "drinks", "*"], ["milk", "drinks", "*"], ["bread", "food", "*"]]
    >>> taxonomy = Taxonomy.from_rows(rows)
    >>> taxonomy.ancestors("tea")
    ('drinks',)
    >>> data = Transactions.from_records([["tea", "milk"], ["bread"]])
    >>> [sorted(record) for record in taxonomy.extend(data)]
    [['drinks', 'milk', 'tea'], ['bread', 'food']]
    """

    leaf_group: Mapping[str, str]
    group_parent: Mapping[str, str]
    root: str

    def __post_init__(self) -> None:
        if not self.leaf_group:
            message = "a taxonomy needs at least one leaf"
            raise InputError(message)
        if self.root in self.group_parent:
            message = f"the root cannot have a parent ({self.group_parent[self.root]!r})"
            raise InputError(message, value=self.root)
        safe = {self.root}
        for group in {*self.leaf_group.values(), *self.group_parent}:
            safe.update(self._path(group, safe))

    def _path(self, group: str, safe: set[str]) -> list[str]:
        """Groups from here up to one known to lead to the root."""
        path: list[str] = []
        seen: set[str] = set()
        while group not in safe:
            if group in seen:
                message = "groups form a cycle; every group must lead to the root"
                raise InputError(message, value=" > ".join([*path, group]))
            if group not in self.group_parent:
                message = f"a group has no parent and is not the root {self.root!r}"
                raise InputError(message, value=group)
            path.append(group)
            seen.add(group)
            group = self.group_parent[group]
        return path

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], *, source: str | None = None) -> Taxonomy:
        """Build from rows of a leaf, its groups from the innermost out, and the root."""
        leaf_group: dict[str, str] = {}
        group_parent: dict[str, str] = {}
        root: str | None = None
        for number, row in enumerate(rows, start=1):
            if not row:
                continue
            _check_row(row, root, source, number)
            root = row[-1]
            groups = [group for at, group in enumerate(row[1:]) if at + 2 == len(row) or group != row[at + 2]]
            if leaf_group.setdefault(row[0], groups[0]) != groups[0]:
                _two_parents(row[0], leaf_group[row[0]], groups[0], source, number)
            for child, parent in pairwise(groups):
                if group_parent.setdefault(child, parent) != parent:
                    _two_parents(child, group_parent[child], parent, source, number)
        if root is None:
            message = "a taxonomy needs at least one row"
            raise InputError(message, source=source)
        return cls(leaf_group, group_parent, root)

    def ancestors(self, leaf: str) -> tuple[str, ...]:
        """Groups of a leaf from the innermost out, without the root."""
        if leaf not in self.leaf_group:
            message = "this item is no leaf of the taxonomy; add a row for it"
            raise InputError(message, value=leaf)
        group = self.leaf_group[leaf]
        path: list[str] = []
        while group != self.root:
            path.append(group)
            group = self.group_parent[group]
        return tuple(path)

    def extend(self, data: Transactions) -> Transactions:
        """Add to every record all groups of its items, for mining on all levels at once.

        The root is left out: it would be in every record. A group that has the name of a leaf is written
        ``name (group)``, so that the two stay apart.
        """
        self._check_leaves(data)
        chains = [(leaf, *map(self._group_name, self.ancestors(leaf))) for leaf in data.vocabulary]
        names = sorted({name for chain in chains for name in chain})
        code_of = {name: code for code, name in enumerate(names)}
        flat = np.fromiter((code_of[name] for chain in chains for name in chain), np.int32)
        lengths = np.fromiter(map(len, chains), np.int64, len(chains))
        starts = np.concatenate(([0], np.cumsum(lengths)))[:-1]
        width = lengths[data.codes]
        ends = np.cumsum(width)
        codes = flat[np.repeat(starts[data.codes] - (ends - width), width) + np.arange(width.sum())]
        rows = np.repeat(np.repeat(np.arange(len(data)), data.lengths), width)
        # Two items of a record often share groups: a sort drops the repeats much faster than np.unique.
        pairs = np.sort(rows * len(names) + codes)
        pairs = pairs[np.concatenate(([True], pairs[1:] != pairs[:-1]))] if len(pairs) else pairs
        return Transactions.from_arrays(
            np.bincount(pairs // len(names), minlength=len(data)).astype(np.int64),
            (pairs % len(names)).astype(np.int32),
            tuple(names),
            persons=data.persons,
            source_rows=data.source_rows,
            empty_records=data.empty_records,
        )

    def _group_name(self, group: str) -> str:
        while group in self.leaf_group:
            group += " (group)"
        return group

    def _check_leaves(self, data: Transactions) -> None:
        missing = [item for item in data.vocabulary if item not in self.leaf_group]
        if missing:
            message = f"{len(missing):,} items of the data are no leaves of the taxonomy; add rows for them"
            raise InputError(message, value=missing[0])


def _check_row(row: Sequence[str], root: str | None, source: str | None, number: int) -> None:
    if len(row) < 2 or not all(row):
        message = "a row needs a leaf and a root, and no empty value between"
        raise InputError(message, source=source, line=number, value=";".join(row))
    if root is not None and row[-1] != root:
        message = f"all rows must end in the same root {root!r}"
        raise InputError(message, source=source, line=number, value=row[-1])


def _two_parents(child: str, first: str, second: str, source: str | None, number: int) -> None:
    message = f"a value has two parents, {first!r} and {second!r}; give it two names"
    raise InputError(message, source=source, line=number, value=child)


def read_taxonomy(path: str | Path, *, limit: int = MAX_BYTES) -> Taxonomy:
    r"""Read a hierarchy file: ``;`` separated, leaf first, root last; plain or gzip, up to ``limit`` bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "drinks.csv")
    ...     _ = path.write_text("tea;drinks;*\nmilk;drinks;*\n")
    ...     read_taxonomy(path).ancestors("tea")
    ('drinks',)
    """
    path = Path(path)
    raw = perhaps_gzipped(path, Budget(str(path), limit))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"cannot read this as a taxonomy: {error}"
        raise InputError(message, source=str(path)) from error
    try:
        return Taxonomy.from_rows(csv.reader(text.splitlines(), delimiter=";"), source=str(path))
    except csv.Error as error:
        message = f"cannot read this as a taxonomy: {error}"
        raise InputError(message, source=str(path)) from error


# Trees of values: from a taxonomy, from nested dictionaries, and balanced ranges for numbers.


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
