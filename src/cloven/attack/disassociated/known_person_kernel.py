"""Compiled reader of a release who knows a few items of a person: the most likely further items, for many sets at once.

The formulas are in ``known_person``. Clusters that list a known item are weighed one by one; all other clusters below an
outermost joint have one factor in common, so they are weighed at once. Shares below ``LEAST`` decide nothing
alone: items that are frequent nowhere are ruled out by an upper bound, and only the others are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.disassociated.known_person_layout import Arranged, Layout

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

LEAST = 0.0125
"""Shares below it are summed up in the bound."""
LEAST_BEST = 0.05
"""A best claim below it is none."""
MOST_KNOWN = 8
"""Items of a known set at most."""
IMPOSSIBLE = -2
"""Slot of a known item that a cluster cannot have."""
DIGITS = 1e12
"""Probabilities are rounded, so that sums in another order compare equal."""


class Frequent(NamedTuple):
    """Shares of at least ``LEAST``: of clusters, of the base of outermost joints, and in all clusters below these.

    Attributes:
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

    starts: Longs
    item: Longs
    share: Floats
    base_starts: Longs
    base_item: Longs
    base_rate: Floats
    all_starts: Longs
    all_item: Longs
    all_copies: Floats


class Work(NamedTuple):
    """Room to work in, and what was found about the set in hand.

    Attributes:
        near: clusters that list a known item; ``near_starts`` says where those of each outermost joint start.
        weight: expected records of each of them that hold the set.
        slot: where each known item stands for each of them.
        index: position in ``near`` of every cluster; valid where ``mark`` is the number of the set.
        seen: last item that a cluster was asked about.
        factor: for each outermost joint, the chance of a record of a cluster that is not near.
        base_slot: for each outermost joint, where each known item stands for such a cluster.
        total: expected records below each outermost joint; ``near_total`` of the near ones alone.
        bound: sums of frequent shares by item; ``same`` sums of shares taken from rows that hold the set.
        touched: items with such a sum.
    """

    near: Longs
    near_starts: Longs
    weight: Floats
    slot: Longs
    index: Longs
    mark: Longs
    seen: Longs
    factor: Floats
    base_slot: Longs
    total: Floats
    near_total: Floats
    near_size: Floats
    bound: Floats
    same: Floats
    touched: Longs
    is_touched: Longs
    known: Longs


@compiled
def _holds(rows: Arranged, row: int, item: int) -> bool:
    for at in range(rows.starts[row], rows.starts[row + 1]):
        if rows.items[at] == item:
            return True
    return False


@compiled
def open_to(rows: Arranged, row: int, cluster: int) -> bool:
    """Whether a cluster may hold a row; -1 is a cluster that is open to every row."""
    first, last = rows.bar_starts[row], rows.bar_starts[row + 1]
    if cluster < 0 or first == last:
        return True
    at = first + np.searchsorted(rows.bars[first:last], cluster)
    return bool(at == last or rows.bars[at] != cluster)


@compiled
def fits(rows: Arranged, row: int, cluster: int, known: Longs, slot: Longs, first: int) -> bool:
    """Whether a row holds all known items of its chunk, that of known item ``first``, and may stand in the cluster."""
    part = rows.slot_part[slot[first]]
    for j in range(first + 1, len(known)):
        if slot[j] >= 0 and rows.slot_part[slot[j]] == part and not _holds(rows, row, known[j]):
            return False
    return open_to(rows, row, cluster)


@compiled
def leads(rows: Arranged, slot: Longs, j: int) -> bool:
    """Whether known item ``j`` stands in a row, and is the first one of its chunk."""
    if slot[j] < 0:
        return False
    for i in range(j):
        if slot[i] >= 0 and rows.slot_part[slot[i]] == rows.slot_part[slot[j]]:
            return False
    return True


@compiled
def _row_total(rows: Arranged, cluster: int, known: Longs, slot: Longs, first: int) -> float:
    total = 0.0
    for at in range(rows.slot_starts[slot[first]], rows.slot_starts[slot[first] + 1]):
        if fits(rows, rows.slot_rows[at], cluster, known, slot, first):
            total += rows.rate[rows.slot_rows[at]]
    return total


@compiled
def _chance(rows: Arranged, cluster: int, known: Longs, slot: Longs, share: Floats, limit: float) -> float:
    """Chance that a record of the cluster holds all known items: the product over the chunks they stand in."""
    chance = 1.0
    for j in range(len(known)):
        if slot[j] == IMPOSSIBLE:
            return 0.0
        if slot[j] < 0:
            chance *= share[j]
        elif leads(rows, slot, j):
            alone = True
            for i in range(j + 1, len(known)):
                alone &= slot[i] < 0 or rows.slot_part[slot[i]] != rows.slot_part[slot[j]]
            if alone:
                chance *= share[j]
            else:
                highest = limit if rows.slot_shared[slot[j]] else 1.0
                chance *= min(highest, _row_total(rows, cluster, known, slot, j))
    return chance


@compiled
def _skip(layout: Layout, at: int, end: int, shown_only: bool) -> int:
    """Next place of an item, of those in record chunks if only these count."""
    while shown_only and at < end and not layout.places.record[at]:
        at += 1
    return at


@compiled
def _weigh(layout: Layout, known: Longs, only: Flags, most: float, turn: int, work: Work) -> float:
    """Weigh all clusters; returns the expected records that hold the known items."""
    places, base, many = layout.places, layout.base, len(known)
    at, end, low = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
    share, base_share = np.empty(many), np.empty(many)
    for j in range(many):
        end[j], low[j] = places.starts[known[j] + 1], base.starts[known[j]]
        at[j] = _skip(layout, places.starts[known[j]], end[j], only[j])
    found, total, last = 0, 0.0, len(layout.clusters.size)
    for top in range(len(work.factor)):
        slot = work.base_slot[top]
        for j in range(many):
            stop = base.starts[known[j] + 1]
            while low[j] < stop and base.top[low[j]] < top:
                low[j] += 1
            here = low[j] < stop and base.top[low[j]] == top and not only[j]
            slot[j] = base.slot[low[j]] if here else IMPOSSIBLE
            base_share[j] = base.rate[low[j]] if here else 0.0
        work.factor[top] = _chance(layout.rows, -1, known, slot[:many], base_share, np.inf)
        work.near_starts[top] = found
        near_size = near_total = 0.0
        while True:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, places.cluster[at[j]])
            if cluster == last or layout.clusters.top[cluster] != top:
                break
            for j in range(many):
                if at[j] < end[j] and places.cluster[at[j]] == cluster:
                    work.slot[found, j], share[j] = places.slot[at[j]], places.share[at[j]]
                    at[j] = _skip(layout, at[j] + 1, end[j], only[j])
                else:
                    work.slot[found, j], share[j] = slot[j], base_share[j]
            size = layout.clusters.size[cluster]
            chance = _chance(
                layout.rows, cluster, known, work.slot[found, :many], share, min(1.0, most / size)
            )
            work.near[found], work.weight[found] = cluster, size * chance
            work.mark[cluster], work.index[cluster] = turn, found
            near_size, near_total = near_size + size, near_total + size * chance
            found += 1
        work.near_total[top], work.near_size[top] = near_total, near_size
        work.total[top] = near_total + work.factor[top] * (layout.clusters.top_size[top] - near_size)
        total += work.total[top]
    work.near_starts[len(work.factor)] = found
    return total


@compiled
def _touch(work: Work, item: int, turn: int, many: int) -> int:
    """Note that an item has a sum; returns how many have."""
    if work.is_touched[item] == turn:
        return many
    work.is_touched[item] = turn
    work.bound[item] = work.same[item] = 0.0
    work.touched[many] = item
    return many + 1


@compiled
def _add_rows(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, weight: float, turn: int, many: int, work: Work
) -> int:
    """Add what rows that hold the known items show besides, in their own chunks."""
    for j in range(len(known)):
        if not leads(rows, slot, j):
            continue
        total = _row_total(rows, cluster, known, slot, j)
        for at in range(rows.slot_starts[slot[j]], rows.slot_starts[slot[j] + 1]):
            row = rows.slot_rows[at]
            if rows.starts[row + 1] - rows.starts[row] > 1 and fits(rows, row, cluster, known, slot, j):
                for inside in range(rows.starts[row], rows.starts[row + 1]):
                    many = _touch(work, rows.items[inside], turn, many)
                    work.same[rows.items[inside]] += weight * rows.rate[row] / total
    return many


@compiled
def _bounds(layout: Layout, frequent: Frequent, known: Longs, turn: int, work: Work) -> tuple[int, float]:
    """Sums of frequent shares by item; returns how many items have one, and what the other shares add at most."""
    many, rest = 0, 0.0
    for top in range(len(work.factor)):
        for i in range(work.near_starts[top], work.near_starts[top + 1]):
            if work.weight[i] > 0:
                cluster = work.near[i]
                for at in range(frequent.starts[cluster], frequent.starts[cluster + 1]):
                    many = _touch(work, frequent.item[at], turn, many)
                    work.bound[frequent.item[at]] += work.weight[i] * frequent.share[at]
                slot = work.slot[i, : len(known)]
                many = _add_rows(layout.rows, cluster, known, slot, work.weight[i], turn, many, work)
        if work.near_total[top] > 0:
            rest += LEAST * work.near_total[top]
            for at in range(frequent.base_starts[top], frequent.base_starts[top + 1]):
                many = _touch(work, frequent.base_item[at], turn, many)
                work.bound[frequent.base_item[at]] += work.near_total[top] * frequent.base_rate[at]
        far = work.factor[top] * (layout.clusters.top_size[top] - work.near_size[top])
        if far > 0:
            rest += LEAST * work.factor[top] * layout.clusters.top_size[top]
            for at in range(frequent.all_starts[top], frequent.all_starts[top + 1]):
                many = _touch(work, frequent.all_item[at], turn, many)
                work.bound[frequent.all_item[at]] += work.factor[top] * frequent.all_copies[at]
            slot = work.base_slot[top, : len(known)]
            many = _add_rows(layout.rows, -1, known, slot, far, turn, many, work)
    return many, rest


@compiled
def _meets(rows: Arranged, slot: int, slots: Longs) -> bool:
    """Whether a slot is in the chunk of a known item."""
    if slot < 0:
        return False
    for other in slots:
        if other >= 0 and rows.slot_part[other] == rows.slot_part[slot]:
            return True
    return False


@compiled
def _base_weight(
    layout: Layout, top: int, slot: int, covered: float, many: int, item: int, work: Work
) -> float:
    """Weight of the clusters below an outermost joint where an item has its base share, and no known item's row says more."""
    if not _meets(layout.rows, slot, work.base_slot[top, :many]):
        return max(0.0, work.total[top] - covered)
    weight = 0.0
    for i in range(work.near_starts[top], work.near_starts[top + 1]):
        if work.seen[work.near[i]] != item and not _meets(layout.rows, slot, work.slot[i, :many]):
            weight += work.weight[i]
    return weight


@compiled
def _expected(layout: Layout, item: int, many: int, turn: int, work: Work) -> float:
    """Expected records that hold the known items and this one."""
    places, base, top_of = layout.places, layout.base, layout.clusters.top
    at, end = places.starts[item], places.starts[item + 1]
    low, stop = base.starts[item], base.starts[item + 1]
    total = work.same[item] if work.is_touched[item] == turn else 0.0
    while at < end or low < stop:
        top = len(work.factor)
        if at < end:
            top = top_of[places.cluster[at]]
        if low < stop:
            top = min(top, base.top[low])
        covered = 0.0
        while at < end and top_of[places.cluster[at]] == top:
            cluster = places.cluster[at]
            near = work.mark[cluster] == turn
            i = work.index[cluster]
            weight = work.weight[i] if near else work.factor[top] * layout.clusters.size[cluster]
            slots = work.slot[i, :many] if near else work.base_slot[top, :many]
            if weight > 0 and not _meets(layout.rows, places.slot[at], slots):
                total += weight * places.share[at]
            covered += weight
            work.seen[cluster] = item
            at += 1
        if low < stop and base.top[low] == top:
            total += base.rate[low] * _base_weight(layout, top, base.slot[low], covered, many, item, work)
            low += 1
    return total


@compiled
def _judge(
    layout: Layout, frequent: Frequent, known: Longs, eligible: Flags, floor: float, total: float, turn: int,
    work: Work, items: Longs, chances: Floats,
) -> int:  # fmt: skip
    """Candidates with their probabilities, by what they can reach at most; returns how many."""
    touched, rest = _bounds(layout, frequent, known, turn, work)
    everything = rest > LEAST_BEST * total
    for j in known:
        work.known[j] = turn
    many, best = 0, 0.0
    # First all that can be claims; then, if nothing is, those that can be the best.
    for step in range(2):
        for i in range(len(eligible) if everything else touched):
            item = i if everything else work.touched[i]
            if not eligible[item] or work.known[item] == turn:
                continue
            most = 1.0 if everything else (work.bound[item] + work.same[item] + rest) / total
            if (step == 0) != (most >= floor) or (step == 1 and (best >= floor or most <= best)):
                continue
            chance = min(
                1.0, np.floor(_expected(layout, item, len(known), turn, work) / total * DIGITS + 0.5) / DIGITS
            )
            items[many], chances[many] = item, chance
            many, best = many + 1, max(best, chance)
    return many


@compiled
def _room(layout: Layout) -> Work:
    n, tops, items = len(layout.clusters.size), len(layout.clusters.top_size), len(layout.places.starts) - 1
    none = np.full(n, -1, np.int64)
    return Work(
        np.empty(n, np.int64), np.zeros(tops + 1, np.int64), np.empty(n), np.empty((n, MOST_KNOWN), np.int64),
        np.zeros(n, np.int64), none, none.copy(), np.empty(tops), np.empty((tops, MOST_KNOWN), np.int64),
        np.empty(tops), np.empty(tops), np.empty(tops), np.empty(items), np.empty(items),
        np.empty(items, np.int64), np.full(items, -1, np.int64), np.full(items, -1, np.int64),
    )  # fmt: skip


@compiled
def claims(
    layout: Layout, frequent: Frequent, starts: Longs, codes: Longs, eligible: Flags, hidden: Flags, floor: float,
    most: float,
) -> tuple[Longs, Longs, Floats, Longs, Floats, Floats]:  # fmt: skip
    """For each known set: where its claims end, items, probabilities; best item and probability; expected records.

    An item that is ``hidden`` counts only where record chunks show it, unless no cluster is left then.
    """
    sets, width = len(starts) - 1, len(eligible)
    work = _room(layout)
    ends, best, best_chance = np.zeros(sets + 1, np.int64), np.full(sets, -1, np.int64), np.zeros(sets)
    weights = np.zeros(sets)
    items, chances = np.empty(1024, np.int64), np.empty(1024)
    found, found_chance = np.empty(width + 1, np.int64), np.empty(width + 1)
    ends_at = 0
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        turn = 2 * number
        total = _weigh(layout, known, hidden[known], most, turn, work)
        if total <= 0 and hidden[known].any():
            turn += 1
            total = _weigh(layout, known, np.zeros(len(known), np.bool_), most, turn, work)
        many = 0
        if total > 0:
            weights[number] = total
            many = _judge(layout, frequent, known, eligible, floor, total, turn, work, found, found_chance)
        while ends_at + many > len(items):
            items, chances = np.concatenate((items, items)), np.concatenate((chances, chances))
        for i in np.argsort(found[:many]):
            chance = found_chance[i]
            if chance > best_chance[number] and chance >= LEAST_BEST:
                best[number], best_chance[number] = found[i], chance
            if chance >= floor:
                items[ends_at], chances[ends_at] = found[i], chance
                ends_at += 1
        ends[number + 1] = ends_at
    return ends, items[:ends_at], chances[:ends_at], best, best_chance, weights
