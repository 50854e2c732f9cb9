"""A policy in terms of the data at hand: itemsets and groups as codes, checked before anything is merged.

A protected itemset in the stricter reading is satisfied if it and all its subsets have support 0 or at least k. So the
subsets are protected as well, and one rule is left: support 0 or at least k.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from cloven.model.policy import Policy, Reading
    from cloven.model.transactions import Transactions

MOST_SUBSETS = 1 << 22
NAMES_SHOWN = 6

Codes = tuple[int, ...]


class Groups(NamedTuple):
    """Utility groups as compressed rows: items of each group, and groups of each item, both ascending."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int64]
    item_offsets: NDArray[np.int64]
    item_groups: NDArray[np.int64]


def unknown_items(policy: Policy, vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Items that a policy names and the data does not hold, sorted.

    >>> from cloven.model.policy import Policy
    >>> unknown_items(Policy(protected=(("flu",), ("flue",))), ["flu", "fever"])
    ('flue',)
    """
    named = {item for items in policy.protected for item in items}
    named.update(item for _, items in policy.groups or () for item in items)
    return tuple(sorted(named.difference(vocabulary)))


def check_known(policy: Policy, data: Transactions) -> None:
    """A misspelt item would not be protected, or not be merged: count and name all of them."""
    unknown = unknown_items(policy, data.vocabulary)
    if unknown:
        shown = ", ".join(shorten(item, 40) for item in unknown[:NAMES_SHOWN])
        more = f" and {len(unknown) - NAMES_SHOWN:,} more" if len(unknown) > NAMES_SHOWN else ""
        many = f"{len(unknown):,} items" if len(unknown) > 1 else "1 item"
        message = (
            f"{many} of the policy {'are' if len(unknown) > 1 else 'is'} not in the data: {shown}{more};"
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


def item_weights(weights: Mapping[str, float] | None, data: Transactions) -> NDArray[np.float64]:
    """Weight of every item; 1 where none is given."""
    given = weights or {}
    return np.array([given.get(item, 1.0) for item in data.vocabulary], np.float64)
