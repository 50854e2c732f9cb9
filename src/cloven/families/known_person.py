"""A known person: somebody knows that a person is in the release and a few of the person's items, and claims more.

Candidates do not stop this attacker: k records may have in common just what nobody was to know. Everybody is asked about
in releases that were made with and without them (``cloven.outsiders``), all of the same size. What is told of people only
as members is the harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.families.words import many, share
from cloven.measure.intervals import difference, paired_difference, wilson
from cloven.model.risk import Estimate, Tail
from cloven.scoring.calibration import BINS, calibration
from cloven.scoring.telling import LEVELS, ROUNDING, People, eligible_items, telling
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.model.risk import Risk
    from cloven.model.transactions import Transactions
    from cloven.scoring.telling import Reader, Telling

    Flags = NDArray[np.bool_]
    Readers = Callable[[Any], dict[str, Reader]]

MEASURE = (
    "people of whom a further item is claimed with a probability of 0.8 or more, and rightly; only items that fewer than"
    " 30 % of the people hold, and sensitive ones, count"
)
HEADLINE = 0.8
MOST_SEARCHED = 1_500
"""People for whom the worst known set is looked for: some dozens are tried on each."""
CREDIBLE = 0.8
"""A reader who says 0.95 and is right in less than 0.8 times that has told nothing; only the first one always counts."""
WORST = 10
"""People of whom most is told that the owner is shown."""


@dataclass(frozen=True)
class Known:
    """One way to know something: how many items, which, and whether the verdict rests on it."""

    name: str
    size: int
    which: str
    counts: bool

    def of(self, people: People) -> tuple[NDArray[np.int64], Any]:
        """Persons and what is known of them."""
        if self.which == "worst":
            return people.subsets(self.size, max(1, -(-len(people) // MOST_SEARCHED)))
        return people.rarest(self.size) if self.which == "rarest" else people.random(self.size)


def ways(m: int) -> tuple[Known, ...]:
    """All ways that are tried where m items may be known; two at least, whatever is promised.

    >>> [each.name for each in ways(2)]
    ['1 rarest item', '2 rarest items', '2 random items', 'worst of up to 2', '3 rarest items']
    """
    most = max(2, m)
    return (
        *(
            Known(f"{size} rarest item{'s' * (size > 1)}", size, "rarest", True)
            for size in range(1, most + 1)
        ),
        Known(f"{most} random items", most, "random", True),
        Known(f"worst of up to {most}", most, "worst", True),
        Known(f"{most + 1} rarest items", most + 1, "rarest", False),
    )


@dataclass(frozen=True, eq=False)
class Sheet:
    """What one reader tells for one way of knowing: a row for each division, a column for each person.

    Attributes:
        way: how something is known.
        reader: how the release is read.
        member: whether the person is in the release of the division.
        asked: whether there was enough to know of the person.
        told: the highest probability of a right claim.
        certain: whether an item follows by logic.
        best: whether the most likely claim was right.
        claims: probability and rightness of all claims on outsiders, then on members.
    """

    way: Known
    reader: str
    member: Flags
    asked: Flags
    told: NDArray[np.float64]
    certain: Flags
    best: Flags
    claims: tuple[tuple[NDArray[np.float64], Flags], tuple[NDArray[np.float64], Flags]]

    def share(self, flags: Flags, *, member: bool) -> Estimate:
        """Share of the members, or of the outsiders; an interval over persons."""
        here = self.asked & (self.member == member)
        people = here.any(axis=0)
        value = float(flags[here].mean()) if here.any() else 0.0
        found, total = value * int(people.sum()), int(people.sum())
        return Estimate(value, *(wilson(round(found), total) if total else (0.0, 1.0)))

    def excess(self, flags: Flags) -> Estimate:
        """What being a member adds: of the same people on both sides, where there are such; else of all."""
        inside, outside = self.asked & self.member, self.asked & ~self.member
        both = inside.any(axis=0) & outside.any(axis=0)
        if not both.any():
            sides = [(int(flags[here].sum()), int(here.sum())) for here in (inside, outside)]
            return Estimate(*difference(*sides[0], *sides[1]))
        member, outsider = (
            np.where(here, flags, False).sum(axis=0)[both] / here.sum(axis=0)[both]
            for here in (inside, outside)
        )
        return Estimate(
            *paired_difference(
                float(np.maximum(member - outsider, 0).sum()),
                float(np.maximum(outsider - member, 0).sum()),
                int(both.sum()),
                self._contrasts(flags, inside, outside),
            )
        )

    def _contrasts(self, flags: Flags, inside: Flags, outside: Flags) -> list[float]:
        """What being a member adds by two releases each: those left out of one are in the other, and the other way.

        What one release tells more than the other, of whomever, cancels out.
        """
        found = []
        for one, two in combinations(range(len(flags)), 2):
            sides = []
            for release, other in ((one, two), (two, one)):
                people = outside[release] & inside[other]
                sides.append(
                    np.mean(flags[other, people]) - np.mean(flags[release, people]) if people.any() else 0.0
                )
            found.append(float(np.mean(sides)))
        return found

    def tail(self, name: str, flags: Flags) -> Tail:
        """One figure, with both sides and the difference."""
        sides = (self.share(flags, member=True), self.share(flags, member=False))
        return Tail(name, *sides, self.excess(flags))

    def told_at(self, level: float) -> Tail:
        """Persons of whom a claim of this probability is made and right."""
        return self.tail(f"told at {level:g}", self.told >= level - ROUNDING)

    def certainly(self) -> Tail:
        """Persons of whom an item follows by logic."""
        return self.tail("certain", self.certain)

    @property
    def credible(self) -> bool:
        """Whether what this reader says of members is right about as often as it says."""
        found = [(_precision(self.claims[1], level), level) for level in (HEADLINE, LEVELS[-1])]
        return all(right is None or right >= CREDIBLE * level for right, level in found)

    @property
    def people(self) -> int:
        """Persons asked about."""
        return int(self.asked.any(axis=0).sum())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: both sides of every figure."""
        return {
            "known": self.way.name,
            "size": self.way.size,
            "counts": self.way.counts,
            "credible": self.credible,
            "reader": self.reader,
            "people": self.people,
            "told": {f"{level:g}": _plain(self.told_at(level)) for level in LEVELS},
            "certain": _plain(self.certainly()),
            "precision": {
                side: {f"{level:g}": _precision(self.claims[member], level) for level in LEVELS}
                for side, member in (("members", 1), ("outsiders", 0))
            },
            "first_guess": {
                side: self.share(self.best, member=bool(member)).value
                for side, member in (("members", 1), ("outsiders", 0))
            },
        }


def known_person(
    m: int, readers: Readers, sensitive: frozenset[str] = frozenset(), name: str = "a known person"
) -> Threat:
    """Somebody who knows up to m items (two at least) of a person in the release, and claims further ones.

    ``readers`` gives every way to read a release; the one that tells most counts.

    >>> known_person(2, lambda release: {}).knows
    'the release, that one person is in it, and up to 2 items of that person'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        sheets = _sheets(ways(m), case, readers, sensitive)
        first = sheets[0].reader
        judged = [
            sheet
            for sheet in sheets
            if sheet.way.counts and sheet.people and (sheet.reader == first or sheet.credible)
        ]
        if not judged:
            return threat.risk(not_tried="nobody has an item that is published")
        return _risk(threat, sheets, judged, _published(case, ways(m), readers, sensitive))

    about = f"the release, that one person is in it, and up to {many(max(2, m), 'item')} of that person"
    return Threat(name, about, "attribute", MEASURE, attempt).publicly()


def _sheets(known: tuple[Known, ...], case: Case, readers: Readers, sensitive: frozenset[str]) -> list[Sheet]:
    """Ask all readers about people who were left out of some release, in this and in the others."""
    data: Transactions = case.data
    asked, left_out = _asked(case)
    seed = int(case.rng.integers(2**32))
    found: dict[tuple[Known, str], list[Telling]] = {}
    for number, split in enumerate(case.splits):
        if case.progress is not None:
            case.progress("ask about members and outsiders", number / len(case.splits))
        for key, told in _read(data, split.result.release, asked, known, readers, sensitive, seed).items():
            found.setdefault(key, []).append(told)
    return [_sheet(*key, told, left_out) for key, told in found.items()]


def _asked(case: Case) -> tuple[NDArray[np.int64], Flags]:
    """Records to ask about, one of each person, and whether each division leaves the person out.

    With several divisions everybody asked about is left out of one, and is a member of the others. With one there are
    as many members beside the outsiders.
    """
    data: Transactions = case.data
    most = case.effort.most_people
    groups = [_one_record_each(data, split.outsiders)[:most] for split in case.splits]
    if len(groups) == 1:
        members = case.rng.permutation(_one_record_each(data, case.splits[0].members))[:most]
        groups.append(np.sort(members))
    records = np.concatenate(groups)
    division = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    records, first = np.unique(records, return_index=True)
    left_out = division[first] == np.arange(len(case.splits))[:, None]
    return records, left_out


def _one_record_each(data: Transactions, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """One record of each person behind some records."""
    if data.persons is None:
        return records
    return records[np.unique(data.persons[records], return_index=True)[1]]


def _read(
    data: Transactions,
    release: Any,
    asked: NDArray[np.int64],
    known: tuple[Known, ...],
    readers: Readers,
    sensitive: frozenset[str],
    seed: int,
) -> dict[tuple[Known, str], Telling]:
    """What every reader of one release tells of persons, for every way of knowing."""
    people = People.of(data, asked, release.vocabulary, data.holders, seed)
    eligible = eligible_items(data, release.vocabulary, sensitive)
    reads, out = readers(release), {}
    for way in known:
        sets = way.of(people)
        for reader, read in reads.items():
            out[way, reader] = telling(read, people, sets, eligible)
    return out


def _sheet(way: Known, reader: str, told: list[Telling], left_out: Flags) -> Sheet:
    """Tellings of several divisions side by side."""
    shape = left_out.shape
    asked, certain, best = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape, bool)
    level = np.zeros(shape)
    claims: tuple[list[Any], list[Any]] = ([], [])
    for row, each in enumerate(told):
        asked[row, each.person], level[row, each.person] = True, each.told
        certain[row, each.person], best[row, each.person] = each.certain, each.best
        probability, right, person = each.claims
        for member in (0, 1):
            side = left_out[row, person] != bool(member)
            claims[member].append((probability[side], right[side]))
    joined = [tuple(np.concatenate(part) for part in zip(*side, strict=True)) for side in claims]
    return Sheet(way, reader, ~left_out, asked, level, certain, best, (joined[0], joined[1]))  # type: ignore[arg-type]


def _risk(threat: Threat, sheets: list[Sheet], judged: list[Sheet], published: dict[str, Any]) -> Risk:
    """The way of knowing that adds most is the headline; the longest tails of all that count are judged."""
    worst = max(judged, key=lambda sheet: sheet.told_at(HEADLINE).excess.upper)
    mean = worst.told_at(HEADLINE)
    tails = (
        max((sheet.told_at(LEVELS[-1]) for sheet in judged), key=lambda tail: tail.excess.upper),
        max((sheet.certainly() for sheet in judged), key=lambda tail: tail.excess.upper),
    )
    sentence = (
        f"Who knows {_article(worst.way.name)} of a person is told a further item, with 0.8 or more and rightly, of"
        f" {share(mean.members)} of the people in a release and of {share(mean.outsiders)} of people left out of it;"
        f" being in it adds {share(mean.excess)}."
    )
    meaning = f"a further item at {HEADLINE:g} or more; {worst.way.name} known"
    return threat.risk(
        attacker=mean.members,
        outsiders=mean.outsiders,
        excess=mean.excess,
        tails=tails,
        beats=(mean.excess.low or 0.0) > 0,
        count=worst.people,
        units=worst.people,
        sentence=sentence,
        meaning=meaning,
        details={
            "ways": [sheet.to_dict() for sheet in sheets],
            "calibration": _calibration(worst),
            **published,
        },
    ).saying(sentence=sentence, meaning=meaning)


def _article(name: str) -> str:
    """The name of a way of knowing, in a sentence.

    >>> _article("worst of up to 2"), _article("1 rarest item"), _article("2 random items")
    ('the worst items (up to 2)', 'the rarest item', '2 random items')
    """
    if name.startswith("worst of "):
        return f"the worst items ({name.removeprefix('worst of ')})"
    return f"{'' if 'random' in name else 'the '}{name.removeprefix('1 ')}"


def _plain(tail: Tail) -> dict[str, list[float | None]]:
    """Members, outsiders and excess, each with the ends of its interval."""
    sides = {"members": tail.members, "outsiders": tail.outsiders, "excess": tail.excess}
    return {name: [side.value, side.low, side.high] for name, side in sides.items()}


def _precision(claims: tuple[NDArray[np.float64], Flags], level: float) -> float | None:
    """Share of the claims at a level that are right; None where none is made."""
    made = claims[0] >= level - ROUNDING
    return float(claims[1][made].mean()) if made.any() else None


def _calibration(sheet: Sheet) -> dict[str, Any]:
    """Whether the probabilities of claims on members can be believed."""
    stated, right = sheet.claims[1]
    place = np.minimum((stated * BINS).astype(np.int64), BINS - 1)
    sums = (np.ones(len(stated)), stated, right.astype(np.float64), (stated - right) ** 2)
    return calibration(*(np.bincount(place, each, BINS) for each in sums)).to_dict()


def _published(
    case: Case, known: tuple[Known, ...], readers: Readers, sensitive: frozenset[str]
) -> dict[str, Any]:
    """What the release itself tells of random people: how many are told how much, and the people of whom most is."""
    data: Transactions = case.data
    everybody = _one_record_each(data, np.arange(len(data)))
    asked = np.sort(case.rng.permutation(everybody)[: case.effort.most_people])
    way = next(each for each in known if each.which == "worst")
    first = next(iter(readers(case.result.release)))
    told = _read(
        data,
        case.result.release,
        asked,
        (way,),
        lambda release: {first: readers(release)[first]},
        sensitive,
        0,
    )[way, first]
    edges = (0.0, 0.2, 0.5, 0.8, 0.95, 1.0)
    counts = np.histogram(told.told, edges)[0]
    return {
        "histogram": [
            {"from": low, "to": high, "people": int(number)}
            for low, high, number in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
        ],
        "people": told.worst(case.result.release.vocabulary, data.source_rows, WORST),
        "people_of": len(asked),
    }
