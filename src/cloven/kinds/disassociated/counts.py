"""How many records hold all of some items: what a disassociated release says for certain, what is likely, what at most.

In a cluster an item is *shown* in a record chunk, or it is *left over*: fewer than k records of the cluster hold it,
and its occurrences stand at the root, for all clusters together. Items of one chunk are counted exactly. Everything
else is *hidden*, and is expected as if items met by chance: ``Expected`` has it for many sets of items at once, and
``likely`` says how far from it the truth lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.data.arrays import run_starts
from cloven.errors import ParameterError
from cloven.kinds.counts import ELSEWHERE, MEASURED, POSSIBLE, Count, codes_of
from cloven.kinds.disassociated.evidence import MOST_ITEMS, evidence
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.kinds.disassociated.release import Disassociated


def asked(words: list[str]) -> list[str]:
    """What words of a command line ask for: items."""
    return words


def count(release: Disassociated, items: Iterable[str]) -> Count:
    """How many records of the data hold all of these items."""
    names = items if isinstance(items, str) else tuple(items)
    codes = codes_of(release.vocabulary, names)
    if len(codes) > MOST_ITEMS:
        message = f"up to {MOST_ITEMS} items can be counted at once, got {len(codes)}; ask for fewer"
        raise ParameterError(message)
    found = evidence(release, codes)
    certain = found.total_at_least
    at_most = min(_bounded(release, codes, found.total_at_most), release.records)
    tails = Tails.of(release.parameters, len(codes))
    if len(codes) == 1:
        return Count(tuple(names), certain, certain, certain, at_most, at_most, POSSIBLE)
    likely, low, high = (
        int(np.clip(each[0], certain, at_most))
        for each in spread(expected(release.shown, codes[None, :]), tails)
    )
    basis = MEASURED if tails.measured else ELSEWHERE
    return Count(tuple(names), certain, likely, low, high, at_most, basis)


def _bounded(release: Disassociated, codes: Longs, published: int) -> int:
    """Upper bound for the data, given that for what is published.

    Fewer than k may hold an item without standing in the release; of one with a chunk at the root nothing is missing.
    Where occurrences were suppressed by lot, or several records are one person, all records are the only bound.
    """
    if release.parameters.get("supports") or release.parameters.get("persons"):
        return release.records
    if not release.may_be_empty:
        return published
    rows = np.flatnonzero(release.at_root)
    whole = np.isin(codes, release.items_of(rows)[1])
    return published + int(np.count_nonzero(~whole)) * (release.k - 1)


# What is expected if items met by chance.


class Expected(NamedTuple):
    """What the release leads one to expect of each set of items.

    Attributes:
        exact: records that hold them all in one chunk.
        apart: expected where all are shown, in several chunks of a cluster.
        left: expected where some are left over.
        visible: expected of all that is shown, if the whole release were one cluster.
    """

    exact: Floats
    apart: Floats
    left: Floats
    visible: Floats


@dataclass(frozen=True)
class Shown:
    """A release by item: the clusters that show it, and its sub-records there.

    Attributes:
        size: records of each cluster.
        starts: where the clusters of each item start.
        cluster: clusters that show an item, ascending for each item.
        chunk: the chunk of the item in each of them.
        places: where the sub-records of each of them start, and the end of all.
        rows: sub-records, ascending inside a cluster.
        rate: share of the records that hold the item, in clusters that do not show it.
        held: records that hold each item in clusters that show it.
    """

    size: Floats
    starts: Longs
    cluster: Longs
    chunk: Longs
    places: Longs
    rows: Longs
    rate: Floats
    held: Floats

    @classmethod
    def of(cls, release: Disassociated) -> Shown:
        """Arrange a release."""
        width = len(release.vocabulary)
        row = np.repeat(np.arange(release.rows), np.diff(release.row_offsets))
        inside = release.row_kind[row] == Kind.RECORD
        loose = np.bincount(release.row_items[~inside], minlength=width).astype(np.float64)
        item, row = release.row_items[inside], row[inside]
        order = np.argsort(item, kind="stable")
        item, row = item[order].astype(np.int64), row[order]
        cluster = release.row_cluster[row]
        first = run_starts(item, cluster)
        size = release.cluster_size.astype(np.float64)
        closed = np.bincount(item[first], size[cluster[first]], minlength=width)
        return cls(
            size=size,
            starts=np.searchsorted(item[first], np.arange(width + 1)),
            cluster=cluster[first],
            chunk=release.row_chunk[row[first]].astype(np.int64),
            places=np.append(first, len(row)),
            rows=row,
            rate=loose / np.maximum(size.sum() - closed, 1),
            held=np.bincount(item, minlength=width).astype(np.float64),
        )


def expected(shown: Shown, sets: Longs) -> Expected:
    """What is expected of sets of items of the same size, one in each row."""
    exact, apart, left = _summed(
        sets, shown.size, shown.starts, shown.cluster, shown.chunk, shown.places, shown.rows, shown.rate
    )
    records = max(1.0, float(shown.size.sum()))
    return Expected(exact, apart, left, records * np.prod(shown.held[sets] / records, axis=1))


@compiled
def _together(starts: Ints, ends: Ints, rows: Ints) -> int:
    """Sub-records that are in all of some ascending lists, each given by its start and end."""
    found, place = 0, starts.copy()
    for e in range(starts[0], ends[0]):
        everywhere = True
        for j in range(1, len(starts)):
            while place[j] < ends[j] and rows[place[j]] < rows[e]:
                place[j] += 1
            if place[j] == ends[j] or rows[place[j]] != rows[e]:
                everywhere = False
                break
        found += everywhere
    return found


@compiled
def _expected_here(
    items: Ints, entry: Ints, size: float, chunk: Ints, places: Ints, rows: Ints, rate: Floats
) -> tuple[float, int]:
    """Records expected in one cluster, and in how many parts: one for each chunk and for each item left over."""
    found, parts = size, 0
    for j in range(len(items)):
        if entry[j] < 0:
            found *= rate[items[j]]
            parts += 1
            continue
        same = [i for i in range(len(items)) if entry[i] >= 0 and chunk[entry[i]] == chunk[entry[j]]]
        if same[0] < j:
            continue  # counted with the first item of the chunk
        starts, ends = np.empty(len(same), np.int64), np.empty(len(same), np.int64)
        for number, i in enumerate(same):
            starts[number], ends[number] = places[entry[i]], places[entry[i] + 1]
        found *= _together(starts, ends, rows) / size
        parts += 1
    return found, parts


@compiled
def _summed(
    sets: Ints, size: Floats, starts: Ints, cluster: Ints, chunk: Ints, places: Ints, rows: Ints, rate: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of each set: what is exact, what is expected of items in several chunks, and of items left over."""
    exact, apart, left = np.zeros(len(sets)), np.zeros(len(sets)), np.zeros(len(sets))
    records = size.sum()
    for number in range(len(sets)):
        items = sets[number]
        place, entry = np.empty(len(items), np.int64), np.empty(len(items), np.int64)
        for j in range(len(items)):
            place[j] = starts[items[j]]
        rest = records
        while True:
            here = -1
            for j in range(len(items)):
                if place[j] < starts[items[j] + 1] and (here < 0 or cluster[place[j]] < here):
                    here = cluster[place[j]]
            if here < 0:
                break
            missing = 0
            for j in range(len(items)):
                entry[j] = -1
                if place[j] < starts[items[j] + 1] and cluster[place[j]] == here:
                    entry[j] = place[j]
                    place[j] += 1
                else:
                    missing += 1
            found, parts = _expected_here(items, entry, size[here], chunk, places, rows, rate)
            rest -= size[here]
            if missing > 0:
                left[number] += found
            elif parts > 1:
                apart[number] += found
            else:
                exact[number] += found
        for j in range(len(items)):
            rest *= rate[items[j]]
        left[number] += rest
    return exact, apart, left
