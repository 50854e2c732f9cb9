"""What came of one method with one setting: risks and utility side by side.

An audit makes one for each setting; decisions, documents, frames and searches read it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.disclosure.audience import Said
from cloven.disclosure.risk import Risk
from cloven.errors import InputError, ParameterError
from cloven.figures import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.disclosure.audience import Audience


GIVEN_UP = "it is past the limits already: "
"""Why an attack was not tried after another one had failed; what follows is the figure that failed."""


@dataclass(frozen=True)
class Outcome:
    """One setting, tried out.

    Attributes:
        name: the setting in a few words.
        family: the family of the method.
        parameters: method and parameters as plain JSON values.
        risks: one for each threat.
        utility: what is kept.
        seconds: what it took.
        groups: groups of records that the figures are totals over.
        published_name: the setting as far as its parameters are published; empty if the public must not read it.
        doubts: what speaks against publishing, whatever attackers reach.
        given_up: the figure at which its trial ended, if that was before all attacks were tried; by the risks.
    """

    name: str
    family: str
    parameters: Mapping[str, Any]
    risks: tuple[Risk, ...]
    utility: Utility
    seconds: float = 0.0
    groups: int = 0
    published_name: str = ""
    doubts: tuple[Said, ...] = ()
    given_up: str = ""

    def __post_init__(self) -> None:
        ended = (risk.not_tried for risk in self.risks if risk.not_tried.startswith(GIVEN_UP))
        object.__setattr__(self, "given_up", self.given_up or next(ended, "").removeprefix(GIVEN_UP))

    @property
    def worst(self) -> Risk | None:
        """The risk of the verdict with the highest upper end; None if no attack could be tried, or not all were."""
        if self.given_up:
            return None
        tried = [risk for risk in self.risks if risk.counts and risk.judged is not None]
        return max(tried, key=lambda risk: risk.judged.upper, default=None)  # type: ignore[union-attr]

    @property
    def risk(self) -> float:
        """Upper end of the worst risk; 0 if there is none."""
        worst = self.worst
        return 0.0 if worst is None or worst.judged is None else worst.judged.upper

    @property
    def tail(self) -> float | None:
        """Upper end of the longest tail of the verdict; None if no attacker has one, or not all were tried."""
        if self.given_up:
            return None
        judged = (tail for risk in self.risks if risk.counts for tail in risk.tails if not tail.guesses)
        return max((tail.excess.upper for tail in judged), default=None)

    @property
    def broken(self) -> int:
        """Statements about persons that break the promise, over all risks of the verdict."""
        return sum(risk.broken for risk in self.risks if risk.counts)

    def of_risks(self, risks: tuple[Risk, ...]) -> Outcome:
        """The same with these risks only: what a reader sees who knows of no others."""
        return replace(self, risks=risks)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "name": self.name,
            "family": self.family,
            "parameters": dict(self.parameters),
            "risk": self.risk,
            "tail": self.tail,
            "broken": self.broken,
            "risks": [risk.to_dict() for risk in self.risks],
            "utility": self.utility.to_dict(),
            "seconds": self.seconds,
            "groups": self.groups,
            "published_name": self.published_name,
            "doubts": [asdict(doubt) for doubt in self.doubts],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Outcome:
        """Back from plain values."""
        try:
            return cls(
                plain["name"],
                plain["family"],
                plain["parameters"],
                tuple(Risk.from_dict(each) for each in plain["risks"]),
                Utility.from_dict(plain["utility"]),
                plain["seconds"],
                plain.get("groups", 0),
                plain.get("published_name", ""),
                tuple(Said(**doubt) for doubt in plain.get("doubts", ())),
            )
        except (TypeError, KeyError) as error:
            message = "an outcome cannot be read back; audit again"
            raise InputError(message, value=str(error)) from error


def front(outcomes: tuple[Outcome, ...], measure: str = "") -> tuple[Outcome, ...]:
    """Those that no other one beats: nothing else has less risk and at least the utility, or more for the same risk.

    Statements that break the promise come before the share of right guesses. What was given up is beaten.
    """

    def cost(outcome: Outcome) -> tuple[bool, float, float]:
        return outcome.broken > 0, outcome.risk, -outcome.utility.score(measure)

    def beats(one: Outcome, other: Outcome) -> bool:
        left, right = cost(one), cost(other)
        return all(a <= b for a, b in zip(left, right, strict=True)) and left != right

    whole = [outcome for outcome in outcomes if not outcome.given_up]
    return tuple(one for one in whole if not any(beats(other, one) for other in whole))


# How much a release keeps: named measures on one scale, so that methods of different families can be compared.


@dataclass(frozen=True)
class Measured:
    """One measure of utility.

    Attributes:
        name: a few words for tables.
        value: what was measured, None if it is not defined here.
        low: lower end of a 95 % interval, None without one.
        high: upper end.
        best: the value of data that has lost nothing.
        worst: the value of data that has lost everything.
        sentence: what it is.
        audience: who may see it.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    best: float
    worst: float
    sentence: str
    audience: Audience = "owner"

    @property
    def score(self) -> float | None:
        """The value on a scale from 0 (all is lost) to 1 (nothing is).

        >>> Measured("relative error", 0.5, None, None, 0.0, 2.0, "").score
        0.75
        """
        if self.value is None:
            return None
        return min(1.0, max(0.0, (self.value - self.worst) / (self.best - self.worst)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the score."""
        return asdict(self) | {"score": self.score}


WORKS, CARE = 0.9, 0.7
"""Share of an analysis that must be kept so that it works; and so that it can be used with care."""


def _with_error(named: tuple[str, float]) -> str:
    name, score = named
    return f"{name} (error {percent(1 - score, 0)})"


@dataclass(frozen=True)
class Utility:
    """All measures of one release.

    Attributes:
        headline: name of the measure that stands for all where one number is wanted.
        measures: all of them, the most telling first.
        analyses: names of those that are about something that people do with the data.
    """

    headline: str
    measures: tuple[Measured, ...]
    analyses: tuple[str, ...] = ()

    def get(self, name: str = "") -> Measured:
        """One measure by name; without a name the headline."""
        wanted = name or self.headline
        for measure in self.measures:
            if measure.name == wanted:
                return measure
        message = (
            f"no measure of utility {wanted!r}; there are {', '.join(each.name for each in self.measures)}"
        )
        raise ParameterError(message)

    def score(self, name: str = "") -> float:
        """Score of one measure from 0 to 1; a measure that is not defined here counts as 0."""
        return self.get(name).score or 0.0

    @property
    def sentence(self) -> str:
        """What can be done with the release, what needs care, and what not, each with its error."""
        scored = [(self.get(name), self.get(name).score) for name in self.analyses]
        found = [(each.name, score) for each, score in scored if score is not None]
        groups = {
            "works": [pair for pair in found if pair[1] >= WORKS],
            "needs care": [pair for pair in found if CARE <= pair[1] < WORKS],
            "does not work": [pair for pair in found if pair[1] < CARE],
        }
        told = [f"{word}: {', '.join(map(_with_error, pairs))}" for word, pairs in groups.items() if pairs]
        return "; ".join(told)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "headline": self.headline,
            "measures": [each.to_dict() for each in self.measures],
            "analyses": list(self.analyses),
            "sentence": self.sentence,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Utility:
        """Back from plain values."""
        try:
            rows = [{name: each[name] for name in each if name != "score"} for each in plain["measures"]]
            return cls(
                plain["headline"], tuple(Measured(**row) for row in rows), tuple(plain.get("analyses", ()))
            )
        except (TypeError, KeyError) as error:
            message = "figures of utility cannot be read back; audit again"
            raise InputError(message, value=str(error)) from error
