"""Protected itemsets, one combination of one record after the other, and whether rebuilt records contain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Flags, Ints

_RECORD, _TERM, _SHARED = 0, 1, 2


class Records(NamedTuple):
    """Records as compressed rows, one for each slot; items ascend inside a row."""

    offsets: Ints
    items: Ints


class Holders(NamedTuple):
    """Slots that hold an item, in lists; ``of`` is the list of each entry of the true records."""

    of: Ints
    starts: Ints
    ends: Ints
    slots: Ints


@compiled
def _has(records: Records, slot: int, item: int) -> bool:
    low, high = records.offsets[slot], records.offsets[slot + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if records.items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return bool(low < end and records.items[low] == item)


@compiled
def _contains(records: Records, slot: int, true: Records, entries: Ints) -> bool:
    """Does the record of this slot contain all these items?"""
    for entry in entries:
        if not _has(records, slot, true.items[entry]):
            return False
    return True


@compiled
def _shortest(holders: Holders, entries: Ints) -> Any:
    """The list of the item that the fewest hold."""
    best = holders.of[entries[0]]
    for entry in entries[1:]:
        here = holders.of[entry]
        if holders.ends[here] - holders.starts[here] < holders.ends[best] - holders.starts[best]:
            best = here
    return best


@compiled
def _support(true: Records, holders: Holders, entries: Ints, enough: int) -> int:
    """How many records hold all these items; counting stops at ``enough``."""
    found, shortest = 0, _shortest(holders, entries)
    for at in range(holders.starts[shortest], holders.ends[shortest]):
        if _contains(true, holders.slots[at], true, entries):
            found += 1
            if found == enough:
                break
    return found


@compiled
def _advance(entries: Ints, end: int) -> bool:
    """Next combination of ascending entries below ``end``, in place; False after the last one."""
    size = len(entries)
    at = size - 1
    while at >= 0 and entries[at] == end - size + at:
        at -= 1
    if at < 0:
        return False
    entries[at] += 1
    for i in range(at + 1, size):
        entries[i] = entries[i - 1] + 1
    return True


@compiled
def _scope(kind: Ints, part: Ints, entries: Ints) -> int:
    """Kind of an itemset: with an item of a term chunk, else of a shared chunk, else record; -1 if one part has all."""
    together, scope = True, _RECORD
    for entry in entries:
        together &= part[entry] == part[entries[0]]
        if kind[entry] == _TERM:
            scope = _TERM
        elif kind[entry] == _SHARED and scope == _RECORD:
            scope = _SHARED
    return -1 if together and scope != _TERM else scope


@compiled
def find_protected(
    searched: Ints,
    most: int,
    k: int,
    m: int,
    true: Records,
    part: Ints,
    kind: Ints,
    in_cluster: Holders,
    in_data: Holders,
) -> tuple[Ints, Ints, Ints, Flags]:
    """Protected itemsets of the searched records: entries (-1 for none), support in the cluster, scope, rare in data.

    ``most`` is the number of all itemsets of these records.
    """
    members = np.full((most, m), -1, np.int64)
    support, scopes, rare = np.empty(most, np.int64), np.empty(most, np.int8), np.empty(most, np.bool_)
    n = 0
    for slot in searched:
        first, last = true.offsets[slot], true.offsets[slot + 1]
        for size in range(2, min(m, last - first) + 1):
            entries = np.arange(first, first + size)
            more = True
            while more:
                scope = _scope(kind, part, entries)
                if scope >= 0:
                    found = _support(true, in_cluster, entries, k)
                    if found < k:
                        members[n, :size] = entries
                        support[n], scopes[n] = found, scope
                        rare[n] = _support(true, in_data, entries, k) < k
                        n += 1
                more = _advance(entries, last)
    return members[:n].copy(), support[:n].copy(), scopes[:n].copy(), rare[:n].copy()


@compiled
def find_broken(
    members: Ints,
    true: Records,
    in_cluster: Holders,
    rebuilt: Records,
    rebuilt_in_cluster: Holders,
    read: Ints,
) -> Flags:
    """For each protected itemset: in some rebuilt record of the cluster, in that of a holder, in its best match."""
    broken = np.zeros((len(members), 3), np.bool_)
    for i in range(len(members)):
        size = 0
        while size < members.shape[1] and members[i, size] >= 0:
            size += 1
        entries = members[i, :size]
        shortest = _shortest(rebuilt_in_cluster, entries)
        for at in range(rebuilt_in_cluster.starts[shortest], rebuilt_in_cluster.ends[shortest]):
            if _contains(rebuilt, rebuilt_in_cluster.slots[at], true, entries):
                broken[i, 0] = True
                break
        if not broken[i, 0]:
            continue
        shortest = _shortest(in_cluster, entries)
        for at in range(in_cluster.starts[shortest], in_cluster.ends[shortest]):
            slot = in_cluster.slots[at]
            if _contains(true, slot, true, entries):
                broken[i, 1] |= _contains(rebuilt, slot, true, entries)
                broken[i, 2] |= _contains(rebuilt, read[slot], true, entries)
    return broken
