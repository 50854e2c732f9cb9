"""Compiled reader where shared chunks have one item each: what each known item says alone is summed up once.

A cluster that lists one known item alone holds the set with the chance of that item there times those of the others in
a cluster that does not list them, which are the same everywhere. So the sums over all such clusters are those of the
item alone times a number, less what lies in the clusters that list several known items; only these are looked at one by
one, and all further items are computed at once. See ``known_person`` for the formulas; what is claimed is the same.

This holds where all clusters lie below one outermost joint, and where no shared chunk has two items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Longs, compiled, compiled_early
from cloven.kinds.disassociated.attack.known_person_kernel import DIGITS, LEAST_BEST

if TYPE_CHECKING:
    from cloven.kinds.disassociated.attack.known_person_layout import Layout

MOST_KEPT = 1 << 23
"""Entries of ``Alone`` that are kept at most; then they are made anew."""
NO_CHUNK = -2


class Listed(NamedTuple):
    """What clusters list, by cluster; and what holds of each item over all clusters.

    Attributes:
        starts: first entry of each cluster.
        item: an item that it lists.
        share: its share of the records there.
        part: the chunk that it stands in, -1 for a term chunk.
        size: for each item, the records of all clusters that list it.
        copies: its expected copies there.
        rate: its share in the other clusters.
    """

    starts: Longs
    item: Longs
    share: Floats
    part: Longs
    size: Floats
    copies: Floats
    rate: Floats


class Alone(NamedTuple):
    """For each known item that was met: sums over the clusters that list it, by the other items that these list.

    Attributes:
        first: first entry of each item, -1 if it was not met.
        last: after its last entry.
        own: for each item, its expected copies in the clusters that list it, and their records.
        item: the other item.
        both: expected records that hold both.
        with_it: expected records that hold the known item, of clusters that list the other, too.
        size: all records of these clusters.
        copies: expected copies of the other item in them.
        used: how many entries there are.
        room: for sums, by item.
        met: room: whether an item was found beside the one in hand.
    """

    first: Longs
    last: Longs
    own: Floats
    item: Longs
    both: Floats
    with_it: Floats
    size: Floats
    copies: Floats
    used: Longs
    room: Floats
    met: Longs


@compiled
def room(width: int) -> Alone:
    """Room for what items say alone."""
    many = max(width, min(MOST_KEPT, width * width))
    return Alone(
        np.full(width, -1, np.int64), np.empty(width, np.int64), np.zeros((width, 2)), np.empty(many, np.int64),
        np.empty(many), np.empty(many), np.empty(many), np.empty(many), np.zeros(1, np.int64),
        np.empty((width, 4)), np.empty(width, np.int64),
    )  # fmt: skip


@compiled
def _meet(layout: Layout, listed: Listed, item: int, shown_only: bool, alone: Alone) -> None:
    """Sum up what an item says alone."""
    first, end = layout.places.starts[item], layout.places.starts[item + 1]
    cluster_of, slot_of, share_of = layout.places.cluster, layout.places.slot, layout.places.share
    record, sizes, slot_part = layout.places.record, layout.clusters.size, layout.rows.slot_part
    mate_starts, mates, mate_share = layout.rows.mate_starts, layout.rows.mates, layout.rows.mate_share
    starts, items, shares, parts = listed.starts, listed.item, listed.share, listed.part
    room, met, found = alone.room, alone.met, alone.item
    if alone.used[0] + len(met) > len(found):
        alone.first[:], alone.used[0] = -1, 0
    begin = many = alone.used[0]
    met[:] = -1
    alone.own[item] = 0.0
    for at in range(first, end):
        if shown_only and not record[at]:
            continue
        cluster, slot = cluster_of[at], slot_of[at]
        size = sizes[cluster]
        weight, part = size * share_of[at], slot_part[slot] if slot >= 0 else NO_CHUNK
        alone.own[item, 0] += weight
        alone.own[item, 1] += size
        for entry in range(starts[cluster], starts[cluster + 1]):
            other, share = items[entry], shares[entry]
            if met[other] < 0:
                met[other], found[many], room[other] = 0, other, 0.0
                many += 1
            if parts[entry] != part:
                room[other, 0] += weight * share
            room[other, 1] += weight
            room[other, 2] += size
            room[other, 3] += size * share
        if slot >= 0:
            for entry in range(mate_starts[slot], mate_starts[slot + 1]):  # all of them are listed here
                room[mates[entry], 0] += weight * mate_share[entry]
    for entry in range(begin, many):
        sums = room[found[entry]]
        alone.both[entry], alone.with_it[entry], alone.size[entry], alone.copies[entry] = sums
    alone.first[item], alone.last[item], alone.used[0] = begin, many, many


@compiled
def meet_all(layout: Layout, listed: Listed, codes: Longs, hidden: Flags, alone: Alone) -> bool:
    """Sum up what these items say alone, if there is room for all of them."""
    for item in codes:
        if alone.first[item] < 0:
            if alone.used[0] + len(alone.met) > len(alone.item):
                return False
            _meet(layout, listed, item, hidden[item], alone)
    return True


@compiled
def _add_alone(item: int, factor: float, far: float, rate: Floats, alone: Alone, held: Floats) -> None:
    """Add what a known item says alone, its clusters being weighed with the chances of the others.

    As what clusters list is added, what was reckoned for all clusters before is taken away.
    """
    found, both, with_it, sizes, copies = alone.item, alone.both, alone.with_it, alone.size, alone.copies
    for at in range(alone.first[item], alone.last[item]):
        other = found[at]
        held[other] += (
            factor * both[at] - far * copies[at] - rate[other] * (factor * with_it[at] - far * sizes[at])
        )


@compiled
def _rows_with(
    starts: Longs, items: Longs, rows: Longs, known: Longs, part: Longs, first: int, found: Longs
) -> int:
    """Of rows that hold known item ``first``, those with all known items of its chunk; returns how many were found.

    Arrays are passed one by one, for to take one out of its tuple costs more than the whole function.
    """
    many = 0
    for row in rows:
        fine = True
        for j in range(first + 1, len(known)):
            if fine and part[j] == part[first]:
                fine = False
                for inside in range(starts[row], starts[row + 1]):
                    fine = fine or items[inside] == known[j]
        if fine:
            found[many] = row
            many += 1
    return many


@compiled
def _companions(part: Longs, j: int) -> int:
    """How many known items stand in the chunk of item ``j``, itself included; 0 if it is not the first of them."""
    if part[j] == NO_CHUNK:
        return 1
    many = 0
    for i in range(len(part)):
        if part[i] == part[j]:
            if i < j:
                return 0
            many += 1
    return many


@compiled
def _product_without(rate: Floats, but: int) -> float:
    product = 1.0
    for i in range(len(rate)):
        product *= 1.0 if i == but else rate[i]
    return product


@compiled
def _next(
    cluster_of: Longs, record: Flags, only: Flags, at: Longs, end: Longs, here: Longs, last: int
) -> tuple[int, int]:
    """Next cluster that lists a known item, and how many it lists; ``here`` gets their places, or -1."""
    cluster, many = last, 0
    for j in range(len(at)):
        while at[j] < end[j] and only[j] and not record[at[j]]:
            at[j] += 1
        if at[j] < end[j]:
            cluster = min(cluster, cluster_of[at[j]])
    for j in range(len(at)):
        here[j] = -1
        if at[j] < end[j] and cluster_of[at[j]] == cluster:
            here[j] = at[j]
            at[j] += 1
            many += 1
    return cluster, many


@compiled
def _add_several(
    layout: Layout, listed: Listed, known: Longs, only: Flags, rate: Floats, far: float, found: Longs, held: Floats,
    near: Floats,
) -> float:  # fmt: skip
    """Add what clusters say that list several known items, and take away what each of these says there alone.

    Returns the expected records that hold all; ``near`` gets for each known item its expected copies there,
    and last, once for each further item, the records of these clusters.
    """
    cluster_of, slot_of, share_of = layout.places.cluster, layout.places.slot, layout.places.share
    record, sizes, slot_part = layout.places.record, layout.clusters.size, layout.rows.slot_part
    mate_starts, mates, mate_share = layout.rows.mate_starts, layout.rows.mates, layout.rows.mate_share
    starts, items, shares, parts = listed.starts, listed.item, listed.share, listed.part
    slot_starts, slot_rows, row_rate = layout.rows.slot_starts, layout.rows.slot_rows, layout.rows.rate
    row_starts, row_items, usual = layout.rows.starts, layout.rows.items, listed.rate
    many, total, last = len(known), 0.0, len(sizes)
    at, end = layout.places.starts[known], layout.places.starts[known + 1]
    here, part, less = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many)
    while True:
        cluster, several = _next(cluster_of, record, only, at, end, here, last)
        if cluster == last:
            return total
        if several < 2:
            continue
        size = sizes[cluster]
        near[-1] += size * (several - 1)
        again, weight, lone = far * size * (several - 1), size, 0.0  # each of them took it away
        for j in range(many):
            part[j], less[j] = NO_CHUNK, 0.0
            if here[j] >= 0:
                near[j] += size * share_of[here[j]]
                less[j] = size * share_of[here[j]]
                less[j] *= _product_without(rate, j)
                lone += less[j]
                if slot_of[here[j]] >= 0:
                    part[j] = slot_part[slot_of[here[j]]]
        for j in range(many):
            together = _companions(part, j)
            if together == 1:
                weight *= share_of[here[j]] if here[j] >= 0 else rate[j]
            elif together > 1:
                slot, chance = slot_of[here[j]], 0.0
                rows = slot_rows[slot_starts[slot] : slot_starts[slot + 1]]
                for i in range(_rows_with(row_starts, row_items, rows, known, part, j, found)):
                    chance += row_rate[found[i]]
                weight *= min(1.0, chance)
        total += weight
        for entry in range(starts[cluster], starts[cluster + 1]):
            item, copies, meets = items[entry], again - lone, False
            for j in range(many):
                if parts[entry] == part[j]:
                    meets = True
                    copies += less[j]
            if not meets:
                copies += weight
            held[item] += copies * shares[entry] - usual[item] * (weight - lone + again)
        for j in range(many):
            if part[j] == NO_CHUNK:
                continue
            slot, together = slot_of[here[j]], _companions(part, j)
            beside = (weight if together == 1 else 0.0) - less[j]
            for entry in range(mate_starts[slot], mate_starts[slot + 1]):
                held[mates[entry]] += beside * mate_share[entry]
            if together > 1 and weight > 0:
                rows, chance = slot_rows[slot_starts[slot] : slot_starts[slot + 1]], 0.0
                count = _rows_with(row_starts, row_items, rows, known, part, j, found)
                for i in range(count):
                    chance += row_rate[found[i]]
                for i in range(count):
                    for inside in range(row_starts[found[i]], row_starts[found[i] + 1]):
                        held[row_items[inside]] += weight * row_rate[found[i]] / chance


@compiled
def _weigh(
    layout: Layout, listed: Listed, known: Longs, only: Flags, alone: Alone, found: Longs, held: Floats
) -> float:
    """Fill ``held``: expected records that hold the set and each item. Returns how many hold the set."""
    many, far, total = len(known), 1.0, 0.0
    rate, near = np.empty(many), np.zeros(many + 1)
    for j in range(many):
        rate[j] = 0.0 if only[j] else listed.rate[known[j]]
        far *= rate[j]
    for item in range(len(held)):
        held[item] = far * (listed.copies[item] - listed.rate[item] * listed.size[item])
    for j in range(many):
        if alone.first[known[j]] < 0:
            _meet(layout, listed, known[j], only[j], alone)
        _add_alone(known[j], _product_without(rate, j), far, listed.rate, alone, held)
    if many > 1:
        total = _add_several(layout, listed, known, only, rate, far, found, held, near)
    unlisted = layout.clusters.top_size[0] + near[many]
    for j in range(many):
        own = alone.own[known[j]]
        # Summed up in the same order, so that nothing is left where every cluster lists several.
        total += _product_without(rate, j) * max(0.0, own[0] - near[j])
        unlisted -= own[1]
    total += far * max(0.0, unlisted)
    for item in range(len(held)):
        held[item] += listed.rate[item] * total
    return float(total)


@compiled
def _claimed(
    held: Floats, total: float, known: Longs, eligible: Flags, floor: float, least: float, items: Longs,
    chances: Floats, end: int,
) -> tuple[int, int, float]:  # fmt: skip
    """Note what is claimed of a set behind ``end``; returns the new end, the best item and its chance."""
    best, best_chance = -1, 0.0
    for item in range(len(held)):
        chance = held[item] / total
        if chance < least - 1 / DIGITS or not eligible[item] or (known == item).any():
            continue
        chance = min(1.0, np.floor(chance * DIGITS + 0.5) / DIGITS)
        if chance > best_chance and chance >= least:
            best, best_chance = item, chance
        if chance >= floor:
            items[end], chances[end] = item, chance
            end += 1
    return end, best, best_chance


@compiled_early
def lone_claims(
    layout: Layout, listed: Listed, alone: Alone, starts: Longs, codes: Longs, eligible: Flags, hidden: Flags,
    floor: float, best_too: bool,
) -> tuple[Longs, Longs, Floats, Longs, Floats, Floats]:  # fmt: skip
    """As ``known_person_kernel.claims``, for sets of at least one item; what ``alone`` lacks is added to it."""
    sets, width, end = len(starts) - 1, len(eligible), 0
    least = LEAST_BEST if best_too else floor
    held = np.empty(width)
    ends, best, best_chance = np.zeros(sets + 1, np.int64), np.full(sets, -1, np.int64), np.zeros(sets)
    expected, items, chances = np.zeros(sets), np.empty(1024 + width, np.int64), np.empty(1024 + width)
    found = np.empty(len(layout.rows.starts), np.int64)
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        total = _weigh(layout, listed, known, hidden[known], alone, found, held)
        ends[number + 1], expected[number] = end, total
        if total <= 0:
            continue
        while end + width > len(items):
            items, chances = np.concatenate((items, items)), np.concatenate((chances, chances))
        end, best[number], best_chance[number] = _claimed(
            held, total, known, eligible, floor, least, items, chances, end
        )
        ends[number + 1] = end
    return ends, items[:end], chances[:end], best, best_chance, expected


# Parts of a release: what is expected is summed up over all of them before anything is claimed.


@compiled
def add_expected(
    layout: Layout, listed: Listed, alone: Alone, starts: Longs, codes: Longs, hidden: Flags, totals: Floats,
    held: Floats,
) -> None:  # fmt: skip
    """Add for each set the records of a part that are expected to hold it, and to hold it and each item."""
    found, here = np.empty(len(layout.rows.starts), np.int64), np.empty(held.shape[1])
    for number in range(len(starts) - 1):
        known = codes[starts[number] : starts[number + 1]]
        totals[number] += _weigh(layout, listed, known, hidden[known], alone, found, here)
        held[number] += here


@compiled
def claims_from(
    totals: Floats, held: Floats, starts: Longs, codes: Longs
) -> tuple[Longs, Longs, Floats, Longs, Floats, Floats]:
    """All that sums over all parts claim of sets with ``LEAST_BEST`` or more; see ``lone_claims``."""
    sets, width, end = len(totals), held.shape[1], 0
    ends, best, best_chance = np.zeros(sets + 1, np.int64), np.full(sets, -1, np.int64), np.zeros(sets)
    items, chances = np.empty(1024 + width, np.int64), np.empty(1024 + width)
    every = np.ones(width, np.bool_)
    for number in range(sets):
        if totals[number] > 0:
            while end + width > len(items):
                items, chances = np.concatenate((items, items)), np.concatenate((chances, chances))
            end, best[number], best_chance[number] = _claimed(
                held[number], totals[number], codes[starts[number] : starts[number + 1]], every, LEAST_BEST,
                LEAST_BEST, items, chances, end,
            )  # fmt: skip
        ends[number + 1] = end
    return ends, items[:end], chances[:end], best, best_chance, totals
