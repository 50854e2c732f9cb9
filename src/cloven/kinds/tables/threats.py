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
from cloven.figures import estimated, many
from cloven.kinds.tables.attack.known import Crowd
from cloven.kinds.tables.attack.learned import Learned, Start
from cloven.kinds.tables.attack.replay import Replayed, why_not
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.release import GeneralisedTable
from cloven.kinds.tables.trial import TOLD, Attempt, persons
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.attack.known import Known, ValueGuesses
    from cloven.kinds.tables.attack.replay import Replay
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import Sliced
    from cloven.kinds.tables.told import Reader
    from cloven.protocols import Relatedness


VALUE = "persons whose sensitive value the attacker holds likeliest; equally likely ones count in part"
WAYS: tuple[tuple[Start, int], ...] = (("shares", 1), ("shares", 512))
"""Ways to learn: what is believed to begin with, and up to how many states all deals of a bucket are summed.

To begin with a regression tells as much as the second to half a per cent (Adult, stroke, Synthea), and takes as long.
"""
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
        return Attempt(_plain, combinations=True).worst(threat, case)

    about = "the release, and the quasi-identifiers of one person"
    return Threat("known person", about, "attribute", VALUE, attempt).publicly()


def _plain(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
    """By the rows that fit."""
    from cloven.kinds.tables.attack.values import AttributeDisclosure

    return AttributeDisclosure(attribute, "rows").guess(release, known)


def table_readers(release: GeneralisedTable | Sliced) -> dict[str, Reader]:
    """Everybody who reads a table: by the rows that fit; and those who learn from it."""
    return {"plain": lambda *asked: _plain(*asked[:3]), **_learners(release)}


def _learners(release: GeneralisedTable | Sliced) -> dict[str, Reader]:
    """All ways to learn; where values stand beside coarse quasi-identifiers they are one."""
    ways = WAYS[:1] if isinstance(release, GeneralisedTable) else WAYS
    return {_named(*way): _learning(*way) for way in ways}


def learns() -> Threat:
    """Somebody who learns from the table itself which values go with which quasi-identifiers (deFinetti attack).

    Several ways to learn are tried, and the one that tells most more of members than of outsiders counts, if it is
    right about as often as it says. People who are left out have no bucket: the model alone is asked about them.

    >>> learns().linkage
    'attribute'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        readers = _learners(case.result.release)
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


def _named(start: Start, ways: int) -> str:
    """A way to learn in a few words.

    >>> _named("shares", 1), _named("regression", 512)
    ('begins with shares', 'begins with regression, exact deals')
    """
    return f"begins with {start}{', exact deals' if ways > 1 else ''}"


def _learning(start: Start, ways: int) -> Callable[..., ValueGuesses]:
    """One way to learn; whoever is left out has no bucket."""

    def guess(
        release: GeneralisedTable | Sliced, known: Known, attribute: str, away: NDArray[np.bool_] | None
    ) -> ValueGuesses:
        return Learned(attribute, start, most_ways=ways).guess(release, known, away)

    return guess


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

    def guess(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute).guess(release, known)

    def without(release: GeneralisedTable | Sliced, known: Known, attribute: str) -> ValueGuesses:
        return SemanticValues(relatedness, attribute, sharpness=0.0).guess(release, known)

    def attempt(threat: Threat, case: Case) -> Risk:
        return Attempt(guess, without).worst(threat, case)

    about = (
        f"the release, the quasi-identifiers of one person, and how related words are ({relatedness.name})"
    )
    return Threat("word meanings", about, "attribute", VALUE, attempt, outside=True).publicly(
        knows="the release, the quasi-identifiers of one person, and how related words are"
    )


def membership() -> Threat:
    """Somebody who wants to know whether a person is in the table at all.

    No table but a differentially private one promises to hide that, so it is shown and does not take part in the
    verdict. There is nobody outside the table to ask about, so the others are made up: each quasi-identifier from
    somebody else. Real others are more alike, and harder to tell.

    >>> membership().linkage
    'table'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.kinds.tables.attack.values import Membership
        from cloven.kinds.tables.score.score import score_membership

        result: PublishedTable = case.result
        # Where every row is made up, everybody had a part in it.
        real = bool((result.key.records >= 0).any())
        known = persons(case, published=real)[1]
        others = _made_up(known, case.data, case.rng)
        if not len(others):
            return threat.risk(not_tried="every combination of quasi-identifiers is in the table")
        both = replace(known, codes=np.concatenate([known.codes, others]))
        guesses = Membership().guess(result.release, both)
        found = score_membership(guesses, np.arange(len(both)) < len(known))
        asks = {"words": threat.measure, "public": threat.public}
        risk = found.risk(threat.name, threat.knows, "auc", threat.linkage, counts=False, **asks)
        if risk.attacker is None:
            return threat.risk(not_tried="nobody could be asked about")
        told = "can tell who is in it" if risk.beats else "not shown to tell who is in it"
        often = f"from made-up ones in {estimated(risk.attacker)}"
        sentence = f"An attacker ({threat.name}) tells persons in the table {often}."
        words: dict[str, Any] = {
            "sentence": sentence,
            "meaning": f"{told}; such tables do not promise to hide it",
        }
        return replace(risk, details={"findings": found.to_dict()}, **words).saying(**words)

    measure = "probability that a person of the table fits it better than a made-up one (0.5 is guessing)"
    about = "the release, and the quasi-identifiers of one person"
    return Threat("being in the table", about, "table", measure, attempt, counts=False).publicly()


def _made_up(known: Known, data: Table, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int32]]:
    """As many looks as are known, each value from somebody else, without those that somebody has."""
    drawn = np.column_stack([rng.permutation(column) for column in known.codes.T])
    places = {attribute.name: place for place, attribute in enumerate(data.attributes)}
    there = data.codes[:, [places[name] for name in known.names]]
    taken = set(map(bytes, np.ascontiguousarray(there)))
    return drawn[[bytes(look) not in taken for look in np.ascontiguousarray(drawn)]]


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
            population=lambda release, known, name, _away: AttributeDisclosure(name, "rows").guess(
                release, known
            ),
        )
        risk = attempt.worst(threat, case)
        # No table but a replay-proof one says anything about what its making tells.
        return replace(risk, broken=0, broken_what="")

    about = "the release, how it was made, and the quasi-identifiers of everybody in it"
    return Threat("replays the method", about, "attribute", TOLD, attempt).publicly()


def _reader(case: Case) -> Callable[..., ValueGuesses]:
    """Guesses about persons; every release is replayed once."""
    seen: list[tuple[object, Replay]] = []

    def guess(
        release: GeneralisedTable | Sliced, known: Known, attribute: str, away: NDArray[np.bool_] | None
    ) -> ValueGuesses:
        attack = Replayed(attribute)
        found = next((replay for one, replay in seen if one is release), None)
        if found is None:
            found = attack.replay(release, _crowd(case, release), case.rng)
            seen.append((release, found))
        return found.guess(attack, known, away)

    return guess


def _crowd(case: Case, release: GeneralisedTable | Sliced) -> Crowd:
    """Everybody in a release: the one to be published, or one of those that leave people out."""
    data: Table = case.data
    result: PublishedTable = case.result
    if release is not result.release:
        for split in case.splits:
            if release is split.result.release:
                return Crowd.of(data, split.members)
    return Crowd.of(data, ~np.isin(data.source_rows, result.key.suppressed))
