"""Score guesses about who is in a table: can members be told from others?

The area under the curve gets the interval of E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (Biometrics 44, 1988).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.intervals import wilson
from cloven.scoring.findings import Finding
from cloven.scoring.tables.table_findings import TableFindings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import MembershipGuesses

_Z = 1.959963984540054


def score_membership(guesses: MembershipGuesses, member: NDArray[np.bool_]) -> TableFindings:
    """Score guesses about persons some of whom are in the table (``member``) and some are not."""
    if len(guesses) != len(member):
        message = (
            f"{len(guesses):,} persons were guessed about, but it is told of {len(member):,} who is there"
        )
        raise ParameterError(message)
    inside, outside = guesses.rows[member], guesses.rows[~member]
    if not len(inside) or not len(outside):
        message = (
            f"membership needs persons who are in the table and others who are not (got {len(inside):,} and"
            f" {len(outside):,})"
        )
        raise ParameterError(message)
    value, error = _area(inside, outside)
    fits = guesses.matched > 0
    findings = (
        _finding("auc", value, value - _Z * error, value + _Z * error, 0.5, error, len(member)),
        _share("members_found", fits[member]),
        _share("others_found", fits[~member]),
        _finding("advantage", _advantage(inside, outside), None, None, 0.0, None, len(member)),
    )
    counts = {"persons": len(member), "members": len(inside), "others": len(outside)}
    return TableFindings(findings, counts, guesses.attack, {})


def _area(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> tuple[float, float]:
    """Area under the curve (equal scores count half) and its standard error."""
    above = _placed(inside, np.sort(outside))
    below = 1.0 - _placed(outside, np.sort(inside))
    spread = above.var(ddof=1) / len(above) if len(above) > 1 else 0.25
    spread += below.var(ddof=1) / len(below) if len(below) > 1 else 0.25
    return float(above.mean()), sqrt(float(spread))


def _placed(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the others (ascending) that each value exceeds; equal ones count half."""
    below, upto = np.searchsorted(others, values, "left"), np.searchsorted(others, values, "right")
    placed: NDArray[np.float64] = (below + upto) / (2 * len(others))
    return placed


def _advantage(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> float:
    thresholds = np.unique(np.concatenate((inside, outside)))
    hits = 1 - np.searchsorted(np.sort(inside), thresholds, "left") / len(inside)
    alarms = 1 - np.searchsorted(np.sort(outside), thresholds, "left") / len(outside)
    return float(max(0.0, (hits - alarms).max()))


def _share(measure: str, hits: NDArray[np.bool_]) -> Finding:
    low, high = wilson(int(hits.sum()), len(hits))
    return _finding(measure, float(hits.mean()), low, high, None, None, len(hits))


def _finding(
    measure: str,
    value: float,
    low: float | None,
    high: float | None,
    chance: float | None,
    error: float | None,
    count: int,
) -> Finding:
    over = None if chance is None else value - chance
    half = None if over is None or error is None else _Z * error
    return Finding(
        measure=measure,
        scope="all",
        value=value,
        low=None if low is None else max(0.0, low),
        high=None if high is None else min(1.0, high),
        chance=chance,
        chance_low=None,
        chance_high=None,
        control=None,
        control_low=None,
        control_high=None,
        lift=value / chance if chance else None,
        over_chance=over,
        over_chance_low=None if over is None or half is None else over - half,
        over_chance_high=None if over is None or half is None else over + half,
        over_chance_z=over / error if over is not None and error else None,
        over_control=None,
        over_control_low=None,
        over_control_high=None,
        over_control_z=None,
        count=count,
        units=count,
    )
