"""A known person: somebody knows that a person is in the release and a few of the person's items, and claims more.

Candidates do not stop this attacker: k records may have in common just what nobody was to know. Everybody is asked about
in releases that were made with and without them (``cloven.outsiders``), all of the same size. What is told of people only
as members is the harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.families.words import many, share
from cloven.measure.intervals import wilson
from cloven.model.risk import Estimate
from cloven.model.set_generalised import SetGeneralised
from cloven.outsiders import one_record_each
from cloven.scoring.calibration import BINS, calibration
from cloven.scoring.members import ROUNDING, Sheet
from cloven.scoring.telling import LEVELS, People, eligible_items, telling
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.model.risk import Risk, Tail
    from cloven.model.transactions import Transactions
    from cloven.scoring.telling import Asked, Reader, Telling

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

    def of(self, people: People) -> Asked:
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
class Told:
    """What one reader tells for one way of knowing."""

    way: Known
    reader: str
    sheet: Sheet

    @property
    def credible(self) -> bool:
        """Whether what this reader says of members is right about as often as it says."""
        found = [(self.sheet.precision(level, member=True), level) for level in (HEADLINE, LEVELS[-1])]
        return all(right is None or right >= CREDIBLE * level for right, level in found)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: both sides of every figure."""
        sheet, sides = self.sheet, (("members", True), ("outsiders", False))
        return {
            "known": self.way.name,
            "size": self.way.size,
            "counts": self.way.counts,
            "credible": self.credible,
            "reader": self.reader,
            "people": sheet.people,
            "told": {f"{level:g}": _plain(sheet.told_at(level)) for level in LEVELS},
            "certain": _plain(sheet.certainly()),
            "precision": {
                side: {f"{level:g}": sheet.precision(level, member=member) for level in LEVELS}
                for side, member in sides
            },
            "first_guess": {side: sheet.share(sheet.best, member=member).value for side, member in sides},
        }


def known_person(
    m: int,
    readers: Readers,
    sensitive: frozenset[str] = frozenset(),
    name: str = "a known person",
    known: tuple[Known, ...] | None = None,
) -> Threat:
    """Somebody who knows up to m items (two at least) of a person in the release, and claims further ones.

    ``readers`` gives every way to read a release; the one that tells most counts. ``known`` says which ways of knowing
    are tried; experiments leave the slow ones out.

    >>> known_person(2, lambda release: {}).knows
    'the release, that one person is in it, and up to 2 items of that person'
    """
    tried = ways(m) if known is None else known

    def attempt(threat: Threat, case: Case) -> Risk:
        every = _all_told(tried, case, readers, sensitive)
        first = every[0].reader
        judged = [
            told
            for told in every
            if told.way.counts and told.sheet.people and (told.reader == first or told.credible)
        ]
        if not judged:
            return threat.risk(not_tried="nobody has an item that is published")
        published = _published(case, tried, readers, sensitive)
        return _risk(threat, every, judged, published, lambda way: _population(case, way, sensitive))

    about = f"the release, that one person is in it, and up to {many(max(2, m), 'item')} of that person"
    return Threat(name, about, "attribute", MEASURE, attempt).publicly()


def _all_told(
    known: tuple[Known, ...], case: Case, readers: Readers, sensitive: frozenset[str]
) -> list[Told]:
    """Ask all readers about people who were left out of some release, in this and in the others."""
    data: Transactions = case.data
    asked, left_out = case.asked()
    seed = int(case.rng.integers(2**32))
    found: dict[tuple[Known, str], list[Telling]] = {}
    for number, split in enumerate(case.splits):
        if case.progress is not None:
            case.progress("ask about members and outsiders", number / len(case.splits))
        for key, told in _read(data, split.result.release, asked, known, readers, sensitive, seed).items():
            found.setdefault(key, []).append(told)
    return [Told(*key, _sheet(told, left_out)) for key, told in found.items()]


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
            out[way, reader] = telling(read, people, sets, eligible, searching=way.which == "worst")
    return out


def _sheet(told: list[Telling], left_out: Flags) -> Sheet:
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
    return Sheet(~left_out, asked, level, certain, best, (joined[0], joined[1]))  # type: ignore[arg-type]


def _risk(
    threat: Threat,
    every: list[Told],
    judged: list[Told],
    published: dict[str, Any],
    population: Callable[[Known], Estimate],
) -> Risk:
    """The way of knowing that adds most is the headline; the longest tails of all that count are judged."""
    worst = max(judged, key=lambda told: told.sheet.told_at(HEADLINE).excess.upper)
    mean = worst.sheet.told_at(HEADLINE)
    tails = (
        max((told.sheet.told_at(LEVELS[-1]) for told in judged), key=lambda tail: tail.excess.upper),
        max((told.sheet.certainly() for told in judged), key=lambda tail: tail.excess.upper),
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
        population=population(worst.way),
        excess=mean.excess,
        tails=tails,
        beats=(mean.excess.low or 0.0) > 0,
        count=worst.sheet.people,
        units=worst.sheet.people,
        sentence=sentence,
        meaning=meaning,
        details={
            "ways": [told.to_dict() for told in every],
            "calibration": _calibration(worst.sheet),
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


def _calibration(sheet: Sheet) -> dict[str, Any]:
    """Whether the probabilities of claims on members can be believed."""
    stated, right = sheet.claims[1]
    place = np.minimum((stated * BINS).astype(np.int64), BINS - 1)
    sums = (np.ones(len(stated)), stated, right.astype(np.float64), (stated - right) ** 2)
    table = np.array([np.bincount(place, each, BINS) for each in sums], np.float64)
    return calibration(*table).to_dict()


def _population(case: Case, way: Known, sensitive: frozenset[str]) -> Estimate:
    """What somebody is told who has no release, but the records of the people who were left out of one.

    It is asked about as many others: of rows that hold what is known, the share that hold a further item.
    """
    from cloven.attack.generalised.known_person import KnownPersonGeneralised

    data: Transactions = case.data
    left_out, others = (np.sort(case.rng.permutation(side)[: case.effort.most_people]) for side in (
        case.splits[0].outsiders, case.splits[0].members))  # fmt: skip
    rows = _as_release(data.take(left_out))
    people = People.of(data, one_record_each(data, others), rows.vocabulary, data.holders)
    told = telling(
        KnownPersonGeneralised.of(rows),
        people,
        way.of(people),
        eligible_items(data, rows.vocabulary, sensitive),
    )
    found = int((told.told >= HEADLINE - ROUNDING).sum())
    return Estimate(found / max(1, len(told.told)), *wilson(found, len(told.told)))


def _as_release(data: Transactions) -> SetGeneralised:
    """Records as they are, for readers of rows."""
    items = len(data.vocabulary)
    return SetGeneralised(
        k=1,
        parameters={},
        vocabulary=data.vocabulary,
        block_labels=("",) * items,
        block_offsets=np.arange(items + 1),
        block_items=np.arange(items, dtype=np.int32),
        row_offsets=np.array(data.offsets),
        row_blocks=np.array(data.codes),
    )


def _published(
    case: Case, known: tuple[Known, ...], readers: Readers, sensitive: frozenset[str]
) -> dict[str, Any]:
    """What the release itself tells of random people: how many are told how much, and the people of whom most is.

    Nothing where the worst that could be known is not looked for.
    """
    way = next((each for each in known if each.which == "worst"), None)
    if way is None:
        return {}
    data: Transactions = case.data
    everybody = one_record_each(data, np.arange(len(data)))
    asked = np.sort(case.rng.permutation(everybody)[: case.effort.most_people])
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
    edges = (0.0, *LEVELS, 1.0)
    counts = np.histogram(told.told, edges)[0]
    return {
        "histogram": [
            {"from": low, "to": high, "people": int(number)}
            for low, high, number in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
        ],
        "people": told.worst(case.result.release.vocabulary, data.source_rows, WORST),
        "people_of": len(asked),
    }
