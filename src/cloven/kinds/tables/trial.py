"""Trying attackers out on published tables: whom they ask about, and what of it counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.figures import estimated, percent
from cloven.kinds.known_person import HEADLINE
from cloven.kinds.tables.buckets import cell_sizes
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced
from cloven.kinds.tables.told import known_looks, told_risk
from cloven.statistics.outsiders import one_record_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.known_person import Told
    from cloven.kinds.tables.attack.known import Known, ValueGuesses
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import GeneralisedTable
    from cloven.kinds.tables.score.score import TableFindings
    from cloven.kinds.tables.told import Looks, Reader
    from cloven.threats import Case, Threat

    Guess = Callable[[GeneralisedTable | Sliced, Known, str], ValueGuesses]

TOLD = "persons of whom a sensitive value is claimed with a probability of 0.8 or more, and rightly"
PERSONS = 25
"""Persons that are tried for each set of known items that an effort allows: all of them go at once."""


@dataclass(frozen=True)
class Attempt:
    """One way to find out a sensitive value.

    Attributes:
        guess: the attack.
        control: the same without its knowledge; None asks about the wrong persons instead.
        measure: the finding that is the risk.
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
    measure: str = "likeliest"
    combinations: bool = False
    readers: Mapping[str, Reader] = field(default_factory=dict)
    people: NDArray[np.int64] | None = None
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
            risks.append(_risk(threat, *found, self.measure, names, result.release))
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
        release: GeneralisedTable | Sliced,
        names: tuple[str, ...],
        asked: tuple[NDArray[np.int64], Known, Known | None],
        rng: np.random.Generator,
    ) -> tuple[TableFindings, float]:
        """The attack on one attribute, or on a combination; and of how many a value that harms is certain."""
        from cloven.kinds.tables.score.score import score_values, true_values
        from cloven.kinds.tables.score.telling import Truth, value_telling

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


def promised(release: GeneralisedTable | Sliced) -> list[tuple[str, ...]]:
    """Sensitive attributes whose values are promised to be hidden, jointly where several stand together."""
    told, secret = release.parameters, [domain.name for domain in release.domains if domain.sensitive]
    stated = [
        tuple(each["attributes"])
        for each in told.get("constraints", ())
        if (each.get("l") or 0) > 1 and each.get("attributes")
    ]
    if stated or (told.get("l") or 0) < 2:
        return list(dict.fromkeys(stated))
    return [tuple(secret)] if told.get("together") == "jointly" else [(name,) for name in secret]


def _targets(release: GeneralisedTable | Sliced, *, combinations: bool) -> list[tuple[str, ...]]:
    single = [(domain.name,) for domain in release.domains if domain.sensitive]
    return [*single, *(each for each in promised(release) if combinations and len(each) > 1)]


def _risk(
    threat: Threat,
    found: TableFindings,
    certain: float,
    measure: str,
    names: Sequence[str],
    release: GeneralisedTable | Sliced,
) -> Risk:
    what = " and ".join(names)
    details = {"attribute": what, "certain": certain, "findings": found.to_dict()}
    asks = {"words": threat.measure, "public": threat.public}
    risk = found.risk(threat.name, threat.knows, measure, threat.linkage, **asks)
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


def persons(
    case: Case, *, published: bool, people: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], Known]:
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


def joint_release(release: GeneralisedTable | Sliced, names: Sequence[str]) -> GeneralisedTable | Sliced:
    """The same release with some sensitive attributes as a single one, the last; its values are their combinations.

    Raises:
        ParameterError: the attributes do not stand in one column, or show more than one value in a cell.
    """
    places = [place for place, domain in enumerate(release.domains) if domain.name in names]
    columns = release.columns if isinstance(release, Sliced) else (tuple(range(len(release.domains))),)
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
