"""Trying attackers out on published tables: whom they ask about, and what of it counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.families.tables_told import known_looks, told_risk
from cloven.families.told import HEADLINE
from cloven.families.words import share
from cloven.outsiders import one_record_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.attack.sliced.known import Known
    from cloven.families.tables_told import Looks, Reader
    from cloven.families.told import Told
    from cloven.model.key_table import PublishedTable
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.risk import Risk
    from cloven.model.table import Table
    from cloven.scoring.tables.table_findings import TableFindings
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
        from cloven.attack.sliced.joint import combined_name, joint_release
        from cloven.scoring.tables.disclosure import score_values, true_values
        from cloven.scoring.tables.telling import Truth, value_telling

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
    asked = f"{worst.way.attribute}: the likeliest value is right in {share(right.members)}"
    sentence = (
        f"An attacker ({risk.threat}) is told a sensitive value, with 0.8 or more and rightly, of {share(told.members)}"
        f" of the people in a release and of {share(told.outsiders)} of people left out of it; being in it adds"
        f" {share(told.excess)}."
    )
    meaning = f"{asked}, of people left out in {share(right.outsiders)}"
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
    against = "" if risk.guessing is None else f"; guessing gets {share(risk.guessing)}"
    told = round(certain * risk.count) if tuple(names) in promised(release) else 0
    better = "better than guessing" if risk.beats else "not shown to beat guessing"
    words: dict[str, Any] = {
        "broken_what": f"persons whose {what} is certain" if told else "",
        "sentence": f"An attacker ({threat.name}) is right about {what} in {share(risk.attacker)}{against}.",
        "meaning": f"{what}: certain for {100 * certain:.1f} % of persons; {better}",
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
