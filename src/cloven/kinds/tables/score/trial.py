"""Trying attackers out on published tables: whom they ask about, and what of it counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.figures import estimated, percent
from cloven.kinds.known_person import HEADLINE, WORST, Told, harm, histogram, judged_risk
from cloven.kinds.people import claims, expect_data, most_first
from cloven.kinds.tables.buckets import cell_sizes
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.reconstruction import untouched
from cloven.kinds.tables.release import CellDomain, Sliced
from cloven.kinds.tables.score.truth import Truth, ValueTelling, nothing_told, value_telling
from cloven.kinds.tables.words import promised
from cloven.statistics.intervals import wilson
from cloven.statistics.outsiders import ROUNDING, SURE, Sheet, one_record_each
from cloven.statistics.telling import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.disclosure.risk import Risk
    from cloven.kinds.people import Everybody
    from cloven.kinds.tables.attack.known_person import Reader
    from cloven.kinds.tables.guesses import ValueGuesses
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease
    from cloven.kinds.tables.score.score import TableFindings
    from cloven.threats import Case, Threat

    Guess = Callable[[TableRelease, Known, str], ValueGuesses]


TOLD = "persons of whom a sensitive value is claimed with a probability of 0.8 or more, and rightly"
PERSONS = 25
"""Persons that are tried for each set of known items that an effort allows: all of them go at once."""


@dataclass(frozen=True)
class Attempt:
    """One way to find out a sensitive value.

    Attributes:
        guess: the attack.
        control: the same without its knowledge; None asks about the wrong persons instead.
        combinations: whether combinations of attributes are tried too, where the release promises to hide them.
        readers: who tells of members and outsiders, by name; none asks as ``guess`` does, whoever is left out.
        people: rows of those who are asked about; None for some of all.
        logic: whether what is certain is judged; it is not where people left out are asked about in another way.
        scored: whether guesses about everybody are scored too, which tells whether a promise is broken; without
            outsiders they always are.
        population: who tells what rows of other people tell, without a release; None is the reader that tells most.
    """

    guess: Guess
    control: Guess | None = None
    combinations: bool = False
    readers: Mapping[str, Reader] = field(default_factory=dict)
    people: Longs | None = None
    population: Reader | None = None
    logic: bool = True
    scored: bool = True

    def worst(self, threat: Threat, case: Case) -> Risk:
        """The attack on each sensitive attribute; the one with the largest risk stands for all.

        The promise is broken by persons whose value is certain although it is promised to be hidden; that may be
        another attribute, or a combination.
        """
        data: Table = case.data
        result: PublishedTable = case.result
        rng = case.rng
        targets = _targets(result.release, combinations=self.combinations)
        if not targets:
            why = "no attribute is sensitive, so there is no value to find out"
            return threat.risk(not_tried=why, counts=False, details={"certain": 0.0})
        if not self.scored and case.outsiders is not None:
            beside = self._beside(threat, case)
            return threat.risk(not_tried="nobody could be asked about") if beside is None else beside
        rows, known = persons(case, published=False, people=self.people)
        # Beside outsiders no control is needed.
        wrong = known.take(rng.permutation(len(known))) if case.outsiders is None else None
        risks, refused = [], []
        for number, names in enumerate(targets):
            if case.progress is not None:
                case.progress(f"guess {' and '.join(names)}", number / len(targets))
            try:
                found = self._one(data, result.release, names, (rows, known, wrong), rng)
            except ParameterError as error:  # another release may not show it
                refused.append(error)
                continue
            risks.append(_risk(threat, *found, names, result.release))
        if not risks:
            raise refused[0]
        worst = max(risks, key=lambda risk: -1.0 if risk.attacker is None else risk.attacker.upper)
        broken = max(risks, key=lambda risk: risk.broken)
        told = "" if broken.public is None else broken.public.broken_what
        risk = replace(
            worst, outside=threat.outside, broken=broken.broken, broken_what=broken.broken_what
        ).saying(broken_what=told)
        beside = None if case.outsiders is None else self._beside(threat, case, risk)
        return risk if beside is None else beside

    def _beside(self, threat: Threat, case: Case, guessed: Risk | None = None) -> Risk | None:
        """What is told of members beside outsiders; None where nobody can be asked about."""
        readers = self.readers or {"plain": lambda *asked: self.guess(*asked[:3])}
        found = told_risk(threat, case, readers, self.people, self.population, logic=self.logic)
        return None if found is None else _beside_outsiders(guessed or threat.risk(), *found)

    def _one(
        self,
        data: Table,
        release: TableRelease,
        names: tuple[str, ...],
        asked: tuple[Longs, Known, Known | None],
        rng: np.random.Generator,
    ) -> tuple[TableFindings, float]:
        """The attack on one attribute, or on a combination; and of how many a value that harms is certain."""
        from cloven.kinds.tables.score.score import score_values
        from cloven.kinds.tables.score.truth import Truth, true_values, value_telling

        rows, known, wrong = asked
        shown = release if len(names) == 1 else joint_release(release, names)
        attribute = combined_name(names)
        control = None
        if wrong is not None:
            control = (
                self.guess(shown, wrong, attribute)
                if self.control is None
                else self.control(shown, known, attribute)
            )
        each = [true_values(data, name, rows) for name in names]
        truth = [combined_name(values) for values in zip(*each, strict=True)]
        guesses = self.guess(shown, known, attribute)
        told = value_telling(
            guesses,
            Truth.of(data, attribute, rows, nearly=False)  # l may be of numbers however near
            if len(names) == 1
            else Truth(len(rows), np.arange(len(rows)), tuple(truth)),
        )
        certain = float(told.certain.mean()) if len(rows) else 0.0
        return score_values(guesses, truth, rng=rng, control=control), certain


def _beside_outsiders(guessed: Risk, worst: Told[Looks], risk: Risk) -> Risk:
    """The risk by what is told of members more than of outsiders; what is promised is held against everybody."""
    told, right = worst.at(HEADLINE), worst.likeliest()
    asked = f"{worst.way.attribute}: the likeliest value is right in {estimated(right.members)}"
    sentence = (
        f"An attacker ({risk.threat}) is told a sensitive value, with 0.8 or more and rightly, of"
        f" {estimated(told.members)} of the people in a release and of {estimated(told.outsiders)} of people left"
        f" out of it; being in it adds {estimated(told.excess)}."
    )
    meaning = f"{asked}, of people left out in {estimated(right.outsiders)}"
    details = {"attribute": worst.way.attribute, **guessed.details, **risk.details}
    return replace(
        risk,
        measure=TOLD,
        broken=guessed.broken,
        broken_what=guessed.broken_what,
        sentence=sentence,
        meaning=meaning,
        details=details,
    ).saying(
        measure=TOLD,
        sentence=sentence,
        meaning=meaning,
        broken_what="" if guessed.public is None else guessed.public.broken_what,
    )


def _targets(release: TableRelease, *, combinations: bool) -> list[tuple[str, ...]]:
    single = [(domain.name,) for domain in release.domains if domain.sensitive]
    return [*single, *(each for each in promised(release) if combinations and len(each) > 1)]


def _risk(
    threat: Threat, found: TableFindings, certain: float, names: Sequence[str], release: TableRelease
) -> Risk:
    what = " and ".join(names)
    details = {"attribute": what, "certain": certain, "findings": found.to_dict()}
    asks = {"words": threat.measure, "public": threat.public}
    risk = found.risk(threat.name, threat.knows, "likeliest", threat.linkage, **asks)
    if risk.attacker is None:
        return threat.risk(not_tried="nobody could be asked about", details=details)
    against = "" if risk.guessing is None else f"; guessing gets {estimated(risk.guessing)}"
    told = round(certain * risk.count) if tuple(names) in promised(release) else 0
    better = "better than guessing" if risk.beats else "not shown to beat guessing"
    words: dict[str, Any] = {
        "broken_what": f"persons whose {what} is certain" if told else "",
        "sentence": f"An attacker ({threat.name}) is right about {what} in {estimated(risk.attacker)}{against}.",
        "meaning": f"{what}: certain for {percent(certain, 1)} of persons; {better}",
    }
    return replace(risk, broken=told, details=details, **words).saying(**words)


def persons(case: Case, *, published: bool, people: Longs | None = None) -> tuple[Longs, Known]:
    """Persons to try, some of all or of those given: rows of the original, and what is known of them."""
    data: Table = case.data
    result: PublishedTable = case.result
    rows = one_record_each(data, np.arange(len(data))) if people is None else people
    if published:
        rows = rows[~np.isin(data.source_rows[rows], result.key.suppressed)]
    rows = np.sort(case.rng.permutation(rows)[: PERSONS * case.effort.known_sets])
    return rows, known_looks(data, result.release, rows)


# Several attributes as one: for releases that promise to hide a combination of sensitive values, not each of them.


BETWEEN = " + "


def combined_name(parts: Sequence[str]) -> str:
    """Name of a combination, of attributes or of their values.

    >>> combined_name(["flu", "poor"])
    'flu + poor'
    """
    return BETWEEN.join(parts)


def joint_release(release: TableRelease, names: Sequence[str]) -> TableRelease:
    """The same release with some sensitive attributes as a single one, the last; its values are their combinations.

    Raises:
        ParameterError: the attributes do not stand in one column, or show more than one value in a cell.
    """
    places = [place for place, domain in enumerate(release.domains) if domain.name in names]
    columns = release.columns
    own = next((column for column in columns if set(places) <= set(column)), None)
    if len(places) != len(names) or own is None:
        message = f"{' and '.join(names)} do not stand in one column, so which of their values go together is hidden"
        raise ParameterError(message)
    if any((cell_sizes(release.domains[place]) != 1).any() for place in places):
        message = f"cells of {' and '.join(names)} stand for several values, which cannot be combined"
        raise ParameterError(message)
    together, number = np.unique(release.cells[:, places], axis=0, return_inverse=True)
    left = [place for place in range(len(release.domains)) if place not in places]
    domains = (
        *(release.domains[place] for place in left),
        _domain([release.domains[place] for place in places], together),
    )
    cells = np.column_stack([release.cells[:, left], number.reshape(-1)]).astype(np.int32)
    if not isinstance(release, Sliced):
        return replace(release, domains=domains, cells=cells)
    place_of = {place: new for new, place in enumerate(left)}
    kept = [[place_of[place] for place in column if place in place_of] for column in columns]
    kept[columns.index(own)].append(len(left))
    return replace(
        release, domains=domains, columns=tuple(tuple(column) for column in kept if column), cells=cells
    )


def _domain(domains: list[CellDomain], together: NDArray[np.int32]) -> CellDomain:
    values = tuple(
        combined_name([
            domain.values[domain.members[domain.member_offsets[cell]]]
            for domain, cell in zip(domains, row, strict=True)
        ])
        for row in together.tolist()
    )  # fmt: skip
    return CellDomain(
        combined_name([domain.name for domain in domains]),
        sensitive=True,
        values=values,
        numbers=None,
        labels=values,
        member_offsets=np.arange(len(values) + 1, dtype=np.int64),
        members=np.arange(len(values), dtype=np.int32),
    )


# What a table tells of the sensitive values of known persons, members beside outsiders.
#
# Means hide victims: a class whose persons all have one value gives each of them away, however few they are. Everybody
# asked about is looked up in tables that were made with and without them (``cloven.statistics.outsiders``), and in the
# one to be published: it has classes that no smaller table has.


@dataclass(frozen=True)
class Looks:
    """Somebody knows all published quasi-identifiers of a person, and asks for one sensitive attribute."""

    attribute: str
    size: int
    counts: bool = True

    @property
    def name(self) -> str:
        """A few words for tables."""
        return f"quasi-identifiers, for {self.attribute}"

    @property
    def phrase(self) -> str:
        """The name as it stands in a sentence."""
        return "the quasi-identifiers"


def told_risk(
    threat: Threat,
    case: Case,
    readers: Mapping[str, Reader],
    people: Longs | None = None,
    at_home: Reader | None = None,
    *,
    logic: bool = True,
) -> tuple[Told[Looks], Risk] | None:
    """What all readers tell of all sensitive attributes, and of which of both most more is told of members.

    A reader guesses about persons, and may know who of them is left out: of outsiders it is asked what others tell. The
    first one always counts, others where they are right about as often as they say. None where nobody can be asked.
    ``people`` are rows of those who are asked about; None asks people of whom everybody is left out once. ``at_home``
    reads rows of other people without a release; None is the reader that tells most. Without ``logic`` what is certain
    is not judged.
    """
    data: Table = case.data
    asked, left_out = case.asked()
    if people is not None:
        asked = np.sort(case.rng.permutation(people)[: case.effort.most_people])
        left_out = np.array([np.isin(asked, split.outsiders) for split in case.splits])
    secret = [domain.name for domain in case.result.release.domains if domain.sensitive]
    every = [
        _told(case, reader, name, read, asked, left_out, trusted=place == 0)
        for place, (reader, read) in enumerate(readers.items())
        for name in secret
    ]
    judged = [told for told in every if told.sheet.people and told.credible]
    if not judged:
        return None
    guessed = max((told.likeliest() for told in judged), key=harm)
    worst, risk = judged_risk(threat, every, judged, (guessed,), logic=logic)
    population = _population(case, worst.way.attribute, at_home or readers[worst.reader])
    details = {**risk.details, **_published(data, asked, judged)}
    return worst, replace(risk, population=population, details=details)


def _told(
    case: Case, reader: str, attribute: str, read: Reader, asked: Longs, left_out: Flags, *, trusted: bool
) -> Told[Looks]:
    """What the tables of all divisions tell of one attribute, and what the table itself does, beside outsiders."""
    data: Table = case.data
    truth = Truth.of(data, attribute, asked)
    in_it = np.zeros((1, len(asked)), bool)
    outside = np.concatenate((left_out, in_it))
    releases = [*(split.result.release for split in case.splits), case.result.release]
    told = [
        value_telling(read(release, known_looks(data, release, asked), attribute, away), truth)
        if len(release)
        else nothing_told(len(asked))
        for release, away in zip(releases, outside, strict=True)
    ]
    size = len(known_looks(data, case.result.release, asked[:0]).names)
    divisions = np.concatenate((np.ones_like(left_out), in_it))
    itself = _sheet(told, outside, np.concatenate((left_out, ~in_it)))
    remade = all(split.remade for split in case.splits)
    sheets = (_sheet(told, outside, divisions) if remade else itself, itself)
    return Told(Looks(attribute, size), reader, sheets, told[-1], trusted)


def _sheet(told: Sequence[ValueTelling], outside: Flags, shown: Flags) -> Sheet:
    """Tellings of several tables side by side, of the people who are to be shown for each."""
    level, certain, stated, right, best = (
        np.array([getattr(each, name) for each in told])
        for name in ("told", "certain", "stated", "right", "best")
    )
    sides = [shown & (outside != member) for member in (False, True)]
    claims = tuple((stated[side], right[side]) for side in sides)
    return Sheet(~outside, shown, level, certain, best, claims, len(outside) > 2)  # type: ignore[arg-type]  # two


def known_looks(data: Table, release: Any, rows: Longs) -> Known:
    """What is known of some rows: every quasi-identifier that a release shows."""
    shown = {domain.name for domain in release.domains}
    return Known.of(data, rows, [name for name in data.names("quasi-identifier") if name in shown])


def _population(case: Case, attribute: str, read: Reader) -> Estimate:
    """What somebody is told who has no release, but the rows of the people who were left out of one."""
    data: Table = case.data
    split = case.splits[0]
    left_out, others = (
        np.sort(case.rng.permutation(one_record_each(data, side))[: case.effort.most_people])
        for side in (split.outsiders, split.members)
    )
    rows = untouched(data.take(left_out))
    guesses = read(rows, known_looks(data, rows, others), attribute, np.ones(len(others), bool))
    told = value_telling(guesses, Truth.of(data, attribute, others)).told
    found = int((told >= HEADLINE - ROUNDING).sum())
    return Estimate(found / max(1, len(told)), *wilson(found, len(told)))


def _published(data: Table, asked: Longs, judged: Sequence[Told[Looks]]) -> dict[str, Any]:
    """What the table itself tells of those asked about: how many are told how much, and of whom most is.

    The reader is the judged one that tells most.
    """
    most = max(judged, key=lambda told: tuple(told.at(level).members.value for level in reversed(LEVELS)))
    told: ValueTelling = most.real
    return {
        "histogram": histogram(told.told),
        "people": _worst(data, asked, told, Truth.of(data, most.way.attribute, asked), most.way.attribute),
        "people_of": len(told.told),
    }


def _worst(
    data: Table, asked: Longs, told: ValueTelling, truth: Truth, attribute: str
) -> list[dict[str, Any]]:
    """The persons of whom most is told; of all who look alike and are told the same one stands for the others."""
    order = np.lexsort((data.source_rows[asked], -told.told, ~told.certain))
    order = order[told.told[order] >= LEVELS[0]]
    rows = person_rows(data, asked, told, truth, attribute)
    cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in map(rows.__getitem__, order.tolist()):
        cases.setdefault((tuple(row["known"]), row["told"]), []).append(row)
    return [case[0] | {"alike": len(case)} for case in list(cases.values())[:WORST]]


def person_rows(
    data: Table, rows: Longs, told: ValueTelling, truth: Truth, attribute: str
) -> list[dict[str, Any]]:
    """What is told of the persons behind rows of the data, as plain values.

    A value that is less likely than all others together is not told.
    """
    places = data.positions("quasi-identifier")
    likely = told.told >= LEVELS[0] - ROUNDING
    return [
        {
            "record": int(data.source_rows[row]),
            "known": [_cell(data, row, place) for place in places] if likely[at] else None,
            "told": f"{attribute} = {truth.values[told.value[at]]}" if likely[at] else None,
            "probability": round(float(told.told[at]), 4) if likely[at] else 0.0,
            "certain": bool(told.certain[at]),
        }
        for at, row in enumerate(rows.tolist())
    ]


def _cell(data: Table, row: int, place: int) -> str:
    attribute = data.attributes[place]
    return f"{attribute.name} = {attribute.values[data.codes[row, place]]}"


def told_of_values(
    data: Table,
    release: TableRelease,
    readers: Mapping[str, Reader],
    m: int | None,
    sensitive: Collection[str],
) -> Everybody:
    """What every reader tells of the sensitive values of everybody; of several attributes the one told most."""
    expect_data(data, release, Table)
    if m is not None or sensitive:
        message = (
            "m and sensitive are for sets of items; of a table the schema says what is known and sensitive"
        )
        raise ParameterError(message)
    secret = [domain.name for domain in release.domains if domain.sensitive]
    if not secret:
        message = (
            "the release has no sensitive attribute, so there is no value to tell; give roles in the schema"
        )
        raise ParameterError(message)
    everybody = one_record_each(data, np.arange(len(data)))
    known, found = known_looks(data, release, everybody), {}
    for name, read in readers.items():
        each, said = [], np.zeros((2, len(SURE)))
        for attribute in secret:
            guesses = read(release, known, attribute, None)
            truth = Truth.of(data, attribute, everybody)
            told = value_telling(guesses, truth)
            said += claims(told.stated, told.right)
            each.append(person_rows(data, everybody, told, truth, attribute))
        found[name] = ([min(same, key=most_first) for same in zip(*each, strict=True)], said)
    return found
