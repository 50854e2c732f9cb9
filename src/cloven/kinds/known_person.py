"""A known person: somebody knows that a person is in the release and a few of the person's items, and claims more.

Candidates do not stop this attacker: k records may have in common just what nobody was to know. Everybody is asked
about in releases that were made with and without them (``cloven.statistics.outsiders``), all of the same size, and in
the release that is to be published, which has groups that no smaller one has. What is told of people only as members is
the harm, and the larger of both differences is judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from cloven.data.known_sets import Known as Sets
from cloven.disclosure.risk import Estimate
from cloven.figures import estimated, many, percent
from cloven.kinds.generalised.release import SetGeneralised
from cloven.statistics.findings import BINS, calibration
from cloven.statistics.intervals import wilson
from cloven.statistics.outsiders import ROUNDING, Sheet, one_record_each
from cloven.statistics.telling import LEVELS, News, People, Telling, lowest, telling
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.disclosure.risk import Risk, Tail
    from cloven.statistics.telling import Asked, Reader

    Reading = Callable[[Sets, float], Mapping[str, Reader]]
    Readers = Callable[[Any], Reading]


MEASURE = (
    "people of whom a further item is claimed with a probability of 0.8 or more, and rightly; only items that fewer"
    " than half of the people hold, and sensitive ones, count"
)
THOROUGH = 200
"""People of many items on whom all sets are tried; of people of few items all are anyway."""
AT_ONCE = 50_000
"""Known sets that a release is asked about at once: what is claimed of each has to be kept meanwhile."""
ALIKE = 0.5
"""Share of the people left out of whom so much is told that they look as if they were not left out at all."""


@dataclass(frozen=True)
class Known:
    """One way to know something: how many items, which, and whether the verdict rests on it."""

    name: str
    size: int
    which: str
    counts: bool = True

    @property
    def phrase(self) -> str:
        """The name in a sentence.

        >>> Known("worst of up to 2", 2, "worst").phrase, Known("1 rarest item", 1, "rarest").phrase
        ('the worst items (up to 2)', 'the rarest item')
        >>> Known("2 random items", 2, "random").phrase
        '2 random items'
        """
        if self.which == "worst":
            return f"the worst items ({self.name.removeprefix('worst of ')})"
        return f"{'' if self.which == 'random' else 'the '}{self.name.removeprefix('1 ')}"

    def of(self, people: People, searched: int) -> Asked:
        """Persons and what is known of them; the worst is looked for for about so many."""
        if self.which == "worst":
            return people.subsets(self.size, THOROUGH, searched)
        return people.rarest(self.size) if self.which == "rarest" else people.random(self.size)


def ways(m: int) -> tuple[Known, ...]:
    """All ways that are tried where m items may be known; two at least, whatever is promised.

    >>> [each.name for each in ways(2)]
    ['1 rarest item', '2 rarest items', '2 random items', 'worst of up to 2', '3 rarest items']
    """
    most = max(2, m)
    return (
        *(Known(f"{size} rarest item{'s' * (size > 1)}", size, "rarest") for size in range(1, most + 1)),
        Known(f"{most} random items", most, "random"),
        Known(f"worst of up to {most}", most, "worst"),
        Known(f"{most + 1} rarest items", most + 1, "rarest", counts=False),
    )


def known_person(
    m: int,
    readers: Readers,
    news: News | None = None,
    name: str = "a known person",
    known: tuple[Known, ...] | None = None,
) -> Threat:
    """Somebody who knows up to m items (two at least) of a person in the release, and claims further ones.

    ``readers`` gives every way to read a release, once they are told which sets they are asked about; the one that
    tells most counts. ``known`` says which ways of knowing are tried; experiments leave the slow ones out. ``news``
    says which claims count.

    >>> known_person(2, lambda release: lambda known, floor: {}).knows
    'the release, that one person is in it, and up to 2 items of that person'
    """
    tried, counted = ways(m) if known is None else known, news or News()

    def attempt(threat: Threat, case: Case) -> Risk:
        release, data = case.result.release, case.data
        if not np.isfinite(counted.of(data, release.vocabulary)).any():
            return threat.risk(not_tried=nothing_counts(counted))
        every = _all_told(tried, case, readers, counted)
        doubted = data.persons is None
        return judged_of(
            threat, every, release.vocabulary, data.source_rows, lambda way: _population(case, way, counted),
            int(data.lengths.max(initial=0)), doubted=doubted,
        )  # fmt: skip

    about = f"the release, that one person is in it, and up to {many(max(2, m), 'item')} of that person"
    return Threat(name, about, "attribute", MEASURE, attempt).publicly()


def nothing_counts(news: News) -> str:
    """Why nothing that could be claimed counts."""
    why = f"no item that is published is held by fewer than {percent(news.levels[-1][0], 0)} of the people"
    return f"{why}, so that nothing counts as told; name sensitive ones"


def judged_of(
    threat: Threat, every: list[Told[Known]], vocabulary: tuple[str, ...], rows: Longs,
    population: Callable[[Known], Estimate], longest: int, *, doubted: bool,
) -> Risk:  # fmt: skip
    """What was told, as a risk; ``rows`` are the numbers of the records in the source.

    ``longest`` says how many items a record of the data has at most, ``doubted`` asks whether records look like several
    of one person.
    """
    unasked = [told.way.size for told in every if told.way.counts and not told.sheet.people]
    if unasked and min(unasked) <= longest:
        size = many(min(unasked), "item")
        return threat.risk(
            not_tried=f"nobody who was drawn has {size}, and somebody has; ask about more people"
        )
    judged = [told for told in every if told.way.counts and told.sheet.people and told.credible]
    if not judged:
        return threat.risk(not_tried="nobody has an item that is published")
    doubt = _alike(judged) if doubted else ""
    return _risk(threat, every, judged, _published(vocabulary, rows, judged), doubt, population)


def _all_told(known: tuple[Known, ...], case: Case, readers: Readers, news: News) -> list[Told[Known]]:
    """Ask all readers about people who were left out of some release: there, in the others, and in the real one."""
    data: Transactions = case.data
    asked, left_out = case.asked()
    seed = int(case.rng.integers(2**32))
    found: dict[tuple[Known, str], list[Telling]] = {}
    releases = [*(split.result.release for split in case.splits), case.result.release]
    for number, release in enumerate(releases):
        if case.progress is not None:
            case.progress("ask about members and outsiders", number / len(releases))
        people = People.of(data, asked, release.vocabulary, data.holders, seed)
        sets = {way: way.of(people, case.effort.most_searched) for way in known}
        for key, told in read_by(readers(release), people, sets, news.of(data, release.vocabulary)).items():
            found.setdefault(key, []).append(told)
    return all_told(found, left_out)


def read_by(
    reading: Reading, people: People, sets: Mapping[Known, Asked], news: Floats
) -> dict[tuple[Known, str], Telling]:
    """What every reader of one release tells of persons, for every way of knowing."""
    found: dict[tuple[Known, str], Telling] = {}
    for searching in (False, True):
        ways = {way: asked for way, asked in sets.items() if (way.which == "worst") == searching}
        if ways:
            found |= _read_by(reading, people, ways, news, searching=searching)
    order = list(sets)
    return dict(sorted(found.items(), key=lambda entry: order.index(entry[0][0])))


def _read_by(
    reading: Reading, people: People, sets: Mapping[Known, Asked], news: Floats, *, searching: bool
) -> dict[tuple[Known, str], Telling]:
    """The same of ways that all search for the worst known set, or none does."""
    distinct = Sets.joined([asked.known for asked in sets.values()]).distinct()
    count = 1 + int(distinct.of.max(initial=0)) // AT_ONCE
    found: dict[tuple[Known, str], list[Telling]] = {}
    for some in zip(*(asked.parts(count) for asked in sets.values()), strict=True):
        readers = reading(Sets.joined([asked.known for asked in some]), lowest(searching=searching))
        for way, asked in zip(sets, some, strict=True):
            for name, reader in readers.items():
                told = telling(reader, people, asked, news, searching=searching)
                found.setdefault((way, name), []).append(told)
    return {key: Telling.joined(parts) for key, parts in found.items()}


def all_told(found: Mapping[tuple[Known, str], list[Telling]], left_out: Flags) -> list[Told[Known]]:
    """Tellings of all releases, the one that is to be published last, as members and outsiders.

    The first reader counts however often it is wrong.
    """
    first = next(reader for _, reader in found)
    return [
        Told(way, reader, _sheets(told, left_out), told[-1], trusted=reader == first)
        for (way, reader), told in found.items()
    ]


def _sheets(told: list[Telling], left_out: Flags) -> tuple[Sheet, Sheet]:
    """Tellings of several divisions side by side; and of the release itself beside those who were left out."""
    in_it = np.zeros((1, left_out.shape[1]), bool)
    one = _sheet(told[:-1], left_out, np.ones(left_out.shape, bool))
    two = _sheet(told, np.concatenate((left_out, in_it)), np.concatenate((left_out, ~in_it)))
    return one, replace(two, paired=len(left_out) > 1)


def _sheet(told: list[Telling], left_out: Flags, shown: Flags) -> Sheet:
    """Tellings of several releases side by side, of the people who are to be shown for each."""
    shape = left_out.shape
    asked, certain, best = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape, bool)
    level = np.zeros(shape)
    claims: tuple[list[Any], list[Any]] = ([], [])
    for row, each in enumerate(told):
        asked[row, each.person], level[row, each.person] = True, each.told
        certain[row, each.person], best[row, each.person] = each.certain, each.best
        probability, right, person = each.claims
        for member in (0, 1):
            side = shown[row, person] & (left_out[row, person] != bool(member))
            claims[member].append((probability[side], right[side]))
    joined = [tuple(np.concatenate(part) for part in zip(*side, strict=True)) for side in claims]
    return Sheet(~left_out, asked & shown, level, certain, best, (joined[0], joined[1]))  # type: ignore[arg-type]


def _risk(
    threat: Threat,
    every: list[Told[Known]],
    judged: list[Told[Known]],
    published: dict[str, Any],
    doubt: str,
    population: Callable[[Known], Estimate],
) -> Risk:
    """The figures in words, with what the release itself tells."""
    worst, risk = judged_risk(threat, every, judged)
    mean = worst.at(HEADLINE)
    searched = next((told.real.searched for told in judged if told.way.which == "worst"), "")
    sentence = (
        f"Who knows {worst.way.phrase} of a person is told a further item, with 0.8 or more and rightly, of"
        f" {estimated(mean.members)} of the people in a release and of {estimated(mean.outsiders)} of people left out"
        f" of it; being in it adds {estimated(mean.excess)}."
    )
    meaning = f"a further item at {HEADLINE:g} or more; {worst.way.name} known"
    if searched:
        sentence += f" The worst items were looked for among {searched}."
        meaning += f"; the worst of {searched}"
    return replace(
        risk,
        population=population(worst.way),
        doubt=doubt,
        sentence=sentence,
        meaning=meaning,
        details={**risk.details, **published, **({"searched": searched} if searched else {})},
    ).saying(sentence=sentence, meaning=meaning)


def _alike(judged: list[Told[Known]]) -> str:
    """A doubt where the records of others tell as good as everything: several records of one person do just that."""
    found = [told.at(LEVELS[-1]).outsiders.value for told in judged if told.way.which != "worst"]
    if max(found, default=0.0) < ALIKE:
        return ""
    return (
        f"Of {percent(max(found), 0)} of the records an item is told with {LEVELS[-1]:g} or more even where they are"
        " left out, by records that are like them: these look like several records of one person; name the column of"
        " the person (--person), or take each person once."
    )


def _population(case: Case, way: Known, news: News) -> Estimate:
    """The same of some of the people who were left out, asked about as many others."""
    data: Transactions = case.data
    left_out, others = (np.sort(case.rng.permutation(side)[: case.effort.most_people]) for side in (
        case.splits[0].outsiders, case.splits[0].members))  # fmt: skip
    asked = one_record_each(data, others)
    searched = case.effort.most_searched
    return told_without(
        data, data.holders, left_out, asked, way, lambda names: news.of(data, names), searched
    )


def told_without(
    data: Transactions, rarity: Longs, left_out: Longs, others: Longs, way: Known,
    news: Callable[[tuple[str, ...]], Floats], searched: int,
) -> Estimate:  # fmt: skip
    """What somebody is told who has no release, but the records of the people who were left out of one.

    It is asked about others: of rows that hold what is known, the share that hold a further item.
    """
    from cloven.kinds.generalised.attack.known_person import KnownPersonGeneralised

    rows = _as_release(data.take(left_out))
    people = People.of(data, others, rows.vocabulary, rarity)
    told = telling(KnownPersonGeneralised.of(rows), people, way.of(people, searched), news(rows.vocabulary))
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


def _published(vocabulary: tuple[str, ...], rows: Longs, judged: list[Told[Known]]) -> dict[str, Any]:
    """What the release itself tells of those asked about: how many are told how much, and of whom most is.

    The reader is the judged one that tells most. Nothing where the worst that could be known is not looked for.
    """
    worst = [told for told in judged if told.way.which == "worst"]
    if not worst:
        return {}
    most = max(worst, key=lambda told: (told.at(LEVELS[-1]).members.value, told.at(HEADLINE).members.value))
    told = most.real
    return {
        "histogram": histogram(told.told),
        "people": told.worst(vocabulary, rows, WORST),
        "people_of": len(told.person),
    }


# What is told of people, members beside outsiders: one way of knowing and one reader, whatever kind of release it is.
#
# Everybody asked about is looked up in releases that were made with and without them, all of the same size, and in the
# release that is to be published. The larger of both differences counts.


HEADLINE = 0.8
WORST = 10
"""People of whom most is told that the owner is shown."""


class Way(Protocol):
    """One way to know something of a person."""

    @property
    def name(self) -> str:
        """A few words for tables."""
        ...

    @property
    def phrase(self) -> str:
        """The name as it stands in a sentence."""
        ...

    @property
    def size(self) -> int:
        """How much is known."""
        ...

    @property
    def counts(self) -> bool:
        """Whether the verdict rests on it."""
        ...


W = TypeVar("W", bound=Way)


@dataclass(frozen=True, eq=False)
class Told(Generic[W]):
    """What one reader tells for one way of knowing.

    Attributes:
        way: the way of knowing.
        reader: who reads.
        sheets: members and outsiders in releases of the same size; members in the release itself beside the same
            people left out of one.
        real: what the release itself tells.
        trusted: whether this reader counts however often it is wrong.
    """

    way: W
    reader: str
    sheets: tuple[Sheet, Sheet]
    real: Any
    trusted: bool = False

    @property
    def credible(self) -> tuple[Sheet, ...]:
        """The sheets where what this reader says of members is right about as often as it says."""
        return tuple(sheet for sheet in self.sheets if self.trusted or sheet.credible)

    def at(self, level: float) -> Tail:
        """What is told at a level, by the sheet where being in it adds most."""
        return self._longest(lambda sheet: sheet.told_at(level))

    def certainly(self) -> Tail:
        """What follows by logic, by the sheet where being in it adds most."""
        return self._longest(Sheet.certainly)

    def likeliest(self) -> Tail:
        """How often the likeliest claim is right, by the sheet where being in it adds most."""
        return self._longest(Sheet.likeliest)

    def _longest(self, tail: Callable[[Sheet], Tail]) -> Tail:
        found = max(map(tail, self.credible or self.sheets), key=lambda each: each.excess.upper)
        return replace(found, known=self.way.phrase)

    @property
    def sheet(self) -> Sheet:
        """The sheet that the headline is from."""
        return max(self.credible or self.sheets, key=lambda sheet: sheet.told_at(HEADLINE).excess.upper)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: both sides of every figure."""
        sheet, sides = self.sheet, (("members", True), ("outsiders", False))
        return {
            "known": self.way.name,
            "size": self.way.size,
            "counts": self.way.counts,
            "credible": bool(self.credible),
            "reader": self.reader,
            "people": sheet.people,
            "told": {f"{level:g}": _plain(self.at(level)) for level in LEVELS},
            "certain": _plain(self.certainly()),
            "same_size": {
                **{f"{level:g}": _plain(self.sheets[0].told_at(level)) for level in LEVELS},
                "certain": _plain(self.sheets[0].certainly()),
            },
            "precision": {
                side: {f"{level:g}": sheet.precision(level, member=member) for level in LEVELS}
                for side, member in sides
            },
            "first_guess": {side: sheet.share(sheet.best, member=member).value for side, member in sides},
        }


def judged_risk(
    threat: Threat,
    every: Sequence[Told[W]],
    judged: Sequence[Told[W]],
    further: Sequence[Tail] = (),
    *,
    logic: bool = True,
) -> tuple[Told[W], Risk]:
    """The way of knowing that adds most is the headline; the longest tails of all that count are judged.

    ``further`` tails are judged too; what follows by ``logic`` is not where a reader has a logic of no other.
    """
    worst = max(judged, key=lambda told: harm(told.at(HEADLINE)))
    mean = worst.at(HEADLINE)
    tails = (
        max((told.at(LEVELS[-1]) for told in judged), key=harm),
        *([max((told.certainly() for told in judged), key=harm)] if logic else []),
        *further,
    )
    return worst, threat.risk(
        attacker=mean.members,
        outsiders=mean.outsiders,
        excess=mean.excess,
        tails=tails,
        beats=(mean.excess.low or 0.0) > 0,
        count=worst.sheet.people,
        units=worst.sheet.people,
        details={
            "known": mean.known,
            "ways": [told.to_dict() for told in every],
            "calibration": _calibration(worst.sheet),
        },
    )


def harm(tail: Tail) -> tuple[float, float]:
    """What being in it may add; where that is the same, how much is told at all."""
    return round(tail.excess.upper, 3), tail.members.value


def histogram(told: Floats) -> list[dict[str, Any]]:
    """How many people are told how much of: by the highest probability of a right claim."""
    edges = (0.0, *LEVELS, 1.0)
    counts = np.histogram(np.minimum(told, 1.0), edges)[0]
    return [
        {"from": low, "to": high, "people": int(number)}
        for low, high, number in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]


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
