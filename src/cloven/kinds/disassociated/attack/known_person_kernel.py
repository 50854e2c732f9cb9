"""Compiled reader of a release who knows a few items of a person: likely further items, for many sets at once.

The formulas are in ``known_person``. Clusters that list a known item are weighed one by one; all others below an
outermost joint have one factor in common, so they are weighed at once. Small shares decide nothing alone: items that
are frequent nowhere are ruled out by an upper bound, and only the others are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Longs, compiled
from cloven.data.known_sets import LEAST_BEST

if TYPE_CHECKING:
    from cloven.kinds.disassociated.attack.known_person_layout import Arranged, Layout


DIGITS = 1e12
"""Probabilities are rounded, so that sums in another order compare equal."""


class Frequent(NamedTuple):
    """Shares that are not small: of clusters, of the base of outermost joints, and in all clusters below these.

    Attributes:
        least: smaller shares are summed up in the bound.
        starts: first entry of each cluster.
        item: the item.
        share: its share.
        base_starts: first entry of each outermost joint.
        base_item: the item.
        base_rate: its share where nothing else is listed.
        all_starts: first entry of each outermost joint.
        all_item: the item.
        all_copies: its expected copies in all clusters below.
    """

    least: float
    starts: Longs
    item: Longs
    share: Floats
    base_starts: Longs
    base_item: Longs
    base_rate: Floats
    all_starts: Longs
    all_item: Longs
    all_copies: Floats


class Sums(NamedTuple):
    """Sums over clusters, by item.

    Attributes:
        bound: of frequent shares.
        same: of shares taken from rows that hold the set.
        touched: items with such a sum.
        is_touched: number of the set for which an item has one.
        known: number of the set to which an item belongs.
        seen: last item that a cluster was found to list.
    """

    bound: Floats
    same: Floats
    touched: Longs
    is_touched: Longs
    known: Longs
    seen: Longs


@compiled
def _add(
    starts: Longs, items: Longs, values: Floats, number: int, weight: float, turn: int, many: int, sums: Sums
) -> int:
    """Add the frequent shares of a cluster or outermost joint; returns how many items have a sum."""
    bound, same, touched, is_touched = sums.bound, sums.same, sums.touched, sums.is_touched
    for at in range(starts[number], starts[number + 1]):
        item = items[at]
        if is_touched[item] != turn:
            is_touched[item] = turn
            bound[item] = same[item] = 0.0
            touched[many] = item
            many += 1
        bound[item] += weight * values[at]
    return many


@compiled
def _add_rows(
    layout: Layout, cluster: int, known: Longs, slot: Longs, first: int, weight: float, turn: int, many: int,
    sums: Sums, found: Longs,
) -> int:  # fmt: skip
    """Add what the rows with the known items of one chunk, that of known item ``first``, show besides."""
    starts, items, rate = layout.rows.starts, layout.rows.items, layout.rows.rate
    bound, same, touched, is_touched = sums.bound, sums.same, sums.touched, sums.is_touched
    count, total = fitting_rows(layout.rows, cluster, known, slot, first, found), 0.0
    for i in range(count):
        total += rate[found[i]]
    for i in range(count):
        row = found[i]
        if starts[row + 1] - starts[row] == 1:
            continue
        for inside in range(starts[row], starts[row + 1]):
            item = items[inside]
            if is_touched[item] != turn:
                is_touched[item] = turn
                bound[item] = same[item] = 0.0
                touched[many] = item
                many += 1
            same[item] += weight * rate[row] / total
    return many


@compiled
def _stands(slot_part: Longs, slots: Longs, number: int, first: int, many: int) -> int:
    """How a known item stands, as in row ``number`` of ``slots``.

    0: in no row, or after another one of its chunk; 1: alone in its chunk; 2: as the first of several.
    """
    if slots[number, first] < 0:
        return 0
    part, found = slot_part[slots[number, first]], 1
    for j in range(many):
        if j != first and slots[number, j] >= 0 and slot_part[slots[number, j]] == part:
            if j < first:
                return 0
            found = 2
    return found


@compiled
def _add_near(
    layout: Layout, frequent: Frequent, top: int, known: int, turn: int, many: int, work: Weights, sums: Sums
) -> int:
    """Add the frequent shares of near clusters, and what stands beside a known item that is alone in a record chunk.

    All in one function: to take arrays out of their tuples for each cluster would cost more than the sums.
    """
    starts, items, shares = frequent.starts, frequent.item, frequent.share
    mate_starts, mates, mate_share = layout.rows.mate_starts, layout.rows.mates, layout.rows.mate_share
    bound, same, touched, is_touched = sums.bound, sums.same, sums.touched, sums.is_touched
    near, weights, slots, slot_part = work.near, work.weight, work.slot, layout.rows.slot_part
    slot_shared = layout.rows.slot_shared
    for i in range(work.near_starts[top], work.near_starts[top + 1]):
        weight, cluster = weights[i], near[i]
        if weight <= 0:
            continue
        for at in range(starts[cluster], starts[cluster + 1]):
            item = items[at]
            if is_touched[item] != turn:
                is_touched[item], touched[many] = turn, item
                bound[item] = same[item] = 0.0
                many += 1
            bound[item] += weight * shares[at]
        for j in range(known):
            slot = slots[i, j]
            if slot < 0 or slot_shared[slot] or _stands(slot_part, slots, i, j, known) != 1:
                continue
            for at in range(mate_starts[slot], mate_starts[slot + 1]):
                item = mates[at]
                if is_touched[item] != turn:
                    is_touched[item], touched[many] = turn, item
                    bound[item] = same[item] = 0.0
                    many += 1
                same[item] += weight * mate_share[at]
    return many


@compiled
def _add_all_rows(
    layout: Layout, top: int, known: Longs, first: int, turn: int, many: int, work: Weights, sums: Sums
) -> int:
    """Add what rows show for near clusters, in the chunk of known item ``first``; equal rows of clusters at once.

    Where it is alone in a record chunk, ``_add_near`` has done so.
    """
    near, weight, slots, whole, found = work.near, work.weight, work.slot, work.whole, work.fitting
    slot_part, slot_shared = layout.rows.slot_part, layout.rows.slot_shared
    last, last_key, waiting = -1, -1, 0.0
    for i in range(work.near_starts[top], work.near_starts[top + 1]):
        slot = slots[i, first]
        if slot < 0 or weight[i] <= 0:
            continue
        stands = _stands(slot_part, slots, i, first, len(known))
        if stands == 0 or (stands == 1 and not slot_shared[slot]):
            continue
        if not whole[i, first]:
            many = _add_rows(layout, near[i], known, slots[i], first, weight[i], turn, many, sums, found)
            continue
        key = slot << len(known)
        for j in range(first + 1, len(known)):
            if slots[i, j] >= 0 and slot_part[slots[i, j]] == slot_part[slot]:
                key += 1 << j
        if key != last_key:
            if waiting > 0:
                many = _add_rows(layout, -1, known, slots[last], first, waiting, turn, many, sums, found)
            last, last_key, waiting = i, key, 0.0
        waiting += weight[i]
    if waiting > 0:
        many = _add_rows(layout, -1, known, slots[last], first, waiting, turn, many, sums, found)
    return many


@compiled
def _bounds(
    layout: Layout, frequent: Frequent, known: Longs, turn: int, work: Weights, sums: Sums
) -> tuple[int, float]:
    """Sums of frequent shares by item; returns how many items have one, and what the other shares add at most."""
    top_size, found, many, rest = layout.clusters.top_size, work.fitting, 0, 0.0
    for top in range(len(top_size)):
        many = _add_near(layout, frequent, top, len(known), turn, many, work, sums)
        if work.near_total[top] > 0:
            rest += frequent.least * work.near_total[top]
            for j in range(len(known)):
                many = _add_all_rows(layout, top, known, j, turn, many, work, sums)
            many = _add(
                frequent.base_starts, frequent.base_item, frequent.base_rate, top, work.near_total[top], turn, many,
                sums,
            )  # fmt: skip
        far = work.factor[top] * (top_size[top] - work.near_size[top])
        if far > 0:
            rest += frequent.least * work.factor[top] * top_size[top]
            many = _add(
                frequent.all_starts,
                frequent.all_item,
                frequent.all_copies,
                top,
                work.factor[top],
                turn,
                many,
                sums,
            )
            slot = work.base_slot[top]
            for j in range(len(known)):
                if leads(layout.rows.slot_part, slot, j):
                    many = _add_rows(layout, -1, known, slot, j, far, turn, many, sums, found)
    return many, rest


@compiled
def _meets(slot_part: Longs, slot: int, slots: Longs, number: int, many: int) -> bool:
    """Whether a slot is in the chunk of a known item, as they stand in row ``number`` of ``slots``."""
    if slot < 0:
        return False
    for j in range(many):
        if slots[number, j] >= 0 and slot_part[slots[number, j]] == slot_part[slot]:
            return True
    return False


@compiled
def _base_weight(
    slot_part: Longs, top: int, slot: int, covered: float, many: int, item: int, work: Weights, seen: Longs
) -> float:
    """Weight of the clusters where an item has its base share, and no row with known items says more."""
    if not _meets(slot_part, slot, work.base_slot, top, many):
        return max(0.0, float(work.total[top]) - covered)
    total, near, weight, slots = 0.0, work.near, work.weight, work.slot
    for i in range(work.near_starts[top], work.near_starts[top + 1]):
        if seen[near[i]] != item and not _meets(slot_part, slot, slots, i, many):
            total += weight[i]
    return total


@compiled
def _expected(layout: Layout, item: int, many: int, turn: int, work: Weights, sums: Sums) -> float:
    """Expected records that hold the known items and this one."""
    cluster_of, slot_of, share = layout.places.cluster, layout.places.slot, layout.places.share
    base_top, base_slot, base_rate = layout.base.top, layout.base.slot, layout.base.rate
    top_of, size, slot_part = layout.clusters.top, layout.clusters.size, layout.rows.slot_part
    mark, index, weights, factor = work.mark, work.position, work.weight, work.factor
    near_slots, far_slots, seen = work.slot, work.base_slot, sums.seen
    at, end = layout.places.starts[item], layout.places.starts[item + 1]
    low, stop = layout.base.starts[item], layout.base.starts[item + 1]
    total = float(sums.same[item]) if sums.is_touched[item] == turn else 0.0
    while at < end or low < stop:
        top = len(factor)
        if at < end:
            top = top_of[cluster_of[at]]
        if low < stop:
            top = min(top, base_top[low])
        covered = 0.0
        while at < end and top_of[cluster_of[at]] == top:
            cluster = cluster_of[at]
            seen[cluster] = item
            if mark[cluster] == turn:
                i = index[cluster]
                covered += weights[i]
                if weights[i] > 0 and not _meets(slot_part, slot_of[at], near_slots, i, many):
                    total += weights[i] * share[at]
            elif factor[top] > 0:
                weight = factor[top] * size[cluster]
                covered += weight
                if not _meets(slot_part, slot_of[at], far_slots, top, many):
                    total += weight * share[at]
            at += 1
        if low < stop and base_top[low] == top:
            weight = _base_weight(slot_part, top, base_slot[low], covered, many, item, work, seen)
            total += base_rate[low] * weight
            low += 1
    return total


@compiled
def _judge(
    layout: Layout, frequent: Frequent, known: Longs, eligible: Flags, floor: float, best_too: bool, total: float,
    turn: int, work: Weights, sums: Sums, items: Longs, chances: Floats,
) -> int:  # fmt: skip
    """Candidates with their probabilities; returns how many.

    First all items that can be claims by what they can reach at most; then, if none is one and the best is asked for,
    those that can be the best.
    """
    count, rest = _bounds(layout, frequent, known, turn, work, sums)
    touched, bound, same = sums.touched, sums.bound, sums.same
    everything = rest > (LEAST_BEST if best_too else floor / 2) * total
    for j in known:
        sums.known[j] = turn
    many, best = 0, 0.0
    for step in range(2 if best_too else 1):
        for i in range(len(eligible) if everything else count):
            item = i if everything else touched[i]
            most = 1.0 if everything else (bound[item] + same[item] + rest) / total
            if (step == 0) != (most >= floor) or (step == 1 and (best >= floor or most <= best)):
                continue
            if eligible[item] and sums.known[item] != turn:
                chance = _expected(layout, item, len(known), turn, work, sums) / total
                chance = min(1.0, np.floor(chance * DIGITS + 0.5) / DIGITS)
                items[many], chances[many] = item, chance
                many, best = many + 1, max(best, chance)
    return many


@compiled
def claims(
    layout: Layout, frequent: Frequent, starts: Longs, codes: Longs, eligible: Flags, hidden: Flags, floor: float,
    best_too: bool, most: float,
) -> tuple[Longs, Longs, Floats, Longs, Floats, Floats]:  # fmt: skip
    """For each known set: where its claims end, items, probabilities; best item and probability; expected records.

    An item that is ``hidden`` counts only where record chunks show it, unless no cluster is left then.
    """
    sets, width = len(starts) - 1, len(eligible)
    work, none = room(layout), np.full(width, -1, np.int64)
    sums = Sums(
        np.empty(width), np.empty(width), np.empty(width, np.int64), none, none.copy(),
        np.full(len(layout.clusters.size), -1, np.int64),
    )  # fmt: skip
    ends, best, best_chance = np.zeros(sets + 1, np.int64), np.full(sets, -1, np.int64), np.zeros(sets)
    expected, items, chances = np.zeros(sets), np.empty(1024, np.int64), np.empty(1024)
    found, found_chance, end = np.empty(width + 1, np.int64), np.empty(width + 1), 0
    for number in range(sets):
        known, turn, many = codes[starts[number] : starts[number + 1]], 2 * number, 0
        total = weigh(layout, known, hidden[known], most, turn, work)
        if total <= 0 and hidden[known].any():
            turn += 1
            total = weigh(layout, known, np.zeros(len(known), np.bool_), most, turn, work)
        if total > 0:
            expected[number] = total
            many = _judge(
                layout,
                frequent,
                known,
                eligible,
                floor,
                best_too,
                total,
                turn,
                work,
                sums,
                found,
                found_chance,
            )
        while end + many > len(items):
            items, chances = np.concatenate((items, items)), np.concatenate((chances, chances))
        for i in np.argsort(found[:many]):
            chance = found_chance[i]
            if chance > best_chance[number] and chance >= (LEAST_BEST if best_too else floor):
                best[number], best_chance[number] = found[i], chance
            if chance >= floor:
                items[end], chances[end] = found[i], chance
                end += 1
        ends[number + 1] = end
    return ends, items[:end], chances[:end], best, best_chance, expected


# Compiled weighing of clusters: how many records of each are expected to hold a known set.
#
# Arrays are taken out of their tuples before a loop starts: taking one out costs more than a turn of the loop.


MOST_KNOWN = 8
"""Items of a known set at most."""
IMPOSSIBLE = -2
"""Slot of a known item that a cluster cannot have."""


class Weights(NamedTuple):
    """What was found about the known set in hand.

    Attributes:
        near: clusters that list a known item; ``near_starts`` says where those of each outermost joint start.
        near_starts: see there.
        weight: expected records of each of them that hold the set.
        slot: where each known item stands for each of them.
        whole: whether that is a shared chunk, and the cluster may hold all rows with the item.
        position: place in ``near`` of every cluster; valid where ``mark`` is the number of the set.
        mark: see there.
        factor: for each outermost joint, the chance of a record of a cluster that is not near.
        base_slot: for each outermost joint, where each known item stands for such a cluster.
        total: expected records below each outermost joint.
        near_total: of these, in near clusters.
        near_size: all records of near clusters.
        fitting: room for rows.
    """

    near: Longs
    near_starts: Longs
    weight: Floats
    slot: Longs
    whole: Flags
    position: Longs
    mark: Longs
    factor: Floats
    base_slot: Longs
    total: Floats
    near_total: Floats
    near_size: Floats
    fitting: Longs


@compiled
def room(layout: Layout) -> Weights:
    """Room for the weights of one set after the other."""
    n, tops, rows = len(layout.clusters.size), len(layout.clusters.top_size), len(layout.rows.starts)
    return Weights(
        np.empty(n, np.int64), np.zeros(tops + 1, np.int64), np.empty(n), np.empty((n, MOST_KNOWN), np.int64),
        np.empty((n, MOST_KNOWN), np.bool_), np.zeros(n, np.int64), np.full(n, -1, np.int64), np.empty(tops),
        np.empty((tops, MOST_KNOWN), np.int64), np.empty(tops), np.empty(tops), np.empty(tops),
        np.empty(rows, np.int64),
    )  # fmt: skip


@compiled
def leads(slot_part: Longs, slot: Longs, j: int) -> bool:
    """Whether known item ``j`` stands in a row, and is the first one of its chunk."""
    if slot[j] < 0:
        return False
    for i in range(j):
        if slot[i] >= 0 and slot_part[slot[i]] == slot_part[slot[j]]:
            return False
    return True


@compiled
def fitting_rows(rows: Arranged, cluster: int, known: Longs, slot: Longs, first: int, found: Longs) -> int:
    """Rows with all known items of one chunk, that of known item ``first``, which may stand in the cluster.

    Cluster -1 is one that is open to every row. Returns how many were written to ``found``.
    """
    starts, items, slot_rows, slot_part = rows.starts, rows.items, rows.slot_rows, rows.slot_part
    bar_starts, bars = rows.bar_starts, rows.bars
    part, many = slot_part[slot[first]], 0
    for at in range(rows.slot_starts[slot[first]], rows.slot_starts[slot[first] + 1]):
        row = slot_rows[at]
        fine = True
        for j in range(first + 1, len(known)):
            if fine and slot[j] >= 0 and slot_part[slot[j]] == part:
                fine = False
                for inside in range(starts[row], starts[row + 1]):
                    fine = fine or items[inside] == known[j]
        low, high = bar_starts[row], bar_starts[row + 1]
        if fine and cluster >= 0 and low < high:
            while low < high:
                middle = (low + high) // 2
                if bars[middle] < cluster:
                    low = middle + 1
                else:
                    high = middle
            fine = low == bar_starts[row + 1] or bars[low] != cluster
        if fine:
            found[many] = row
            many += 1
    return many


@compiled
def _chance(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, share: Floats, limit: float, found: Longs
) -> float:
    """Chance that a record of the cluster holds known items of which some stand in one chunk."""
    chance, slot_part, rate = 1.0, rows.slot_part, rows.rate
    for j in range(len(known)):
        if slot[j] < 0:
            chance *= share[j]
        elif leads(slot_part, slot, j):
            alone = True
            for i in range(j + 1, len(known)):
                alone = alone and (slot[i] < 0 or slot_part[slot[i]] != slot_part[slot[j]])
            total = share[j]
            if not alone:
                total = 0.0
                for i in range(fitting_rows(rows, cluster, known, slot, j, found)):
                    total += rate[found[i]]
                total = min(total, limit if rows.slot_shared[slot[j]] else 1.0)
            chance *= total
    return chance


@compiled
def _apart(slot_part: Longs, slots: Longs, number: int, share: Floats) -> float:
    """The product of the shares if known items stand in different chunks, as in row ``number``; -1 if not."""
    chance = 1.0
    for j in range(len(share)):
        if slots[number, j] == IMPOSSIBLE:
            return 0.0
        chance *= share[j]
    if chance == 0.0:
        return 0.0
    for j in range(1, len(share)):
        if slots[number, j] >= 0 and _stands(slot_part, slots, number, j, j + 1) == 0:
            return -1.0
    return chance


@compiled
def _base(
    layout: Layout, top: int, known: Longs, only: Flags, low: Longs, slot: Longs, share: Floats
) -> None:
    """Where the known items stand for clusters that list none of them; ``low`` moves on."""
    starts, tops, slots, rate = layout.base.starts, layout.base.top, layout.base.slot, layout.base.rate
    for j in range(len(known)):
        stop = starts[known[j] + 1]
        while low[j] < stop and tops[low[j]] < top:
            low[j] += 1
        here = low[j] < stop and tops[low[j]] == top and not only[j]
        slot[j] = slots[low[j]] if here else IMPOSSIBLE
        share[j] = rate[low[j]] if here else 0.0


@compiled
def _next(at: int, end: int, record: Flags, shown_only: bool) -> int:
    """Next place of an item, of those in record chunks if only these count."""
    while shown_only and at < end and not record[at]:
        at += 1
    return at


@compiled
def weigh(layout: Layout, known: Longs, only: Flags, most: float, turn: int, work: Weights) -> float:
    """Weigh all clusters; returns the expected records that hold the known items."""
    rows, many = layout.rows, len(known)
    starts, cluster_of, slot_of = layout.places.starts, layout.places.cluster, layout.places.slot
    share_of, record, whole_of = layout.places.share, layout.places.record, layout.places.whole
    sizes, top_of, slot_part = layout.clusters.size, layout.clusters.top, layout.rows.slot_part
    top_size, fitting, all_slots = layout.clusters.top_size, work.fitting, work.slot
    all_whole = work.whole
    near, weight, mark, index = work.near, work.weight, work.mark, work.position
    at, end = np.empty(many, np.int64), np.empty(many, np.int64)
    share, far = np.empty(many), np.empty(many)
    for j in range(many):
        end[j] = starts[known[j] + 1]
        at[j] = _next(starts[known[j]], end[j], record, only[j])
    low = layout.base.starts[known]
    found, total, last = 0, 0.0, len(sizes)
    for top in range(len(top_size)):
        base = work.base_slot[top, :many]
        _base(layout, top, known, only, low, base, far)
        factor = _apart(slot_part, work.base_slot, top, far)
        if factor < 0:
            factor = _chance(rows, -1, known, base, far, np.inf, fitting)
        work.factor[top] = factor
        work.near_starts[top] = found
        near_size = near_total = 0.0
        while True:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, cluster_of[at[j]])
            if cluster == last or top_of[cluster] != top:
                break
            for j in range(many):
                if at[j] < end[j] and cluster_of[at[j]] == cluster:
                    all_slots[found, j], share[j] = slot_of[at[j]], share_of[at[j]]
                    all_whole[found, j] = whole_of[at[j]]
                    at[j] = _next(at[j] + 1, end[j], record, only[j])
                else:
                    all_slots[found, j], share[j] = base[j], far[j]
                    all_whole[found, j] = base[j] >= 0
            size = sizes[cluster]
            chance = _apart(slot_part, all_slots, found, share)
            if chance < 0:
                limit = min(1.0, most / size)
                chance = _chance(rows, cluster, known, all_slots[found], share, limit, fitting)
            near[found], weight[found] = cluster, size * chance
            mark[cluster], index[cluster] = turn, found
            near_size, near_total = near_size + size, near_total + size * chance
            found += 1
        work.near_total[top], work.near_size[top] = near_total, near_size
        work.total[top] = near_total + factor * (top_size[top] - near_size)
        total += work.total[top]
    work.near_starts[len(top_size)] = found
    return total
