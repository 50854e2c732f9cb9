"""Figures as people say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloven.disclosure.risk import Estimate
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised


def share(estimate: Estimate) -> str:
    """A share with its interval.

    >>> from cloven.disclosure.risk import Estimate
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


def about_release(release: Disassociated | SetGeneralised) -> str:
    """What another release promises, in a few words."""
    m = getattr(release, "m", None) or release.parameters.get("all_up_to")
    return f"{release.records:,} records, k={release.k}" + (f", m={m}" if m else "")


def numbered(number: int, what: str = "another release") -> str:
    """A name for the first, second, ... of several.

    >>> numbered(1), numbered(2)
    ('another release', 'another release (2)')
    """
    return what if number == 1 else f"{what} ({number})"
