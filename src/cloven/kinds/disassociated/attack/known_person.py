"""What does a disassociated release tell of a person of whom a few items are known?

The reader knows that the person is in the release and a set K of the person's items, and sees the release alone. For a
cluster c of n records, K falls into one share for each chunk that its items stand in, for c:

    w(c)     = n * product over the chunks of P(a record of c has a row with K's share)      expected records with K
    P(s | K) = sum over c of w(c) * P(s | c, K) / sum over c of w(c)

An item stands for c in the record chunk that shows it, else in c's term chunk, else in the innermost joint above that
shares it, else in the list of the root, else it may be withheld (if the release says that items may be).

* A row of a record chunk is held by one of n records: chance 1 / n for each.
* A shared row is held by one record of the clusters that are *open* to it: those below the joint which tell none of
  the row's items further in. Its chance is 1 / (records of these clusters) in each of them, 0 in the others. So an item
  with v copies has the share v / (records of the open clusters), less where other items of its rows are barred.
* A term-chunk item has ``expected.named`` copies in c; a listed or withheld one ``expected.listed`` or
  ``expected.withheld`` over all clusters that do not publish it.

P(s | c, K) is taken from the rows with K's share if s stands in the chunk of one of K's items (the chances of rows that
also hold s, of those that fit), else it is the share of s in c. Chunks of a cluster are taken to be independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from cloven.compiled import Flags, Floats, Longs, compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of, stable_order
from cloven.data.known_sets import LEAST_BEST, Certain, Claims, Known, Told
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.disassociated.attack import known_person_kernel, known_person_lone
from cloven.kinds.disassociated.attack.known_person_answers import Answers
from cloven.kinds.disassociated.attack.known_person_kernel import IMPOSSIBLE, MOST_KNOWN, fitting_rows, leads
from cloven.kinds.disassociated.attack.known_person_layout import Around, Expected, Layout, layout, sums
from cloven.kinds.disassociated.attack.known_person_lone import beside, lone_claims, meet_all, room
from cloven.kinds.disassociated.release import Disassociated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.kinds.disassociated.attack.known_person_layout import Arranged


Reader = Literal["everywhere", "shown", "method"]
"""``everywhere`` counts every place where a known item can stand. ``shown`` looks for known items only in the clusters
that show them in record chunks, if there are such clusters: it claims too much. ``method`` knows that a leftover (in a
shared chunk or a list) was held by fewer than k records of each cluster, so its share there is at most (k - 1) / n."""

LEAST = 0.0125
"""Smaller shares are not looked at one by one."""


@dataclass(frozen=True, eq=False)
class KnownPerson:
    """A release, arranged for readers who know some items of a person; see the module.

    Attributes:
        release: the release, and nothing else.
        reader: how the release is read.
        expected: copies to be expected where no number is published.
        places: where each item stands for each cluster.
        most: copies of a leftover that the reader expects in one cluster at most.
        around: what lies around a part of a release; None for a whole one.
    """

    release: Disassociated
    reader: Reader
    expected: Expected
    places: Layout
    most: float
    around: Around | None = None

    @classmethod
    def of(
        cls,
        release: Disassociated,
        reader: Reader = "everywhere",
        expected: Expected | None = None,
        around: Around | None = None,
    ) -> KnownPerson:
        """Arrange a release, or a part of one, once for all questions."""
        _published_only(release)
        copies = Expected.of(release.k) if expected is None else expected
        most = float(max(release.k - 1, 1)) if reader == "method" else np.inf
        return cls(release, reader, copies, layout(release, copies, most, around), most, around)

    def claims(
        self, known: Known, eligible: Flags | None = None, floor: float = 0.2, *, best: bool = True
    ) -> Claims:
        """Items besides the known ones that each person holds with probability ``floor`` or more, and the best guess.

        Only ``eligible`` items (a flag for each item of the vocabulary) are claimed. Without ``best``, a best guess
        below the floor is none: with a high floor, as in a search for the worst known set, that is faster.
        """
        if not LEAST_BEST <= floor <= 1:
            message = f"floor must lie between {LEAST_BEST} and 1, got {floor}"
            raise ParameterError(message)
        asked, flags = self._asked(known, eligible)
        simple = np.flatnonzero((np.diff(asked.offsets) > 0) & self.is_simple)
        rest = np.setdiff1d(np.arange(len(asked)), simple)
        hidden = self._hidden if self.reader == "shown" else np.zeros(len(flags), bool)
        found = Claims.none()
        if len(simple):
            told = self._of_simple(asked.take(simple), LEAST_BEST)[get_args(Reader).index(self.reader)]
            found = told.claims(np.arange(len(simple)), flags, floor, best=best)
        other = self._of_sets(asked.take(rest), flags, hidden, floor, best=best)
        at = np.empty(len(asked), np.int64)
        at[simple], at[rest] = np.arange(len(simple)), len(simple) + np.arange(len(rest))
        return Claims.joined((found, other)).spread(at[asked.of])

    def answers(self, known: Known, floor: float) -> dict[str, Answers]:
        """What all readers of a simple release answer about these sets: none is empty, and the reader is ``method``.

        They claim nothing below the floor. The logic of all is the same.
        """
        asked, _ = self._asked(known, None)
        sure = self._forced(asked, np.ones(len(self.release.vocabulary), bool))
        sets = replace(asked, of=np.arange(len(asked)))
        return {
            reader: Answers(sets, told, sure, floor)
            for reader, told in zip(get_args(Reader), self._of_simple(asked, floor), strict=True)
        }

    def _of_sets(self, asked: Known, flags: Flags, hidden: Flags, floor: float, *, best: bool) -> Claims:
        """Claims about any sets."""
        if not len(asked):
            return Claims.none()
        frequent = self._frequent(LEAST if best else floor / 8)

        def some(first: int, last: int) -> Claims:
            offsets = asked.offsets[first : last + 1]
            return Claims(
                *known_person_kernel.claims(
                    self.places, frequent, offsets, asked.codes, flags, hidden, floor, best, self.most
                )
            )

        return Claims.joined(at_once(some, self._steps(asked)))

    def _of_simple(self, asked: Known, floor: float) -> list[Told]:
        """All claims of each reader from a floor on about sets of one item or more, in a simple release."""
        listed, (lock, shared), readers = self._listed, self._alone, known_person_lone.READERS
        with lock:  # pages of one release may ask at the same time
            fits = meet_all(self.places, listed, asked.codes, shared)

        def some(first: int, last: int) -> list[Told]:
            offsets, alone = asked.offsets[first : last + 1], shared if fits else room(len(listed.rate))
            ends, items, chances, expected = lone_claims(
                self.places, listed, alone, offsets, asked.codes, floor
            )
            return [
                Told(end, item[: end[-1]], chance[: end[-1]], records)
                for end, item, chance, records in zip(ends, items, chances, expected, strict=True)
            ]

        parts = at_once(some, self._steps(asked))
        return [Told.joined([part[reader] for part in parts]) for reader in range(readers)]

    @cached_property
    def is_simple(self) -> bool:
        """Whether all clusters lie below one outermost joint, and no shared chunk has two items."""
        rows = self.places.rows
        shared = rows.slot_part[rows.slot_shared]
        return len(self.places.clusters.top_size) == 1 and len(np.unique(shared)) == len(shared)

    @cached_property
    def _alone(self) -> tuple[Lock, known_person_lone.Alone]:
        """What items say alone, as far as it was asked for.

        Who adds to it holds the lock; what was added is not changed any more.
        """
        return Lock(), room(len(self.release.vocabulary))

    @cached_property
    def _listed(self) -> known_person_lone.Listed:
        """Of a simple release. What is limited by the method is told both ways, if this reader knows the method."""
        places, rows = self.places.places, self.places.rows
        item, size = self._place_item, self.places.clusters.size[places.cluster]
        hidden, width = self._hidden, len(self.release.vocabulary)
        rate = np.zeros(width)
        rate[self._base_item] = self.places.base.rate
        open_share = np.minimum(1.0, self.expected.named / size)
        shared = np.flatnonzero(~places.record & (places.slot >= 0))
        open_share[shared] = np.minimum(1.0, rows.rate[rows.slot_rows[rows.slot_starts[places.slot[shared]]]])
        open_share[places.record] = places.share[places.record]
        above = np.stack(
            (np.where(places.usual, 0.0, open_share - rate[item]), places.share - rate[item]), axis=1
        )
        there = np.stack(
            (~places.usual, ~places.usual & (places.record | ~hidden[item]), np.ones(len(item), bool)), axis=1
        )
        many, order = len(self.places.clusters.size), stable_order(places.cluster)
        own, rest = np.flatnonzero(places.record), order[~places.record[order]]
        part_starts = np.searchsorted(rows.slot_part, np.arange(rows.slot_part.max(initial=-1) + 2))
        slot, part = places.slot[own], rows.slot_part[places.slot[own]]
        slot_item, slot_share, slot_above = (
            np.zeros(len(rows.slot_part), kind) for kind in (np.uint32, float, float)
        )
        slot_item[slot], slot_share[slot], slot_above[slot] = item[own], places.share[own], above[own, 0]
        # Rows of a cluster stand side by side, so its slots do.
        slots = np.stack((np.full(many, len(slot_item)), np.zeros(many, np.int64)), axis=1)
        np.minimum.at(slots[:, 0], places.cluster[own], slot)
        np.maximum.at(slots[:, 1], places.cluster[own], slot + 1)
        starts, shares = beside(rows, part_starts, slot_item, slot_share, width)
        chunk = np.full((len(item), 4), known_person_lone.NO_CHUNK)
        chunk[own] = np.stack((part_starts[part], part_starts[part + 1], starts[slot], slot), axis=1)
        return known_person_lone.Listed(
            slots,
            slot_item,
            slot_share,
            slot_above,
            np.searchsorted(places.cluster[rest], np.arange(many + 1)),
            item[rest].astype(np.uint32),
            above[rest],
            shares,
            chunk,
            there,
            np.stack((open_share, open_share, places.share), axis=1),
            np.stack([sums(item, size * above[:, way], width) for way in range(2)], axis=1),
            rate,
            np.stack((rate, np.where(hidden, 0.0, rate), rate)),
        )

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """Items besides the known ones that each person holds in every data set that the release allows.

        Nothing is certain of somebody who can be nowhere in the release. Where the release says that supports are
        lower bounds, any row may lack an item, so only what all records of a cluster hold can be certain.
        """
        asked, flags = self._asked(known, eligible)
        return self._forced(asked, flags).spread(asked.of)

    def _forced(self, asked: Known, flags: Flags) -> Certain:
        lossy = self.release.parameters.get("supports") == "lower bounds"
        full = self._full

        def some(first: int, last: int) -> Certain:
            offsets = asked.offsets[first : last + 1]
            return Certain(*certain(self.places, full, offsets, asked.codes, flags, lossy)[:2])

        return Certain.joined(at_once(some, self._steps(asked)))

    def certain_here(self, asked: Known) -> tuple[Certain, Flags]:
        """The same of a part, as far as it goes: what its clusters force, and which sets can stand there at all."""
        lossy = self.release.parameters.get("supports") == "lower bounds"
        every = np.ones(len(self.release.vocabulary), bool)
        ends, items, somewhere = certain(self.places, self._full, asked.offsets, asked.codes, every, lossy)
        return Certain(ends, items), somewhere

    def add_expected(self, asked: Known, totals: Floats, held: Floats) -> None:
        """Add for each reader the records of a part that are expected to hold each set, and it and each item."""
        if not self.is_simple:
            message = (
                "shared chunks with several items, or several trees of clusters: such a release is read whole"
            )
            raise ParameterError(message)
        alone = room(len(self.release.vocabulary))
        known_person_lone.add_expected(
            self.places, self._listed, alone, asked.offsets, asked.codes, totals, held
        )

    def _steps(self, asked: Known) -> Longs:
        """About how much work lies before each known set: every place of its items is looked at."""
        places = np.append(np.diff(self.places.places.starts)[asked.codes], 0)
        return offsets_of(places)[asked.offsets] + np.arange(len(asked) + 1)

    def _asked(self, known: Known, eligible: Flags | None) -> tuple[Known, Flags]:
        width = len(self.release.vocabulary)
        flags = np.ones(width, bool) if eligible is None else np.asarray(eligible, bool)
        if len(flags) != width:
            message = (
                f"eligible needs a flag for each of the {width:,} items of the release, got {len(flags):,}"
            )
            raise ParameterError(message)
        known.check(width, MOST_KNOWN)
        return known.distinct(), flags

    @cached_property
    def _in_record_chunks(self) -> Flags:
        """Items that some cluster shows in a record chunk."""
        shown = np.zeros(len(self.release.vocabulary), bool)
        shown[self._place_item[self.places.places.record]] = True
        return shown

    @cached_property
    def _hidden(self) -> Flags:
        """Items that the reader ``shown`` looks for only where record chunks show them."""
        return (
            self._in_record_chunks
            if self.around is None
            else self._in_record_chunks | (self.around.shown > 0)
        )

    @cached_property
    def _place_item(self) -> Longs:
        """Item of each place."""
        starts = self.places.places.starts
        return np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    @cached_property
    def _base_item(self) -> Longs:
        """Item of each entry of the base."""
        starts = self.places.base.starts
        return np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    @cached_property
    def copies(self) -> tuple[Longs, Longs, Floats]:
        """Outermost joint, item, and expected copies of the item in all clusters below it; by joint, then item."""
        clusters, places, base = self.places.clusters, self.places.places, self.places.base
        keys, at, low = self._keys
        total = sums(at, clusters.size[places.cluster] * places.share, len(keys))
        total[low] += base.rate * self._unlisted
        width = max(1, len(self.release.vocabulary))
        return keys // width, keys % width, total

    @cached_property
    def _keys(self) -> tuple[Longs, Longs, Longs]:
        """Joint and item of ``copies`` in one number, ascending; where each place and each entry of the base stand."""
        clusters, places, base = self.places.clusters, self.places.places, self.places.base
        width = max(1, len(self.release.vocabulary))
        place_key = clusters.top[places.cluster] * width + self._place_item
        base_key = base.top * width + self._base_item
        keys = np.unique(np.concatenate((place_key, base_key)))
        return keys, np.searchsorted(keys, place_key), np.searchsorted(keys, base_key)

    @cached_property
    def _unlisted(self) -> Floats:
        """For each entry of the base: records of the clusters that do not list the item, for which it holds."""
        clusters, places, base = self.places.clusters, self.places.places, self.places.base
        keys, at, low = self._keys
        told = sums(at, clusters.size[places.cluster], len(keys))
        return clusters.top_size[base.top] - told[low]

    def _frequent(self, least: float) -> known_person_kernel.Frequent:
        clusters, places, base = self.places.clusters, self.places.places, self.places.base
        tops = np.arange(len(clusters.top_size) + 1)
        here = np.flatnonzero(places.share >= least)
        here = here[np.argsort(places.cluster[here], kind="stable")]
        # What every cluster lists has its base share nowhere, and that may be large: it would rule out nothing.
        low = np.flatnonzero((base.rate >= least) & (self._unlisted > 0))
        low = low[np.argsort(base.top[low], kind="stable")]
        top, item, total = self.copies
        often = np.flatnonzero(total >= least * clusters.top_size[top])
        return known_person_kernel.Frequent(
            least,
            np.searchsorted(places.cluster[here], np.arange(len(clusters.size) + 1)),
            self._place_item[here],
            places.share[here],
            np.searchsorted(base.top[low], tops),
            self._base_item[low],
            base.rate[low],
            np.searchsorted(top[often], tops),
            item[often],
            total[often],
        )

    @cached_property
    def _full(self) -> Full:
        """Items of each cluster that all its records hold: an item with as many copies as records that may hold it."""
        clusters, places, base = self.places.clusters, self.places.places, self.places.base
        slots = len(self.places.slot_copies)
        in_rows, low = np.flatnonzero(places.slot >= 0), np.flatnonzero(base.slot >= 0)
        open_here = np.where(places.share > 0, clusters.size[places.cluster], 0.0)[in_rows]
        room = sums(places.slot[in_rows], open_here, slots)
        room[base.slot[low]] += self._unlisted[low]
        if self.around is not None:
            room[base.slot[low]] += self.around.records - self.around.listed[self._base_item[low]]
        filled = self.places.slot_copies >= room
        here = in_rows[filled[places.slot[in_rows]]]
        found = [(places.cluster[here], self._place_item[here])]
        for entry in low[filled[base.slot[low]]].tolist():
            number, code = base.top[entry], self._base_item[entry]
            below = np.arange(clusters.top_starts[number], clusters.top_starts[number + 1])
            rest = np.setdiff1d(below, places.cluster[places.starts[code] : places.starts[code + 1]])
            found.append((rest, np.full(len(rest), code)))
        full_cluster, full_item = (np.concatenate(column) for column in zip(*found, strict=True))
        return _full(full_cluster, full_item, clusters.top)


def readers(release: Disassociated) -> Callable[[Known, float], Mapping[str, KnownPerson | Answers]]:
    """Who counts every place where a known item may stand; and others, who count if they are mostly right.

    They are told beforehand which sets they are asked about, and from which probability on; where all of them can be
    read at once, they are.
    """
    first = KnownPerson.of(release, "method")
    if first.is_simple:
        return first.answers
    found = {reader: KnownPerson.of(release, reader) for reader in get_args(Reader)[:-1]} | {"method": first}
    return lambda _known, _floor: found


def _published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, Disassociated):
        message = (
            f"an attack works on a published disassociated release alone (got {type(release).__name__});"
            " give it `result.release`, or what was read from its folder"
        )
        raise ReleaseError(message)


def _full(cluster: Longs, item: Longs, top: Longs) -> Full:
    """Sort by cluster, and the clusters of each outermost joint by how many they have."""
    order = np.lexsort((item, cluster))
    many = np.bincount(cluster, minlength=len(top))
    return Full(offsets_of(many), item[order], np.lexsort((many, top)))


# Compiled logic: what must somebody hold who holds the known items, in every data set that a release allows?
#
# For each cluster where the known items can stand together: what all its records hold, and what all rows hold that have
# the known items of their chunk. What one of these sets lacks is in doubt, so the sets are intersected.


FEW = 16
"""Clusters that are looked at before all that list a known item are put together."""


class Full(NamedTuple):
    """Items that all records of a cluster hold, and the clusters of each outermost joint, those with fewest first."""

    starts: Longs
    items: Longs
    order: Longs


@compiled
def _force(
    rows: Arranged, cluster: int, known: Longs, slot: Longs, lossy: bool, forced: Longs, held: Longs, found: Longs
) -> int:  # fmt: skip
    """Items that all rows with the known items hold, in ``forced``; -1 if the known items cannot stand together.

    Where occurrences may have been suppressed from rows (``lossy``), rows force nothing and rule out nothing.
    """
    starts, items, slot_part, many = rows.starts, rows.items, rows.slot_part, 0
    for j in range(len(known)):
        if slot[j] == IMPOSSIBLE:
            return -1
    for j in range(len(known)):
        if lossy or not leads(slot_part, slot, j):
            continue
        count = fitting_rows(rows, cluster, known, slot, j, found)
        if count == 0:
            return -1
        for i in range(count):
            for inside in range(starts[found[i]], starts[found[i] + 1]):
                held[items[inside]] += 1
                if held[items[inside]] == count and not (known == items[inside]).any():
                    forced[many] = items[inside]
                    many += 1
        for i in range(count):
            for inside in range(starts[found[i]], starts[found[i] + 1]):
                held[items[inside]] = 0
    return many


@compiled
def _keep(
    full: Full, cluster: int, known: Longs, forced: Longs, count: int, left: Longs, many: int, flag: Longs, stamp: int
) -> int:  # fmt: skip
    """Keep of the items left (-1: all) those that the cluster or the rows force; returns how many."""
    items, kept = full.items, 0
    for i in range(count):
        flag[forced[i]] = stamp
        if many < 0:
            left[kept] = forced[i]
            kept += 1
    for at in range(full.starts[cluster], full.starts[cluster + 1]):
        if many < 0 and flag[items[at]] != stamp and not (known == items[at]).any():
            left[kept] = items[at]
            kept += 1
        flag[items[at]] = stamp
    for i in range(many):
        if flag[left[i]] == stamp:
            left[kept] = left[i]
            kept += 1
    return kept


@compiled
def _leaves_nothing(layout: Layout, full: Full, known: Longs, top: int) -> bool:
    """Whether one of the first clusters lists no known item, and has no item that all its records hold."""
    starts, cluster_of, first = layout.places.starts, layout.places.cluster, layout.clusters.top_starts[top]
    for i in range(first, min(first + FEW, layout.clusters.top_starts[top + 1])):
        cluster, listed = full.order[i], full.starts[full.order[i]] < full.starts[full.order[i] + 1]
        for item in known:
            at = starts[item] + np.searchsorted(cluster_of[starts[item] : starts[item + 1]], cluster)
            listed = listed or (at < starts[item + 1] and cluster_of[at] == cluster)
        if not listed:
            return True
    return False


@compiled
def _certain(
    layout: Layout, full: Full, known: Longs, lossy: bool, turn: int, mark: Longs, stamp: Longs, room: Longs,
    found: Longs, near: Longs, slots: Longs,
) -> int:  # fmt: skip
    """Items that the known ones force, in ``room[0]``; returns how many, -1 if they can stand together nowhere.

    ``room`` holds four rows: items left, forced items, counts (zero between calls), flags.
    """
    rows, many, order, last = layout.rows, len(known), full.order, len(layout.clusters.size)
    cluster_of, slot_of, top_of = layout.places.cluster, layout.places.slot, layout.clusters.top
    base_starts, base_top, base_slot = layout.base.starts, layout.base.top, layout.base.slot
    at, end = layout.places.starts[known], layout.places.starts[known + 1]
    low, far = base_starts[known], np.empty(many, np.int64)
    left, forced, held, flag, left_items = -1, room[1], room[2], room[3], room[0]
    for top in range(len(layout.clusters.top_size)):
        first = 0
        for j in range(many):
            stop = base_starts[known[j] + 1]
            while low[j] < stop and base_top[low[j]] < top:
                low[j] += 1
            far[j] = base_slot[low[j]] if low[j] < stop and base_top[low[j]] == top else IMPOSSIBLE
        count = _force(rows, -1, known, far, lossy, forced, held, found)
        if count == 0 and _leaves_nothing(layout, full, known, top):
            return 0
        while True:
            cluster = last
            for j in range(many):
                if at[j] < end[j]:
                    cluster = min(cluster, cluster_of[at[j]])
            if cluster == last or top_of[cluster] != top:
                break
            mark[cluster] = turn
            possible = True
            for j in range(many):
                here = at[j] < end[j] and cluster_of[at[j]] == cluster
                slots[first, j] = slot_of[at[j]] if here else far[j]
                possible = possible and slots[first, j] != IMPOSSIBLE
                at[j] += here
            near[first] = cluster
            first += possible
        # Clusters with few full items come first there, so that most sets are done with soon.
        for i in range(layout.clusters.top_starts[top], layout.clusters.top_starts[top + 1]):
            if count >= 0 and mark[order[i]] != turn:
                stamp[0] += 1
                left = _keep(full, order[i], known, forced, count, left_items, left, flag, stamp[0])
                if left == 0:
                    return 0
        for i in range(first):
            count = _force(rows, near[i], known, slots[i], lossy, forced, held, found)
            if count >= 0:
                stamp[0] += 1
                left = _keep(full, near[i], known, forced, count, left_items, left, flag, stamp[0])
                if left == 0:
                    return 0
    return left


@compiled
def certain(
    layout: Layout, full: Full, starts: Longs, codes: Longs, eligible: Flags, lossy: bool
) -> tuple[Longs, Longs, Flags]:
    """For each known set: where its certain items end; the items, ascending; whether it can stand anywhere."""
    sets, width = len(starts) - 1, len(eligible)
    ends, items, end = np.zeros(sets + 1, np.int64), np.empty(1024, np.int64), 0
    mark, stamp = np.full(len(layout.clusters.size), -1, np.int64), np.zeros(1, np.int64)
    room, found = np.zeros((4, width + MOST_KNOWN), np.int64), np.empty(len(layout.rows.starts), np.int64)
    near = np.empty(len(mark) + 1, np.int64)
    slots, somewhere = np.empty((len(mark) + 1, MOST_KNOWN), np.int64), np.empty(sets, np.bool_)
    for number in range(sets):
        known = codes[starts[number] : starts[number + 1]]
        many = _certain(layout, full, known, lossy, number, mark, stamp, room, found, near, slots)
        somewhere[number] = many >= 0
        for item in np.sort(room[0, : max(many, 0)]):
            if eligible[item]:
                if end == len(items):
                    items = np.concatenate((items, items))
                items[end] = item
                end += 1
        ends[number + 1] = end
    return ends, items[:end], somewhere
