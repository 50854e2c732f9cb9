"""What a table tells of the sensitive values of known persons, members beside outsiders.

Means hide victims: a class whose persons all have one value gives each of them away, however few they are. Everybody
asked about is looked up in tables that were made with and without them (``cloven.statistics.outsiders``), and in the
one to be published: it has classes that no smaller table has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.kinds.known_person import HEADLINE, WORST, Told, harm, histogram, judged_risk
from cloven.kinds.people import claims, expect_data, most_first
from cloven.kinds.tables.score.telling import Truth, ValueTelling, nothing_told, value_telling
from cloven.statistics.intervals import wilson
from cloven.statistics.outsiders import ROUNDING, SURE, Sheet, one_record_each
from cloven.statistics.telling import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags
    from cloven.disclosure.risk import Risk
    from cloven.kinds.people import Everybody
    from cloven.kinds.tables.attack.known import Known, ValueGuesses
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.threats import Case, Threat

    Reader = Callable[[Any, Any, str, NDArray[np.bool_] | None], ValueGuesses]


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
    people: NDArray[np.int64] | None = None,
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
    case: Case,
    reader: str,
    attribute: str,
    read: Reader,
    asked: NDArray[np.int64],
    left_out: Flags,
    *,
    trusted: bool,
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
    sheets = (_sheet(told, outside, divisions), _sheet(told, outside, np.concatenate((left_out, ~in_it))))
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


def known_looks(data: Table, release: Any, rows: NDArray[np.int64]) -> Known:
    """What is known of some rows: every quasi-identifier that a release shows."""
    from cloven.kinds.tables.attack.known import Known

    shown = {domain.name for domain in release.domains}
    return Known.of(data, rows, [name for name in data.names("quasi-identifier") if name in shown])


def _population(case: Case, attribute: str, read: Reader) -> Estimate:
    """What somebody is told who has no release, but the rows of the people who were left out of one."""
    from cloven.kinds.tables.utility.draw import untouched

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


def _published(data: Table, asked: NDArray[np.int64], judged: Sequence[Told[Looks]]) -> dict[str, Any]:
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
    data: Table, asked: NDArray[np.int64], told: ValueTelling, truth: Truth, attribute: str
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
    data: Table, rows: NDArray[np.int64], told: ValueTelling, truth: Truth, attribute: str
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
    release: GeneralisedTable | Sliced,
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
