"""Being in a release at all: can somebody who knows a person tell from a release that the person is in the data?

Members are compared with real people who were left out before a release was made (``cloven.statistics.outsiders``). No
method but a differentially private one promises to hide who is in the data, so the figure is shown, and judged only
where most members are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.disclosure.risk import Estimate
from cloven.figures import estimated, percent
from cloven.threats import Threat

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cloven.compiled import Flags, Floats, Longs
    from cloven.disclosure.risk import Risk
    from cloven.threats import Case

    Score = Callable[[Case, Any, Longs], Floats]
    """How well people, by their records, fit a release."""

MEASURE = "probability that a member fits the release better than somebody outside it (0.5 is guessing)"
ALARMS = 0.01
"""Share of other people who may be taken for members."""
MOST_FOUND = 0.5
"""Share of the members who are found at so few false alarms, from which on nothing is published."""


def membership(name: str, knows: str, score: Score) -> Threat:
    """Somebody who knows much of a person, and wants to know whether the person is in the release.

    >>> membership("being in it", "all items", lambda case, release, people: people).linkage
    'table'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        asked, left_out = case.asked()
        scores = np.array([score(case, split.result.release, asked) for split in case.splits])
        inside, outside = mean_of_side(scores, ~left_out), mean_of_side(scores, left_out)
        area, half = area_between(inside, outside)
        found = found_at(inside, outside, ALARMS)
        attacker = Estimate(area, max(0.0, area - half), min(1.0, area + half))
        words = {
            "sentence": f"An attacker ({threat.name}) tells members from others in {estimated(attacker)}; with"
            f" {percent(ALARMS, 0)} false alarms {percent(found)} of the members are found.",
            "meaning": f"{percent(found)} found at {percent(ALARMS, 0)} false alarms; not promised to hide",
        }
        return threat.risk(
            attacker=attacker,
            guessing=Estimate(0.5),
            gain=attacker.over(0.5),
            beats=area - half > 0.5,
            count=len(inside) + len(outside),
            units=max(len(inside), len(outside)),
            doubt=found_out(threat.name, found),
            details={"found": found, "false_alarms": ALARMS},
            **words,
        ).saying(**words)

    return Threat(name, knows, "table", MEASURE, attempt, counts=False).publicly()


def mean_of_side(scores: Floats, side: Flags) -> Floats:
    """The mean score of each person over the releases on one side, without those who are on none.

    >>> mean_of_side(np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[True, False], [True, False]]))
    array([2.])
    """
    there = side.any(axis=0)
    mean: Floats = (scores * side).sum(axis=0)[there] / side.sum(axis=0)[there]
    return mean


def found_at(inside: Floats, outside: Floats, alarms: float) -> float:
    """Share of the members who score higher than all but a few others.

    >>> found_at(np.array([0.1, 0.5, 0.9]), np.array([0.2, 0.3, 0.4]), 0.01)
    0.6666666666666666

    Who scores as others do is not found.

    >>> found_at(np.array([0.4, 0.4]), np.array([0.4, 0.4]), 0.01)
    0.0
    """
    return float((inside > np.quantile(outside, 1 - alarms, method="higher")).mean())


def found_out(threat: str, found: float) -> str:
    """Why a release is not published that tells who is in it; empty where it tells of fewer than half of them.

    >>> found_out("being in it", 0.49)
    ''
    >>> found_out("being in it", 0.5)
    '50.0 % of the people in the release are found at 1 % false alarms (being in it); 50 % or more is too much...'
    """
    if found < MOST_FOUND:
        return ""
    return (
        f"{percent(found)} of the people in the release are found at {percent(ALARMS, 0)} false alarms ({threat});"
        f" {percent(MOST_FOUND, 0)} or more is too much. Larger groups (k), more known items (m) or a method that"
        " publishes no whole records hide better who is in the data."
    )


def area_between(inside: Floats, outside: Floats) -> tuple[float, float]:
    """Area under the curve (equal scores count half) and half its interval (Hanley and McNeil, Radiology 143, 1982)."""
    others = np.sort(outside)
    above = (np.searchsorted(others, inside, "left") + np.searchsorted(others, inside, "right")) / 2
    area = float(above.mean()) / len(outside)
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (len(inside) - 1) * (one - area**2) + (len(outside) - 1) * (two - area**2)
    return area, 1.96 * float(np.sqrt(max(0.0, spread) / (len(inside) * len(outside))))
