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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of, stable_order
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.kinds.disassociated.score.rebuilt import anchors, turned_round
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from cloven.compiled import Flags, Floats, Ints, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.rebuilt import Cells
    from cloven.kinds.disassociated.score.truth import Truth


LIMIT = 10_000_000
"""Itemsets that are looked at; where records have more of them, a random sample of the records is searched."""
MOST_ITEMSETS = 1 << 48
"""More than any memory holds."""


class Rows(NamedTuple):
    """Items as compressed rows: of each slot, or different ones of each cluster."""

    offsets: Ints
    items: Ints


class Itemsets(NamedTuple):
    """Protected itemsets, once for every searched record that holds them, in the order of their slots.

    Attributes:
        offsets: where those of each cluster start.
        members: the items of each, as numbers in the list of the cluster; -1 for none.
        support: records of the cluster that hold it. Its inverse is the weight: those of one itemset add up to 1.
        scope: a ``Kind``: which scope it belongs to.
        rare: whether fewer than k records of all data hold it.
    """

    offsets: Ints
    members: Ints
    support: Ints
    scope: Ints
    rare: Flags


class World(NamedTuple):
    """True records (their items ascend), first slot of each cluster, and the different items of each cluster."""

    true: Rows
    slot_offsets: Ints
    lists: Rows


@dataclass(frozen=True, eq=False)
class Protected:
    """The protected itemsets of a release.

    Attributes:
        itemsets: which they are.
        searched: share of the records that were searched; 1 means exact.
        world: where they were found.
        shown: what each slot shows.
    """

    itemsets: Itemsets
    searched: float
    world: World
    shown: Rows


def protected_itemsets(
    truth: Truth, release: Disassociated, rng: np.random.Generator, limit: int = LIMIT
) -> Protected:
    """Find the protected itemsets, in all records or in as many random ones as stay below the limit."""
    held, slots, width = truth.held, len(truth.slot_record), max(1, len(release.vocabulary))
    true, part, kind = Rows(held.offsets, held.item), held.part, held.kind
    slot_offsets = truth.questions.slot_offsets
    world = World(true, slot_offsets, Rows(*list_items(true, slot_offsets, width)))
    searched, steps = _searched(np.diff(held.offsets), release.m, limit, rng)
    bounds = np.searchsorted(searched, slot_offsets)

    def some(first: int, last: int) -> tuple[Longs, Ints, Ints, Ints]:
        chosen = searched[bounds[first] : bounds[last]]
        most = int(steps[bounds[last]] - steps[bounds[first]])
        return find_protected(first, last, chosen, most, release.k, release.m, world, part, kind, width)

    counts, members, support, scope = map(np.concatenate, zip(*at_once(some, steps[bounds]), strict=True))
    rare = _rare(offsets_of(counts), members, world, release.k, width)
    shown = anchors(truth.questions, release)
    return Protected(
        itemsets=Itemsets(offsets_of(counts), members, support, scope, rare),
        searched=len(searched) / slots if slots else 1.0,
        world=world,
        shown=Rows(shown.offsets, shown.item),
    )


def _rare(offsets: Longs, members: Ints, world: World, k: int, width: int) -> Flags:
    """Which itemsets fewer than k records of all data hold."""
    true = world.true
    often = np.bincount(true.items, minlength=width)
    rarest, others = name_rarest(offsets, members, world.lists, often)
    order, starts = stable_order(rarest), offsets_of(np.bincount(rarest, minlength=width))
    holders = Rows(offsets_of(often), list_holders(true, offsets_of(often)))
    rare = np.ones(len(members), bool)

    def some(first: int, last: int) -> None:
        find_frequent(first, last, starts, order, others, holders, true, k, rare)

    at_once(some, starts + holders.offsets)
    return rare


def breakages(protected: Protected, given: Cells, place: Longs, units: Units) -> Tallies:
    """Shares of the protected itemsets that are broken, for each scope; ``place`` is the best match of the slots."""
    rebuilt = (Rows(given.offsets, given.item), protected.shown)
    read, width = (np.arange(given.slots), turned_round(place)), max(1, given.width)

    def some(first: int, last: int) -> Floats:
        return weigh_broken(first, last, protected.itemsets, protected.world, rebuilt, read, width)

    # Every cell of every cluster is looked at, and every itemset.
    work = given.offsets[protected.world.slot_offsets] + protected.itemsets.offsets
    found = np.concatenate(at_once(some, work), axis=-1)
    return _tallies(np.rint(found) if protected.searched == 1 else found, units)


def _tallies(weights: Floats, units: Units) -> Tallies:
    """Tallies from the weights of all and of the broken itemsets, by definition, version, kind and cluster.

    Thirds that add up to one are whole numbers, but for rounding, which is taken away before.
    """
    tallies: Tallies = {}
    joints = np.zeros((*weights.shape[:3], units.total - weights.shape[3]))
    table = np.concatenate((weights, joints), axis=3)
    for name, (below, *broken) in zip(("km", "km_data"), table, strict=True):
        for version, above in zip(("any", "own", "own_best"), broken, strict=True):
            for scope, kinds in SCOPES.items():
                kind = list(kinds)
                tallies[f"{name}_{version}", scope] = Tally(above[kind].sum(axis=0), below[kind].sum(axis=0))
    return tallies


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


# Slots that hold an item, as bits: what an itemset has in common is found for a whole cluster at once.


BITS = 62
"""Slots in one word."""


class Words(NamedTuple):
    """Slots that hold each item in the list of a cluster: numbers of words, and their bits; none without a bit.

    Where one word has all slots of a cluster, there are the bits of each item, and nothing else.
    """

    starts: Ints
    ends: Ints
    word: Ints
    bits: Ints


@compiled
def list_items(true: Rows, slot_offsets: Ints, width: int) -> tuple[Ints, Ints]:
    """Where the list of each cluster starts, and the different items in it."""
    offsets, items, found = np.zeros(len(slot_offsets), np.int64), np.empty(len(true.items), np.int32), 0
    seen = np.full(width, -1, np.int64)
    for cluster in range(len(slot_offsets) - 1):
        for at in range(true.offsets[slot_offsets[cluster]], true.offsets[slot_offsets[cluster + 1]]):
            item = true.items[at]
            if seen[item] != cluster:
                seen[item] = cluster
                items[found] = item
                found += 1
        offsets[cluster + 1] = found
    return offsets, items[:found].copy()


@compiled
def _room(world: World, rows: tuple[Rows, ...], first: int, last: int) -> Words:
    """Room for the words of any of these clusters."""
    lists, cells = 0, 0
    for cluster in range(first, last):
        begin, end = world.slot_offsets[cluster], world.slot_offsets[cluster + 1]
        here = 0
        for each in rows:
            here += each.offsets[end] - each.offsets[begin]
        lists = max(lists, world.lists.offsets[cluster + 1] - world.lists.offsets[cluster])
        cells = max(cells, here, lists)
    return Words(
        np.empty(lists + 1, np.int64),
        np.empty(lists, np.int64),
        np.empty(cells, np.int64),
        np.empty(cells, np.int64),
    )


@compiled
def _fill(
    words: Words, many: int, number: Ints, begin: int, end: int, rows: tuple[Rows, ...], read: Ints
) -> None:
    """Note which slots of a cluster hold each of its ``many`` items; slot s has what stands in row ``read[s]``."""
    if end - begin <= BITS:
        words.bits[:many] = 0
        for each in rows:
            _fill_one(words.bits, number, begin, end, each.offsets, each.items, read)
        return
    words.starts[: many + 1] = 0
    words.ends[:many] = -1
    for slot in range(begin, end):
        word = (slot - begin) // BITS
        for each in rows:
            for at in range(each.offsets[read[slot]], each.offsets[read[slot] + 1]):
                item = number[each.items[at]]
                if item >= 0 and words.ends[item] != word:
                    words.ends[item] = word
                    words.starts[item + 1] += 1
    for item in range(many):
        words.starts[item + 1] += words.starts[item]
        words.ends[item] = words.starts[item]
    for slot in range(begin, end):
        word, bit = (slot - begin) // BITS, np.int64(1) << np.int64((slot - begin) % BITS)
        for each in rows:
            for at in range(each.offsets[read[slot]], each.offsets[read[slot] + 1]):
                item = number[each.items[at]]
                if item < 0:
                    continue
                last = words.ends[item]
                if last > words.starts[item] and words.word[last - 1] == word:
                    words.bits[last - 1] |= bit
                else:
                    words.word[last], words.bits[last] = word, bit
                    words.ends[item] += 1


@compiled
def _fill_one(bits: Ints, number: Ints, begin: int, end: int, offsets: Ints, items: Ints, read: Ints) -> None:
    """``_fill`` where one word has all slots, as in most clusters: the bits of each item alone."""
    for slot in range(begin, end):
        bit = np.int64(1) << np.int64(slot - begin)
        for at in range(offsets[read[slot]], offsets[read[slot] + 1]):
            item = number[items[at]]
            if item >= 0:
                bits[item] |= bit


@compiled
def _shared_of_one(bits: Ints, members: Ints, row: int, size: int) -> int:
    """Slots that hold all items in a row of members, where one word has all slots."""
    found = int(bits[members[row, 0]])
    for i in range(1, size):
        found &= int(bits[members[row, i]])
    return found


@compiled
def _bits_of(words: Words, item: int, word: int) -> int:
    """The bits of one word of an item."""
    low, high = words.starts[item], words.ends[item]
    end = high
    while low < high:
        middle = (low + high) // 2
        if words.word[middle] < word:
            low = middle + 1
        else:
            high = middle
    return words.bits[low] if low < end and words.word[low] == word else 0


@compiled
def _shortest(words: Words, members: Ints, row: int, size: int) -> int:
    """Of the items in a row of members, the one that has the fewest words."""
    best = members[row, 0]
    for i in range(1, size):
        item = members[row, i]
        if words.ends[item] - words.starts[item] < words.ends[best] - words.starts[best]:
            best = item
    return int(best)


@compiled
def _shared_bits(words: Words, members: Ints, row: int, size: int, word: int) -> int:
    """Slots of one word that hold all these items."""
    bits = _bits_of(words, members[row, 0], word)
    for i in range(1, size):
        bits &= _bits_of(words, members[row, i], word)
    return bits


@compiled
def _more(bits: int, found: int, enough: int) -> int:
    """How many were found, with these bits; counting stops at ``enough``."""
    while bits != 0 and found < enough:
        bits &= bits - 1
        found += 1
    return found


@compiled
def _support(words: Words, members: Ints, row: int, size: int, enough: int) -> int:
    """How many slots hold all items in a row of members; counting stops at ``enough``."""
    found, shortest = 0, _shortest(words, members, row, size)
    for at in range(words.starts[shortest], words.ends[shortest]):
        found = _more(_shared_bits(words, members, row, size, words.word[at]), found, enough)
    return found


# Protected itemsets, one combination of one record after the other.


_RECORD, _TERM, _SHARED = 0, 1, 2


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
    first: int,
    last: int,
    searched: Ints,
    most: int,
    k: int,
    m: int,
    world: World,
    part: Ints,
    kind: Ints,
    width: int,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Protected itemsets of the searched records of some clusters: how many of each cluster, and see ``Itemsets``.

    ``most`` is the number of all itemsets of these records.
    """
    true, lists = world.true, world.lists
    counts = np.zeros(last - first, np.int64)
    members = np.empty((most, m), np.int32)
    support, scopes = np.empty(most, np.int32), np.empty(most, np.int8)
    number, words = np.full(width, -1, np.int64), _room(world, (true,), first, last)
    stays, n, at = np.arange(world.slot_offsets[last]), 0, 0
    for cluster in range(first, last):
        begin, end = world.slot_offsets[cluster], world.slot_offsets[cluster + 1]
        if at == len(searched) or searched[at] >= end:
            continue
        before, items = n, lists.items[lists.offsets[cluster] : lists.offsets[cluster + 1]]
        for i in range(len(items)):
            number[items[i]] = i
        _fill(words, len(items), number, begin, end, (true,), stays)
        while at < len(searched) and searched[at] < end:
            start, stop = true.offsets[searched[at]], true.offsets[searched[at] + 1]
            at += 1
            for size in range(2, min(m, stop - start) + 1):
                entries, more = np.arange(start, start + size), True
                while more:
                    scope = _scope(kind, part, entries)
                    if scope >= 0:
                        for i in range(m):
                            members[n, i] = number[true.items[entries[i]]] if i < size else -1
                        if end - begin <= BITS:
                            found = _more(_shared_of_one(words.bits, members, n, size), 0, k)
                        else:
                            found = _support(words, members, n, size, k)
                        if found < k:
                            support[n], scopes[n] = found, scope
                            n += 1
                    more = _advance(entries, stop)
        counts[cluster - first] = n - before
        for item in items:
            number[item] = -1
    return counts, members[:n].copy(), support[:n].copy(), scopes[:n].copy()


# Itemsets that are frequent in all data. Each is looked for among the holders of its rarest item, all itemsets with the
# same rarest item at once: the records of these holders are read once, a word of them after the other.


@compiled
def name_rarest(offsets: Ints, members: Ints, lists: Rows, often: Ints) -> tuple[Ints, Ints]:
    """The item of each itemset that the fewest records hold, and the others; -1 for none."""
    rarest = np.empty(len(members), np.int32)
    others = np.full((len(members), members.shape[1] - 1), -1, np.int32)
    for cluster in range(len(offsets) - 1):
        items = lists.items[lists.offsets[cluster] : lists.offsets[cluster + 1]]
        for i in range(offsets[cluster], offsets[cluster + 1]):
            rarest[i] = items[members[i, 0]]
            for at in range(1, members.shape[1]):
                if members[i, at] < 0:
                    break
                item = items[members[i, at]]
                fewer = often[item] < often[rarest[i]]
                others[i, at - 1] = rarest[i] if fewer else item
                rarest[i] = item if fewer else rarest[i]
    return rarest, others


@compiled
def list_holders(true: Rows, offsets: Ints) -> Ints:
    """Slots that hold each item, ascending, those of an item from its offset on."""
    ends, holders = offsets.copy(), np.empty(len(true.items), np.int32)
    for slot in range(len(true.offsets) - 1):
        for at in range(true.offsets[slot], true.offsets[slot + 1]):
            holders[ends[true.items[at]]] = slot
            ends[true.items[at]] += 1
    return holders


@compiled
def _mark(holders: Ints, true: Rows, bits: Ints) -> None:
    """Which of a word of slots hold each item."""
    for i in range(len(holders)):
        for at in range(true.offsets[holders[i]], true.offsets[holders[i] + 1]):
            bits[true.items[at]] |= np.int64(1) << np.int64(i)


@compiled
def _clear(holders: Ints, true: Rows, bits: Ints) -> None:
    for slot in holders:
        for at in range(true.offsets[slot], true.offsets[slot + 1]):
            bits[true.items[at]] = 0


@compiled
def find_frequent(
    first: int,
    last: int,
    starts: Ints,
    order: Ints,
    others: Ints,
    holders: Rows,
    true: Rows,
    k: int,
    rare: Flags,
) -> None:
    """Take ``rare`` back where at least k records hold an itemset whose rarest item is one of these."""
    bits = np.zeros(len(starts) - 1, np.int64)
    for item in range(first, last):
        # Itemsets that are not known to be frequent: their numbers, their other items, holders so far.
        open_ = order[starts[item] : starts[item + 1]].copy()
        rest, found = others[open_], np.zeros(len(open_), np.int64)
        many = len(open_)
        slots = holders.items[holders.offsets[item] : holders.offsets[item + 1]]
        for begin in range(0, len(slots), BITS):
            if many == 0:
                break
            here, kept = slots[begin : begin + BITS], 0
            _mark(here, true, bits)
            for i in range(many):
                common = bits[rest[i, 0]]
                for at in range(1, rest.shape[1]):
                    if rest[i, at] >= 0:
                        common &= bits[rest[i, at]]
                held = _more(common, found[i], k)
                if held < k:
                    open_[kept], found[kept], rest[kept] = open_[i], held, rest[i]
                    kept += 1
                else:
                    rare[open_[i]] = False
            many = kept
            _clear(here, true, bits)


# Do rebuilt records contain them?


@compiled
def _broken(rebuilt: Words, true: Words, members: Ints, row: int, size: int) -> int:
    """2 if the rebuilt record of a holder has all items in a row of members, 1 if only another one has, 0 if none."""
    found, shortest = 0, _shortest(rebuilt, members, row, size)
    for at in range(rebuilt.starts[shortest], rebuilt.ends[shortest]):
        word = rebuilt.word[at]
        bits = _shared_bits(rebuilt, members, row, size, word)
        if bits != 0:
            if bits & _shared_bits(true, members, row, size, word):
                return 2
            found = 1
    return found


@compiled
def weigh_broken(
    first: int,
    last: int,
    itemsets: Itemsets,
    world: World,
    rebuilt: tuple[Rows, Rows],
    read: tuple[Ints, Ints],
    width: int,
) -> Floats:
    """Weights of the itemsets of some clusters: in cluster or data, version, kind, cluster.

    Versions: all, in some rebuilt record of the cluster, in that of a holder, in the one read there by the best match.
    """
    sums, number, members = np.zeros((2, 4, 3, last - first)), np.full(width, -1, np.int64), itemsets.members
    true_words = _room(world, (world.true,), first, last)
    words, moved = _room(world, rebuilt, first, last), _room(world, rebuilt, first, last)
    here = np.empty((2, 4, 3))
    for cluster in range(first, last):
        if itemsets.offsets[cluster] == itemsets.offsets[cluster + 1]:
            continue
        begin, end = world.slot_offsets[cluster], world.slot_offsets[cluster + 1]
        items = world.lists.items[world.lists.offsets[cluster] : world.lists.offsets[cluster + 1]]
        for i in range(len(items)):
            number[items[i]] = i
        _fill(true_words, len(items), number, begin, end, (world.true,), read[0])
        _fill(words, len(items), number, begin, end, rebuilt, read[0])
        _fill(moved, len(items), number, begin, end, rebuilt, read[1])
        here[:] = 0.0
        for i in range(itemsets.offsets[cluster], itemsets.offsets[cluster + 1]):
            size = members.shape[1]
            while members[i, size - 1] < 0:
                size -= 1
            weight, scope = 1.0 / itemsets.support[i], itemsets.scope[i]
            if end - begin <= BITS:
                bits = _shared_of_one(words.bits, members, i, size)
                held = _shared_of_one(true_words.bits, members, i, size)
                found = 0 if bits == 0 else 2 if bits & held else 1
                best = found > 0 and _shared_of_one(moved.bits, members, i, size) & held != 0
            else:
                found = _broken(words, true_words, members, i, size)
                best = found > 0 and _broken(moved, true_words, members, i, size) == 2
            for data in range(2 if itemsets.rare[i] else 1):
                here[data, 0, scope] += weight
                if found > 0:
                    here[data, 1, scope] += weight
                    here[data, 2, scope] += weight if found == 2 else 0.0
                    here[data, 3, scope] += weight if best else 0.0
        sums[:, :, :, cluster - first] = here
        for item in items:
            number[item] = -1
    return sums
