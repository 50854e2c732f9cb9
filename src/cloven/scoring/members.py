"""Members beside outsiders: what is told of people who are in a release, and of the same people left out of one.

With several divisions everybody asked about is left out of one release and is in the others, all of the same size, so
that people are compared with themselves and what one release tells more than another cancels out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from cloven.measure.intervals import difference, paired_difference, wilson
from cloven.model.risk import Estimate, Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]

ROUNDING = 1e-9
CREDIBLE = 0.8
"""A reader who is right less often than this part of what he says has told nothing."""
SURE = (0.8, 0.95)
"""Probabilities at which a reader has to be right."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """What somebody is told of people: a row for each division, a column for each person.

    Attributes:
        member: whether the person is in the release of the division.
        asked: whether there was enough to know of the person.
        told: the highest probability of a right claim.
        certain: whether an item follows by logic.
        best: whether the most likely claim was right.
        claims: probability and rightness of all claims on outsiders, then on members.
        paired: whether the same people stand on both sides; else, with a single division, all of them are compared.
    """

    member: Flags
    asked: Flags
    told: NDArray[np.float64]
    certain: Flags
    best: Flags
    claims: tuple[tuple[NDArray[np.float64], Flags], tuple[NDArray[np.float64], Flags]]
    paired: bool = True

    def share(self, flags: Flags, *, member: bool) -> Estimate:
        """Share of the members, or of the outsiders; an interval over persons."""
        here = self.asked & (self.member == member)
        people = here.any(axis=0)
        value = float(flags[here].mean()) if here.any() else 0.0
        found, total = value * int(people.sum()), int(people.sum())
        return Estimate(value, *(wilson(round(found), total) if total else (0.0, 1.0)))

    def excess(self, flags: Flags) -> Estimate:
        """What being a member adds: of the same people on both sides, where there are such; else of all.

        Where nothing that is known of outsiders is published, nothing is told of them, and all that is told of members
        is added.
        """
        inside, outside = self.asked & self.member, self.asked & ~self.member
        if inside.any() and not outside.any():
            return self.share(flags, member=True)
        both = inside.any(axis=0) & outside.any(axis=0)
        if not self.paired or not both.any():
            sides = [(int(flags[here].sum()), int(here.sum())) for here in (inside, outside)]
            return Estimate(*difference(*sides[0], *sides[1]))
        member, outsider = (
            (here & flags).sum(axis=0)[both] / here.sum(axis=0)[both] for here in (inside, outside)
        )
        return Estimate(
            *paired_difference(
                float(np.maximum(member - outsider, 0).sum()),
                float(np.maximum(outsider - member, 0).sum()),
                int(both.sum()),
                self._contrasts(flags, inside, outside),
            )
        )

    def _contrasts(self, flags: Flags, inside: Flags, outside: Flags) -> list[float]:
        """What being a member adds by two releases each: those left out of one are in the other, and the other way.

        What one release tells more than the other, of whomever, cancels out.
        """
        found = []
        for one, two in combinations(range(len(flags)), 2):
            ways = ((one, two), (two, one))
            people = [outside[release] & inside[other] for release, other in ways]
            if all(each.any() for each in people):
                sides = [
                    np.mean(flags[other, here]) - np.mean(flags[release, here])
                    for (release, other), here in zip(ways, people, strict=True)
                ]
                found.append(float(np.mean(sides)))
        return found

    def tail(self, name: str, flags: Flags) -> Tail:
        """One figure, with both sides and the difference."""
        sides = (self.share(flags, member=True), self.share(flags, member=False))
        return Tail(name, *sides, self.excess(flags))

    def told_at(self, level: float) -> Tail:
        """Persons of whom a claim of this probability is made and right."""
        return self.tail(f"told at {level:g}", self.told >= level - ROUNDING)

    def certainly(self) -> Tail:
        """Persons of whom an item follows by logic."""
        return self.tail("certain", self.certain)

    def likeliest(self) -> Tail:
        """Persons of whom the most likely claim is right, which is judged as guesses are."""
        return replace(self.tail("likeliest claim right", self.best), guesses=True)

    @property
    def credible(self) -> bool:
        """Whether what is said of members is right about as often as it is said to be."""
        found = [(self.precision(level, member=True), level) for level in SURE]
        return all(right is None or right >= CREDIBLE * level for right, level in found)

    @property
    def people(self) -> int:
        """Persons asked about."""
        return int(self.asked.any(axis=0).sum())

    def precision(self, level: float, *, member: bool) -> float | None:
        """Share of the claims at a level that are right; None where none is made."""
        stated, right = self.claims[member]
        made = stated >= level - ROUNDING
        return float(right[made].mean()) if made.any() else None
