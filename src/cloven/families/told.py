"""What is told of people, members beside outsiders: one way of knowing and one reader, whatever kind of release it is.

Everybody asked about is looked up in releases that were made with and without them, all of the same size, and in the
release that is to be published. The larger of both differences counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from cloven.scoring.calibration import BINS, calibration
from cloven.scoring.members import Sheet
from cloven.scoring.telling import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cloven.model.risk import Risk, Tail
    from cloven.threats import Threat

HEADLINE = 0.8
WORST = 10
"""People of whom most is told that the owner is shown."""


class Way(Protocol):
    """One way to know something of a person."""

    @property
    def name(self) -> str:
        """A few words for tables."""
        ...

    @property
    def phrase(self) -> str:
        """The name as it stands in a sentence."""
        ...

    @property
    def size(self) -> int:
        """How much is known."""
        ...

    @property
    def counts(self) -> bool:
        """Whether the verdict rests on it."""
        ...


W = TypeVar("W", bound=Way)


@dataclass(frozen=True, eq=False)
class Told(Generic[W]):
    """What one reader tells for one way of knowing.

    Attributes:
        way: the way of knowing.
        reader: who reads.
        sheets: members and outsiders in releases of the same size; members in the release itself beside the same
            people left out of one.
        real: what the release itself tells.
        trusted: whether this reader counts however often it is wrong.
    """

    way: W
    reader: str
    sheets: tuple[Sheet, Sheet]
    real: Any
    trusted: bool = False

    @property
    def credible(self) -> tuple[Sheet, ...]:
        """The sheets where what this reader says of members is right about as often as it says."""
        return tuple(sheet for sheet in self.sheets if self.trusted or sheet.credible)

    def at(self, level: float) -> Tail:
        """What is told at a level, by the sheet where being in it adds most."""
        return self._longest(lambda sheet: sheet.told_at(level))

    def certainly(self) -> Tail:
        """What follows by logic, by the sheet where being in it adds most."""
        return self._longest(Sheet.certainly)

    def likeliest(self) -> Tail:
        """How often the likeliest claim is right, by the sheet where being in it adds most."""
        return self._longest(Sheet.likeliest)

    def _longest(self, tail: Callable[[Sheet], Tail]) -> Tail:
        found = max(map(tail, self.credible or self.sheets), key=lambda each: each.excess.upper)
        return replace(found, known=self.way.phrase)

    @property
    def sheet(self) -> Sheet:
        """The sheet that the headline is from."""
        return max(self.credible or self.sheets, key=lambda sheet: sheet.told_at(HEADLINE).excess.upper)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: both sides of every figure."""
        sheet, sides = self.sheet, (("members", True), ("outsiders", False))
        return {
            "known": self.way.name,
            "size": self.way.size,
            "counts": self.way.counts,
            "credible": bool(self.credible),
            "reader": self.reader,
            "people": sheet.people,
            "told": {f"{level:g}": _plain(self.at(level)) for level in LEVELS},
            "certain": _plain(self.certainly()),
            "same_size": {
                **{f"{level:g}": _plain(self.sheets[0].told_at(level)) for level in LEVELS},
                "certain": _plain(self.sheets[0].certainly()),
            },
            "precision": {
                side: {f"{level:g}": sheet.precision(level, member=member) for level in LEVELS}
                for side, member in sides
            },
            "first_guess": {side: sheet.share(sheet.best, member=member).value for side, member in sides},
        }


def judged_risk(
    threat: Threat,
    every: Sequence[Told[W]],
    judged: Sequence[Told[W]],
    further: Sequence[Tail] = (),
    *,
    logic: bool = True,
) -> tuple[Told[W], Risk]:
    """The way of knowing that adds most is the headline; the longest tails of all that count are judged.

    ``further`` tails are judged too; what follows by ``logic`` is not where a reader has a logic of no other.
    """
    worst = max(judged, key=lambda told: harm(told.at(HEADLINE)))
    mean = worst.at(HEADLINE)
    tails = (
        max((told.at(LEVELS[-1]) for told in judged), key=harm),
        *([max((told.certainly() for told in judged), key=harm)] if logic else []),
        *further,
    )
    return worst, threat.risk(
        attacker=mean.members,
        outsiders=mean.outsiders,
        excess=mean.excess,
        tails=tails,
        beats=(mean.excess.low or 0.0) > 0,
        count=worst.sheet.people,
        units=worst.sheet.people,
        details={"ways": [told.to_dict() for told in every], "calibration": _calibration(worst.sheet)},
    )


def harm(tail: Tail) -> tuple[float, float]:
    """What being in it may add; where that is the same, how much is told at all."""
    return round(tail.excess.upper, 3), tail.members.value


def histogram(told: NDArray[np.float64]) -> list[dict[str, Any]]:
    """How many people are told how much of: by the highest probability of a right claim."""
    edges = (0.0, *LEVELS, 1.0)
    counts = np.histogram(np.minimum(told, 1.0), edges)[0]
    return [
        {"from": low, "to": high, "people": int(number)}
        for low, high, number in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]


def _plain(tail: Tail) -> dict[str, list[float | None]]:
    """Members, outsiders and excess, each with the ends of its interval."""
    sides = {"members": tail.members, "outsiders": tail.outsiders, "excess": tail.excess}
    return {name: [side.value, side.low, side.high] for name, side in sides.items()}


def _calibration(sheet: Sheet) -> dict[str, Any]:
    """Whether the probabilities of claims on members can be believed."""
    stated, right = sheet.claims[1]
    place = np.minimum((stated * BINS).astype(np.int64), BINS - 1)
    sums = (np.ones(len(stated)), stated, right.astype(np.float64), (stated - right) ** 2)
    table = np.array([np.bincount(place, each, BINS) for each in sums], np.float64)
    return calibration(*table).to_dict()
