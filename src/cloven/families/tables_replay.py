"""The attacker of a published table who replays the method that made it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.sliced.crowd import Crowd
from cloven.attack.sliced.replayed import Replayed, why_not
from cloven.attack.sliced.single import AttributeDisclosure
from cloven.families.tables_trying import TOLD, Attempt
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.attack.sliced.known import Known
    from cloven.attack.sliced.replayed import Replay
    from cloven.model.key_table import PublishedTable
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.risk import Risk
    from cloven.model.table import Table


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
