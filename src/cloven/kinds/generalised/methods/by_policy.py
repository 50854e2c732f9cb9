"""What COAT and PCTA share: parameters, their checks, and the way from a policy to a release.

Combinations of all items (``all_up_to``) are satisfied size by size, as in the Apriori algorithm: whatever is rare
among the single items is merged before any pair is counted. The listed itemsets follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, get_args

import numpy as np

from cloven.data.defaults import K, M
from cloven.data.given import expect_sets
from cloven.errors import ParameterError, shorten
from cloven.kinds.generalised.policy import Policy, Reading, listed
from cloven.values import FLAG, choice, option, real, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.methods.partition import Merge, Partition
    from cloven.protocols import Dimension


class Constraints(Protocol):
    """Privacy constraints of a partition that changes; each is the items that stand for it."""

    def next(self) -> Codes | None:
        """The constraint to satisfy next, or None if all are."""
        ...

    def merged(self, slot: int, folded: int) -> None:
        """Two blocks were merged: ``slot`` stands for both, ``folded`` is gone."""
        ...

    def suppressed(self, slot: int) -> None:
        """A block was suppressed."""
        ...


@dataclass(frozen=True)
class ByPolicy(ABC):
    """A method that merges items until a policy is satisfied.

    Attributes:
        k: every protected itemset has support 0 or at least ``k`` in the release.
        policy: what to protect, and within which groups items may be merged; left out, every combination of up to ``m``
            items is protected, and any items may be merged.
        max_suppressed: largest share of the items that may be suppressed where they cannot be merged.
        reading: whether a protected itemset of support 0 asks anything of its subsets.
        weights: how much it matters to keep an item apart, in (0, 1]; 1 for items that are not named. A block weighs as
            much as its items on average.
        ignore_unknown: accept a policy with items that the data does not hold; otherwise they are an error.
        m: how many items the assumed attacker knows: two if neither it nor a policy is given; with a policy, the
            size of its largest itemset.
        seeded: the policy was drawn with a seed: for experiments, and marks the release.
    """

    k: int = option(K, whole(), "Whoever knows a protected itemset has this many candidates.")
    policy: Policy = None  # type: ignore[assignment]  # made from m
    max_suppressed: float = option(
        0.0, real(0, 1), "Largest share of the items that may be suppressed.", last=True
    )
    reading: Reading = choice(
        "subsets-too", Reading, "An itemset nobody has", "--constraint-reading", last=True
    )
    weights: Mapping[str, float] | None = None
    ignore_unknown: bool = option(False, FLAG, "Go on if the policy names items the data lacks.", last=True)
    m: int = 0
    seeded: bool = False
    METHOD: ClassVar[str]
    SEARCHED_UNASKED: ClassVar[bool] = False  # its policy is the owner's; a search must name it

    def __post_init__(self) -> None:
        k: object = self.k
        if isinstance(k, np.integer):
            object.__setattr__(self, "k", int(k))
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            message = f"k must be a whole number from 2, got {self.k!r}: with k = 1 nobody is protected"
            raise ParameterError(message)
        self._settle_policy()
        if isinstance(self.max_suppressed, bool) or not 0 <= self.max_suppressed <= 1:
            message = f"max_suppressed must be a share of the items from 0 to 1, got {self.max_suppressed!r}"
            raise ParameterError(message)
        if self.reading not in get_args(Reading):
            message = f"reading must be one of {', '.join(get_args(Reading))}, got {self.reading!r}"
            raise ParameterError(message)
        wrong = [item for item, weight in (self.weights or {}).items() if not 0 < weight <= 1]
        if wrong:
            message = f"weights must lie above 0 and at most at 1, got {wrong[0]!r}: {(self.weights or {})[wrong[0]]!r}"
            raise ParameterError(message)

    def _settle_policy(self) -> None:
        m: object = self.m
        if isinstance(m, bool) or not isinstance(m, int | np.integer) or m < 0:
            message = f"m must be a whole number from 1, got {m!r}: an attacker knows at least one item"
            raise ParameterError(message)
        if self.policy is None:
            object.__setattr__(self, "policy", Policy(all_up_to=int(m) or M))  # type: ignore[unreachable]
        if not isinstance(self.policy, Policy) or self.policy.largest == 0:
            message = "policy must be a Policy that protects something: list itemsets, or set all_up_to"
            raise ParameterError(message)
        if m not in (0, self.policy.largest):
            message = (
                f"m = {m}, but the largest itemset of the policy has {self.policy.largest}; give one of both"
            )
            raise ParameterError(message)
        object.__setattr__(self, "m", self.policy.largest)

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "generalisation"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them.

        Itemsets and groups are counted, not named: they could name items that were suppressed.
        """
        policy = self.policy
        return {
            "method": self.METHOD,
            "reading": self.reading,
            "max_suppressed": float(self.max_suppressed),
            "all_up_to": policy.all_up_to,
            "protected": len(policy.protected),
            "largest": policy.largest,
            "groups": None if policy.groups is None else len(policy.groups),
            "weighted": bool(self.weights),
            **({"seeded": True} if self.seeded else {}),
        }

    @classmethod
    def space(cls, data: Transactions) -> dict[str, Dimension]:
        """What a search for good settings varies; the policy is the owner's own."""
        from cloven.protocols import Choice, Real, Whole

        return {
            "k": Whole(2, max(2, min(100, len(data) // 20))),
            "m": Choice((2, 3)),
            "max_suppressed": Real(0.0, 0.2),
        }

    def anonymise(
        self, data: Transactions, progress: Callable[[str, float], None] | None = None
    ) -> Generalised:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.kinds.generalised.methods.assembly import assemble

        expect_sets(data, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        slot_of = self.partition(data, report)
        report("assemble", 0.0)
        parameters = self.parameters | {"persons": data.persons is not None}
        result = assemble(data, slot_of, k=self.k, parameters=parameters)
        report("assemble", 1.0)
        return replace(result, policy=self.policy)

    def partition(self, data: Transactions, progress: Callable[[str, float], None]) -> Longs:
        """Block of every item, in some numbering; -1 for suppressed items."""
        from cloven.kinds.generalised.methods.partition import singletons

        self._check(data)
        weights = item_weights(self.weights, data)
        partition = singletons(data, utility_groups(self.policy, data), weights)
        for step, constraints in self._stages(data, partition):
            progress(step, 0.0)
            budget = int(self.max_suppressed * partition.items + 1e-9)
            self._satisfy(Steps(partition, constraints, data.vocabulary, self.k, budget))
            progress(step, 1.0)
        return partition.arrays.slot_of

    def _stages(self, data: Transactions, partition: Partition) -> Iterator[tuple[str, Constraints]]:
        from cloven.kinds.generalised.methods.needs import Listed, Occurring

        for size in range(1, self.policy.all_up_to + 1):
            yield f"combinations of {size}", Occurring(partition, size, self.k)
        itemsets = listed_itemsets(self.policy, data, self.reading)
        if itemsets:
            yield "listed itemsets", Listed(partition, itemsets, self.k)

    @abstractmethod
    def _satisfy(self, steps: Steps) -> None:
        """Merge and suppress blocks until all constraints are satisfied."""

    def _check(self, data: Transactions) -> None:
        if not self.ignore_unknown:
            check_known(self.policy, data)
        persons = data.persons is not None
        holders = len(np.unique(data.persons)) if data.persons is not None else len(data)
        if holders < self.k:
            message = (
                f"k = {self.k} cannot be reached: the data holds {holders:,} {'persons' if persons else 'records'};"
                f" set k to at most {holders}"
                + ("" if holders > 1 else ", which protects nobody: get more data")
            )
            raise ParameterError(message)


# A policy in terms of the data at hand: itemsets and groups as codes, checked before anything is merged.
#
# A protected itemset in the stricter reading is satisfied if it and all its subsets have support 0 or at least k. So
# the subsets are protected as well, and one rule is left: support 0 or at least k.


MOST_SUBSETS = 1 << 22

Codes = tuple[int, ...]


class Groups(NamedTuple):
    """Utility groups as compressed rows: items of each group, and groups of each item, both ascending."""

    offsets: Longs
    items: Longs
    item_offsets: Longs
    item_groups: Longs


def check_known(policy: Policy, data: Transactions) -> None:
    """A misspelt item would not be protected, or not be merged: count and name all of them."""
    unknown = sorted(policy.items.difference(data.vocabulary))
    if unknown:
        many = f"{len(unknown):,} items of the policy are" if len(unknown) > 1 else "1 item of the policy is"
        message = (
            f"{many} not in the data: {listed(unknown)};"
            " correct the policy, or set ignore_unknown to go on without them"
        )
        raise ParameterError(message)


def listed_itemsets(policy: Policy, data: Transactions, reading: Reading) -> list[Codes]:
    """Protected itemsets as codes, in order of text, without those that ``all_up_to`` covers.

    Nobody holds an itemset with an item that is not in the data; its subsets may be held.
    """
    code_of, found = data.code_of(), set[Codes]()
    for items in policy.protected:
        known = tuple(code_of[item] for item in items if item in code_of)
        if reading == "empty-is-enough":
            if len(known) == len(items) > policy.all_up_to:
                found.add(known)
            continue
        if len(found) + (1 << min(len(known), 62)) > MOST_SUBSETS:
            message = (
                f"with reading 'subsets-too' all subsets of an itemset are protected, and there are more than"
                f" {MOST_SUBSETS:,}: the first too many has {len(known)} items; protect smaller itemsets, or all up to"
                " a size, or take reading 'empty-is-enough'"
            )
            raise ParameterError(message)
        for size in range(policy.all_up_to + 1, len(known) + 1):
            found.update(combinations(known, size))
    return sorted(found)


def utility_groups(policy: Policy, data: Transactions) -> Groups:
    """Groups as codes; without any in the policy, one group of everything."""
    count, code_of = len(data.vocabulary), data.code_of()
    groups = (("everything", data.vocabulary),) if policy.groups is None else policy.groups
    rows = [[code_of[item] for item in items if item in code_of] for _, items in groups]
    lengths = np.array([len(row) for row in rows], np.int64)
    items = np.array([item for row in rows for item in row], np.int64)
    order = np.argsort(items, kind="stable")
    return Groups(
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        items=items,
        item_offsets=np.concatenate(([0], np.cumsum(np.bincount(items, minlength=count)))),
        item_groups=np.repeat(np.arange(len(rows)), lengths)[order],
    )


def item_weights(weights: Mapping[str, float] | None, data: Transactions) -> Floats:
    """Weight of every item; 1 where none is given."""
    given = weights or {}
    return np.array([given.get(item, 1.0) for item in data.vocabulary], np.float64)


# Merge or suppress one block, within the budget; and say what is wrong where neither can be done.


BLOCK_NAMES_SHOWN = 4


@dataclass(frozen=True)
class Steps:
    """The two steps of a greedy method; constraints are told of both.

    Attributes:
        partition: what is merged.
        constraints: who is told.
        vocabulary: names of the items.
        k: support that every constraint needs.
        budget: largest number of items that may be suppressed.
    """

    partition: Partition
    constraints: Constraints
    vocabulary: Sequence[str]
    k: int
    budget: int

    def merge(self, found: Merge) -> None:
        """Merge two blocks."""
        kept = self.partition.merge(found.slot, found.partner)
        self.constraints.merged(kept, found.partner if kept == found.slot else found.slot)

    def suppress(self, slot: int) -> bool:
        """Suppress a block, if the budget allows it; whether it did."""
        if self.partition.suppressed + int(self.partition.arrays.sizes[slot]) > self.budget:
            return False
        self.partition.suppress(slot)
        self.constraints.suppressed(slot)
        return True

    def unsatisfiable(self, image: Longs) -> ParameterError:
        """What cannot be satisfied, why, and what would satisfy it."""
        partition, support = self.partition, self.partition.support(image, self.k)
        blocks = [[self.vocabulary[item] for item in partition.members(slot)] for slot in image.tolist()]
        needed = (partition.suppressed + min(map(len, blocks))) / partition.items
        named = " with ".join(map(_named, blocks))
        return ParameterError(
            f"{named} has support {support}, k is {self.k}: no utility group holds anything else to merge it with, and"
            f" of {self.budget:,} items that may be suppressed {partition.suppressed:,} are; put {_named(blocks[0])}"
            f" into a group with more items, set max_suppressed to at least {needed:.3g}, or lower k (it reaches"
            f" {support})"
        )


def _named(block: list[str]) -> str:
    shown = " or ".join(shorten(item, 40) for item in block[:BLOCK_NAMES_SHOWN])
    more = f" or {len(block) - BLOCK_NAMES_SHOWN:,} more" if len(block) > BLOCK_NAMES_SHOWN else ""
    return f"({shown}{more})" if len(block) > 1 else shown


# COAT, constraint-based anonymisation of transactions (Loukides, Gkoulalas-Divanis and Malin, KAIS 28(2), 2011).
#
# Greedy: take the constraint of largest support that is not satisfied, which needs least change. While it is not
# satisfied, take its block of smallest support and merge it with the block, inside a utility group, that gives the
# least utility loss; suppress it where there is none. A constraint that was satisfied by support 0 comes up again when
# a merge brings its items together, or when suppressing leaves a part of it that is held.
#
# Utility loss of a block is ``(2^size - 1) weight support``; constants that do not change the order are left out. Ties
# go to the smaller support of the merged block, then to text.


@dataclass(frozen=True)
class Coat(ByPolicy):
    """Satisfy a policy with few and small merges; ``ByPolicy`` tells the parameters.

    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "cough"], ["flu"], ["cough"], ["asthma"], ["angina", "flu"]])
    >>> result = Coat(k=2, policy=Policy(protected=(("asthma",),))).anonymise(data)
    >>> [result.release.block(number) for number in range(result.release.blocks)]
    [('angina', 'asthma'), ('cough',), ('flu',)]
    """

    METHOD: ClassVar[str] = "coat"

    def _satisfy(self, steps: Steps) -> None:
        while (constraint := steps.constraints.next()) is not None:
            image = steps.partition.image(constraint)
            while steps.partition.support(image, self.k) not in (0, self.k):
                if not _step(steps, image):
                    raise steps.unsatisfiable(image)
                image = steps.partition.image(constraint)


def _step(steps: Steps, image: Longs) -> bool:
    """Merge the block of smallest support, or suppress it; the next one where the budget is used up."""
    for slot in image.tolist():
        found = steps.partition.cheapest(slot)
        if found is not None:
            steps.merge(found)
            return True
        if steps.suppress(slot):
            return True
    return False


# PCTA, privacy-constrained clustering of transactions (Gkoulalas-Divanis and Loukides, 2011 and 2012).
#
# Bottom-up clustering of the items: take the constraint of largest support that is not satisfied, look at every pair
# of one of its blocks and any other block, and merge the pair of least utility loss; then look again. COAT commits
# itself to the rarest block of a constraint; looking at all of them costs more time and loses less utility.
#
# PCTA itself knows no utility groups: with a policy that has some, this is UPCTA, which merges inside groups only.
# Only then can there be anything to suppress. Utility loss and ties are those of COAT; of equally good pairs the first
# by text is merged.


@dataclass(frozen=True)
class Pcta(ByPolicy):
    """Satisfy a policy by clustering items; ``ByPolicy`` tells the parameters.

    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["a", "b"], ["a", "b"], ["c", "d"], ["c", "e"], ["a"], ["c"]])
    >>> result = Pcta(k=2, policy=Policy(all_up_to=2)).anonymise(data)
    >>> [result.release.block(number) for number in range(result.release.blocks)]
    [('a',), ('b',), ('c',), ('d', 'e')]
    """

    METHOD: ClassVar[str] = "pcta"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values; ``variant`` tells PCTA from UPCTA."""
        return super().parameters | {"variant": "pcta" if self.policy.groups is None else "upcta"}

    def _satisfy(self, steps: Steps) -> None:
        while (constraint := steps.constraints.next()) is not None:
            image = steps.partition.image(constraint)
            found = _cheapest(steps.partition, image)
            if found is not None:
                steps.merge(found)
            elif not any(steps.suppress(slot) for slot in image.tolist()):
                raise steps.unsatisfiable(image)


def _cheapest(partition: Partition, image: Longs) -> Merge | None:
    """The merge of least loss of any block of an image."""
    best: Merge | None = None
    for slot in image.tolist():
        found = partition.cheapest(slot)
        if found is not None and (best is None or _better(partition, found, best)):
            best = found
    return best


def _better(partition: Partition, found: Merge, best: Merge) -> bool:
    from cloven.kinds.generalised.methods.partition import cheaper  # numba takes long to import

    if cheaper(found.size, found.mass, best.size, best.mass):
        return True
    if cheaper(best.size, best.mass, found.size, found.mass):
        return False
    names = partition.arrays.names
    first, second = (
        (merge.support, *sorted((int(names[merge.slot]), int(names[merge.partner]))))
        for merge in (found, best)
    )
    return first < second
