"""What is told of a known person, members beside outsiders: rows of the chart, the tables and the histogram."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cloven.disclosure.risk import limit_of_told
from cloven.report.rows import threats

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADLINE, SURE = "0.8", "0.95"
"""Levels of the details that the chart and the tables show."""
ALL = "told at 0.8"
"""What the headline of a threat is called beside its tails."""
Ends = tuple[float, float | None, float | None]


@dataclass(frozen=True)
class Beside:
    """One figure of members beside that of outsiders, and the difference, each with the ends of its interval.

    Attributes:
        label: what is known, or what is told.
        members: share of the people in a release.
        outsiders: share of the people left out of it.
        excess: what being in it adds.
        reader: how the release is read; empty for a total.
        people: how many were asked about; 0 if that is not told.
        judged: whether it takes part in the verdict.
        limit: what is accepted of the difference; None without a limit.
    """

    label: str
    members: Ends
    outsiders: Ends
    excess: Ends
    reader: str = ""
    people: int = 0
    judged: bool = True
    limit: float | None = None


@dataclass(frozen=True)
class Way:
    """One way of knowing and reading, with all that was measured of it."""

    told: Beside
    sure: Beside
    certain: Beside
    right: float | None
    first_guess: tuple[float, float]


@dataclass(frozen=True)
class Told:
    """All that is told of known persons by one threat.

    Attributes:
        name: the threat.
        risk: the threat in the document.
        totals: the headline, where it was compared with outsiders, and every tail.
        ways: every way of knowing and reading (owner).
        shown: one row for each way of knowing, the reader that adds most; the headline alone where ways are not told.
        histogram: how many people are told how much of (owner).
        people: those of whom most is told (owner).
        people_of: how many were looked at for it (owner).
    """

    name: str
    risk: Mapping[str, Any]
    totals: tuple[Beside, ...]
    ways: tuple[Way, ...]
    shown: tuple[Beside, ...]
    histogram: tuple[Mapping[str, Any], ...]
    people: tuple[Mapping[str, Any], ...]
    people_of: int


def told(document: Mapping[str, Any]) -> list[Told]:
    """Every threat that was tried on members and on outsiders, in its mean or in its tails."""
    return [
        _told(name, risk, document["limits"])
        for name, risk in threats(document)
        if risk.get("excess") is not None or risk.get("tails")
    ]


def _told(name: str, risk: Mapping[str, Any], limits: Mapping[str, Any]) -> Told:
    details = risk["details"]
    compared = risk["excess"] is not None
    totals = (
        *(
            [_total(ALL, risk["attacker"], risk, limit_of_told(limits["max_risk"], limits["max_tail"]))]
            if compared
            else []
        ),
        *(
            _total(_named(tail), tail["members"], tail, limits["max_risk" if tail["guesses"] else "max_tail"])
            for tail in risk["tails"]
        ),
    )
    plain = details.get("ways", ())
    ways = tuple(_way(each, first=each["reader"] == plain[0]["reader"]) for each in plain)
    return Told(
        name,
        risk,
        totals,
        ways,
        _shown(ways) or totals,
        tuple(details.get("histogram", ())),
        tuple(details.get("people", ())),
        details.get("people_of", 0),
    )


def _named(tail: Mapping[str, Any]) -> str:
    return f"{tail['name']} ({tail['known']} known)" if tail.get("known") else str(tail["name"])


def _total(label: str, members: Mapping[str, Any], sides: Mapping[str, Any], limit: float) -> Beside:
    return Beside(label, _ends(members), _ends(sides["outsiders"]), _ends(sides["excess"]), limit=limit)


def _way(plain: Mapping[str, Any], *, first: bool) -> Way:
    """The first reader always counts, others where they can be believed."""

    def beside(sides: Mapping[str, Any]) -> Beside:
        members, outsiders, excess = (tuple(sides[name]) for name in ("members", "outsiders", "excess"))
        judged = plain["counts"] and (first or plain["credible"])
        return Beside(plain["known"], members, outsiders, excess, plain["reader"], plain["people"], judged)

    precision, guess = plain["precision"]["members"], plain["first_guess"]
    return Way(
        beside(plain["told"][HEADLINE]),
        beside(plain["told"][SURE]),
        beside(plain["certain"]),
        precision[HEADLINE],
        (guess["members"], guess["outsiders"]),
    )


def _shown(ways: tuple[Way, ...]) -> tuple[Beside, ...]:
    """Of each way of knowing the reader that adds most, of those that can be believed where there are such."""
    return tuple(
        max((way.told for way in each), key=lambda row: (row.judged, _upper(row.excess)))
        for each in (list(found) for _, found in groupby(ways, key=lambda way: way.told.label))
    )


def _upper(ends: Ends) -> float:
    return ends[0] if ends[2] is None else ends[2]


def _ends(plain: Mapping[str, Any]) -> Ends:
    return plain["value"], plain["low"], plain["high"]
