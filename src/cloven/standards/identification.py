"""How easily a person is found in a release: prosecutor, journalist and marketer, at most and on average.

The *prosecutor* knows that somebody is in the release and looks for the record: one in as many as fit. The *journalist*
does not know that. Others outside the release fit too, so the chance is never larger; without a register of those
others it is taken to be the same. The *marketer* looks for everybody and counts how many were found: the mean of the
prosecutor, as if everybody who could be meant were in the release.

What a release promises (one in k) is a bound if the k that fit are equally likely, which no release promises. So what
attackers reached is measured beside it, and the larger counts, with the upper end of its interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from cloven.disclosure.risk import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.disclosure.risk import Estimate, Risk

ATTACKERS = (
    ("prosecutor", "knows that the person is in the release"),
    ("journalist", "does not know it; no register of other people was given, so taken to be as likely"),
    ("marketer", "looks for everybody at once; all are taken to be in the release, so the mean"),
)
"""Who looks for persons, and how the figures of each follow."""


@dataclass(frozen=True)
class Identification:
    """How easily persons are found.

    Attributes:
        promised: one in k.
        single: the highest probability that an attacker had for one person; None if nobody was looked for.
        average: the mean over persons, of the attacker who did best; None if nobody was looked for.
        threat: that attacker; empty if nobody was looked for.
    """

    promised: float
    single: float | None = None
    average: Estimate | None = None
    threat: str = ""

    @property
    def maximum(self) -> float:
        """The person who is found most easily: what counts, of the promise and of what was measured."""
        return max(self.promised, self.single or 0.0, self.average.upper if self.average else 0.0)

    @property
    def mean(self) -> float:
        """All persons: the upper end of what was measured, or else what is promised to each."""
        return self.promised if self.average is None else self.average.upper


def identification(risks: Sequence[Risk], k: int) -> Identification:
    """What attackers reached who looked for the record of a person and take part in the verdict.

    >>> identification((), 5).maximum
    0.2
    """
    looked = [
        risk for risk in risks if risk.counts and risk.linkage == "record" and risk.attacker is not None
    ]
    if not looked:
        return Identification(1 / k)
    best = max(looked, key=lambda risk: risk.attacker.upper)  # type: ignore[union-attr]
    singles = [risk.single for risk in looked if risk.single is not None]
    return Identification(1 / k, max(singles, default=None), best.attacker, best.threat)


def least_k(threshold: float) -> int:
    """The fewest candidates of which one is no more than a threshold.

    >>> least_k(0.09), least_k(0.2), least_k(1.0)
    (12, 5, 1)
    """
    return ceil(1 / threshold - ROUNDING)
