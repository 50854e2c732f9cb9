"""Compiled readers where shared chunks have one item each: what each known item says alone is summed up once.

In a cluster c of n records item i has the share r(i) + u(c, i), where r(i) is its share wherever nothing is listed, and
u(c, i) is not 0 only where c lists it. So the records that are expected to hold known items and i are

    sum over c of n * product over known j of (r(j) + u(c, j)) * (r(i) + u(c, i))

and if the product is written out, all of it but the clusters that list several known items is known beforehand: what i
has beyond r(i) in all clusters, and what it has in the clusters that list one known item. Only clusters that list
several are looked at one by one. Where i stands in the chunk of a known item, its rows say more than shares do; that is
put right there. See ``known_person`` for the formulas; what is claimed is the same.

All three readers look at the same clusters, so they are computed side by side. They differ in what they expect of known
items that are not listed (none, if only clusters count that show them) and in the share of leftovers (limited by who
knows the method). So who knows the method says the same as who looks everywhere but for leftovers, and only what they
say beyond that is summed up, as *surplus*: most clusters add none. This holds where all clusters lie below one
outermost joint, and where no shared chunk has two items.

Most time goes into waiting for memory, as clusters that list several known items lie anywhere. So they are found some
at a time, and what is known of all of these is asked for before the first is weighed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.kinds.disassociated.attack.known_person_kernel import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.kinds.disassociated.attack.known_person_layout import Arranged, Layout

MOST_KEPT = 1 << 23
"""Entries of ``Alone`` that are kept at most; then they are made anew."""
NO_CHUNK = -1
BLOCK = 32
"""Clusters whose memory is asked for together."""
READERS = 3
"""The readers, by number: everywhere, shown, method."""


class Listed(NamedTuple):
    """What clusters list, and what the readers make of it.

    Attributes:
        slots: the slots of each cluster's record chunks: the first, and the one behind the last.
        slot_item: item of each slot.
        slot_share: its share of the records, 0 in shared chunks.
        slot_above: what that has beyond the share in clusters that do not list the item, 0 in shared chunks.
        rest_starts: first entry of each cluster, of other items that it lists.
        rest_item: the item.
        rest_above: what its share has beyond; and the same within the limit of who knows the method.
        beside: for each slot of its chunk the share of that item among the records with this one, less its
            ``slot_share``.
        chunk: for each place in a record chunk the first slot of the chunk, the one behind its last, where its own slot
            starts in ``beside``, and its own slot; ``NO_CHUNK`` for other places. All in one row, for it is looked up
            where nothing is near the processor.
        there: for each place whether each reader looks for a known item there.
        share: for each place the share that each reader expects.
        excess: for each item its copies beyond ``rate`` in all clusters, in both ways of ``above``.
        rate: the share of each item where it is not listed.
        known_rate: the same of known items, for each reader.
    """

    slots: Longs
    slot_item: Ints
    slot_share: Floats
    slot_above: Floats
    rest_starts: Longs
    rest_item: Ints
    rest_above: Floats
    beside: Floats
    chunk: Longs
    there: Flags
    share: Floats
    excess: Floats
    rate: Floats
    known_rate: Floats


@compiled
def beside(
    rows: Arranged, part_starts: Longs, slot_item: Ints, slot_share: Floats, width: int
) -> tuple[Longs, Floats]:
    """Where each slot starts in ``beside`` of ``Listed``, and that."""
    slots, mate_starts, mates, mate_share = len(rows.slot_part), rows.mate_starts, rows.mates, rows.mate_share
    starts, of_item = np.zeros(slots + 1, np.int64), np.zeros(width)
    for slot in range(slots):
        part = rows.slot_part[slot]
        many = 0 if rows.slot_shared[slot] else part_starts[part + 1] - part_starts[part]
        starts[slot + 1] = starts[slot] + many
    shares = np.empty(starts[slots])
    for slot in range(slots):
        first = part_starts[rows.slot_part[slot]]
        for at in range(mate_starts[slot], mate_starts[slot + 1]):
            of_item[mates[at]] = mate_share[at]
        for entry in range(starts[slot + 1] - starts[slot]):
            item = slot_item[first + entry]
            shares[starts[slot] + entry] = of_item[item] - slot_share[first + entry]
            of_item[item] = 0.0
    return starts, shares


class Alone(NamedTuple):
    """For each known item that was met: sums over the clusters that list it, by the other items that these list.

    Attributes:
        first: first entry of each item, -1 if it was not met.
        last: after its last entry.
        own: for each item and reader, its expected copies in the clusters that list it, and their records.
        item: the other item.
        both: records that hold both, beyond those that shares where neither is listed explain, for who looks everywhere
            and for who counts what is shown; then the surplus of who knows the method.
        used: how many entries there are.
        room: for sums, by item: as of ``both``.
        met: room: whether an item was found beside the one in hand.
    """

    first: Longs
    last: Longs
    own: Floats
    item: Longs
    both: Floats
    used: Longs
    room: Floats
    met: Flags


@compiled
def room(width: int) -> Alone:
    """Room for what items say alone."""
    many = max(width, min(MOST_KEPT, width * width))
    return Alone(
        np.full(width, -1, np.int64), np.empty(width, np.int64), np.zeros((width, READERS, 2)),
        np.empty(many, np.int64), np.empty((many, READERS)), np.zeros(1, np.int64), np.empty((READERS, width)),
        np.empty(width, np.bool_),
    )  # fmt: skip


# Arrays are passed one by one: to take one out of its tuple for each cluster costs more than the sums.


@compiled
def _add(
    items: Ints, shares: Floats, weight: Floats, everywhere: Floats, shown: Floats, surplus: Floats
) -> None:
    """Add the shares of some items, with a weight for each reader."""
    one, two, beyond = weight[0], weight[1], weight[2] - weight[0]
    for entry in range(len(items)):
        item, share = items[entry], shares[entry]
        everywhere[item] += one * share
        shown[item] += two * share
    if beyond != 0.0:
        for entry in range(len(items)):
            surplus[items[entry]] += beyond * shares[entry]


@compiled
def _add_rest(
    items: Ints, above: Floats, weight: Floats, everywhere: Floats, shown: Floats, surplus: Floats
) -> None:
    """The same of items whose share is limited by who knows the method."""
    one, two, three = weight[0], weight[1], weight[2]
    for entry in range(len(items)):
        item, share = items[entry], above[entry, 0]
        surplus[item] += three * above[entry, 1] - one * share
        if share != 0.0:
            everywhere[item] += one * share
            shown[item] += two * share


@compiled
def _add_rows(
    starts: Longs, items: Longs, rates: Floats, rows: Longs, weight: Floats, everywhere: Floats, shown: Floats,
    surplus: Floats,
) -> None:  # fmt: skip
    """The same of some rows, each with its chance among them."""
    total = 0.0
    for row in rows:
        total += rates[row]
    for row in rows:
        share = rates[row] / total
        one, two, beyond = weight[0] * share, weight[1] * share, (weight[2] - weight[0]) * share
        for item in items[starts[row] : starts[row + 1]]:
            everywhere[item] += one
            shown[item] += two
        if beyond != 0.0:
            for item in items[starts[row] : starts[row + 1]]:
                surplus[item] += beyond


@compiled
def _meet(layout: Layout, listed: Listed, item: int, alone: Alone) -> None:
    """Sum up what an item says alone."""
    cluster_of, sizes, there, shares = layout.places.cluster, layout.clusters.size, listed.there, listed.share
    slots, slot_item, slot_above, chunk = listed.slots, listed.slot_item, listed.slot_above, listed.chunk
    rest_starts, rest_item, rest_above = listed.rest_starts, listed.rest_item, listed.rest_above
    beside = listed.beside
    met, found, both = alone.met, alone.item, alone.both
    everywhere, shown, surplus = alone.room[0], alone.room[1], alone.room[2]
    if alone.used[0] + len(met) > len(found):
        alone.first[:], alone.used[0] = -1, 0
    begin = many = alone.used[0]
    met[:], alone.own[item], beyond = False, 0.0, np.empty(READERS)
    for at in range(layout.places.starts[item], layout.places.starts[item + 1]):
        cluster, size = cluster_of[at], sizes[cluster_of[at]]
        for reader in range(READERS):
            beyond[reader] = 0.0
            if there[at, reader]:
                beyond[reader] = size * (shares[at, reader] - listed.known_rate[reader, item])
                alone.own[item, reader, 0] += size * shares[at, reader]
                alone.own[item, reader, 1] += size
        first, last = slots[cluster, 0], slots[cluster, 1]
        many = _meet_others(slot_item[first:last], many, met, found, everywhere, shown, surplus)
        _add(slot_item[first:last], slot_above[first:last], beyond, everywhere, shown, surplus)
        first, last = rest_starts[cluster], rest_starts[cluster + 1]
        many = _meet_others(rest_item[first:last], many, met, found, everywhere, shown, surplus)
        _add_rest(rest_item[first:last], rest_above[first:last], beyond, everywhere, shown, surplus)
        if chunk[at, 0] != NO_CHUNK:  # all that stands in its chunk is listed here
            inside, first = slot_item[chunk[at, 0] : chunk[at, 1]], chunk[at, 2]
            beyond[:] = size * shares[at, 0]
            _add(inside, beside[first : first + len(inside)], beyond, everywhere, shown, surplus)
    for entry in range(begin, many):
        other = found[entry]
        both[entry, 0], both[entry, 1], both[entry, 2] = everywhere[other], shown[other], surplus[other]
    alone.first[item], alone.last[item], alone.used[0] = begin, many, many


@compiled
def _meet_others(
    items: Ints, many: int, met: Flags, found: Longs, everywhere: Floats, shown: Floats, surplus: Floats
) -> int:
    """Note items that were not met yet, with nothing said so far; returns how many were met."""
    for item in items:
        if not met[item]:
            met[item], found[many] = True, item
            everywhere[item] = shown[item] = surplus[item] = 0.0
            many += 1
    return many


@compiled
def meet_all(layout: Layout, listed: Listed, codes: Longs, alone: Alone) -> bool:
    """Sum up what these items say alone, if there is room for all of them."""
    for item in codes:
        if alone.first[item] < 0:
            if alone.used[0] + len(alone.met) > len(alone.item):
                return False
            _meet(layout, listed, item, alone)
    return True


@compiled
def _add_alone(
    item: int, others: Floats, alone: Alone, everywhere: Floats, shown: Floats, surplus: Floats
) -> None:
    """Add what a known item says alone, its clusters being weighed with the chances of the others.

    These are the same for who looks everywhere and for who knows the method.
    """
    found, both = alone.item, alone.both
    one, two = others[0], others[1]
    for at in range(alone.first[item], alone.last[item]):
        other = found[at]
        everywhere[other] += one * both[at, 0]
        shown[other] += two * both[at, 1]
        surplus[other] += one * both[at, 2]


@compiled
def _rates(known_rate: Floats, known: Longs) -> tuple[Floats, Floats, Floats]:
    """For each reader the rate of each known item, the product of the rates of all others, and that of all."""
    many = len(known)
    rate, others, far = np.empty((many, READERS)), np.ones((many, READERS)), np.ones(READERS)
    for reader in range(READERS):
        for j in range(many):
            rate[j, reader] = known_rate[reader, known[j]]
            far[reader] *= rate[j, reader]
            for i in range(many):
                others[i, reader] *= 1.0 if i == j else rate[j, reader]
    return rate, others, far


@compiled
def _several(cluster_of: Longs, at: Longs, end: Longs, here: Longs, last: int) -> int:
    """Next clusters that list several known items, as many as ``here`` has room for; returns how many there are.

    It gets the cluster of each, and the places of the known items there, or -1.
    """
    found, many = 0, len(at)
    if many == 2:
        one, two, one_end, two_end = at[0], at[1], end[0], end[1]
        while found < len(here) and one < one_end and two < two_end:
            a, b = cluster_of[one], cluster_of[two]
            if a == b:
                here[found, 0], here[found, 1], here[found, 2] = one, two, a
                found += 1
            one += a <= b
            two += b <= a
        at[0], at[1] = one, two
        return found
    while found < len(here):
        cluster, several = last, 0
        for j in range(many):
            if at[j] < end[j]:
                cluster = min(cluster, cluster_of[at[j]])
        if cluster == last:
            break
        for j in range(many):
            here[found, j] = -1
            if at[j] < end[j] and cluster_of[at[j]] == cluster:
                here[found, j] = at[j]
                at[j] += 1
                several += 1
        here[found, many] = cluster
        found += several > 1
    return found


@compiled
def _ask_for(
    here: Longs, slots: Longs, rest_starts: Longs, share: Floats, chunk: Longs, slot_item: Ints, slot_above: Floats,
    beside: Floats, sizes: Floats,
) -> float:  # fmt: skip
    """Read what lies anywhere for some clusters at once, so that it is near the processor; returns a sum of it."""
    many, read = here.shape[1] - 1, 0.0
    for i in range(len(here)):
        cluster = here[i, many]
        read += slots[cluster, 0] + rest_starts[cluster] + sizes[cluster]
        for j in range(many):
            if here[i, j] >= 0:
                read += share[here[i, j], 0] + chunk[here[i, j], 0]
    for i in range(len(here)):
        first = slots[here[i, many], 0]
        if first < len(slot_item):
            read += slot_item[first] + slot_above[first]
        for j in range(many):
            if here[i, j] >= 0 and chunk[here[i, j], 0] != NO_CHUNK:
                read += beside[chunk[here[i, j], 2]]
    return read


@compiled
def _companions(part: Longs, j: int) -> int:
    """How many known items stand in the chunk of item ``j``, itself included; 0 if it is not the first of them.

    A chunk is named by its first slot.
    """
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
def _rows_with(
    slot_starts: Longs, slot_rows: Longs, slot: Longs, part: Longs, first: int, begin: int, found: Longs
) -> int:
    """Rows that hold all known items of the chunk of item ``first``, from ``begin`` on; returns where they end."""
    last = begin
    for at in range(slot_starts[slot[first]], slot_starts[slot[first] + 1]):
        found[last] = slot_rows[at]
        last += 1
    for j in range(first + 1, len(part)):
        if part[j] != part[first]:
            continue
        at, end, kept = slot_starts[slot[j]], slot_starts[slot[j] + 1], begin
        for i in range(begin, last):
            while at < end and slot_rows[at] < found[i]:
                at += 1
            if at < end and slot_rows[at] == found[i]:
                found[kept] = found[i]
                kept += 1
        last = kept
    return last


class _Sums(NamedTuple):
    """What is summed up of one known set, for each reader.

    Attributes:
        rate: of each known item where it is not listed.
        others: for each known item the product of the rates of all others.
        far: the product of all rates.
        near: for each known item its expected copies in clusters that list several; last, once for each further item,
            the records of these clusters.
        total: records that hold all.
        everywhere: by further item, its copies in them beyond its rate, as who looks everywhere expects them.
        shown: the same of who counts what is shown.
        surplus: what who knows the method expects beyond ``everywhere``.
    """

    rate: Floats
    others: Floats
    far: Floats
    near: Floats
    total: Floats
    everywhere: Floats
    shown: Floats
    surplus: Floats


@compiled
def _weigh_here(
    size: float, here: Longs, there: Flags, share: Floats, together: Longs, chance: Floats, rate: Floats,
    others: Floats, far: Floats, near: Floats, total: Floats, less: Floats, more: Floats, weight: Floats,
) -> None:  # fmt: skip
    """Weigh a cluster that lists several known items, as each reader does.

    ``weight`` gets the records that hold all, ``more`` how many these are beyond what was reckoned for all clusters and
    for those that list one, and ``less`` what was reckoned for each known item alone.
    """
    for reader in range(READERS):
        several, weight[reader], more[reader] = 0, 0.0, 0.0
        for j in range(len(here)):
            less[j, reader] = 0.0
            several += here[j] >= 0 and there[here[j], reader]
        if several < 2:
            continue
        whole, lone = size, 0.0
        for j in range(len(here)):
            own = rate[j, reader]
            if here[j] >= 0 and there[here[j], reader]:
                own = share[here[j], reader]
                near[j, reader] += size * own
                less[j, reader] = size * own * others[j, reader]
                lone += less[j, reader]
            whole *= own if together[j] == 1 else chance[j]
        near[-1, reader] += size * (several - 1)
        total[reader] += whole
        weight[reader] = whole
        more[reader] = whole - lone + far[reader] * size * (several - 1)


@compiled
def _add_several(layout: Layout, listed: Listed, known: Longs, found: Longs, sums: _Sums) -> None:
    """Add what clusters say that list several known items, and take away what each of these says there alone."""
    cluster_of, sizes, none = layout.places.cluster, layout.clusters.size, len(layout.clusters.size)
    slot_starts, slot_rows, chunk = layout.rows.slot_starts, layout.rows.slot_rows, listed.chunk
    row_starts, row_items, row_rate = layout.rows.starts, layout.rows.items, layout.rows.rate
    slots, slot_above, beside = listed.slots, listed.slot_above, listed.beside
    rest_starts, rest_item, rest_above = listed.rest_starts, listed.rest_item, listed.rest_above
    slot_item, slot_share, there, share = listed.slot_item, listed.slot_share, listed.there, listed.share
    many, (rate, others, far, near, total, everywhere, shown, surplus) = len(known), sums
    at, end = layout.places.starts[known], layout.places.starts[known + 1]
    block, read = np.empty((BLOCK, many + 1), np.int64), np.zeros(1)
    slot, part, together = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
    rows, chance, less = np.zeros(many + 1, np.int64), np.ones(many), np.empty((many, READERS))
    weight, more = np.empty(READERS), np.empty(READERS)
    met = _several(cluster_of, at, end, block, none)
    while met > 0:
        read[0] = _ask_for(
            block[:met], slots, rest_starts, share, chunk, slot_item, slot_above, beside, sizes
        )
        for number in range(met):
            here, cluster = block[number, :many], block[number, many]
            for j in range(many):
                slot[j], part[j], chance[j] = NO_CHUNK, NO_CHUNK, 1.0
                if here[j] >= 0:
                    part[j], slot[j] = chunk[here[j], 0], chunk[here[j], 3]
            for j in range(many):
                together[j], rows[j + 1] = _companions(part, j), rows[j]
                if together[j] > 1:
                    rows[j + 1] = _rows_with(slot_starts, slot_rows, slot, part, j, rows[j], found)
                    chance[j] = 0.0
                    for i in range(rows[j], rows[j + 1]):
                        chance[j] += row_rate[found[i]]
                    chance[j] = min(1.0, chance[j])
            _weigh_here(
                sizes[cluster], here, there, share, together, chance, rate, others, far, near, total, less, more,
                weight,
            )  # fmt: skip
            first, last = slots[cluster, 0], slots[cluster, 1]
            _add(slot_item[first:last], slot_above[first:last], more, everywhere, shown, surplus)
            first, last = rest_starts[cluster], rest_starts[cluster + 1]
            _add_rest(rest_item[first:last], rest_above[first:last], more, everywhere, shown, surplus)
            for j in range(many):
                if slot[j] < 0:
                    continue
                # Beside a known item its rows say more than the shares, which were added with all others.
                first, last, start = part[j], chunk[here[j], 1], chunk[here[j], 2]
                shares = beside[start : start + last - first]
                for reader in range(READERS):
                    more[reader] = (weight[reader] if together[j] == 1 else 0.0) - less[j, reader]
                _add(slot_item[first:last], shares, more, everywhere, shown, surplus)
                if together[j] > 1:
                    for reader in range(READERS):
                        more[reader] = -weight[reader]
                    _add(slot_item[first:last], slot_share[first:last], more, everywhere, shown, surplus)
                    here_rows = found[rows[j] : rows[j + 1]]
                    _add_rows(row_starts, row_items, row_rate, here_rows, weight, everywhere, shown, surplus)
        met = _several(cluster_of, at, end, block, none)


@compiled
def _weigh(layout: Layout, listed: Listed, known: Longs, alone: Alone, found: Longs, held: Floats) -> Floats:
    """Fill ``held``: for each reader, copies of each item in records that hold the set, beyond its ``rate`` in them.

    Returns for each reader the records that are expected to hold the set.
    """
    many, excess, (rate, others, far) = len(known), listed.excess, _rates(listed.known_rate, known)
    near, total = np.zeros((many + 1, READERS)), np.zeros(READERS)
    everywhere, shown, surplus = held[0], held[1], held[2]
    for item in range(len(surplus)):
        everywhere[item] = far[0] * excess[item, 0]
        shown[item] = far[1] * excess[item, 0]
        surplus[item] = far[2] * excess[item, 1] - everywhere[item]
    for j in range(many):
        if alone.first[known[j]] < 0:
            _meet(layout, listed, known[j], alone)
        _add_alone(known[j], others[j], alone, everywhere, shown, surplus)
    if many > 1:
        sums = _Sums(rate, others, far, near, total, everywhere, shown, surplus)
        _add_several(layout, listed, known, found, sums)
    for item in range(len(surplus)):
        surplus[item] += everywhere[item]
    for reader in range(READERS):
        unlisted = layout.clusters.top_size[0] + near[many, reader]
        for j in range(many):
            own = alone.own[known[j], reader]
            # Summed up in the same order, so that nothing is left where every cluster lists several.
            total[reader] += others[j, reader] * max(0.0, own[0] - near[j, reader])
            unlisted -= own[1]
        total[reader] += far[reader] * max(0.0, unlisted)
    return total


@compiled
def _claimed(
    held: Floats,
    rate: Floats,
    total: float,
    known: Longs,
    floor: float,
    items: Ints,
    chances: Floats,
    end: int,
) -> int:
    """Note what a reader claims of a set behind ``end``; returns the new end."""
    least = floor - 1 / DIGITS
    for item in known:
        held[item] = -2 * total  # what is known is not claimed
    for item in range(len(held)):
        chance = rate[item] + held[item] / total
        if chance < least:
            continue
        chance = min(1.0, np.floor(chance * DIGITS + 0.5) / DIGITS)
        if chance >= floor:
            items[end], chances[end] = item, chance
            end += 1
    return end


@compiled
def _with_room(values: NDArray[Any], used: int, wanted: int) -> NDArray[Any]:
    """The same rows, with room for so many values each."""
    if wanted <= values.shape[1]:
        return values
    longer = np.empty((len(values), 2 * wanted), values.dtype)
    for row in range(len(values)):
        for at in range(used):
            longer[row, at] = values[row, at]
    return longer


@compiled
def lone_claims(
    layout: Layout, listed: Listed, alone: Alone, starts: Longs, codes: Longs, floor: float
) -> tuple[Longs, Ints, Floats, Floats]:
    """For each reader: where the claims of each known set end, items, probabilities; expected records.

    Sets have one item at least. All that is claimed with ``floor`` or more is told. Where no cluster is left as
    a reader looks at it, every place counts. What ``alone`` lacks is added to it.
    """
    sets, width, longest = len(starts) - 1, len(listed.rate), 0
    held, found = np.empty((READERS, width)), np.empty(len(layout.rows.starts), np.int64)
    ends, expected = np.zeros((READERS, sets + 1), np.int64), np.zeros((READERS, sets))
    items, chances = np.empty((READERS, 1024), np.int32), np.empty((READERS, 1024))
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        totals = _weigh(layout, listed, known, alone, found, held)
        items = _with_room(items, longest, longest + width)
        chances = _with_room(chances, longest, longest + width)
        for reader in range(READERS):
            by, end = reader if totals[reader] > 0 else 0, ends[reader, number]
            if totals[by] > 0:
                end = _claimed(
                    held[by], listed.rate, totals[by], known, floor, items[reader], chances[reader], end
                )
            ends[reader, number + 1], expected[reader, number] = end, totals[by]
            longest = max(longest, end)
    return ends, items, chances, expected


# Parts of a release: what is expected is summed up over all of them before anything is claimed.


@compiled
def add_expected(
    layout: Layout, listed: Listed, alone: Alone, starts: Longs, codes: Longs, totals: Floats, held: Floats
) -> None:
    """Add for each reader and set the records of a part that are expected to hold it, and to hold it and each item."""
    found, width = np.empty(len(layout.rows.starts), np.int64), held.shape[2]
    here = np.empty((READERS, width))
    for number in range(len(starts) - 1):
        known = codes[starts[number] : starts[number + 1]]
        told = _weigh(layout, listed, known, alone, found, here)
        for reader in range(READERS):
            totals[reader, number] += told[reader]
            held[reader, number] += here[reader] + listed.rate * told[reader]


@compiled
def claims_from(
    totals: Floats, held: Floats, starts: Longs, codes: Longs, floor: float
) -> tuple[Longs, Ints, Floats, Floats]:
    """All that a reader's sums over all parts claim of sets with ``floor`` or more; see ``lone_claims``."""
    sets, width, end = len(totals), held.shape[1], 0
    ends, nothing, column = np.zeros(sets + 1, np.int64), np.zeros(width), np.empty(width)
    items, chances = np.empty(1024 + width, np.int32), np.empty(1024 + width)
    for number in range(sets):
        if totals[number] > 0:
            while end + width > len(items):
                items, chances = np.concatenate((items, items)), np.concatenate((chances, chances))
            column[:], known = held[number], codes[starts[number] : starts[number + 1]]
            end = _claimed(column, nothing, totals[number], known, floor, items, chances, end)
        ends[number + 1] = end
    return ends, items[:end], chances[:end], totals
