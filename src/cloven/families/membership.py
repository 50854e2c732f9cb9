"""Being in a release of sets at all: can somebody who knows all that a person holds tell members from others?

No release here promises to hide it, so it is shown and not judged. Others are real people, who were left out before a
release was made (``cloven.outsiders``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.families.words import share
from cloven.model.risk import Estimate
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.attack.known_sets import Known
    from cloven.model.risk import Risk
    from cloven.model.transactions import Transactions

    Score = Callable[[Any, Known], NDArray[np.float64]]

MEASURE = "probability that a member fits the release better than somebody outside it (0.5 is guessing)"
ALARMS = 0.01
"""Share of the others who may be taken for members."""


def membership(score: Score) -> Threat:
    """Somebody who knows all items of a person, and wants to know whether the person is in the release.

    ``score`` says how well whole records fit a release.

    >>> membership(lambda release, records: None).linkage
    'table'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        inside, outside = _scores(case, score)
        area, half = _area(inside, outside)
        found = _found(inside, outside)
        attacker = Estimate(area, max(0.0, area - half), min(1.0, area + half))
        words = {
            "sentence": f"An attacker ({threat.name}) tells members from others in {share(attacker)}; with"
            f" {100 * ALARMS:.0f} % false alarms {share(Estimate(found))} of the members are found.",
            "meaning": f"{share(Estimate(found))} found at {100 * ALARMS:.0f} % false alarms; not promised to hide",
        }
        return threat.risk(
            attacker=attacker,
            guessing=Estimate(0.5),
            beats=area - half > 0.5,
            count=len(inside) + len(outside),
            units=max(len(inside), len(outside)),
            details={"found": found, "false_alarms": ALARMS},
            **words,
        ).saying(**words)

    about = "the release, and all items of one person"
    return Threat("being in it", about, "table", MEASURE, attempt, counts=False).publicly()


def _scores(case: Case, score: Score) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of people as members and as others, once each: the mean over the releases that have them, or have not."""
    from cloven.scoring.telling import People

    data: Transactions = case.data
    asked, left_out = case.asked()
    scores = np.empty(left_out.shape)
    for row, split in enumerate(case.splits):
        release = split.result.release
        scores[row] = score(release, People.of(data, asked, release.vocabulary, data.holders).whole())
    sides = (~left_out, left_out)
    inside, outside = (
        (scores * side).sum(axis=0)[side.any(axis=0)] / side.sum(axis=0)[side.any(axis=0)] for side in sides
    )
    return inside, outside


def _area(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> tuple[float, float]:
    """Area under the curve (equal scores count half) and half its interval (Hanley and McNeil, Radiology 143, 1982)."""
    others = np.sort(outside)
    above = (np.searchsorted(others, inside, "left") + np.searchsorted(others, inside, "right")) / 2
    area = float(above.mean()) / len(outside)
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (len(inside) - 1) * (one - area**2) + (len(outside) - 1) * (two - area**2)
    return area, 1.96 * float(np.sqrt(max(0.0, spread) / (len(inside) * len(outside))))


def _found(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> float:
    """Share of the members who score higher than all but a few others."""
    return float((inside > np.quantile(outside, 1 - ALARMS, method="higher")).mean())
