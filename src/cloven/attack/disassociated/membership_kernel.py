"""Compiled likelihood ratios of whole records: from one of the clusters, or drawn item by item?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.disassociated.known_person_layout import Arranged, Layout

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]


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
            base[top, j] = np.log(least) - present[record[j]]
        for at in range(starts[record[j]], starts[record[j] + 1]):
            base[base_top[at], j] = np.log(max(rate[at], least)) - present[record[j]]
    for top in range(tops):
        total = 0.0
        for j in range(len(record)):
            total += base[top, j]
        for cluster in range(top_starts[top], top_starts[top + 1]):
            score[cluster] = nothing[cluster] + total


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
            change += np.log(max(share[at], least)) - present[record[which[i]]]
        else:
            while end < len(place) and key[place[end]] == key[at]:
                change -= base[top_of[cluster], which[end]]
                end += 1
            for other in range(i, end):
                item = record[which[other]]
                change += absent[item] - present[item]
            rows = _equal(layout.rows, slot_of[at], record[which[i:end]]) * size[cluster]
            change += np.log(rows + odds.doubt) - empty[slot_part[slot_of[at]]]
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
        found[number] = highest + np.log(np.exp(score - highest).sum())
    return found, best
