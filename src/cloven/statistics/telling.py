"""What a release tells of a known person: claims of a reader, judged against what the person holds.

Whoever knows a few items of somebody claims further ones, each with a probability. *Told* at 0.8 is the share of
persons of whom a claim of 0.8 or more is made and right; *certain* the share of whom an item follows by logic alone.
Only claims that are news count: that somebody buys milk is none, but which of two parties somebody votes for is, told
with 0.95. The same is asked of persons who are not in the release, since what is told of them is statistics, and no
harm of this release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cloven.data.arrays import among, positions
from cloven.data.known_sets import LEAST_BEST, Known
from cloven.figures import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.known_sets import Certain, Claims
    from cloven.data.transactions import Transactions


LEVELS = (0.5, 0.8, 0.95)
"""Probabilities from which on a claim tells something: more likely than not, probable, as good as certain."""
SETS, MOST_SETS = 465, 2_000
"""Sets that somebody could know of one person, the worst of which is looked for: all pairs of 30 items; and of a few
people, on whom all are tried, all pairs of 62."""
FLOOR = 0.2
ROUNDING = 1e-9


class Reader(Protocol):
    """Reads a release: what it claims of somebody, and what is certain."""

    def claims(
        self, known: Known, eligible: Flags | None = None, floor: float = 0.2, *, best: bool = True
    ) -> Claims:
        """Claims with a probability of at least ``floor``; the ``best`` guess below it only if it is asked for."""
        ...

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """Items that follow by logic."""
        ...


@dataclass(frozen=True)
class News:
    """Which claims count.

    Attributes:
        sensitive: items that are news whenever they are claimed.
        levels: an item that fewer than this share of the people hold is news if it is claimed with this probability or
            more. What most people hold is none at any: to be told what is likely anyway is no harm.
    """

    sensitive: frozenset[str] = frozenset()
    levels: tuple[tuple[float, float], ...] = ((0.3, 0.0), (0.5, 0.8), (0.65, 0.95))

    def of(self, data: Transactions, vocabulary: tuple[str, ...]) -> Floats:
        """From which probability on a claim on each item of a release is news; infinity for never."""
        people = len(data) if data.persons is None else len(np.unique(data.persons))
        held = dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
        shares = np.array([held.get(name, 0) / max(1, people) for name in vocabulary], np.float64)
        return self.from_shares(shares, vocabulary)

    def from_shares(self, shares: Floats, vocabulary: tuple[str, ...]) -> Floats:
        """The same, given the share of the people that hold each item."""
        out = np.full(len(vocabulary), np.inf)
        for most, least in reversed(self.levels):
            out[shares < most] = least
        out[[name in self.sensitive for name in vocabulary]] = 0.0
        return out


@dataclass(frozen=True, eq=False)
class People:
    """Persons of whom something is known, as compressed rows of item codes of a release.

    Attributes:
        offsets: where each person starts in ``items``.
        items: items that the release publishes, the rarest first.
        holds: keys ``person * width + item`` of all that each person holds and the release publishes, ascending.
        width: items of the release.
        source: number of each person's record in the data.
        lots: random numbers of ``items``; those of an item are the same whatever else is published.
        held: items of each person's record, published or not.
        order: the persons in random order, the same whatever is published.
    """

    offsets: Longs
    items: Longs
    holds: Longs
    width: int
    source: Longs
    lots: Floats
    held: Longs
    order: Longs

    @classmethod
    def of(
        cls, data: Transactions, records: Longs, vocabulary: tuple[str, ...], rarity: Longs, seed: int = 0
    ) -> People:
        """Persons behind some records of data; ``rarity`` says how many hold each item of its vocabulary.

        What is known comes from one record of a person, what is right from all of them.
        """
        code_of = {name: code for code, name in enumerate(vocabulary)}
        code = np.array([code_of.get(name, -1) for name in data.vocabulary], np.int64)
        lengths = data.lengths[records]
        at = data.codes[positions(data.offsets[records], lengths)]
        person = np.repeat(np.arange(len(records)), lengths)
        shown = code[at] >= 0
        rng = np.random.default_rng(seed)
        lots = rng.random(len(at))[shown]
        person, at = person[shown], at[shown]
        order = np.lexsort((at, rarity[at], person))
        items, width = code[at[order]], max(1, len(vocabulary))
        counts = np.bincount(person, minlength=len(records))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        holds = np.sort(person * width + code[at])
        if data.persons is not None:
            holds = _with_other_records(data, data.persons, records, code, width)
        source, persons = np.asarray(records, np.int64), rng.permutation(len(records))
        return cls(offsets, items, holds, width, source, lots[order], lengths, persons)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Longs:
        """Published items of each person."""
        return np.diff(self.offsets)

    def whole(self) -> Known:
        """All published items of everybody."""
        return Known.from_arrays(self.offsets, self.items)

    def rarest(self, size: int) -> Asked:
        """The ``size`` rarest items of everybody who has as many; fewer where fewer are published."""
        return self._first(size, np.arange(len(self.items)))

    def random(self, size: int) -> Asked:
        """``size`` random items of everybody who has as many; fewer where fewer are published."""
        person = np.repeat(np.arange(len(self)), self.lengths)
        return self._first(size, np.lexsort((self.lots, person)))

    def _first(self, size: int, order: Longs) -> Asked:
        """The first items of everybody in some order of all of them, person by person."""
        everybody = np.flatnonzero(self.held >= size)
        who = everybody[self.lengths[everybody] > 0]
        place = np.arange(size)
        at = np.where(place < self.lengths[who][:, None], self.offsets[who][:, None] + place, -1)
        return Asked(everybody, who, _known(np.where(at < 0, -1, self.items[order[at]])))

    def subsets(self, most: int, thorough: int = 0, people: int | None = None) -> Asked:
        """Sets of up to ``most`` items of random people: all of some, of the others all of their rarest items.

        Whoever has few items is among those of whom all are asked about; ``thorough`` says how many others are. The
        choice depends on what people hold, not on what is published.
        """
        few, longest = items_of_sets(most, SETS), items_of_sets(most, MOST_SETS)
        chosen = self.order[:people]
        longer = chosen[self.held[chosen] > few]
        limit = np.full(len(self), few)
        limit[longer[:thorough]] = longest
        room, items = np.minimum(self.lengths, limit), self._rarest_then_random(few)
        everybody = np.sort(chosen)
        who: list[Longs] = []
        sets: list[Longs] = []
        for size in range(1, most + 1):
            for places in combinations(range(int(room[everybody].max(initial=0))), size):
                who.append(everybody[room[everybody] > places[-1]])
                at = items[self.offsets[who[-1]][:, None] + np.array(places)]
                sets.append(np.concatenate((at, np.full((len(at), most - size), -1)), axis=1))
        known = _known(np.concatenate(sets) if sets else np.empty((0, most), np.int64))
        person = np.concatenate(who) if who else np.empty(0, np.int64)
        cut = int((self.held[longer[:thorough]] > longest).sum())
        searched = _searched(most, len(chosen), len(longer[thorough:]), cut)
        return Asked(everybody, person, known, searched)

    def _rarest_then_random(self, few: int) -> Longs:
        """Items of everybody, person by person: a few rarest ones, then the others in random order."""
        place = np.arange(len(self.items)) - np.repeat(self.offsets[:-1], self.lengths)
        person = np.repeat(np.arange(len(self)), self.lengths)
        return self.items[np.lexsort((place, np.where(place < few, -1.0, self.lots), person))]


def items_of_sets(most: int, sets: int) -> int:
    """Of how many items so many sets of up to ``most`` can be made at most.

    >>> items_of_sets(2, SETS), items_of_sets(2, MOST_SETS)
    (30, 62)
    """
    items = 1
    while sum(comb(items + 1, size) for size in range(1, most + 1)) <= sets:
        items += 1
    return items


def _searched(most: int, people: int, others: int, cut: int) -> str:
    """Where the worst set of up to ``most`` items was looked for, in words.

    >>> _searched(2, 1_000, 800, 0)
    'all pairs of 200 people, the 30 rarest items of the others'
    """
    few, longest = items_of_sets(most, SETS), items_of_sets(most, MOST_SETS)
    sets = "all pairs" if most == 2 else f"all sets of up to {many(most, 'item')}"
    out = f"{sets} of {people - others:,} people"
    if cut:
        out += (
            f" (of {cut:,} with more than {longest} items the {few} rarest and {longest - few} random ones)"
        )
    return f"{out}, the {few} rarest items of the others" if others else out


@dataclass(frozen=True, eq=False)
class Asked:
    """What is known of whom.

    Attributes:
        everybody: persons asked about; of some of them nothing that is known is published, so that nothing is told.
        who: person of each known set.
        known: the sets.
        searched: where the worst of all sets was looked for, in words; empty where one set of everybody is known.
    """

    everybody: Longs
    who: Longs
    known: Known
    searched: str = ""

    def parts(self, count: int) -> list[Asked]:
        """The same persons in so many parts, one after the other."""
        found = []
        for persons in np.array_split(self.everybody, count):
            sets = np.flatnonzero(among(self.who, persons))
            found.append(replace(self, everybody=persons, who=self.who[sets], known=self.known.take(sets)))
        return found


def _with_other_records(data: Transactions, persons: Longs, records: Longs, code: Longs, width: int) -> Longs:
    """What the persons behind some records hold, in whichever record of theirs."""
    asked = persons[records]
    order = np.argsort(asked, kind="stable")
    first = np.minimum(np.searchsorted(asked[order], persons), max(0, len(order) - 1))
    mine = np.flatnonzero(asked[order[first]] == persons)
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
        best: whether the most likely claim of all was right.
        certain: whether an item follows by logic, and is right.
        claims: probability of every claim, whether it is right, and the person.
        asked: the known sets.
        source: number of each person's record in the data.
        searched: where the worst set was looked for, in words; empty where it was not.
    """

    person: Longs
    told: Floats
    item: Longs
    known: Longs
    best: Flags
    certain: Flags
    claims: tuple[Floats, Flags, Longs]
    asked: Known
    source: Longs
    searched: str = ""

    @classmethod
    def joined(cls, parts: Sequence[Telling]) -> Telling:
        """What was told of the same persons, asked about in parts."""
        before = np.cumsum([0, *(len(part.asked) for part in parts)])
        known = [
            np.where(part.known < 0, -1, part.known + first)
            for part, first in zip(parts, before[:-1], strict=True)
        ]
        return cls(
            np.concatenate([part.person for part in parts]),
            np.concatenate([part.told for part in parts]),
            np.concatenate([part.item for part in parts]),
            np.concatenate(known),
            np.concatenate([part.best for part in parts]),
            np.concatenate([part.certain for part in parts]),
            tuple(np.concatenate(each) for each in zip(*(part.claims for part in parts), strict=True)),  # type: ignore[arg-type]
            Known.joined([part.asked for part in parts]),
            np.concatenate([part.source for part in parts]),
            parts[0].searched,
        )

    def worst(self, names: tuple[str, ...], rows: Longs, most: int) -> list[dict[str, Any]]:
        """The persons of whom most is told, with what must be known to be told it; ``rows`` say who they are.

        Of all who are told the same by the same items one stands for the others, who are counted.
        """
        order = np.lexsort((rows[self.source], -self.told, ~self.certain))
        cases: dict[tuple[Any, ...], list[int]] = {}
        for at in order[self.item[order] >= 0].tolist():
            known = tuple(self.asked.of_set(int(self.known[at])))
            cases.setdefault((known, int(self.item[at])), []).append(at)
        alike = list(cases.values())[:most]
        shown = self.rows(names, rows, np.array([case[0] for case in alike], np.int64))
        return [row | {"alike": len(case)} for row, case in zip(shown, alike, strict=True)]

    def rows(self, names: tuple[str, ...], rows: Longs, order: Longs | None = None) -> list[dict[str, Any]]:
        """What is told of each person, as plain values; nothing where no right claim was made."""
        every = np.arange(len(self.person)) if order is None else order
        return [
            {
                "record": int(rows[self.source[at]]),
                "known": None
                if self.item[at] < 0
                else [names[code] for code in self.asked.of_set(int(self.known[at]))],
                "told": None if self.item[at] < 0 else names[self.item[at]],
                "probability": round(float(self.told[at]), 4),
                "certain": bool(self.certain[at]),
            }
            for at in every.tolist()
        ]


def lowest(*, searching: bool) -> float:
    """The lowest probability that ``telling`` asks readers for; their best guess may lie below it."""
    return LEVELS[0] if searching else LEAST_BEST


def telling(
    reader: Reader, people: People, asked: Asked, news: Floats, *, searching: bool = False
) -> Telling:
    """Ask a reader about known sets of persons; several sets of one person count as the one that tells most.

    ``news`` says from which probability on a claim on each item counts; see ``News``. ``searching`` for the worst of
    many sets leaves out claims that tell nothing.
    """
    who, known = asked.who, asked.known
    common = (news > 0) & np.isfinite(news)
    if searching:
        claims = reader.claims(known, np.isfinite(news), LEVELS[0], best=False)
        number, item, stated = _flat(claims)
    else:
        claims = reader.claims(known, news <= 0, FLOOR)
        number, item, stated = _flat(claims)
        if common.any():  # the first guess is one of the rare ones
            more = _flat(reader.claims(known, common, LEVELS[1], best=False))
            number, item, stated = (
                np.concatenate(both) for both in zip((number, item, stated), more, strict=True)
            )
    counts = stated >= news[item] - ROUNDING
    number, item, stated = number[counts], item[counts], stated[counts]
    person = asked.everybody
    place = np.searchsorted(person, who)
    right = among(who[number] * people.width + item, people.holds)
    return Telling(
        person,
        *_most_told(place[number], right, item, stated, number, len(person)),
        _any_right(place, who, np.arange(len(known)), claims.best, people, len(person)),
        _certain(reader.certain(known, np.isfinite(news)), place, who, people, len(person)),
        (stated, right, who[number]),
        known,
        people.source[person],
        asked.searched,
    )


def _flat(claims: Claims) -> tuple[Longs, Longs, Floats]:
    """Of every claim its known set, its item and its probability."""
    number = np.repeat(np.arange(len(claims.offsets) - 1), np.diff(claims.offsets))
    return number, claims.items, claims.probability


def _most_told(
    place: Longs, right: Flags, items: Longs, stated: Floats, number: Longs, persons: int
) -> tuple[Floats, Longs, Longs]:
    """Highest probability of a right claim on each person, its item, and the known set that tells it."""
    told, item, by = np.zeros(persons), np.full(persons, -1), np.full(persons, -1)
    some = np.flatnonzero(right)
    order = some[np.lexsort((items[some], -stated[some], place[some]))]
    first = order[np.flatnonzero(np.diff(place[order], prepend=-1))]
    told[place[first]], item[place[first]] = stated[first], items[first]
    by[place[first]] = number[first]
    return told, item, by


def _any_right(place: Longs, who: Longs, number: Longs, items: Longs, people: People, persons: int) -> Flags:
    """Of whom one of these items (-1 for none), each claimed from a known set with a number, is right."""
    found = np.zeros(persons, bool)
    right = (items >= 0) & among(who[number] * people.width + items, people.holds)
    found[place[number[right]]] = True
    return found


def _certain(certain: Certain, place: Longs, who: Longs, people: People, persons: int) -> Flags:
    """Of whom an item follows by logic, and is right; of members it always is."""
    number = np.repeat(np.arange(len(certain.offsets) - 1), np.diff(certain.offsets))
    return _any_right(place, who, number, certain.items, people, persons)
