"""What the charts and tables show, as plain rows of the document of an audit; ``drawing`` draws them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Literal

from cloven.disclosure.risk import limit_of_told
from cloven.figures import on_scale

if TYPE_CHECKING:
    from collections.abc import Mapping


Who = Literal["attacker", "adds", "guessing", "shuffled"]
WHO: Mapping[Who, str] = {"attacker": "attacker", "guessing": "guessing", "shuffled": "control"}
"""Who is right how often -> what the document calls it."""
ADDS: Mapping[Who, str] = {"adds": "excess"}
"""The same where outsiders were asked about too: what is judged is what being in the release adds."""
ENOUGH = 30
"""Guesses below which a share of right ones says little."""
MOST_COLUMNS = 30


@dataclass(frozen=True)
class Reached:
    """What somebody reaches against one release; ``kind`` is empty for all kinds of parts together."""

    threat: str
    kind: str
    who: Who
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Kept:
    """One measure of utility on the scale from 0 (all is lost) to 1 (nothing is)."""

    measure: str
    score: float
    low: float | None
    high: float | None
    headline: bool


@dataclass(frozen=True)
class Tried:
    """One setting: its risk (upper end of the worst attack) and its utility, with the intervals of both.

    What was given up has no risk of its own, says at which figure it was, and has no place in a chart.
    """

    number: int
    setting: str
    family: str
    utility: float
    risk: float
    broken: int
    main: bool
    front: bool
    better: bool
    threat: str = ""
    risk_low: float | None = None
    utility_low: float | None = None
    utility_high: float | None = None
    tail: float | None = None
    given_up: str = ""


@dataclass(frozen=True)
class Sure:
    """Guesses of one attack that it was equally sure of: how sure, and how many of them were right."""

    threat: str
    confidence: float
    right: float
    guesses: int
    enough: bool


@dataclass(frozen=True)
class Sizes:
    """How many groups have from ``low`` to ``high`` records."""

    low: int
    high: int
    groups: int


def threats(document: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Every risk with a name of its own, though two threats may be called the same.

    >>> [name for name, _ in threats({"risks": [{"threat": "other"}, {"threat": "other"}]})]
    ['other', 'other (2)']
    """
    out: dict[str, Mapping[str, Any]] = {}
    for risk in document["risks"]:
        name, number = risk["threat"], 2
        while name in out:
            name, number = f"{risk['threat']} ({number})", number + 1
        out[name] = risk
    return list(out.items())


def reached(document: Mapping[str, Any]) -> list[Reached]:
    """What every attacker reaches, beside guessing and control; or what being in the release adds for it."""
    return [
        Reached(name, "", who, risk[key]["value"], risk[key]["low"], risk[key]["high"])
        for name, risk in threats(document)
        if risk["attacker"] is not None
        for who, key in (WHO if risk.get("excess") is None else ADDS).items()
        if risk[key] is not None
    ]


def limit_of(document: Mapping[str, Any], risk: Mapping[str, Any]) -> float:
    """The limit of one attacker: who is promised k candidates may be right once in k at most.

    >>> limit_of({"limits": {"max_risk": 0.2}, "parameters": {"k": 10}}, {"promised": True})
    0.1
    """
    most, k = document["limits"]["max_risk"], document["parameters"].get("k")
    if risk.get("excess") is not None:
        return limit_of_told(most, document["limits"]["max_tail"])
    return float(min(most, 1 / k) if risk.get("promised") and k else most)


def reached_by_kind(document: Mapping[str, Any]) -> list[Reached]:
    """The same for every kind of part that was split off."""
    return [
        Reached(
            name,
            each["kind"],
            who,
            each[key],
            each["low"] if who == "attacker" else None,
            each["high"] if who == "attacker" else None,
        )
        for name, risk in threats(document)
        for each in risk["details"].get("by_kind", ())
        for who, key in WHO.items()
        if each.get(key) is not None
    ]


def kept(document: Mapping[str, Any]) -> list[Kept]:
    """Every measure of utility that is defined here."""
    utility = document["utility"]
    return [
        Kept(
            each["measure"], each["score"], each["low"], each["high"], each["measure"] == utility["headline"]
        )
        for each in map(on_scale, utility["measures"])
        if each["score"] is not None
    ]


def tried(document: Mapping[str, Any]) -> list[Tried]:
    """Every setting that was tried, numbered."""
    better = document["decision"]["better"][:1]
    return [
        Tried(
            number,
            each["name"],
            each["family"],
            each["utility"],
            each["risk"] or 0.0,
            each["broken"],
            each["main"],
            each["front"],
            each["name"] in better,
            (each.get("worst") or {}).get("threat", ""),
            (each.get("worst") or {}).get("low"),
            each.get("utility_low"),
            each.get("utility_high"),
            each.get("tail"),
            each.get("given_up", ""),
        )
        for number, each in enumerate(document["outcomes"], start=1)
    ]


def sure(document: Mapping[str, Any]) -> list[Sure]:
    """Confidence against truth, for every attack that says how sure it is."""
    return [
        Sure(name, each["confidence"], each["true"], each["count"], each["count"] >= ENOUGH)
        for name, risk in threats(document)
        for each in (risk["details"].get("calibration") or {}).get("bins", ())
    ]


def sizes(document: Mapping[str, Any]) -> list[Sizes]:
    """How large the groups are, in at most ``MOST_COLUMNS`` columns of equal width.

    >>> sizes({"sizes": [{"size": 5, "groups": 2}, {"size": 70, "groups": 1}]})[:2]
    [Sizes(low=5, high=7, groups=2), Sizes(low=8, high=10, groups=0)]
    """
    found = document["sizes"]
    if not found:
        return []
    low, high = found[0]["size"], found[-1]["size"]
    width = ceil((high - low + 1) / MOST_COLUMNS)
    columns = [0] * ((high - low) // width + 1)
    for each in found:
        columns[(each["size"] - low) // width] += each["groups"]
    return [Sizes(low + width * i, low + width * (i + 1) - 1, groups) for i, groups in enumerate(columns)]


# Axes: round ends and round steps.


@dataclass(frozen=True)
class Scale:
    """From ``low`` to ``high``, with marks between them."""

    low: float
    high: float
    marks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a value lies, from 0 (left or bottom) to 1; what lies outside is held at the end.

        >>> Scale(0.0, 0.4, ()).at(0.1)
        0.25
        """
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def scale(low: float, high: float, steps: int = 5, most: float | None = None) -> Scale:
    """A scale that holds ``low`` and ``high`` and has about so many steps.

    >>> scale(0.0, 0.187).marks
    (0.0, 0.05, 0.1, 0.15, 0.2)
    """
    span = max(high - low, 1e-6)
    power = 10.0 ** floor(log10(span / steps))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10) if span / (power * nice) <= steps)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if most is not None:
        last = min(last, round(most / step))
    marks = tuple(round(step * i, 10) for i in range(first, max(last, first + 1) + 1))
    return Scale(marks[0], marks[-1], marks)


# What is told of a known person, members beside outsiders: rows of the chart, the tables and the histogram.


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
