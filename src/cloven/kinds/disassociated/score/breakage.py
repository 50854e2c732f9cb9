"""k^m breakage: itemsets that the release tears apart because fewer than k records hold them, found again.

Thesis, section 5.2.1. *Protected* is a set of 2 to m items of one original record (without what was suppressed) that
fewer than k records of its cluster hold and that no record or shared chunk shows together; the second variant counts
holders in all data. An itemset counts once in each cluster. It is broken if some rebuilt record of the cluster
contains it; more strictly, if the rebuilt record of one of its true holders does.

Scopes part the itemsets: "term" has at least one item of a term chunk, "shared" has none of those but one of a shared
chunk, "record" has items of record chunks alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled, compiled_early
from cloven.cores import at_once
from cloven.data.arrays import among_ascending, distinct, offsets_of, run_starts, stable_order
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.kinds.disassociated.score.rebuilt import anchors
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.rebuilt import Cells
    from cloven.kinds.disassociated.score.truth import Truth


LIMIT = 10_000_000
"""Itemsets that are looked at; where records have more of them, a random sample of the records is searched."""
MOST_ITEMSETS = 1 << 48
"""More than any memory holds."""


@dataclass(frozen=True, eq=False)
class Protected:
    """Protected itemsets, once for every searched record that holds them.

    Attributes:
        slot: slot of that record.
        weight: 1 divided by the number of holders in the cluster: the weights of one itemset add up to 1.
        scope: a ``Kind``: which scope it belongs to.
        rare: whether fewer than k records of all data hold it.
        searched: share of the records that were searched; 1 means exact.
    """

    slot: Longs
    weight: Floats
    scope: NDArray[np.int8]
    rare: Flags
    searched: float
    members: Longs
    true: Records
    in_cluster: Holders


def protected_itemsets(
    truth: Truth, release: Disassociated, rng: np.random.Generator, limit: int = LIMIT
) -> Protected:
    """Find the protected itemsets, in all records or in as many random ones as stay below the limit."""
    held, slots, width = truth.held, len(truth.slot_record), max(1, len(release.vocabulary))
    order = np.argsort(held.slot * width + held.item)
    slot, item = held.slot[order], held.item[order]
    true = Records(np.searchsorted(slot, np.arange(slots + 1)), item)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    in_cluster, in_data = _holders(cluster[slot], item, slot), _holders(np.zeros_like(slot), item, slot)
    searched, steps = _searched(np.diff(true.offsets), release.m, limit, rng)
    part, kind = held.part[order], held.kind[order]

    def some(first: int, last: int) -> tuple[Longs, Longs, NDArray[np.int8], Flags]:
        most = int(steps[last] - steps[first])
        return find_protected(
            searched[first:last], most, release.k, release.m, true, part, kind, in_cluster, in_data
        )

    members, support, scope, rare = map(np.concatenate, zip(*at_once(some, steps), strict=True))
    return Protected(
        slot=slot[members[:, 0]],
        weight=1 / support,
        scope=scope,
        rare=rare,
        searched=len(searched) / slots if slots else 1.0,
        members=members,
        true=true,
        in_cluster=in_cluster,
    )


def breakages(
    protected: Protected, truth: Truth, release: Disassociated, given: Cells, place: Longs, units: Units
) -> Tallies:
    """Shares of the protected itemsets that are broken, for each scope; ``place`` is the best match of the slots."""
    width = max(1, given.width)
    cells = distinct(
        np.concatenate(
            (given.numbers(SCOPES["all"]), anchors(truth.questions, release).numbers(SCOPES["all"]))
        )
    )
    slot, item = np.divmod(cells, width)
    rebuilt = Records(np.searchsorted(cells, np.arange(given.slots + 1) * width), item)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    read = np.empty_like(place)
    read[place] = np.arange(len(place))
    rebuilt_lists = _named_alike(_holders(cluster[slot], item, slot), protected.in_cluster)

    def some(first: int, last: int) -> Flags:
        members = protected.members[first:last]
        return find_broken(members, protected.true, protected.in_cluster, rebuilt, rebuilt_lists, read)

    broken = np.concatenate(at_once(some, np.arange(len(protected.members) + 1)))
    return _tallies(protected, broken, units)


def _tallies(protected: Protected, broken: Flags, units: Units) -> Tallies:
    tallies: Tallies = {}
    cell = protected.scope.astype(np.int64) * units.total + units.of_slot[protected.slot]
    for name, counted in (("km", np.ones_like(protected.rare)), ("km_data", protected.rare)):
        weight = np.where(counted, protected.weight, 0.0)
        below = _weighed(protected, cell, weight, units)
        for column, version in enumerate(("any", "own", "own_best")):
            above = _weighed(protected, cell, np.where(broken[:, column], weight, 0.0), units)
            for scope, kinds in SCOPES.items():
                kind = list(kinds)
                tallies[f"{name}_{version}", scope] = Tally(above[kind].sum(axis=0), below[kind].sum(axis=0))
    return tallies


def _weighed(protected: Protected, cell: Longs, weight: Floats, units: Units) -> Floats:
    """Sum of weights for each kind of itemset and unit (``cell`` numbers both): how many itemsets these are."""
    sums = np.bincount(cell, weight, 3 * units.total).reshape(3, units.total).astype(float)
    # Thirds that add up to one are whole numbers, but for rounding.
    return np.rint(sums) if protected.searched == 1 else sums


def _searched(lengths: Longs, m: int, limit: int, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Slots to search, ascending, and how many itemsets lie before each of them, and behind the last."""
    sizes = range(2, m + 1)
    table = [sum(comb(length, size) for size in sizes) for length in range(int(lengths.max(initial=0)) + 1)]
    often = np.bincount(lengths, minlength=len(table)).tolist()
    if sum(each * many for each, many in zip(table, often, strict=True)) <= limit:
        chosen = np.arange(len(lengths))
    else:
        order = rng.permutation(len(lengths))
        many = np.cumsum(np.array([float(each) for each in table])[lengths[order]])
        chosen = np.sort(order[: max(1, int(np.searchsorted(many, limit, "right")))])
    # A record with more itemsets than a number of an array can say is not among these.
    each = np.array([min(many, MOST_ITEMSETS) for many in table], np.int64)
    return chosen, offsets_of(each[lengths[chosen]])


def _holders(owner: Longs, item: Longs, slot: Longs) -> Holders:
    """Slots listed by owner and item, as they stand inside a list; and the list of each entry."""
    order = stable_order(item)
    order = order[stable_order(owner[order])]
    # Half as wide as they came: there may be as many as occurrences in the data.
    owners, items = owner.astype(np.int32)[order], item.astype(np.int32)[order]
    starts = run_starts(owners, items)
    ends = np.append(starts[1:], len(order)).astype(np.int64)
    of = np.empty(len(order), np.int64)
    of[order] = np.repeat(np.arange(len(starts)), ends - starts)
    return Holders(of, starts, ends, slot[order], owner[order[starts]], item[order[starts]])


def _named_alike(lists: Holders, others: Holders) -> Holders:
    """The lists of the same owners and items as the others have, empty ones where there are none; and their entries."""
    width = int(max(lists.item.max(initial=0), others.item.max(initial=0))) + 1
    names, wanted = lists.owner * width + lists.item, others.owner * width + others.item
    starts, ends = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.int64)
    known = among_ascending(wanted, names)
    place = np.flatnonzero(among_ascending(names, wanted))
    starts[known], ends[known] = lists.starts[place], lists.ends[place]
    return Holders(others.of, starts, ends, lists.slots, others.owner, others.item)


# Protected itemsets, one combination of one record after the other, and whether rebuilt records contain them.


_RECORD, _TERM, _SHARED = 0, 1, 2


class Records(NamedTuple):
    """Records as compressed rows, one for each slot; items ascend inside a row."""

    offsets: Ints
    items: Ints


class Holders(NamedTuple):
    """Slots that hold an item, in lists of one owner (a cluster, or all data) and one item each.

    ``of`` is the list of each entry of the true records.
    """

    of: Ints
    starts: Ints
    ends: Ints
    slots: Ints
    owner: Ints
    item: Ints


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


@compiled_early
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


@compiled_early
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
