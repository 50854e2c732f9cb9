"""What ``cloven anonymise coat`` and ``pcta`` protect and may merge: the options that together make a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.cli.options import Group
from cloven.cli.reading import warn_of_strangers
from cloven.data.defaults import M
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.generalised.policy import Policy
from cloven.values import FILE, TEXT, option, real, whole

if TYPE_CHECKING:
    import numpy as np

    from cloven.kinds.generalised.policy import Groups

USUAL_LEVEL, USUAL_THRESHOLD = 1, 0.5


@dataclass(frozen=True)
class Protecting:
    """What to protect, as told on the command line."""

    policy: Path | None = option(None, FILE, "File of itemsets to protect and groups to merge in.")
    m: int | None = option(
        None, whole(1), f"Protect any combination of so many items; default without a policy: {M}."
    )
    protect_share: float | None = option(
        None, real(0, 1, above=True), "Protect a random share of the items (experiments)."
    )

    def settled(
        self, data: Transactions, merging: Merging, rng: np.random.Generator, *, ignore_unknown: bool
    ) -> Policy:
        """The policy for this data."""
        told = [name for name, value in (("--policy", self.policy), ("-m", self.m)) if value is not None]
        if self.protect_share is not None and told:
            message = f"--protect-share draws what to protect, and {told[0]} says it; give one of them"
            raise ParameterError(message)
        policy = self._policy(data, rng, ignore_unknown=ignore_unknown)
        groups = merging.groups(data, policy)
        if groups is None:
            return policy
        if policy.groups is not None:
            message = f"the policy has groups of its own; leave them out there, or leave out {merging.told}"
            raise ParameterError(message)
        return replace(policy, groups=groups)

    def _policy(self, data: Transactions, rng: np.random.Generator, *, ignore_unknown: bool) -> Policy:
        if self.protect_share is not None:
            from cloven.kinds.generalised.policy import random_items

            return random_items(data, self.protect_share, rng)
        if self.policy is None:
            return Policy(all_up_to=M if self.m is None else self.m)
        policy = _read(self.policy, data, ignore_unknown=ignore_unknown)
        if self.m is None or policy.all_up_to == self.m:
            return policy
        if policy.all_up_to:
            message = f"-m {self.m}, but the policy protects combinations up to {policy.all_up_to}; give one of both"
            raise ParameterError(message)
        return replace(policy, all_up_to=self.m)


def _read(path: Path, data: Transactions, *, ignore_unknown: bool) -> Policy:
    from cloven.kinds.generalised.policy_files import read_policy

    if not ignore_unknown:
        return read_policy(path, data.vocabulary)
    policy = read_policy(path)
    named = [item for items in policy.protected for item in items]
    named += [item for _, items in policy.groups or () for item in items]
    warn_of_strangers("--policy", named, data)
    return policy


@dataclass(frozen=True)
class Merging:
    """What may be merged, as told on the command line; None for what the policy says, or anything."""

    group_taxonomy: Path | None = option(None, FILE, "Items of one group of a taxonomy: leaf;group;...;root.")
    level: int | None = option(None, whole(1), "How many steps above the items; default 1.")
    groups_related: str | None = option(None, TEXT, "What is related: wordnet:PATH, vectors:FILE, ...")
    threshold: float | None = option(None, real(), "How related, at least; default 0.5, made for wordnet.")

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
            from cloven.data.taxonomy import read_taxonomy
            from cloven.kinds.generalised.policy import taxonomy_groups

            found = taxonomy_groups(read_taxonomy(self.group_taxonomy), self.level or USUAL_LEVEL)
            held = set(data.vocabulary)
            inside = ((name, tuple(item for item in items if item in held)) for name, items in found)
            return tuple((name, items) for name, items in inside if items)
        if self.groups_related is None:
            return None
        from cloven.kinds.generalised.policy import related_groups
        from cloven.relatedness.spec import parse

        related = parse(self.groups_related).relate(data.vocabulary)
        threshold = USUAL_THRESHOLD if self.threshold is None else self.threshold
        held = set(data.vocabulary)
        listed = [items for items in policy.protected if held.issuperset(items)]
        return related_groups(data.vocabulary, related, threshold, None if policy.all_up_to else listed)


WHAT_TO_PROTECT = "What to protect"
PROTECTING = Group.of(WHAT_TO_PROTECT, Protecting)
MERGING = Group.of("What may be merged; default: what the policy says, or anything", Merging)
