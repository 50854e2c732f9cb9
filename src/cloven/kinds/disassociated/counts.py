"""How many records hold all of some items: what a disassociated release says for certain, what is likely, what at most.

In a cluster an item is *shown* in a record chunk, or it is *left over*: fewer than k records of the cluster hold it,
and its occurrences stand at the root, for all clusters together. Items of one chunk are counted exactly. Everything
else is *hidden*, and is expected as if items met by chance: ``Expected`` has it for many sets of items at once, and
``likely`` says how far from it the truth lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.data.arrays import among, distinct, run_starts
from cloven.errors import ParameterError
from cloven.kinds.counts import ELSEWHERE, MEASURED, POSSIBLE, Count, asked_items, codes_of
from cloven.kinds.disassociated.evidence import MOST_ITEMS, evidence
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloven.kinds.disassociated.release import Disassociated


def asked(words: list[str]) -> list[str]:
    """What words of a command line ask for: items."""
    return words


def count(release: Disassociated, items: Iterable[str]) -> Count:
    """How many records of the data hold all of these items."""
    names = asked_items(items)
    codes = codes_of(release.vocabulary, names)
    if len(codes) > MOST_ITEMS:
        message = f"up to {MOST_ITEMS} items can be counted at once, got {len(codes)}; ask for fewer"
        raise ParameterError(message)
    found = told(release, codes[None, :])
    room = all_records(release.parameters, release.records)
    certain, at_most = int(found.least[0]), int(found.most[0] if room is None else room)
    if len(codes) == 1:
        return Count(tuple(names), certain, certain, certain, at_most, at_most, POSSIBLE)
    tails = Tails.of(release.parameters, len(codes))
    likely, low, high = (int(each[0]) for each in spread(found, tails, room=room))
    basis = MEASURED if tails.measured else ELSEWHERE
    return Count(tuple(names), certain, likely, low, high, at_most, basis)


def told(release: Disassociated, sets: Longs) -> Expected:
    """What is expected of sets of items of the same size, between bounds that count what may have been withheld."""
    found = expected(release.shown, sets)
    ends = [bounds(release, codes, found.only(number)) for number, codes in enumerate(sets)]
    least, most = np.array(ends, np.float64).reshape(-1, 2).T
    whole = np.isin(sets, release.items_of(np.flatnonzero(release.at_root))[1])
    withheld = (release.k - 1) * (~whole).sum(axis=1) if release.may_be_empty else 0
    return found._replace(least=least, most=np.minimum(most + withheld, release.records))


def all_records(parameters: Mapping[str, Any], records: int) -> int | None:
    """All records, where they are the only bound: items were suppressed by lot, or several records are one person."""
    return records if parameters.get("supports") or parameters.get("persons") else None


def bounds(release: Disassociated, codes: Longs, found: Expected) -> tuple[int, int]:
    """Least and most records that can hold these items, of what is published; ``found`` is expected of them.

    With term chunks in clusters it is all that ``evidence`` tells. Else it is the same in one pass over the clusters:
    an item left over is limited by its rows above them, whichever joint these belong to.
    """
    if release.rare_items == "cluster":
        told = evidence(release, codes)
        return told.total_at_least, told.total_at_most
    above = [_rows_above(release, code) for code in codes.tolist()]
    kinds = release.row_kind
    together = reduce(np.intersect1d, (rows[kinds[rows] == Kind.SHARED] for rows in above))
    listed = len(codes) == 1 and bool((kinds[above[0]] == Kind.TERM).any())
    return int(found.least[0]) + len(together) + listed, int(found.most[0])


def _rows_above(release: Disassociated, code: int) -> Longs:
    """Rows of joints that hold an item."""
    rows = np.searchsorted(release.row_offsets, release.places(code), side="right") - 1
    return rows[release.row_cluster[rows] < 0]


# What is expected if items met by chance.


class Expected(NamedTuple):
    """What the release leads one to expect of each set of items.

    Attributes:
        exact: records that hold them all in one chunk.
        apart: expected where all are shown, in several chunks of a cluster.
        left: expected where some are left over.
        visible: expected of all that is shown, if the whole release were one cluster.
        least: records of clusters that must hold them all, as all are shown there.
        most: records that can hold them all.

    With ``expected`` the bounds are those of what is published; with ``told`` of each item fewer than k more may be
    withheld, unless it has a chunk at the root.
    """

    exact: Floats
    apart: Floats
    left: Floats
    visible: Floats
    least: Floats
    most: Floats

    def only(self, number: int) -> Expected:
        """One of the sets."""
        return Expected(*(column[number : number + 1] for column in self))


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
        supply: records that can hold it in clusters that do not show it.
    """

    size: Floats
    starts: Longs
    cluster: Longs
    chunk: Longs
    places: Longs
    rows: Longs
    rate: Floats
    held: Floats
    supply: Floats

    @classmethod
    def of(cls, release: Disassociated) -> Shown:
        """Arrange a release."""
        width = len(release.vocabulary)
        row = np.repeat(np.arange(release.rows), np.diff(release.row_offsets))
        inside = release.row_kind[row] == Kind.RECORD
        loose = np.bincount(release.row_items[~inside], minlength=width).astype(np.float64)
        uncounted = distinct(release.row_items[release.row_kind[row] == Kind.TERM])
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
            supply=np.where(among(np.arange(width), uncounted), size.sum(), loose),
        )


def expected(shown: Shown, sets: Longs) -> Expected:
    """What is expected of sets of items of the same size, one in each row."""
    return summed_up(sums(shown, sets), sets, shown.held, shown.supply, float(shown.size.sum()))


def sums(shown: Shown, sets: Longs) -> tuple[Floats, ...]:
    """What adds up over clusters, so over parts of a release too: exact, apart, left, least, most, and what is drawn.

    ``most`` is of clusters that show all items; ``drawn`` of each item what others could use of it.
    """
    arranged = (shown.size, shown.starts, shown.cluster, shown.chunk, shown.places, shown.rows)
    return _summed(sets, *arranged, shown.rate, shown.supply)


def summed_up(found: Sequence[Floats], sets: Longs, held: Floats, supply: Floats, records: float) -> Expected:
    """What is expected, of ``sums`` over all clusters: nothing is drawn more often than it is there."""
    exact, apart, left, least, most, drawn = found
    records = max(1.0, records)
    visible = records * np.prod(held[sets] / records, axis=1)
    possible = most + np.minimum(drawn, supply[sets]).sum(axis=1)
    return Expected(exact, apart, left, visible, least, possible)


@compiled
def together(starts: Ints, ends: Ints, rows: Ints) -> int:
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
def _told_here(
    items: Ints, entry: Ints, size: float, chunk: Ints, places: Ints, rows: Ints, rate: Floats
) -> tuple[float, int, float, float]:
    """Of one cluster: records expected, chunks that they need, and least and most records by what is shown."""
    found, parts, least, most = size, 0, size, size
    for j in range(len(items)):
        if entry[j] < 0:
            found *= rate[items[j]]
            continue
        same = [i for i in range(len(items)) if entry[i] >= 0 and chunk[entry[i]] == chunk[entry[j]]]
        if same[0] < j:
            continue  # counted with the first item of the chunk
        starts, ends = np.empty(len(same), np.int64), np.empty(len(same), np.int64)
        for number, i in enumerate(same):
            starts[number], ends[number] = places[entry[i]], places[entry[i] + 1]
        held = together(starts, ends, rows)
        found *= held / size
        least += held - size
        most = min(most, held)
        parts += 1
    return found, parts, max(0.0, least), most


@compiled
def _summed(
    sets: Ints,
    size: Floats,
    starts: Ints,
    cluster: Ints,
    chunk: Ints,
    places: Ints,
    rows: Ints,
    rate: Floats,
    supply: Floats,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    """Of each set what ``sums`` has."""
    exact, apart, left = np.zeros(len(sets)), np.zeros(len(sets)), np.zeros(len(sets))
    least, most = np.zeros(len(sets)), np.zeros(len(sets))
    every = np.zeros(sets.shape)
    records = size.sum()
    for number in range(len(sets)):
        items = sets[number]
        place, entry = np.empty(len(items), np.int64), np.empty(len(items), np.int64)
        drawn = every[number]  # by clusters that are short of this item most
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
            scarce = -1
            for j in range(len(items)):
                entry[j] = -1
                if place[j] < starts[items[j] + 1] and cluster[place[j]] == here:
                    entry[j] = place[j]
                    place[j] += 1
                elif scarce < 0 or supply[items[j]] < supply[items[scarce]]:
                    scarce = j
            found, parts, surely, possibly = _told_here(items, entry, size[here], chunk, places, rows, rate)
            rest -= size[here]
            if scarce >= 0:
                left[number] += found
                drawn[scarce] += possibly
                continue
            least[number] += surely
            most[number] += possibly
            if parts > 1:
                apart[number] += found
            else:
                exact[number] += found
        scarce = 0
        for j in range(len(items)):
            if supply[items[j]] < supply[items[scarce]]:
                scarce = j
        drawn[scarce] += rest
        for j in range(len(items)):
            rest *= rate[items[j]]
        left[number] += rest
    return exact, apart, left, least, most, every
