"""Is this person in the release? A score for a whole record, from a disassociated release alone.

The record x (its published items) is compared with each cluster c of n records, as a likelihood ratio. With q(i) the
share of the release's records that are expected to hold item i:

    LR(x | c) = product over the record chunks of c of  (rows equal to x's share) / n
                                                        / product over the chunk's items of q(i) or 1 - q(i)
              * product over the other items of x of    share(i, c) / q(i)
    score(x)  = log( sum over c of n / N * LR(x | c) )

A member's share of a chunk is always one of its rows (an empty share: one of the records without a row); that of
somebody else often is none, which rules the cluster out: no row counts as ``DOUBT`` rows, so that the score stays a
number and says how much does not fit. ``share`` is that of ``known_person``, at least ``DOUBT`` / N. An item that is
not published at all counts as a chunk without its row, where nothing was left out (``unknown``). The score says how
much more likely the record is if it was drawn from one of the clusters than if its items were drawn one by one.
Where supports are lower bounds, a row may lack an item, and no row counts as half a row.

Every cluster is part of the sum, but few list an item of the record, and most of those one. All others below an
outermost joint have one factor in common, so that they are summed up beforehand. What a place adds alone is worked out
beforehand, too, and only where several items of the record meet in a cluster its rows are looked at. Records that are
asked about several times are scored once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, run_starts
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_layout import NOWHERE, sums
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from cloven.data.known_sets import Known
    from cloven.kinds.disassociated.attack.known_person_layout import Layout
    from cloven.kinds.disassociated.release import Disassociated


DOUBT = 1e-6
"""Rows that are taken to be there where none is."""
SPAN = 1 << 40
"""More than the codes of the items of a row add up to."""
NEGLIGIBLE = -37.5
"""Logarithm of what makes no difference to a sum of 1 or more, to the last bit: it is below 2 ** -54."""
CLOSE = 1e-3
"""Share of a sum below which what is left of it is added up anew."""
DIGITS = 1e9
"""Scores are rounded, so that sums in another order compare equal."""


@dataclass(frozen=True, eq=False)
class Membership:
    """A release, arranged for the question who is in it.

    Attributes:
        person: where every item stands.
        doubt: rows that are taken to be there where none is.
    """

    person: KnownPerson
    doubt: float

    @classmethod
    def of(cls, release: Disassociated) -> Membership:
        """Arrange a release, once for all questions."""
        lossy = release.parameters.get("supports") == "lower bounds"
        return cls(KnownPerson.of(release), 0.5 if lossy else DOUBT)

    def scores(self, records: Known) -> tuple[Floats, Longs]:
        """Score of each record, the higher the more likely it is in the release; and its most likely cluster."""
        records.check(len(self.person.release.vocabulary), len(self.person.release.vocabulary))
        layout, odds, listed = self.person.places, self._odds, self._listed
        known: dict[bytes, int] = {}
        ends = records.offsets.tolist()
        of = [known.setdefault(records.codes[a:b].tobytes(), len(known)) for a, b in pairwise(ends)]
        asked = records.take(np.unique(of, return_index=True)[1])

        def some(first: int, last: int) -> tuple[Floats, Longs]:
            return scores(layout, odds, listed, asked.offsets[first : last + 1], asked.codes)

        # Each record is held against every cluster.
        steps = np.arange(len(asked.offsets)) * len(layout.clusters.size)
        score, cluster = map(np.concatenate, zip(*at_once(some, steps), strict=True))
        return score[of], layout.clusters.number[cluster[of]]

    def unknown(self, many: Longs) -> Floats:
        """What it adds to the score of a record that so many of its items are not in the release at all.

        Nothing where rare items were left out, of members and others alike. Else nobody in it holds such an item, but
        for the doubt.
        """
        release = self.person.release
        left_out = release.may_be_empty or release.parameters.get("min_item_support", 1) > 1
        return np.asarray(many * (0.0 if left_out else math.log(self.doubt)), np.float64)

    @cached_property
    def shares(self) -> Floats:
        """Share of all records of the release that are expected to hold each item, away from 0 and 1."""
        release = self.person.release
        _, item, copies = self.person.copies
        total = sums(item, copies, len(release.vocabulary))
        return np.clip(total, 0.5, release.records - 0.5) / max(release.records, 1)

    @cached_property
    def _odds(self) -> Odds:
        """Logarithms that all records have in common."""
        layout, release = self.person.places, self.person.release
        clusters, new = layout.clusters, np.argsort(layout.clusters.number)
        # Chunks as ``Rows`` numbers them.
        rows = np.flatnonzero(release.row_kind != Kind.TERM)
        cluster = release.row_cluster[rows]
        first = run_starts(cluster, release.row_joint[rows], release.row_chunk[rows])
        part_cluster = np.where(cluster[first] >= 0, new[cluster[first]], -1)
        own = part_cluster >= 0
        size = clusters.size[part_cluster]
        held = np.diff(np.append(first, len(rows)))
        empty = np.log(np.maximum(size - held, 0.0) + self.doubt)
        present, absent = np.log(self.shares), np.log1p(-self.shares)
        slot_cluster, slot_item = part_cluster[layout.rows.slot_part], _slot_items(layout, len(present))
        shown = np.flatnonzero(slot_cluster >= 0)
        nothing = sums(part_cluster[own], (empty - np.log(size))[own], release.clusters)
        nothing -= sums(slot_cluster[shown], absent[slot_item[shown]], release.clusters)
        nothing += np.log(clusters.size / max(release.records, 1))
        peak = np.maximum.reduceat(nothing, clusters.top_starts[:-1])
        usual, order = np.exp(nothing - peak[clusters.top]), np.lexsort((-nothing, clusters.top))
        of_top = sums(clusters.top, usual, len(clusters.top_size))
        return Odds(nothing, peak, usual, of_top, order, empty, present, absent, self.doubt)

    @cached_property
    def _listed(self) -> Listed:
        """Places as clusters have them."""
        layout, odds = self.person.places, self._odds
        places, chunks = layout.places, len(odds.empty)
        item = np.repeat(np.arange(len(places.starts) - 1), np.diff(places.starts))
        part = np.append(layout.rows.slot_part, chunks)[places.slot]  # those that stand in no row come last
        order = np.lexsort((item, part, places.cluster))
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        slot = np.where(places.record, places.slot, NOWHERE)[order]
        # Half as wide, twice as many of them stay near the processor.
        return Listed(
            number.astype(np.int32),
            item[order].astype(np.int32),
            slot.astype(np.int32),
            *additions(layout, odds, order, item[order], slot),
        )


def _slot_items(layout: Layout, items: int) -> Longs:
    """Item of each slot: slots ascend by chunk and item."""
    rows, width = layout.rows, max(1, items)
    part = np.empty(len(rows.rate), np.int64)
    part[rows.slot_rows] = np.repeat(rows.slot_part, np.diff(rows.slot_starts))
    return distinct(np.repeat(part, np.diff(rows.starts)) * width + rows.items) % width


# Compiled likelihood ratios of whole records: from one of the clusters, or drawn item by item?


class Odds(NamedTuple):
    """Logarithms that all records have in common.

    Attributes:
        nothing: for each cluster, its share of the release times the ratio of a record that has nothing of its chunks.
        peak: the largest of these below each outermost joint.
        usual: no logarithms, but what they are logarithms of, in times of the largest there.
        of_top: the sum of these below each outermost joint.
        order: clusters of each outermost joint, the largest of these first.
        empty: for each chunk, the records without a row (and the doubt).
        present: for each item, its share in the release.
        absent: for each item, the share without it.
        doubt: rows that are taken to be there where none is.
    """

    nothing: Floats
    peak: Floats
    usual: Floats
    of_top: Floats
    order: Longs
    empty: Floats
    present: Floats
    absent: Floats
    doubt: float


class Listed(NamedTuple):
    """Places in the order of clusters, chunks and items, and what they and others add to the score of a cluster.

    Attributes:
        number: where each place of the layout stands in this order.
        item: the item of each.
        slot: its slot if that is of a record chunk, else ``NOWHERE``.
        alone: what it adds if the record has no other item in its chunk.
        row: what each row adds that is all the record has of its record chunk.
        base: what each entry of the layout's base adds.
        marks: of each entry of the layout's ``slot_rows``, the length of its row and the sum of its items.
    """

    number: Ints
    item: Ints
    slot: Ints
    alone: Floats
    row: Floats
    base: Floats
    marks: Longs


@compiled
def additions(
    layout: Layout, odds: Odds, order: Longs, item: Longs, slot: Longs
) -> tuple[Floats, Floats, Floats, Longs]:
    """What places, rows of record chunks and entries of the base add, and marks; see ``Listed``."""
    places, rows, starts, rate = layout.places, layout.rows, layout.base.starts, layout.base.rate
    least = odds.doubt / layout.clusters.size.sum()
    alone, row, base = np.empty(len(order)), np.zeros(len(rows.rate)), np.empty(len(rate))
    marks = np.empty(len(rows.slot_rows), np.int64)
    for at in range(len(marks)):
        each = rows.slot_rows[at]
        held = rows.items[rows.starts[each] : rows.starts[each + 1]]
        marks[at] = len(held) * SPAN + held.sum()
    for number in range(len(order)):
        at, here = order[number], slot[number]
        if here < 0:
            alone[number] = math.log(max(places.share[at], least)) - odds.present[item[number]]
            continue
        empty, size = odds.empty[rows.slot_part[here]], layout.clusters.size[places.cluster[at]]
        first, last = rows.slot_starts[here], rows.slot_starts[here + 1]
        for each in rows.slot_rows[first:last]:
            row[each] = math.log(rows.rate[each] * size + odds.doubt) - empty
        alike = item[number : number + 1]
        same = _equal(rows.starts, rows.items, rows.slot_rows, marks, first, last, alike, 1)
        alone[number] = row[same] if same >= 0 else math.log(odds.doubt) - empty
    for code in range(len(starts) - 1):
        for at in range(starts[code], starts[code + 1]):
            base[at] = math.log(max(rate[at], least)) - odds.present[code]
    return alone, row, base, marks


@compiled
def _equal(
    starts: Longs,
    row_items: Longs,
    slot_rows: Longs,
    marks: Longs,
    first: int,
    last: int,
    items: Longs,
    many: int,
) -> int:
    """Which of the rows ``first`` to ``last`` of a slot has exactly the first ``many`` items, or ``NOWHERE``."""
    mark = many * SPAN
    for i in range(many):
        mark += items[i]
    for at in range(first, last):
        if marks[at] == mark:
            row = slot_rows[at]
            same = True
            for i in range(many):
                same = same and row_items[starts[row] + i] == items[i]
            if same:
                return int(row)
    return NOWHERE


class Room(NamedTuple):
    """What scoring one record needs, made once for all.

    Attributes:
        score: for each cluster that lists an item of the record, the logarithm of its part in the sum.
        near: these clusters.
        is_near: for each cluster, the last record of which it lists an item.
        base: what clusters add that do not list an item, by place of the item in the record and outermost joint.
        beside: the sum of that over all items of the record.
        head: for each cluster, the first of its places that hold an item of the record (-1 for none, as it is left).
        following: for each of these places, the next one of its cluster.
        crowded: clusters with several of them.
        where: place of each item in the record.
        met: places of one cluster, in their order.
        items: items of the record in one chunk.
    """

    score: Floats
    near: Ints
    is_near: Ints
    base: Floats
    beside: Floats
    head: Ints
    following: Ints
    crowded: Ints
    where: Ints
    met: Ints
    items: Longs


@compiled
def _begin(
    layout: Layout, odds: Odds, listed: Listed, number: int, record: Longs, least: float, room: Room
) -> int:
    """Chain the places of clusters that list an item of the record; returns how many such clusters there are.

    They start with the score of those that list none.
    """
    starts, top_of = layout.base.starts, layout.base.top
    score, base, beside, nothing = room.score, room.base, room.beside, odds.nothing
    beside[:] = 0.0
    for j in range(len(record)):
        room.where[record[j]] = j
        base[j, :] = least - odds.present[record[j]]
        for at in range(starts[record[j]], starts[record[j] + 1]):
            base[j, top_of[at]] = listed.base[at]
        for top in range(len(beside)):
            beside[top] += base[j, top]
    place_starts, cluster_of, number_of = layout.places.starts, layout.places.cluster, listed.number
    head, following, near, is_near, tops = (
        room.head,
        room.following,
        room.near,
        room.is_near,
        layout.clusters.top,
    )
    many = 0
    for item in record[::-1]:  # so that chains ascend by item
        for at in range(place_starts[item], place_starts[item + 1]):
            place, cluster = number_of[at], cluster_of[at]
            if is_near[cluster] != number:
                is_near[cluster], near[many], score[cluster] = (
                    number,
                    cluster,
                    nothing[cluster] + beside[tops[cluster]],
                )
                many += 1
            following[place] = head[cluster]
            head[cluster] = place
    return many


@compiled
def _lonely(layout: Layout, odds: Odds, listed: Listed, near: int, room: Room) -> int:
    """Add what clusters with one place hold; returns how many have several, which are ``crowded``."""
    score, head, following, base, where = room.score, room.head, room.following, room.base, room.where
    items, slot, alone, present, absent = listed.item, listed.slot, listed.alone, odds.present, odds.absent
    tops, crowded, many = layout.clusters.top, room.crowded, 0
    for cluster in room.near[:near]:
        number = head[cluster]
        if following[number] >= 0:
            crowded[many] = cluster
            many += 1
            continue
        head[cluster] = -1
        item = items[number]
        change = -base[where[item], tops[cluster]]
        if slot[number] >= 0:
            change += absent[item] - present[item]
        score[cluster] += change + alone[number]
    return many


@compiled
def _crowded(layout: Layout, odds: Odds, listed: Listed, room: Room, many: int) -> None:
    """Add what clusters with several places hold, chunk by chunk."""
    slot_part, slot_starts, slot_rows = layout.rows.slot_part, layout.rows.slot_starts, layout.rows.slot_rows
    starts, row_items, marks, tops = layout.rows.starts, layout.rows.items, listed.marks, layout.clusters.top
    slots, item_of, alone, row = listed.slot, listed.item, listed.alone, listed.row
    present, absent, empty, nowhere = odds.present, odds.absent, odds.empty, math.log(odds.doubt)
    score, head, following, crowded = room.score, room.head, room.following, room.crowded
    base, where, met, items = room.base, room.where, room.met, room.items
    for number in range(many):
        cluster = crowded[number]
        top, last, i = tops[cluster], _chained(head[cluster], following, met), 0
        head[cluster] = -1
        while i < last:
            first, end = met[i], i + 1
            slot, items[0] = slots[first], item_of[first]
            change = -base[where[items[0]], top]
            if slot >= 0:
                part = slot_part[slot]
                while end < last and slots[met[end]] >= 0 and slot_part[slots[met[end]]] == part:
                    items[end - i] = item_of[met[end]]
                    change -= base[where[items[end - i]], top]
                    end += 1
                for j in range(end - i):
                    change += absent[items[j]] - present[items[j]]
            if end == i + 1:
                change += alone[first]
            else:
                begin, stop = slot_starts[slot], slot_starts[slot + 1]
                same = _equal(starts, row_items, slot_rows, marks, begin, stop, items, end - i)
                change += row[same] if same >= 0 else nowhere - empty[slot_part[slot]]
            score[cluster] += change
            i = end


@compiled
def _chained(number: int, following: Ints, met: Ints) -> int:
    """Put a chain of places into their order; returns how many they are."""
    many = 0
    while number >= 0:
        i = many
        while i > 0 and met[i - 1] > number:
            met[i] = met[i - 1]
            i -= 1
        met[i] = number
        many += 1
        number = following[number]
    return many


@compiled
def _far(layout: Layout, odds: Odds, number: int, near: int, room: Room, rest: Floats) -> tuple[float, int]:
    """What clusters below each outermost joint add that list nothing of the record, in ``rest``, as logarithms.

    Returns the highest score among these clusters, and which has it.
    """
    tops, top_starts, usual, nothing = (
        layout.clusters.top,
        layout.clusters.top_starts,
        odds.usual,
        odds.nothing,
    )
    is_near, highest, best = room.is_near, -np.inf, -1
    rest[:] = odds.of_top
    for cluster in room.near[:near]:
        rest[tops[cluster]] -= usual[cluster]
    for top in range(len(rest)):
        here = odds.order[top_starts[top] : top_starts[top + 1]]
        first = 0
        while first < len(here) and is_near[here[first]] == number:
            first += 1
        if first == len(here):
            rest[top] = -np.inf
            continue
        largest = nothing[here[first]]
        if rest[top] < CLOSE * odds.of_top[top]:
            left = 0.0  # what is left of a difference of equals is noise, or nothing at all
            for cluster in here[first:]:
                if is_near[cluster] != number:
                    left += math.exp(nothing[cluster] - largest)
            rest[top] = math.log(left) + largest + room.beside[top]
        else:
            rest[top] = math.log(rest[top]) + odds.peak[top] + room.beside[top]
        if largest + room.beside[top] > highest:
            highest, best = largest + room.beside[top], int(here[first])
    return highest, best


@compiled
def _whole(layout: Layout, odds: Odds, number: int, near: int, room: Room, rest: Floats) -> tuple[float, int]:
    """Logarithm of the sum of what scores are logarithms of, and the cluster with the highest, the first of equals."""
    score = room.score
    highest, best = _far(layout, odds, number, near, room, rest)
    for cluster in room.near[:near]:
        if score[cluster] > highest or (score[cluster] == highest and cluster < best):
            highest, best = score[cluster], int(cluster)
    highest, total = max(highest, rest.max()), 0.0
    for top in range(len(rest)):
        total += math.exp(rest[top] - highest)
    for cluster in room.near[:near]:
        if score[cluster] - highest > NEGLIGIBLE:
            total += math.exp(score[cluster] - highest)
    return np.floor((highest + math.log(total)) * DIGITS + 0.5) / DIGITS, best


@compiled
def scores(layout: Layout, odds: Odds, listed: Listed, offsets: Longs, codes: Longs) -> tuple[Floats, Longs]:
    """Score and most likely cluster of each record."""
    clusters, tops = len(layout.clusters.size), len(layout.clusters.top_size)
    least = math.log(odds.doubt / layout.clusters.size.sum())
    many, longest = len(offsets) - 1, 1
    for number in range(many):
        longest = max(longest, offsets[number + 1] - offsets[number])
    rest = np.empty(tops)
    room = Room(
        np.empty(clusters),
        np.empty(clusters, np.int32),
        np.full(clusters, -1, np.int32),
        np.empty((longest, tops)),
        np.empty(tops),
        np.full(clusters, -1, np.int32),
        np.empty(len(listed.item), np.int32),
        np.empty(clusters, np.int32),
        np.empty(len(odds.present), np.int32),
        np.empty(longest, np.int32),
        np.empty(longest, np.int64),
    )
    found, best = np.empty(many), np.empty(many, np.int64)
    for number in range(many):
        near = _begin(layout, odds, listed, number, codes[offsets[number] : offsets[number + 1]], least, room)
        _crowded(layout, odds, listed, room, _lonely(layout, odds, listed, near, room))
        found[number], best[number] = _whole(layout, odds, number, near, room, rest)
    return found, best
