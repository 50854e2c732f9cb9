"""Attackers of published tables, each with the attack that uses what it knows.

All of them know the quasi-identifiers of a person. What they reach is counted over persons of the original; the control
knows the quasi-identifiers of somebody else, or no words. They go by how many rows are to be expected, not by the share
of a bucket that promises are made in: that is what somebody does who wants to be right.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import row_numbers
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.figures import estimated, many
from cloven.kinds.membership import membership
from cloven.kinds.tables.attack.known_person import learners, plain
from cloven.kinds.tables.attack.replay import Crowd, Replayed, why_not
from cloven.kinds.tables.attack.values import Composition
from cloven.kinds.tables.score.trial import TOLD, Attempt, known_looks, persons
from cloven.kinds.tables.score.truth import Truth, value_telling
from cloven.statistics.outsiders import one_record_each
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.attack.replay import Replay
    from cloven.kinds.tables.guesses import Known, ValueGuesses
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease
    from cloven.protocols import Relatedness


VALUE = "persons whose sensitive value the attacker holds likeliest; equally likely ones count in part"
ROW = "persons whose row the attacker holds likeliest; equally likely ones count in part"
CUT_ROW = (
    "persons whose row the attacker puts together rightly from its parts; equally likely ones count in part"
)


def known_person() -> Threat:
    """Somebody who knows the quasi-identifiers of a person and looks for the sensitive value.

    Where a combination of values is promised to be hidden, it is looked for too.

    >>> known_person().linkage
    'attribute'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        return Attempt(plain, combinations=True).worst(threat, case)

    about = "the release, and the quasi-identifiers of one person"
    return Threat("known person", about, "attribute", VALUE, attempt).publicly()


def learns() -> Threat:
    """Somebody who learns from the table itself which values go with which quasi-identifiers (deFinetti attack).

    Several ways to learn are tried, and the one that tells most more of members than of outsiders counts, if it is
    right about as often as it says. People who are left out have no bucket: the model alone is asked about them.

    >>> learns().linkage
    'attribute'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        readers = learners(case.result.release)
        first = next(iter(readers.values()))
        attempt = Attempt(
            lambda release, known, name: first(release, known, name, None),
            readers=readers,
            logic=False,
            scored=False,
        )
        # No table promises anything about what goes together elsewhere. What is certain is so to the plain reader.
        return replace(attempt.worst(threat, case), broken=0, broken_what="")

    about = "the release, the quasi-identifiers of one person, and what goes together elsewhere in it"
    return Threat("learns from the table", about, "attribute", TOLD, attempt).publicly()


def persons_row() -> Threat:
    """Somebody who knows the quasi-identifiers of a person who is in the table, and looks for their row.

    It is what k is about: of k rows that look alike one is right. A row of a sliced table is a bucket and one part of
    each of its columns, and all of them must be the person's. Made-up rows are nobody's, so a table that has no others
    gives nothing to look for.

    >>> persons_row().linkage
    'record'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.kinds.tables.attack.link import RecordLinkage
        from cloven.kinds.tables.release import Sliced
        from cloven.kinds.tables.score.score import score_rows

        data: Table = case.data
        result: PublishedTable = case.result
        if not (result.key.records >= 0).any():
            return threat.risk(not_tried="every row is made up, so none is anybody's", counts=False)
        rows, known = persons(case, published=True)
        guesses = RecordLinkage().guess(result.release, known)
        wrong = RecordLinkage().guess(result.release, known.take(case.rng.permutation(len(known))))
        found = score_rows(guesses, result, data.source_rows[rows], rng=case.rng, control=wrong)
        cut = isinstance(result.release, Sliced)
        counted = CUT_ROW if cut else ROW
        risk = found.risk(threat.name, threat.knows, "row", "record", words=counted, public=threat.public)
        if risk.attacker is None:
            return threat.risk(not_tried="nobody could be asked about")
        fit = guesses.candidates[guesses.matched > 0]
        least, few = int(fit.min(initial=len(result.release))), int((fit < result.release.k).sum())
        before = Estimate(_alone(data, rows))
        does = "puts the right row together" if cut else "picks the right one"
        sentence = (
            f"Who knows the quasi-identifiers of a person has at least {many(least, 'row')} to choose from and {does}"
            f" with {estimated(risk.attacker)}; in the original with {estimated(before)}."
        )
        what = "persons with fewer than k rows to choose from" if few else ""
        # The fewest rows are somebody's, not a total, so that there is no sentence for the public.
        return replace(
            risk,
            broken=few,
            broken_what=what,
            sentence=sentence,
            meaning=f"at least {many(least, 'row')} to choose from; in the original {estimated(before)}",
            promised=True,
            single=max(1 / max(1, least), float(guesses.confidence.max(initial=0.0))),
            details={"least": least, "in_the_original": before.value, "findings": found.to_dict()},
        ).saying(measure=counted, broken_what=what)

    about = "the release, that one person is in it, and the person's quasi-identifiers"
    return Threat("a person's row", about, "record", ROW, attempt).publicly()


def word_meanings(relatedness: Relatedness) -> Threat:
    """Somebody who also knows how related words are: which illness fits which work.

    >>> import cloven as cv
    >>> word_meanings(cv.relatedness.Vectors.sample()).name
    'word meanings'
    """
    from cloven.kinds.tables.attack.semantic import SemanticValues

    def guess(release: TableRelease, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute).guess(release, known)

    def without(release: TableRelease, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute, sharpness=0.0).guess(release, known)

    def attempt(threat: Threat, case: Case) -> Risk:
        return Attempt(guess, without).worst(threat, case)

    about = (
        f"the release, the quasi-identifiers of one person, and how related words are ({relatedness.name})"
    )
    return Threat("word meanings", about, "attribute", VALUE, attempt, outside=True).publicly(
        knows="the release, the quasi-identifiers of one person, and how related words are"
    )


def being_in_the_table() -> Threat:
    """Somebody who knows all quasi-identifiers of a person, and wants to know whether the person is in the table.

    >>> being_in_the_table().linkage
    'table'
    """

    def fit(case: Case, release: TableRelease, asked: Longs) -> Floats:
        from cloven.kinds.tables.attack.values import Membership

        return Membership().guess(release, known_looks(case.data, release, asked)).rows

    return membership("being in the table", "the release, and the quasi-identifiers of one person", fit)


def _alone(data: Table, rows: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """How often the right row of the original is picked: one by all that have the same quasi-identifiers."""
    looks = data.codes[:, list(data.positions("quasi-identifier"))]
    look = row_numbers(looks)
    return float((1.0 / np.bincount(look)[look[rows]]).mean())


# The attacker of a published table who replays the method that made it.


def replays() -> Threat:
    """Somebody who knows everybody's quasi-identifiers and the method, and asks why classes were not cut (minimality).

    People who are left out have no class: of them it is asked what the classes show that they fit.

    >>> replays().linkage
    'attribute'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        why = why_not(case.result.release)
        if why:
            return threat.risk(not_tried=why, counts=False, details={"certain": 0.0})
        reader = _reader(case)
        attempt = Attempt(
            lambda release, known, name: reader(release, known, name, None),
            readers={"replays": reader},
            scored=False,
            population=plain,
        )
        risk = attempt.worst(threat, case)
        # No table but a replay-proof one says anything about what its making tells.
        return replace(risk, broken=0, broken_what="")

    about = "the release, how it was made, and the quasi-identifiers of everybody in it"
    return Threat("replays the method", about, "attribute", TOLD, attempt).publicly()


def _reader(case: Case) -> Callable[..., ValueGuesses]:
    """Guesses about persons; every release is replayed once."""
    seen: list[tuple[object, Replay]] = []

    def guess(release: TableRelease, known: Known, attribute: str, away: Flags | None) -> ValueGuesses:
        attack = Replayed(attribute)
        found = next((replay for one, replay in seen if one is release), None)
        if found is None:
            found = attack.replay(release, _crowd(case, release), case.rng)
            seen.append((release, found))
        return found.guess(attack, known, away)

    return guess


def _crowd(case: Case, release: TableRelease) -> Crowd:
    """Everybody in a release: the one to be published, or one of those that leave people out."""
    data: Table = case.data
    result: PublishedTable = case.result
    if release is not result.release:
        for split in case.splits:
            if release is split.result.release:
                return Crowd.of(data, split.members)
    return Crowd.of(data, ~np.isin(data.source_rows, result.key.suppressed))


# Another release about some of the same people: what both tell together is told of those who are in both.
#
# A second release harms nobody who is not in it. An average over everybody hides those whom it does harm, so they alone
# are asked about: the owner says who they are, or they are found in the table that the other release was made from.
# Where nobody knows, the people of whom most would be told stand for them.


STAND_FOR_ALL = 30
"""People who stand for those in both releases where nobody knows who they are."""


def another_release(
    other: TableRelease, name: str = "another release", shared: Longs | None = None
) -> Threat:
    """Somebody who has another release that holds some of the same people, and intersects what both leave.

    ``shared`` are the source positions of the rows whose people are in both (``shared_rows``); None if nobody knows.
    That there is another release is the owner's to tell, so this attacker is not public.

    >>> from cloven.kinds.tables.reconstruction import untouched
    >>> from cloven.data.table import Attribute, Table
    >>> table = Table((Attribute("sex", "quasi-identifier", ("f",)),), np.zeros((3, 1), np.int32), np.arange(3))
    >>> another_release(untouched(table)).knows
    'the release, the quasi-identifiers of one person, and another table about the same people (3 rows, k=1)'
    """

    def guess(release: TableRelease, known: Known, attribute: str, away: Flags | None = None) -> ValueGuesses:
        both = Composition(attribute, "rows").guess((release, other), known)
        if away is None or not away.any():
            return both
        return _only_one(both, plain(release, known, attribute), away)

    def attempt(threat: Threat, case: Case) -> Risk:
        rows = _told_most(case, guess) if shared is None else _rows_of(case.data, shared)
        readers = {"both releases": guess, "this one alone": plain}
        risk = Attempt(guess, readers=readers, people=rows).worst(threat, case)
        # One release promises nothing about two.
        doubt = _unknown(len(rows)) if shared is None else ""
        return replace(risk, broken=0, broken_what="", doubt=doubt)

    about = f"another table about the same people ({len(other):,} rows, k={other.k})"
    knows = f"the release, the quasi-identifiers of one person, and {about}"
    return Threat(
        name, knows, "attribute", TOLD, attempt, outside=True, criteria=("linkability", "inference")
    )


def shared_rows(data: Table, other: Table) -> Longs:
    """Source positions of the rows of a table that stand in another one too: equal in every column that both have.

    Raises:
        ParameterError: they share no column, or nobody.

    >>> from cloven.data.table import Attribute, Table
    >>> town = Attribute("town", "quasi-identifier", ("Graz", "Linz"))
    >>> codes = np.array([[0], [1]], np.int32)
    >>> shared_rows(Table((town,), codes, np.arange(2)), Table((town,), codes[1:], np.arange(1)))
    array([1])
    """
    names = [attribute.name for attribute in data.attributes]
    common = [name for name in names if name in {attribute.name for attribute in other.attributes}]
    if not common:
        message = (
            f"the tables share no column ({', '.join(names)}); give the table that the other release is of"
        )
        raise ParameterError(message)
    theirs = set(_texts(other, common))
    found = np.array([row in theirs for row in _texts(data, common)], np.bool_)
    if not found.any():
        message = (
            f"no row is in both tables (compared by {', '.join(common)}), so who is in both cannot be found; leave the"
            " other release out if nobody is, else leave its table out: the worst case counts then"
        )
        raise ParameterError(message)
    return data.source_rows[found]


def _texts(table: Table, names: list[str]) -> list[tuple[str | None, ...]]:
    """Rows as texts of some columns."""
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    columns = [
        [
            None if code < 0 else table.attributes[place].values[code]
            for code in table.codes[:, place].tolist()
        ]
        for place in (places[name] for name in names)
    ]
    return list(zip(*columns, strict=True))


def _rows_of(data: Table, shared: Longs) -> Longs:
    """Rows at some source positions, one of each person."""
    rows = np.flatnonzero(np.isin(data.source_rows, shared))
    if not len(rows):
        message = "nobody of the table is in the other release; leave it out"
        raise ParameterError(message)
    return one_record_each(data, rows)


def _told_most(case: Case, guess: Any) -> Longs:
    """People who may be in both and of whom most would be told then."""
    data: Table = case.data
    release = case.result.release
    rows, known = persons(case, published=True)
    told, refused = np.zeros((0, len(rows))), None
    for name in (domain.name for domain in release.domains if domain.sensitive):
        try:
            found = value_telling(guess(release, known, name), Truth.of(data, name, rows))
        except ParameterError as error:  # the other release may not show it
            refused = refused or error
            continue
        told = np.vstack((told, found.told))
    if refused is not None and not len(told):
        raise refused
    told = told.max(axis=0, initial=0.0)
    return np.sort(rows[np.argsort(-told, kind="stable")[:STAND_FOR_ALL]])


def _unknown(people: int) -> str:
    return (
        f"Who is in the other release too is not known, so the {people:,} people of whom most would be told stand for"
        " them; say it: --other-data with the table that the other release was made from."
    )


def _only_one(both: ValueGuesses, alone: ValueGuesses, away: Flags) -> ValueGuesses:
    """Guesses by both releases; about people left out, who are in neither, those by this one alone."""
    at = {value: place for place, value in enumerate(both.values)}
    places = np.array([at[value] for value in alone.values])
    candidate, confidence = both.candidate.copy(), both.confidence.copy()
    candidate[away], confidence[away] = False, 0.0
    here = np.ix_(np.flatnonzero(away), places)
    candidate[here], confidence[here] = alone.candidate[away], alone.confidence[away]
    return replace(both, candidate=candidate, confidence=confidence)
