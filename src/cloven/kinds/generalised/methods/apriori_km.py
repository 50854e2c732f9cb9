"""k^m-anonymity by generalisation over a taxonomy (Terrovitis, Mamoulis and Kalnis, PVLDB 1(1), 2008).

Whoever knows up to m items of a record finds at least k records that may be it. Items are published as a group of the
taxonomy that holds them, the same one everywhere, and all items of that group with them (global full-subtree recoding):
a *cut* through the taxonomy. ``cut_upwards`` finds one as the paper does; ``cut_downwards`` then takes back every step
that turns out not to be needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.data.arrays import distinct, take_rows
from cloven.data.defaults import K, M
from cloven.data.given import expect_sets
from cloven.data.taxonomy import Taxonomy
from cloven.errors import InputError, ParameterError, shorten
from cloven.values import choice, option, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised
    from cloven.protocols import Dimension


Search = Literal["refined", "published"]


@dataclass(frozen=True, kw_only=True)
class AprioriKm:
    """Generalise items over a taxonomy until all combinations are frequent; ``anonymise`` does the work.

    Attributes:
        k: every combination of up to ``m`` published items that occurs is in the records of at least ``k`` persons.
        m: how many items of a record the assumed attacker knows.
        taxonomy: groups of the items; every item of the data must be a leaf. Without one nothing can be anonymised.
        search: ``refined``, the algorithm of the paper, rarest combinations first, after which steps that are not
            needed are taken back (default: no single group can be split then), or ``published``, the algorithm of the
            paper alone, most general combinations first.

    >>> from cloven.data.transactions import Transactions
    >>> rows = [["ale", "beer", "*"], ["stout", "beer", "*"], ["rye", "bread", "*"], ["bun", "bread", "*"]]
    >>> data = Transactions.from_records([["ale", "rye"], ["ale", "bun"], ["stout", "rye"], ["stout", "rye"]])
    >>> release = AprioriKm(k=2, m=2, taxonomy=Taxonomy.from_rows(rows)).anonymise(data).release
    >>> release.block_labels, [release.block(number) for number in range(release.blocks)]
    (('', 'bread', ''), [('ale',), ('bun', 'rye'), ('stout',)])
    """

    k: int = option(K, whole(), "Everybody keeps at least this many candidates.")
    m: int = option(M, whole(), "How many items of one record an attacker may know.")
    taxonomy: Taxonomy | None = field(default=None, repr=False)
    search: Search = choice("refined", Search, "How groups are found")
    SEARCHED_UNASKED: ClassVar[bool] = False  # its taxonomy is the owner's; a search must name it

    def __post_init__(self) -> None:
        for name, least, why in (
            ("k", 2, "with k = 1 nobody is protected"),
            ("m", 1, "an attacker knows at least one item"),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                message = f"{name} must be a whole number of at least {least} ({why}), got {value!r}"
                raise ParameterError(message)
            object.__setattr__(self, name, int(value))
        taxonomy: object = self.taxonomy
        if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
            message = f"taxonomy must be a Taxonomy (see read_taxonomy), got {type(taxonomy).__name__}"
            raise ParameterError(message)
        if self.search not in get_args(Search):
            message = f"search must be one of {', '.join(get_args(Search))}, got {self.search!r}"
            raise ParameterError(message)

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "generalisation"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them.

        Of the taxonomy nothing is told but the groups that are published, as labels of blocks.
        """
        return {"method": "apriori-km", "all_up_to": self.m, "search": self.search}

    @classmethod
    def space(cls, data: Transactions) -> dict[str, Dimension]:
        """What a search for good settings varies; the taxonomy is the owner's own."""
        from cloven.protocols import Choice, Whole

        return {"k": Whole(2, max(2, min(100, len(data) // 20))), "m": Choice((2, 3))}

    def anonymise(
        self, data: Transactions, progress: Callable[[str, float], None] | None = None
    ) -> Generalised:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.kinds.generalised.methods.assembly import assemble

        expect_sets(data, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        if self.taxonomy is None:
            message = (
                "apriori-km needs a taxonomy of the items; give one (see read_taxonomy), or use coat or pcta"
            )
            raise ParameterError(message)
        self._check(data)
        tree = subtrees(self.taxonomy, data.vocabulary)
        cut = self._cut(leaf_rows(data, tree), report)
        report("assemble", 0.0)
        result = assemble(
            data,
            cut[tree.leaf_of_item],
            k=self.k,
            parameters=self.parameters | {"persons": data.persons is not None},
            label_of_block=tree.labels,
        )
        report("assemble", 1.0)
        return result

    def _cut(self, rows: LeafRows, report: Callable[[str, float], None]) -> Longs:
        """The node that each leaf is published as."""
        from cloven.kinds.generalised.methods.cuts import cut_downwards, cut_upwards

        def generalising(share: float) -> None:
            report("generalise", share)

        def taking_back(share: float) -> None:
            report("take back", share)

        if self.search == "published":
            return cut_upwards(rows, k=self.k, m=self.m, first="general", report=generalising)
        cut = cut_upwards(rows, k=self.k, m=self.m, first="rare", report=generalising)
        return cut_downwards(rows, cut, k=self.k, m=self.m, report=taking_back)

    def _check(self, data: Transactions) -> None:
        what = "records" if data.persons is None else "persons"
        people = len(data) if data.persons is None else len(np.unique(data.persons))
        if people < self.k:
            message = f"k = {self.k} needs at least {self.k} {what}, got {people:,}; choose a smaller k"
            raise ParameterError(message)


# Records as leaves of a taxonomy: what both searches for a cut read.


@dataclass(frozen=True, eq=False)
class LeafRows:
    """Records over the leaves of a taxonomy.

    Attributes:
        tree: the taxonomy.
        offsets: where each row starts in ``leaves``.
        leaves: leaves of each row, ascending.
        owner: person behind each row, ascending: several rows of one person count once.
        cost: what each node costs as a block: its occurrences times its items, none for a single item. The sum over
            all blocks, divided by occurrences and items, is the NCP.
    """

    tree: Subtrees
    offsets: Longs
    leaves: Longs
    owner: Longs
    cost: Longs

    @cached_property
    def _by_leaf(self) -> tuple[Longs, NDArray[np.int32]]:
        """Where the rows of each leaf start, and the rows, leaf by leaf."""
        row = np.repeat(np.arange(len(self.owner), dtype=np.int32), np.diff(self.offsets))
        counts = np.bincount(self.leaves, minlength=len(self.tree.leaf_of_item))
        return np.concatenate(([0], np.cumsum(counts))), row[np.argsort(self.leaves, kind="stable")]

    def rows_of(self, node: int) -> NDArray[np.int32]:
        """Rows that hold a leaf below this node, ascending."""
        starts, rows = self._by_leaf
        return distinct(rows[starts[self.tree.low[node]] : starts[self.tree.high[node]]])

    def rows_of_all(self) -> tuple[Longs, NDArray[np.int32]]:
        """Where the rows of each node start, and the rows."""
        held = [self.rows_of(node) for node in range(len(self.tree.parent))]
        lengths = np.fromiter(map(len, held), np.int64, len(held))
        return np.concatenate(([0], np.cumsum(lengths))), np.concatenate(held)


def leaf_rows(data: Transactions, tree: Subtrees) -> LeafRows:
    """Records of the data over the leaves of the taxonomy, those of one person side by side."""
    if data.persons is None:
        order, owner = np.arange(len(data)), np.arange(len(data))
    else:
        order = np.argsort(data.persons, kind="stable")
        owner = np.unique(data.persons[order], return_inverse=True)[1].astype(np.int64)
    width = max(1, len(tree.leaf_of_item))
    offsets, codes = take_rows(data.offsets, data.codes, order)
    row = np.repeat(np.arange(len(data)), np.diff(offsets))
    leaves = np.sort(row * width + tree.leaf_of_item[codes]) % width
    before = np.concatenate(([0], np.cumsum(np.bincount(leaves, minlength=len(tree.leaf_of_item)))))
    cost = (before[tree.high] - before[tree.low]) * np.where(tree.sizes > 1, tree.sizes, 0)
    return LeafRows(tree, offsets, leaves, owner, cost)


# The part of a taxonomy that the items of some data span, as arrays: full subtrees are ranges of leaves.
#
# Leaves that do not occur are left out, and with them every group that tells its items no further apart than another
# group does: what is published are the items of a block, so two groups with the same items are one. Nodes are numbered
# in preorder (the root is 0, a subtree is a range of nodes) and leaves from left to right (a subtree is a range of
# leaves). Children are ordered by their first item, so that the rows of a taxonomy file may stand in any order.


Place = tuple[str, int]
"""A group by its name and -1, or a leaf by an empty name and its item code."""


@dataclass(frozen=True, eq=False)
class Subtrees:
    """A taxonomy over the items of a vocabulary.

    Attributes:
        labels: name of the group of each node; empty for leaves.
        parent: parent of each node; -1 for the root.
        end: one past the last node of each subtree.
        low: first leaf of each subtree.
        high: one past its last leaf.
        leaf_of_item: leaf of each item code.
    """

    labels: tuple[str, ...]
    parent: Longs
    end: Longs
    low: Longs
    high: Longs
    leaf_of_item: Longs

    @property
    def sizes(self) -> Longs:
        """Number of leaves of each subtree."""
        return self.high - self.low

    def leaf_nodes(self) -> Longs:
        """Node of each leaf."""
        return np.flatnonzero(self.sizes == 1)

    def children(self, node: int) -> list[int]:
        """Children of a node, from left to right."""
        found, child = [], node + 1
        while child < self.end[node]:
            found.append(child)
            child = int(self.end[child])
        return found


def subtrees(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> Subtrees:
    """The part of a taxonomy that these items span.

    >>> from cloven.data.taxonomy import Taxonomy
    >>> rows = [["ale", "beer", "drinks", "*"], ["gin", "drinks", "*"], ["rye", "food", "*"], ["nut", "food", "*"]]
    >>> tree = subtrees(Taxonomy.from_rows(rows), ("ale", "gin", "rye"))
    >>> tree.labels, tree.children(0), tree.sizes.tolist()
    (('*', 'drinks', '', '', ''), [1, 4], [3, 2, 1, 1, 1])
    """
    _refuse_missing(taxonomy, vocabulary)
    members = _members(taxonomy, vocabulary)
    labels: list[str] = []
    parent: list[int] = []
    low: list[int] = []
    leaf_of_item = np.empty(len(vocabulary), np.int64)
    leaves = 0
    waiting: list[tuple[Place, int]] = [((taxonomy.root, -1), -1)] if vocabulary else []
    while waiting:
        place, above = waiting.pop()
        while place[1] < 0 and len(members[place[0]]) == 1:
            (place,) = members[place[0]]
        name, item = place
        waiting += [(below, len(labels)) for below in reversed(members[name])] if item < 0 else []
        labels.append(name)
        parent.append(above)
        low.append(leaves)
        if item >= 0:
            leaf_of_item[item] = leaves
            leaves += 1
    return _with_ends(labels, np.array(parent, np.int64), np.array(low, np.int64), leaf_of_item)


def _refuse_missing(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> None:
    missing = [item for item in vocabulary if item not in taxonomy.leaf_group]
    if missing:
        names = ", ".join(shorten(item) for item in missing[:3])
        message = (
            f"{len(missing):,} of {len(vocabulary):,} items of the data are no leaves of the taxonomy,"
            f" such as {names}; add rows for them"
        )
        raise InputError(message)


def _members(taxonomy: Taxonomy, vocabulary: tuple[str, ...]) -> dict[str, list[Place]]:
    """What lies directly below each group that holds an item, in the order of their first items."""
    members: dict[str, list[Place]] = {taxonomy.root: []}
    for code, item in enumerate(vocabulary):
        group, below = taxonomy.leaf_group[item], ("", code)
        while group not in members:
            members[group] = [below]
            group, below = taxonomy.group_parent[group], (group, -1)
        members[group].append(below)
    return members


def _with_ends(labels: list[str], parent: Longs, low: Longs, leaf_of_item: Longs) -> Subtrees:
    """Ends of all subtrees, from the last node back: a node ends where the last of its children does."""
    end = np.arange(1, len(parent) + 1)
    for node in range(len(parent) - 1, 0, -1):
        above = parent[node]
        end[above] = max(end[above], end[node])
    high = np.append(low, len(leaf_of_item))[end]
    return Subtrees(tuple(labels), parent, end, low, high, leaf_of_item)
