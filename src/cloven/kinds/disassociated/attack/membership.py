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

Every cluster is part of the sum, but few list an item of the record. All others below an outermost joint have one
factor in common, so that they are summed up beforehand. Records are walked through in order, their most widespread
items first: what these add is worked out once for all records that begin with them, and taken back to the last bit
behind the last of them. What a record holds of a chunk is followed from item to item through the beginnings of its
rows. Records that are asked about several times are scored once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, lexicographic_order, offsets_of, positions, repeats, run_starts
from cloven.data.known_sets import Known
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_layout import NOWHERE, sums
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from cloven.kinds.disassociated.attack.known_person_layout import Arranged, Layout
    from cloven.kinds.disassociated.release import Disassociated


DOUBT = 1e-6
"""Rows that are taken to be there where none is."""
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
        ordered = Known.from_arrays(records.offsets, np.argsort(listed.item)[records.codes])
        order = lexicographic_order(ordered.offsets, ordered.codes)
        ordered = ordered.take(order)
        new = ~repeats(ordered.offsets, ordered.codes)
        asked = ordered.take(np.flatnonzero(new))

        def some(first: int, last: int) -> tuple[Floats, Longs]:
            return scores(layout, odds, listed, asked.offsets[first : last + 1], asked.codes)

        # Each record is held against every cluster.
        steps = np.arange(len(asked.offsets)) * len(layout.clusters.size)
        score, cluster = map(np.concatenate, zip(*at_once(some, steps), strict=True))
        of = np.empty_like(order)
        of[order] = np.cumsum(new) - 1
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
        """Places as the walk over records meets them."""
        layout, odds = self.person.places, self._odds
        places, many = layout.places, np.diff(layout.places.starts)
        item = np.argsort(-many, kind="stable")
        order = positions(places.starts[item], many[item])
        cluster, slot = places.cluster[order], np.where(places.record, places.slot, NOWHERE)[order]
        chunk = np.append(layout.rows.slot_part, NOWHERE)[slot]
        base, more = additions(layout, odds, item, order)
        shares, alone, before, row = prefixes(layout.rows, layout.clusters.size[cluster], slot, self.doubt)
        missing = np.append(
            math.log(self.doubt) - odds.empty, 0.0
        )  # nothing is missing where there is no chunk
        # Half as wide, twice as many of them stay near the processor.
        return Listed(
            item,
            offsets_of(many[item]),
            cluster.astype(np.int32),
            layout.clusters.top.astype(np.int32),
            chunk.astype(np.int32),
            more + missing[chunk] + row[alone],
            more,
            alone,
            shares.astype(np.int32),
            before,
            row,
            base,
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


NOTHING, UNKNOWN = -1, 0
"""What a record holds of a chunk: no item of it, or what no row begins with."""


class Listed(NamedTuple):
    """Places by item, items with the most places first, and what they and others add to the score of a cluster.

    What a record holds of a chunk, as far as its items have come in this order, may be the beginning of rows: a
    *share*. These have numbers; others are ``UNKNOWN``.

    Attributes:
        item: which item comes where in this order.
        starts: first place of each item in this order.
        cluster: cluster of each place.
        top: outermost joint of each cluster.
        chunk: chunk of each place if that is a record chunk, else ``NOWHERE``.
        first: what each adds if the record has nothing of its chunk yet.
        more: what each adds if it has, beside what the share after it adds more than the one before.
        alone: share of the item of each place without others.
        shares: for each place, the first of the shares that end with it.
        before: what each share is without its last item.
        row: what each share adds, compared with ``UNKNOWN``: nothing unless it is a whole row.
        base: what each entry of the layout's base adds, compared with none.
    """

    item: Longs
    starts: Longs
    cluster: Ints
    top: Ints
    chunk: Ints
    first: Floats
    more: Floats
    alone: Ints
    shares: Ints
    before: Ints
    row: Floats
    base: Floats


@compiled
def additions(layout: Layout, odds: Odds, items: Longs, order: Longs) -> tuple[Floats, Floats]:
    """What entries of the base add, compared with none, and places, which come item by item, compared with them."""
    places, entries, tops = layout.places, layout.base, layout.clusters.top
    least, at = odds.doubt / layout.clusters.size.sum(), 0
    base, more = np.empty(len(entries.rate)), np.empty(len(order))
    usual = np.full(len(layout.clusters.top_size), math.log(least))
    for item in items:
        for entry in range(entries.starts[item], entries.starts[item + 1]):
            usual[entries.top[entry]] = math.log(max(entries.rate[entry], least))
            base[entry] = usual[entries.top[entry]] - math.log(least)
        for _ in range(places.starts[item], places.starts[item + 1]):
            place = order[at]
            own = odds.absent[item] if places.record[place] else math.log(max(places.share[place], least))
            more[at] = own - usual[tops[places.cluster[place]]]
            at += 1
        for entry in range(entries.starts[item], entries.starts[item + 1]):
            usual[entries.top[entry]] = math.log(least)
    return base, more


@compiled
def prefixes(rows: Arranged, sizes: Floats, slots: Longs, doubt: float) -> tuple[Longs, Ints, Ints, Floats]:
    """Shares that end with each place, that of its item alone, what they are without it, and what they add.

    ``sizes`` and ``slots`` are those of the places: slots of record chunks, item by item, so that of each row the
    items have come that are its share so far.
    """
    most = 1
    for slot in slots:
        most += rows.slot_starts[slot + 1] - rows.slot_starts[slot] if slot >= 0 else 0
    starts, alone = np.empty(len(slots) + 1, np.int64), np.full(len(slots), UNKNOWN, np.int32)
    before, row, many = np.full(most, UNKNOWN, np.int32), np.zeros(most), 1
    longer = np.full(most, UNKNOWN, np.int32)  # of each share, the last one that it is the beginning of
    share, left = np.full(len(rows.rate), NOTHING, np.int32), np.diff(rows.starts)
    for at in range(len(slots)):
        starts[at], slot = many, slots[at]
        for i in range(rows.slot_starts[slot], rows.slot_starts[slot + 1]) if slot >= 0 else range(0):
            each = rows.slot_rows[i]
            shorter = share[each]
            found = alone[at] if shorter == NOTHING else longer[shorter]
            if found < starts[at]:  # none that ends here
                found, before[many] = many, shorter
                many += 1
                if shorter == NOTHING:
                    alone[at] = found
                else:
                    longer[shorter] = found
            share[each] = found
            left[each] -= 1
            if left[each] == 0 and row[found] == 0:
                row[found] = math.log(rows.rate[each] * sizes[at] + doubt) - math.log(doubt)
    starts[len(slots)] = many
    return starts, alone, before[:many], row[:many]


class Path(NamedTuple):
    """Scores after the items of a record that have come so far, and what they were before each of them.

    What was before is put back where the next record has other items: to the last bit, so that a score does not depend
    on the records around.

    Attributes:
        score: for each cluster that lists one of the items, the logarithm of its part in the sum; else ``NEW``.
        share: for each chunk, what they are of it.
        rest: for each outermost joint, what all other clusters add.
        beside: for each outermost joint, what entries of the base add.
        near: clusters that list one of the items, in the order they came.
        many: how many these were before each item.
        score_before: score of the cluster of each place.
        share_before: share of the chunk of each place.
        rest_before: what all others below the outermost joint of each near cluster added.
        beside_before: what entries of the base added, for each of them.
        all_scores: room for those of near clusters.
    """

    score: Floats
    share: Ints
    rest: Floats
    beside: Floats
    near: Ints
    many: Longs
    score_before: Floats
    share_before: Ints
    rest_before: Floats
    beside_before: Floats
    all_scores: Floats


NEW = np.inf
"""Score of a cluster that lists none of the items."""


@compiled
def _begin(layout: Layout, odds: Odds, listed: Listed, longest: int) -> Path:
    """No item has come yet."""
    clusters, tops, places = len(listed.top), len(odds.of_top), len(listed.cluster)
    return Path(
        np.full(clusters, NEW),
        np.full(len(odds.empty), NOTHING, np.int32),
        odds.of_top.copy(),
        np.zeros(tops),
        np.empty(clusters, np.int32),
        np.zeros(longest + 1, np.int64),
        np.empty(places),
        np.empty(places, np.int32),
        np.empty(clusters),
        np.empty(len(layout.base.rate)),
        np.empty(clusters),
    )


@compiled
def _enter(layout: Layout, odds: Odds, listed: Listed, depth: int, number: int, path: Path) -> None:
    """The item with this number comes, the ``depth``-th of its record."""
    item, entries = listed.item[number], layout.base
    for at in range(entries.starts[item], entries.starts[item + 1]):
        path.beside_before[at] = path.beside[entries.top[at]]
        path.beside[entries.top[at]] += listed.base[at]
    many = path.many[depth]
    for at in range(listed.starts[number], listed.starts[number + 1]):
        cluster, chunk = listed.cluster[at], listed.chunk[at]
        score = path.score_before[at] = path.score[cluster]
        if score == NEW:
            top = listed.top[cluster]
            path.near[many], path.rest_before[many] = cluster, path.rest[top]
            path.rest[top] -= odds.usual[cluster]
            score = odds.nothing[cluster]
            many += 1
        share = path.share_before[at] = path.share[chunk] if chunk >= 0 else NOTHING
        if share == NOTHING:
            found, score = listed.alone[at], score + listed.first[at]
        else:
            found = _longer(listed, at, share)
            score += listed.more[at] + (listed.row[found] - listed.row[share])
        path.score[cluster] = score
        if chunk >= 0:
            path.share[chunk] = found
    path.many[depth + 1] = many


@compiled
def _longer(listed: Listed, at: int, share: int) -> int:
    """Which share another one is with the item of a place."""
    if share != UNKNOWN:
        for each in range(listed.shares[at], listed.shares[at + 1]):
            if listed.before[each] == share:
                return each
    return UNKNOWN


@compiled
def _leave(layout: Layout, listed: Listed, depth: int, number: int, path: Path) -> None:
    """All is as it was before this item came, the last one that has."""
    item, entries = listed.item[number], layout.base
    for at in range(listed.starts[number], listed.starts[number + 1]):
        path.score[listed.cluster[at]] = path.score_before[at]
        if listed.chunk[at] >= 0:
            path.share[listed.chunk[at]] = path.share_before[at]
    for each in range(path.many[depth + 1] - 1, path.many[depth] - 1, -1):
        path.rest[listed.top[path.near[each]]] = path.rest_before[each]
    for at in range(entries.starts[item], entries.starts[item + 1]):
        path.beside[entries.top[at]] = path.beside_before[at]


@compiled
def _far(layout: Layout, odds: Odds, path: Path, rest: Floats) -> tuple[float, int]:
    """What clusters below each outermost joint add that list nothing of the record, in ``rest``, as logarithms.

    Returns the highest score among these clusters, and which has it.
    """
    top_starts, nothing, score = layout.clusters.top_starts, odds.nothing, path.score
    highest, best = -np.inf, -1
    for top in range(len(rest)):
        here = odds.order[top_starts[top] : top_starts[top + 1]]
        first = 0
        while first < len(here) and score[here[first]] != NEW:
            first += 1
        if first == len(here):
            rest[top] = -np.inf
            continue
        largest = nothing[here[first]]
        if path.rest[top] < CLOSE * odds.of_top[top]:
            left = 0.0  # what is left of a difference of equals is noise, or nothing at all
            for cluster in here[first:]:
                if score[cluster] == NEW:
                    left += math.exp(nothing[cluster] - largest)
            rest[top] = math.log(left) + largest + path.beside[top]
        else:
            rest[top] = math.log(path.rest[top]) + odds.peak[top] + path.beside[top]
        if largest + path.beside[top] > highest:
            highest, best = largest + path.beside[top], int(here[first])
    return highest, best


@compiled
def _whole(
    layout: Layout, odds: Odds, listed: Listed, near: Ints, path: Path, rest: Floats
) -> tuple[float, int]:
    """Logarithm of the sum of what scores are logarithms of, and the cluster with the highest, the first of equals."""
    highest, best = _far(layout, odds, path, rest)
    for i in range(len(near)):
        cluster = near[i]
        score = path.all_scores[i] = path.score[cluster] + path.beside[listed.top[cluster]]
        if score > highest or (score == highest and cluster < best):
            highest, best = score, int(cluster)
    highest, total = max(highest, rest.max()), 0.0
    for top in range(len(rest)):
        total += math.exp(rest[top] - highest)
    for score in path.all_scores[: len(near)]:
        if score - highest > NEGLIGIBLE:
            total += math.exp(score - highest)
    return highest + math.log(total), best


@compiled
def scores(
    layout: Layout, odds: Odds, listed: Listed, offsets: Longs, numbers: Longs
) -> tuple[Floats, Longs]:
    """Score and most likely cluster of each record, in ascending order of the numbers of their items.

    Records begin as the one before them did, mostly with the items that have the most places: these come once for all.
    """
    least = math.log(odds.doubt / layout.clusters.size.sum())
    many, longest = len(offsets) - 1, 1
    for at in range(many):
        longest = max(longest, offsets[at + 1] - offsets[at])
    path, rest = _begin(layout, odds, listed, longest), np.empty(len(odds.of_top))
    found, best, last = np.empty(many), np.empty(many, np.int64), numbers[:0]
    for at in range(many):
        record, same, plain = numbers[offsets[at] : offsets[at + 1]], 0, 0.0
        while same < min(len(record), len(last)) and record[same] == last[same]:
            same += 1
        for depth in range(len(last) - 1, same - 1, -1):
            _leave(layout, listed, depth, last[depth], path)
        for depth in range(same, len(record)):
            _enter(layout, odds, listed, depth, record[depth], path)
        for number in record:
            plain += least - odds.present[listed.item[number]]
        whole, best[at] = _whole(layout, odds, listed, path.near[: path.many[len(record)]], path, rest)
        found[at] = np.floor((whole + plain) * DIGITS + 0.5) / DIGITS
        last = record
    return found, best
