"""Is this person in the release? A score for a whole record, from a disassociated release alone.

The record x (its published items) is compared with each cluster c of n records, as a likelihood ratio. With q(i) the
share of the release's records that are expected to hold item i:

    LR(x | c) = product over the record chunks of c of  (rows equal to x's share) / n
                                                        / product over the chunk's items of q(i) or 1 - q(i)
              * product over the other items of x of    share(i, c) / q(i)
    score(x)  = log( sum over c of n / N * LR(x | c) )

A member's share of a chunk is always one of its rows (an empty share: one of the records without a row); that of
somebody else often is none, which rules the cluster out: no row counts as ``DOUBT`` rows, so that the score stays a
number and says how much does not fit. ``share`` is that of ``known_person``, at least ``DOUBT`` / N. The score says how
much more likely the record is if it was drawn from one of the clusters than if its items were drawn one by one.
Where supports are lower bounds, a row may lack an item, and no row counts as half a row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, Longs, compiled
from cloven.cores import at_once
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_layout import Rows, sums
from cloven.statistics.sums import exponentials, total

if TYPE_CHECKING:
    from cloven.data.known_sets import Known
    from cloven.kinds.disassociated.attack.known_person_layout import Arranged, Layout
    from cloven.kinds.disassociated.release import Disassociated


DOUBT = 1e-6
"""Rows that are taken to be there where none is."""


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
        layout, odds = self.person.places, self._odds

        def some(first: int, last: int) -> tuple[Floats, Longs]:
            return scores(layout, odds, records.offsets[first : last + 1], records.codes)

        # Each record is held against every cluster.
        steps = np.arange(len(records.offsets)) * len(layout.clusters.size)
        score, cluster = map(np.concatenate, zip(*at_once(some, steps), strict=True))
        return score, layout.clusters.number[cluster]

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
        clusters, release, rows = (
            self.person.places.clusters,
            self.person.release,
            Rows.of(self.person.release),
        )
        many = int(rows.part.max(initial=-1)) + 1
        of_row = rows.cluster >= 0
        new = np.argsort(clusters.number)
        part_cluster = np.full(many, -1, np.int64)
        part_cluster[rows.part[of_row]] = new[rows.cluster[of_row]]
        own = part_cluster >= 0
        size = clusters.size[part_cluster]
        held = sums(rows.part, rows.copies, many)
        empty = np.log(np.maximum(size - held, 0.0) + self.doubt)
        present, absent = np.log(self.shares), np.log1p(-self.shares)
        shown = np.flatnonzero(rows.slot_cluster >= 0)
        nothing = sums(part_cluster[own], (empty - np.log(size))[own], release.clusters)
        nothing -= sums(new[rows.slot_cluster[shown]], absent[rows.slot_item[shown]], release.clusters)
        return Odds(
            np.log(clusters.size / max(release.records, 1)) + nothing, empty, present, absent, self.doubt
        )


# Compiled likelihood ratios of whole records: from one of the clusters, or drawn item by item?


class Odds(NamedTuple):
    """Logarithms that all records have in common.

    Attributes:
        nothing: for each cluster, its share of the release times the ratio of a record that has nothing of its chunks.
        empty: for each chunk, the records without a row (and the doubt).
        present: for each item, its share in the release.
        absent: for each item, the share without it.
        doubt: rows that are taken to be there where none is.
    """

    nothing: Floats
    empty: Floats
    present: Floats
    absent: Floats
    doubt: float


@compiled
def _equal(rows: Arranged, slot: int, items: Longs) -> float:
    """Chance of a record to have exactly these items of a chunk; the slot is that of the first."""
    starts, row_items, rate = rows.starts, rows.items, rows.rate
    for at in range(rows.slot_starts[slot], rows.slot_starts[slot + 1]):
        row = rows.slot_rows[at]
        if starts[row + 1] - starts[row] == len(items):
            same = True
            for i in range(len(items)):
                same = same and row_items[starts[row] + i] == items[i]
            if same:
                return float(rate[row])
    return 0.0


@compiled
def _base(layout: Layout, odds: Odds, record: Longs, least: float, score: Floats, base: Floats) -> None:
    """Start with the score of clusters that list no item of the record; ``base`` is by outermost joint and item."""
    tops, top_starts, nothing = len(layout.clusters.top_size), layout.clusters.top_starts, odds.nothing
    starts, base_top, rate, present = layout.base.starts, layout.base.top, layout.base.rate, odds.present
    for j in range(len(record)):
        for top in range(tops):
            base[top, j] = math.log(least) - present[record[j]]
        for at in range(starts[record[j]], starts[record[j] + 1]):
            base[base_top[at], j] = math.log(max(rate[at], least)) - present[record[j]]
    for top in range(tops):
        listed = 0.0
        for j in range(len(record)):
            listed += base[top, j]
        for cluster in range(top_starts[top], top_starts[top + 1]):
            score[cluster] = nothing[cluster] + listed


@compiled
def _listed(layout: Layout, record: Longs, key: Longs) -> tuple[Longs, Longs]:
    """Places of the record's items, by cluster, chunk and item; and which item each is of."""
    starts, many = layout.places.starts, 0
    for item in record:
        many += starts[item + 1] - starts[item]
    place, which = np.empty(many, np.int64), np.empty(many, np.int64)
    many = 0
    for j in range(len(record)):
        for at in range(starts[record[j]], starts[record[j] + 1]):
            place[many], which[many] = at, j
            many += 1
    order = np.argsort(key[place], kind="mergesort")
    return place[order], which[order]


@compiled
def _score(
    layout: Layout, odds: Odds, record: Longs, key: Longs, least: float, score: Floats, base: Floats
) -> None:
    """Log likelihood ratios of one record, for each cluster."""
    _base(layout, odds, record, least, score, base)
    place, which = _listed(layout, record, key)
    cluster_of, slot_of, share = layout.places.cluster, layout.places.slot, layout.places.share
    is_record, top_of, size = layout.places.record, layout.clusters.top, layout.clusters.size
    empty, present, absent, slot_part = odds.empty, odds.present, odds.absent, layout.rows.slot_part
    i = 0
    while i < len(place):
        at = place[i]
        cluster, end = cluster_of[at], i + 1
        change = -base[top_of[cluster], which[i]]
        if not is_record[at]:
            change += math.log(max(share[at], least)) - present[record[which[i]]]
        else:
            while end < len(place) and key[place[end]] == key[at]:
                change -= base[top_of[cluster], which[end]]
                end += 1
            for other in range(i, end):
                item = record[which[other]]
                change += absent[item] - present[item]
            rows = _equal(layout.rows, slot_of[at], record[which[i:end]]) * size[cluster]
            change += math.log(rows + odds.doubt) - empty[slot_part[slot_of[at]]]
        score[cluster] += change
        i = end


@compiled
def scores(layout: Layout, odds: Odds, offsets: Longs, codes: Longs) -> tuple[Floats, Longs]:
    """Score and most likely cluster of each record."""
    clusters, tops = len(layout.clusters.size), len(layout.clusters.top_size)
    least, parts = odds.doubt / layout.clusters.size.sum(), len(odds.empty) + 1
    # Places in one record chunk have the same key; all others are told apart by nothing, and taken one by one.
    key = np.empty(len(layout.places.slot), np.int64)
    for at in range(len(key)):
        slot = layout.places.slot[at]
        key[at] = layout.places.cluster[at] * parts + (
            layout.rows.slot_part[slot] if slot >= 0 else parts - 1
        )
    many = len(offsets) - 1
    found, best, score = np.empty(many), np.zeros(many, np.int64), np.empty(clusters)
    longest = 1
    for number in range(many):
        longest = max(longest, offsets[number + 1] - offsets[number])
    base = np.empty((tops, longest))
    for number in range(many):
        record = codes[offsets[number] : offsets[number + 1]]
        _score(layout, odds, record, key, least, score, base)
        best[number] = np.argmax(score)
        highest = score[best[number]]
        found[number] = highest + math.log(total(exponentials(score - highest)))
    return found, best
