"""Options that say what a generalisation protects and what it may merge; together they make a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from cloven.cli.command import Group
from cloven.cli.reading import warn_of_strangers
from cloven.cli.values import number, one_of, whole
from cloven.errors import ParameterError
from cloven.model.policy import Policy, Reading

if TYPE_CHECKING:
    import numpy as np

    from cloven.model.policy import Groups
    from cloven.model.transactions import Transactions

USUAL_M, USUAL_LEVEL, USUAL_THRESHOLD = 2, 1, 0.5


class Settled(NamedTuple):
    """A policy, and whether lots decided about it."""

    policy: Policy
    drawn: bool


@dataclass(frozen=True)
class Protecting:
    """What to protect, as told on the command line."""

    k: int
    policy: Path | None
    m: int | None
    protect_share: float | None
    constraint_reading: Reading
    max_suppressed: float
    ignore_unknown: bool

    def settled(self, data: Transactions, merging: Merging, rng: np.random.Generator) -> Settled:
        """The policy for this data."""
        told = [name for name, value in (("--policy", self.policy), ("-m", self.m)) if value is not None]
        if self.protect_share is not None and told:
            message = f"--protect-share draws what to protect, and {told[0]} says it; give one of them"
            raise ParameterError(message)
        policy = self._policy(data, rng)
        groups = merging.groups(data, policy)
        if groups is None:
            return Settled(policy, self.protect_share is not None)
        if policy.groups is not None:
            message = f"the policy has groups of its own; leave them out there, or leave out {merging.told}"
            raise ParameterError(message)
        return Settled(replace(policy, groups=groups), self.protect_share is not None)

    def _policy(self, data: Transactions, rng: np.random.Generator) -> Policy:
        if self.protect_share is not None:
            from cloven.anonymise.generalisation.policies import random_items

            return random_items(data, self.protect_share, rng)
        if self.policy is None:
            return Policy(all_up_to=USUAL_M if self.m is None else self.m)
        policy = self._read(self.policy, data)
        if self.m is None or policy.all_up_to == self.m:
            return policy
        if policy.all_up_to:
            message = f"-m {self.m}, but the policy protects combinations up to {policy.all_up_to}; give one of both"
            raise ParameterError(message)
        return replace(policy, all_up_to=self.m)

    def _read(self, path: Path, data: Transactions) -> Policy:
        from cloven.io.policy import read_policy

        if not self.ignore_unknown:
            return read_policy(path, data.vocabulary)
        policy = read_policy(path)
        named = [item for items in policy.protected for item in items]
        named += [item for _, items in policy.groups or () for item in items]
        warn_of_strangers("--policy", named, data)
        return policy


@dataclass(frozen=True)
class Merging:
    """What may be merged, as told on the command line; None for what the policy says, or anything."""

    group_taxonomy: Path | None
    level: int | None
    groups_related: str | None
    threshold: float | None

    def __post_init__(self) -> None:
        for flag, value, needed, given in (
            ("--level", self.level, "--group-taxonomy", self.group_taxonomy),
            ("--threshold", self.threshold, "--groups-related", self.groups_related),
        ):
            if value is not None and given is None:
                message = f"{flag} is for {needed}; give that too, or leave it out"
                raise ParameterError(message)
        if self.group_taxonomy is not None and self.groups_related is not None:
            message = "--group-taxonomy and --groups-related both say what may be merged; give one of them"
            raise ParameterError(message)

    @property
    def told(self) -> str:
        """The option that was given."""
        return "--groups-related" if self.group_taxonomy is None else "--group-taxonomy"

    def groups(self, data: Transactions, policy: Policy) -> Groups | None:
        """Groups by taxonomy or by relatedness, of items that the data holds."""
        if self.group_taxonomy is not None:
            from cloven.anonymise.generalisation.policies import taxonomy_groups
            from cloven.model.taxonomy import read_taxonomy

            found = taxonomy_groups(read_taxonomy(self.group_taxonomy), self.level or USUAL_LEVEL)
            held = set(data.vocabulary)
            inside = ((name, tuple(item for item in items if item in held)) for name, items in found)
            return tuple((name, items) for name, items in inside if items)
        if self.groups_related is None:
            return None
        from cloven.anonymise.generalisation.policies import related_groups
        from cloven.relatedness.spec import parse

        related = parse(self.groups_related).relate(data.vocabulary)
        threshold = USUAL_THRESHOLD if self.threshold is None else self.threshold
        held = set(data.vocabulary)
        listed = [items for items in policy.protected if held.issuperset(items)]
        return related_groups(data.vocabulary, related, threshold, None if policy.all_up_to else listed)


PROTECTING = Group(
    "What to protect",
    {
        "k": (whole(), 5, "Whoever knows a protected itemset has this many candidates.", ("-k",)),
        "policy": (Path | None, None, "File of itemsets to protect and groups to merge in.", ()),
        "m": (whole(1), None, "Protect any combination of so many items; default without a policy: 2.", ("-m",)),
        "protect_share": (number(0, 1, above=True), None, "Protect a random share of the items (experiments).", ()),
        "constraint_reading": (
            one_of(*get_args(Reading)), "subsets-too", f"An itemset nobody has: {', '.join(get_args(Reading))}.", (),
        ),
        "max_suppressed": (number(0, 1), 0.0, "Largest share of the items that may be suppressed.", ()),
        "ignore_unknown": (bool, False, "Go on if the policy names items the data lacks.", ("--ignore-unknown",)),
    },
    Protecting,
)  # fmt: skip
MERGING = Group(
    "What may be merged; default: what the policy says, or anything",
    {
        "group_taxonomy": (Path | None, None, "Items of one group of a taxonomy: leaf;group;...;root.", ()),
        "level": (whole(1), None, "How many steps above the items; default 1.", ()),
        "groups_related": (str | None, None, "What is related: wordnet:PATH, vectors:FILE, ...", ()),
        "threshold": (number(), None, "How related, at least; default 0.5, made for wordnet.", ()),
    },
    Merging,
)  # fmt: skip
