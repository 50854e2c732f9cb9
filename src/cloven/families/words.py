"""Figures as people say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloven.model.risk import Estimate


def share(estimate: Estimate) -> str:
    """A share with its interval.

    >>> from cloven.model.risk import Estimate
    >>> share(Estimate(0.412, 0.384, 0.44)), share(Estimate(0.0004))
    ('41.2 % [38.4 - 44.0]', '0.04 %')
    """
    digits = 2 if 0 < estimate.value < 0.005 else 1
    shown = f"{100 * estimate.value:.{digits}f} %"
    if estimate.low is None or estimate.high is None:
        return shown
    return f"{shown} [{100 * estimate.low:.{digits}f} - {100 * estimate.high:.{digits}f}]"


def many(number: float, word: str) -> str:
    """A number and its noun.

    >>> many(1, "cluster"), many(1200, "cluster")
    ('1 cluster', '1,200 clusters')
    """
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
