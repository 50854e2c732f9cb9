"""What a release tells of a known person: claims of a reader, judged against what the person holds.

Whoever knows a few items of somebody claims further ones, each with a probability. *Told* at 0.8 is the share of persons of
whom a claim of 0.8 or more is made and right; *certain* the share of whom an item follows by logic alone. Only claims
on items that few hold count: that somebody buys milk is no news. The same is asked of persons who are not in the
release, since what is told of them is statistics, and no harm of this release.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cloven.attack.known_sets import Known
from cloven.model.arrays import among, positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.known_sets import Certain, Claims
    from cloven.model.transactions import Transactions

    Longs = NDArray[np.int64]

LEVELS = (0.5, 0.8, 0.95)
"""Probabilities from which on a claim tells something: more likely than not, probable, as good as certain."""
COMMON = 0.3
"""Claims on items that this share of the people or more hold do not count."""
RAREST = 8
"""The worst set that somebody could know is looked for among so many of a person's rarest items."""
FLOOR = 0.2


class Reader(Protocol):
    """Reads a release: what it claims of somebody, and what is certain."""

    def claims(self, known: Known, eligible: NDArray[np.bool_] | None = None, floor: float = 0.2) -> Claims:
        """Claims with a probability each."""
        ...

    def certain(self, known: Known, eligible: NDArray[np.bool_] | None = None) -> Certain:
        """Items that follow by logic."""
        ...


@dataclass(frozen=True, eq=False)
class People:
    """Persons of whom something is known, as compressed rows of item codes of a release.

    Attributes:
        offsets: where each person starts in ``items``.
        items: items that the release publishes, the rarest first.
        holds: keys ``person * width + item`` of all that each person holds and the release publishes, ascending.
        width: items of the release.
        source: number of each person's record in the data.
    """

    offsets: Longs
    items: Longs
    holds: Longs
    width: int
    source: Longs

    @classmethod
    def of(cls, data: Transactions, records: Longs, vocabulary: tuple[str, ...], rarity: Longs) -> People:
        """Persons behind some records of data; ``rarity`` says how many hold each item of its vocabulary.

        What is known comes from one record of a person, what is right from all of them.
        """
        code_of = {name: code for code, name in enumerate(vocabulary)}
        code = np.array([code_of.get(name, -1) for name in data.vocabulary], np.int64)
        lengths = data.lengths[records]
        at = data.codes[positions(data.offsets[records], lengths)]
        person = np.repeat(np.arange(len(records)), lengths)
        shown = code[at] >= 0
        person, at = person[shown], at[shown]
        order = np.lexsort((at, rarity[at], person))
        items, width = code[at[order]], max(1, len(vocabulary))
        counts = np.bincount(person, minlength=len(records))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        holds = np.sort(person * width + code[at])
        if data.persons is not None:
            holds = _with_other_records(data, records, code, width)
        return cls(offsets, items, holds, width, np.asarray(records, np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Longs:
        """Published items of each person."""
        return np.diff(self.offsets)

    def rarest(self, size: int) -> tuple[Longs, Known]:
        """The ``size`` rarest items of everybody who has as many: which persons, and their sets."""
        who = np.flatnonzero(self.lengths >= size)
        at = self.offsets[who][:, None] + np.arange(size)
        return who, _known(self.items[at])

    def random(self, size: int, rng: np.random.Generator) -> tuple[Longs, Known]:
        """``size`` random items of everybody who has as many."""
        who = np.flatnonzero(self.lengths >= size)
        lots = rng.random(len(self.items))
        person = np.repeat(np.arange(len(self)), self.lengths)
        order = np.lexsort((lots, person))
        at = order[self.offsets[who][:, None] + np.arange(size)]
        return who, _known(self.items[at])

    def subsets(self, most: int) -> tuple[Longs, Known]:
        """All sets of up to ``most`` items among everybody's rarest: person and set of each."""
        people: list[Longs] = []
        sets: list[Longs] = []
        for size in range(1, most + 1):
            for places in combinations(range(RAREST), size):
                who = np.flatnonzero(self.lengths > places[-1])
                people.append(who)
                at = self.items[self.offsets[who][:, None] + np.array(places)]
                sets.append(np.concatenate((at, np.full((len(who), most - size), -1)), axis=1))
        table = np.concatenate(sets) if sets else np.empty((0, most), np.int64)
        return np.concatenate(people), _known(table)


def _with_other_records(data: Transactions, records: Longs, code: Longs, width: int) -> Longs:
    """What the persons behind some records hold, in whichever record of theirs."""
    assert data.persons is not None
    persons = data.persons[records]
    order = np.argsort(persons, kind="stable")
    first = np.searchsorted(persons[order], data.persons)
    first = np.minimum(first, max(0, len(order) - 1))
    mine = np.flatnonzero(persons[order[first]] == data.persons)
    lengths = data.lengths[mine]
    items = code[data.codes[positions(data.offsets[mine], lengths)]]
    person = np.repeat(order[first[mine]], lengths)
    return np.unique((person * width + items)[items >= 0])


def _known(table: Longs) -> Known:
    """Rows of a table as known sets; -1 stands for nothing."""
    there = table >= 0
    offsets = np.concatenate(([0], np.cumsum(there.sum(axis=1)))).astype(np.int64)
    return Known.from_arrays(offsets, table[there])


@dataclass(frozen=True, eq=False)
class Telling:
    """What was told of persons who were asked about, one entry each.

    Attributes:
        person: number of the person.
        told: the highest probability of a right claim, 0 for none.
        item: the item of that claim, -1 for none.
        known: number of the known set that tells it.
        right: right claims of at least each of ``LEVELS``.
        made: claims of at least each of ``LEVELS``.
        best: whether the most likely claim of all was right.
        certain: whether an item follows by logic, and is right.
        sure: all claims with their probability and whether they were right, for calibration.
    """

    person: Longs
    told: NDArray[np.float64]
    item: Longs
    known: Longs
    right: Longs
    made: Longs
    best: NDArray[np.bool_]
    certain: NDArray[np.bool_]
    sure: tuple[NDArray[np.float64], NDArray[np.bool_]]

    def at(self, level: float) -> NDArray[np.bool_]:
        """Of whom a claim with this probability or more was made and right."""
        return self.told >= level - 1e-9


def telling(
    reader: Reader, people: People, asked: tuple[Longs, Known], eligible: NDArray[np.bool_]
) -> Telling:
    """Ask a reader about known sets of persons; several sets of one person count as the one that tells most."""
    who, known = asked
    claims = reader.claims(known, eligible, FLOOR)
    number = np.repeat(np.arange(len(known)), np.diff(claims.offsets))
    right = among(who[number] * people.width + claims.items, people.holds)
    order = np.lexsort((claims.items, -claims.probability * right, who[number]))
    person = distinct_of(who)
    place = np.searchsorted(person, who)
    claimed = place[number]
    first = order[np.searchsorted(claimed[order], np.arange(len(person)))] if len(order) else order
    told, item, by = np.zeros(len(person)), np.full(len(person), -1), np.full(len(person), -1)
    some = np.zeros(len(person), bool)
    some[claimed[right]] = True
    if len(order):
        at = np.searchsorted(claimed[order], np.flatnonzero(some))
        told[some], item[some] = claims.probability[order[at]], claims.items[order[at]]
        by[some] = number[order[at]]
    del first
    levels = [claims.probability >= level - 1e-9 for level in LEVELS]
    certain = reader.certain(known, eligible)
    forced = np.repeat(np.arange(len(known)), np.diff(certain.offsets))
    sure = among(who[forced] * people.width + certain.items, people.holds)
    follows = np.zeros(len(person), bool)
    follows[place[forced[sure]]] = True
    best = np.zeros(len(person), bool)
    named = claims.best >= 0
    best[place[named][among((who * people.width + claims.best)[named], people.holds)]] = True
    return Telling(
        person,
        told,
        item,
        by,
        np.array([int((level & right).sum()) for level in levels]),
        np.array([int(level.sum()) for level in levels]),
        best,
        follows,
        (claims.probability, right),
    )


def distinct_of(values: Longs) -> Longs:
    """Distinct values, ascending; mostly they are distinct already."""
    from cloven.model.arrays import distinct

    found: Longs = distinct(values)
    return found


def eligible_items(
    data: Transactions, vocabulary: tuple[str, ...], sensitive: frozenset[str] = frozenset()
) -> NDArray[np.bool_]:
    """Items of a release that fewer than ``COMMON`` of the people hold, and all sensitive ones."""
    people = len(data) if data.persons is None else len(np.unique(data.persons))
    held = dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    return np.array([name in sensitive or held.get(name, 0) < COMMON * people for name in vocabulary], bool)
