"""The truth behind a disassociated release, for its owner's eyes: joined to guesses that were made without it.

Nothing here guesses. Every function gets what an attack or a reader said, and the key.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.attack.questions import drawn
from cloven.kinds.disassociated.score.trial import Measured, measured
from cloven.kinds.disassociated.score.truth import truth
from cloven.statistics.outsiders import one_record_each
from cloven.statistics.telling import News, People, telling
from cloven.studio.inspection.listing import page_of
from cloven.studio.inspection.placing import guesses_about, part_items, target_of, targets_of_cluster
from cloven.studio.inspection.ranking import Ranked, paged, with_hits

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.kinds.disassociated.key import Key
    from cloven.studio.inspection.knowing import Knowing
    from cloven.studio.inspection.opened import Opened
    from cloven.studio.inspection.placing import Placement, Rebuilt
    from cloven.studio.inspection.ranking import Ranking

MOST_CANDIDATES = 3_000_000
"""Links that an attack weighs to put clusters in order; above it a sample of the parts is asked about."""
MOST_PEOPLE = 20_000
"""Persons who are looked up for the list of those of whom most is told; evenly spread over the records."""


class Placed(NamedTuple):
    """Where parts stand, by row.

    Attributes:
        row: published row of each part, ascending; the first of equal ones.
        entry: its entry of the key.
        slot: its place.
        record: source position of the record of each place.
    """

    row: Longs
    entry: Longs
    slot: Longs
    record: Longs


@dataclass(frozen=True, eq=False)
class Owned:
    """A release with its owner's key."""

    opened: Opened
    key: Key

    @cached_property
    def data(self) -> Transactions:
        """The original records, put together from the key."""
        release, key = self.opened.release, self.key
        lost = {name for items in key.suppressed_items for name in items}
        names = tuple(sorted({*release.vocabulary, *lost}))
        code_of = {name: code for code, name in enumerate(names)}
        codes = np.array([code_of[name] for name in release.vocabulary], np.int64)[key.items]
        record = np.repeat(key.record, np.diff(key.offsets))
        more = [
            (int(where), code_of[name])
            for where, items in zip(key.suppressed_record, key.suppressed_items, strict=True)
            for name in items
        ]
        extra = np.array(more, np.int64).reshape(-1, 2)
        record, codes = np.concatenate((record, extra[:, 0])), np.concatenate((codes, extra[:, 1]))
        source = np.unique(np.concatenate((key.records, key.suppressed_record)))
        place = np.searchsorted(source, record)
        order = np.argsort(place, kind="stable")
        persons = None
        if key.persons is not None and np.array_equal(source, key.records):
            persons = key.persons
        lengths = np.bincount(place, minlength=len(source))
        return Transactions.from_arrays(
            lengths, codes[order].astype(np.int32), names, persons=persons, source_rows=source
        )

    @cached_property
    def placed(self) -> Placed:
        """Where every part of every record stands.

        Raises:
            ReleaseError: the key does not fit the release.
        """
        opened, key = self.opened, self.key
        nothing = opened.candidates.questions(np.empty(0, np.int64))
        records = truth(nothing, opened.release, key).slot_record
        slot_of = np.empty(len(records), np.int64)
        slot_of[np.searchsorted(key.records, records)] = np.arange(len(records))
        row = opened.firsts[key.release_row]
        order = np.argsort(row, kind="stable")
        return Placed(row[order], order, slot_of[np.searchsorted(key.records, key.record)][order], records)

    @cached_property
    def cluster_of(self) -> dict[int, int]:
        """Cluster of each published record, by its source position."""
        return dict(zip(self.key.records.tolist(), self.key.record_cluster.tolist(), strict=True))

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """Of whom most is told; see ``worst_people``."""
        return self.opened.drawer.kept("people", lambda: worst_people(self), _plain_people, _people_of)

    @cached_property
    def hits(self) -> Hits:
        """How much of each cluster the attack that learns from the release gets right."""
        clusters = self.opened.release.clusters
        return self.opened.drawer.kept(
            "hits", lambda: hits_by_cluster(self), Hits.to_plain, lambda plain: Hits.of_plain(plain, clusters)
        )


# Where parts really belong.


def true_slots(owned: Owned, target: int) -> frozenset[int]:
    """The places that really hold a part, by their numbers in the whole release."""
    every, placed = owned.opened.candidates, owned.placed
    row, item = int(every.row[target]), int(every.item[target])
    first, last = np.searchsorted(placed.row, [row, row + 1]).tolist()
    entries, slots = placed.entry[first:last].tolist(), placed.slot[first:last].tolist()
    if item < 0:
        return frozenset(slots)
    starts, items = owned.key.offsets, owned.key.items
    return frozenset(
        slot
        for entry, slot in zip(entries, slots, strict=True)
        if item in items[starts[entry] : starts[entry + 1]]
    )


@dataclass(frozen=True)
class Judged:
    """What of a placement is right.

    Attributes:
        right: for each of its spots, how many of the places really hold the part.
        elsewhere: the same for its spots in other clusters.
        holders: places that hold it, in all clusters.
        found: of as many likeliest places as hold it, how many do; ties count in part. None where other clusters may
            hold it, too: not all of their places are given.
        by_luck: how many guessing finds.
    """

    right: tuple[int, ...]
    elsewhere: tuple[int, ...]
    holders: int
    found: float | None
    by_luck: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def judged(owned: Owned, cluster: int, made: Placement) -> Judged:
    """Hold a placement against the key."""
    target = target_of(owned.opened, cluster, made.row, made.item)
    slots = true_slots(owned, target)
    right, elsewhere = (
        tuple(len(slots.intersection(spot.slots)) for spot in spots) for spots in (made.spots, made.elsewhere)
    )
    found = None if made.elsewhere else _found(made, right, len(slots))
    return Judged(right, elsewhere, len(slots), found, len(slots) ** 2 / max(1, made.candidates))


def _found(made: Placement, right: tuple[int, ...], holders: int) -> float:
    """Of as many likeliest places as hold a part, how many do."""
    found, left = 0.0, holders
    for chance in sorted({spot.probability for spot in made.spots}, reverse=True):
        alike = [
            (len(spot.slots), hits)
            for spot, hits in zip(made.spots, right, strict=True)
            if spot.probability == chance
        ]
        size = sum(many for many, _ in alike)
        found += sum(hits for _, hits in alike) * min(1.0, left / size)
        left -= size
        if left <= 0:
            break
    return found


@dataclass(frozen=True)
class Checked:
    """One place as an attack filled it, and what is true of it.

    Attributes:
        right: for each part that was put there, whether it belongs there.
        missed: parts that belong there and were not put there.
        record: source position of the record of this place.
    """

    right: tuple[bool, ...]
    missed: tuple[tuple[str, ...], ...]
    record: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def checked(owned: Owned, cluster: int, places: tuple[Rebuilt, ...]) -> tuple[Checked, ...]:
    """Hold a rebuilt cluster against the key, place by place."""
    opened = owned.opened
    targets = targets_of_cluster(opened, cluster)
    every, held = (
        opened.candidates,
        {place.slot: dict[tuple[int, int], tuple[str, ...]]() for place in places},
    )
    for target in targets.tolist():
        name = (int(every.row[target]), int(every.item[target]))
        for slot in true_slots(owned, target):
            held[slot][name] = part_items(opened, target)
    out = []
    for place in places:
        put = [(part.row, part.item) for part in place.attached]
        missed = tuple(items for name, items in held[place.slot].items() if name not in put)
        right = tuple(name in held[place.slot] for name in put)
        out.append(Checked(right, missed, int(owned.placed.record[place.slot])))
    return tuple(out)


# Who really holds what is known, and what is claimed.


@dataclass(frozen=True)
class Holders:
    """The records that hold known items, and how many of them hold what is claimed.

    Attributes:
        records: source positions of some of them.
        count: how many there are.
        here: how many of them are in the cluster that is looked at; None if none is.
        claims: for each claim how many of them hold the item.
    """

    records: tuple[int, ...]
    count: int
    here: int | None
    claims: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def holders(owned: Owned, found: Knowing, cluster: int | None = None, most: int = 10) -> Holders:
    """Hold what is told of somebody against the records that hold the known items."""
    data = owned.data
    who = reduce(np.intersect1d, (_holding(data, name) for name in found.known))
    sources = data.source_rows[who]
    here = (
        None if cluster is None else sum(owned.cluster_of.get(each) == cluster for each in sources.tolist())
    )
    claims = tuple(len(np.intersect1d(who, _holding(data, claim.item))) for claim in found.claims)
    return Holders(tuple(sources[:most].tolist()), len(who), here, claims)


def _holding(data: Transactions, name: str) -> Longs:
    """Records that hold an item."""
    at = np.searchsorted(np.array(data.vocabulary), name) if data.vocabulary else 0
    if at >= len(data.vocabulary) or data.vocabulary[at] != name:
        return np.empty(0, np.int64)
    return np.searchsorted(data.offsets, np.flatnonzero(data.codes == at), "right") - 1


# Clusters by what an attack gets right, and persons by what is told of them.


@dataclass(frozen=True, eq=False)
class Hits:
    """What the attack found in each cluster, and whether it was asked about a sample of the parts."""

    measured: Measured
    is_sample: bool

    @property
    def order(self) -> Longs:
        """Clusters, those first where it is least likely that so much was found by luck."""
        return np.argsort(-self.measured.evidence, kind="stable")

    def to_plain(self) -> list[Any]:
        """Plain values for JSON."""
        return [self.is_sample, *(each.tolist() for each in self.measured)]

    @classmethod
    def of_plain(cls, plain: list[Any], clusters: int) -> Hits:
        """Back from them.

        Raises:
            ValueError: they are not of so many clusters.
        """
        is_sample, links, *others = plain
        found = Measured(np.array(links, np.int64), *(np.array(each, float) for each in others))
        if [each.shape for each in found] != [(clusters,)] * len(found):
            message = f"not of {clusters:,} clusters"
            raise ValueError(message)
        return cls(found, bool(is_sample))


def hits_by_cluster(owned: Owned, attack: str = "release") -> Hits:
    """Let an attack guess, and hold it against the key cluster by cluster."""
    opened = owned.opened
    rng = np.random.default_rng(0)
    targets = (
        drawn(opened.candidates, MOST_CANDIDATES, rng) if len(opened.candidates) else np.empty(0, np.int64)
    )
    guesses = guesses_about(opened, attack, targets)
    answers = truth(guesses.questions, opened.release, owned.key)
    found = measured(guesses, answers, opened.release.clusters)
    return Hits(found, len(targets) < len(opened.candidates))


def page_by_hits(owned: Owned, ranking: Ranking, page: int) -> tuple[tuple[Ranked, ...], int]:
    """Lines of one page, clusters first in which the attack was right most convincingly.

    Raises:
        NotThereError: there is no such page.
    """
    lines, pages = paged(ranking, owned.hits.order, page)
    return lines_with_hits(owned, lines), pages


def lines_with_hits(owned: Owned, lines: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
    """The same lines, with what the attack found."""
    by = owned.hits.measured
    return tuple(
        with_hits(
            line, float(by.found[line.number]), int(by.links[line.number]), float(by.expected[line.number])
        )
        for line in lines
    )


@dataclass(frozen=True)
class Person:
    """A person of whom much is told.

    Attributes:
        record: source position of the record.
        cluster: where it is published; None if it is not.
        known: what has to be known.
        told: what is told, and rightly.
        probability: how sure.
        certain: whether an item follows by logic.
    """

    record: int
    cluster: int | None
    known: tuple[str, ...]
    told: str
    probability: float
    certain: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def _plain_people(people: tuple[Person, ...]) -> dict[str, Any]:
    return {"people": [each.to_dict() for each in people]}


def _people_of(plain: dict[str, Any]) -> tuple[Person, ...]:
    return tuple(Person(**{**each, "known": tuple(each["known"])}) for each in plain["people"])


def worst_people(owned: Owned) -> tuple[Person, ...]:
    """Persons of whom something is told rightly to who knows their rarest items, up to m; most told first."""
    opened, data = owned.opened, owned.data
    everybody = one_record_each(data, np.arange(len(data)))
    everybody = everybody[:: max(1, -(-len(everybody) // MOST_PEOPLE))]
    vocabulary = opened.release.vocabulary
    people = People.of(data, everybody, vocabulary, data.holders)
    asked = people.rarest(max(1, min(opened.release.m, int(people.held.max(initial=1)))))
    told = telling(opened.reader, people, asked, News().of(data, vocabulary))
    order = np.lexsort((data.source_rows[told.source], -told.told, ~told.certain))
    order = order[told.item[order] >= 0]
    return tuple(
        Person(
            row["record"],
            owned.cluster_of.get(row["record"]),
            tuple(row["known"]),
            row["told"],
            row["probability"],
            row["certain"],
        )
        for row in told.rows(vocabulary, data.source_rows, order)
    )


def people_page(owned: Owned, page: int) -> tuple[tuple[Person, ...], int]:
    """Persons of one page, from 1 on, and how many pages there are.

    Raises:
        NotThereError: there is no such page.
    """
    return page_of(owned.people, page)
