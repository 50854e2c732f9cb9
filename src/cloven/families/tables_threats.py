"""Attackers of published tables, each with the attack that uses what it knows.

All of them know the quasi-identifiers of a person. What they reach is counted over persons of the original; the control
knows the quasi-identifiers of somebody else, or no words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.families.words import share
from cloven.threats import Effort, Progress, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.attack.sliced.known import Known
    from cloven.model.key_table import PublishedTable
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.risk import Risk
    from cloven.model.table import Table
    from cloven.protocols import Relatedness
    from cloven.scoring.tables.table_findings import TableFindings

    Guess = Callable[[GeneralisedTable | Sliced, Known, str], ValueGuesses]

PERSONS = 5
"""Persons that are tried for each set of known items that an effort allows: all of them go at once."""
LEFT = "mean over persons of 1 / sensitive values left, 0 where theirs is ruled out (disclosure risk ratio)"
SURE = "mean confidence in the sensitive value that a person really has"


def known_person() -> Threat:
    """Somebody who knows the quasi-identifiers of a person and looks for the sensitive value.

    >>> known_person().linkage
    'attribute'
    """
    from cloven.attack.sliced.single import AttributeDisclosure

    def guess(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return AttributeDisclosure(attribute).guess(release, known)

    def attempt(threat: Threat, data: Table, result: PublishedTable, *given: Any) -> Risk:
        risk = _worst(threat, data, result, given, "drr_soft", guess, None)
        promised = (result.release.parameters.get("l") or 0) >= 2
        told = round(risk.details["certain"] * risk.count)
        return replace(
            risk,
            broken=told if promised else 0,
            broken_what="persons whose sensitive value is certain" if promised and told else "",
        )

    about = "the release, and the quasi-identifiers of one person"
    return Threat("known person", about, "attribute", LEFT, attempt)


def another_release(other: GeneralisedTable | Sliced, name: str = "another release") -> Threat:
    """Somebody who has another release that may hold the same person, and intersects what both leave.

    >>> from cloven.measure.tables.untouched import untouched
    >>> from cloven.model.table import Attribute, Table
    >>> table = Table((Attribute("sex", "quasi-identifier", ("f",)),), np.zeros((3, 1), np.int32), np.arange(3))
    >>> another_release(untouched(table)).knows
    'the release, the quasi-identifiers of one person, and another table about the same people (3 rows, k=1)'
    """
    from cloven.attack.sliced.composition import Composition

    def guess(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return Composition(attribute).guess((release, other), known)

    def attempt(threat: Threat, data: Table, result: PublishedTable, *given: Any) -> Risk:
        return _worst(threat, data, result, given, "drr_soft", guess, None)

    about = f"another table about the same people ({len(other):,} rows, k={other.k})"
    knows = f"the release, the quasi-identifiers of one person, and {about}"
    return Threat(name, knows, "attribute", LEFT, attempt)


def word_meanings(relatedness: Relatedness) -> Threat:
    """Somebody who also knows how related words are: which illness fits which work.

    >>> import cloven as cv
    >>> word_meanings(cv.Vectors.sample()).name
    'word meanings'
    """
    from cloven.attack.sliced.semantic import SemanticValues

    def guess(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute).guess(release, known)

    def without(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute, sharpness=0.0).guess(release, known)

    def attempt(threat: Threat, data: Table, result: PublishedTable, *given: Any) -> Risk:
        return _worst(threat, data, result, given, "confidence", guess, without)

    about = (
        f"the release, the quasi-identifiers of one person, and how related words are ({relatedness.name})"
    )
    return Threat("word meanings", about, "attribute", SURE, attempt)


def membership() -> Threat:
    """Somebody who wants to know whether a person is in the table at all.

    No table but a differentially private one promises to hide that, so it is shown and does not take part in the
    verdict. There is nobody outside the table to ask about, so the others are made up: each quasi-identifier from
    somebody else. Real others are more alike, and harder to tell.

    >>> membership().linkage
    'table'
    """

    def attempt(
        threat: Threat,
        data: Table,
        result: PublishedTable,
        effort: Effort,
        rng: np.random.Generator,
        _progress: Progress | None,
    ) -> Risk:
        from cloven.attack.sliced.single import Membership
        from cloven.scoring.tables.membership import score_membership

        inside = _persons(data, result, effort, rng, published=True)
        known, others = inside[1], _made_up(inside[1], data, rng)
        if not len(others):
            return threat.risk(not_tried="every combination of quasi-identifiers is in the table")
        both = replace(known, codes=np.concatenate([known.codes, others]))
        guesses = Membership().guess(result.release, both)
        found = score_membership(guesses, np.arange(len(both)) < len(known))
        risk = found.risk(
            threat.name, threat.knows, "auc", threat.linkage, words=threat.measure, counts=False
        )
        if risk.attacker is None:
            return threat.risk(not_tried="nobody could be asked about")
        told = "can tell who is in it" if risk.beats else "not shown to tell who is in it"
        often = f"from made-up ones in {share(risk.attacker)}"
        sentence = f"An attacker ({threat.name}) tells persons in the table {often}."
        return replace(
            risk,
            sentence=sentence,
            meaning=f"{told}; such tables do not promise to hide it",
            details={"findings": found.to_dict()},
        )

    measure = "probability that a person of the table fits it better than a made-up one (0.5 is guessing)"
    about = "the release, and the quasi-identifiers of one person"
    return Threat("being in the table", about, "table", measure, attempt)


def _worst(
    threat: Threat,
    data: Table,
    result: PublishedTable,
    given: tuple[Any, ...],
    measure: str,
    guess: Guess,
    control: Guess | None,
) -> Risk:
    """The attack on each sensitive attribute; the one with the largest risk stands for all."""
    from cloven.scoring.tables.disclosure import score_values, true_values

    effort, rng, progress = given
    secret = [domain.name for domain in result.release.domains if domain.sensitive]
    if not secret:
        return threat.risk(
            not_tried="no attribute is sensitive, so there is no value to find out", details={"certain": 0.0}
        )
    rows, known = _persons(data, result, effort, rng, published=False)
    wrong = known.take(rng.permutation(len(known)))
    risks = []
    for number, attribute in enumerate(secret):
        if progress is not None:
            progress(f"guess {attribute}", number / len(secret))
        other = (guess if control is None else control)(
            result.release, wrong if control is None else known, attribute
        )
        truth = true_values(data, attribute, rows)
        found = score_values(guess(result.release, known, attribute), truth, rng=rng, control=other)
        risks.append(_risk(threat, found, measure, attribute))
    return max(risks, key=lambda risk: -1.0 if risk.attacker is None else risk.attacker.upper)


def _risk(threat: Threat, found: TableFindings, measure: str, attribute: str) -> Risk:
    certain = found.get("drr_strict").value or 0.0
    details = {"attribute": attribute, "certain": certain, "findings": found.to_dict()}
    risk = found.risk(threat.name, threat.knows, measure, threat.linkage, words=threat.measure)
    if risk.attacker is None:
        return threat.risk(not_tried="nobody could be asked about", details=details)
    against = "" if risk.guessing is None else f"; guessing gets {share(risk.guessing)}"
    sentence = f"An attacker ({threat.name}) reaches {share(risk.attacker)} for {attribute}{against}."
    better = "better than guessing" if risk.beats else "not shown to beat guessing"
    return replace(
        risk,
        sentence=sentence,
        meaning=f"{attribute}: {100 * certain:.1f} % of persons are certain; {better}",
        details=details,
    )


def _persons(
    data: Table, result: PublishedTable, effort: Effort, rng: np.random.Generator, *, published: bool
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Known]:
    """Persons to try: rows of the original, and what is known of them."""
    from cloven.attack.sliced.known import Known

    rows = np.arange(len(data))
    if published:
        rows = rows[~np.isin(data.source_rows, result.key.suppressed)]
    rows = np.sort(rng.permutation(rows)[: PERSONS * effort.known_sets])
    shown = {domain.name for domain in result.release.domains}
    names = [name for name in data.names("quasi-identifier") if name in shown]
    return rows, Known.of(data, rows, names)


def _made_up(known: Known, data: Table, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int32]]:
    """As many looks as are known, each value from somebody else, without those that somebody has."""
    drawn = np.column_stack([rng.permutation(column) for column in known.codes.T])
    places = {attribute.name: place for place, attribute in enumerate(data.attributes)}
    there = data.codes[:, [places[name] for name in known.names]]
    taken = set(map(bytes, np.ascontiguousarray(there)))
    return drawn[[bytes(look) not in taken for look in np.ascontiguousarray(drawn)]]
