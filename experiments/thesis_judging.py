"""How a claim of the thesis is judged against the figures.

- *confirmed*: the mean paired difference (or slope) has the sign that the thesis says, and its 95 % interval does not
  cover 0; for a printed number, the mean lies in the range that the words allow.
- *refuted*: the interval lies on the other side of 0; for a printed number, the mean lies outside the range.
- *chance*: the interval covers 0, so the figures cannot tell; for a number that no setting is named for, shuffled words
  reach it as well.

A claim about several attacks is confirmed if all are, refuted if one is, else chance.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from experiments.thesis_figures import Estimate, Figures, Series, mean_of, slope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "chance"
SEMANTIC = tuple(f"aba/{term} {name}" for name in ("WE", "NGD") for term in ("aba", "rga", "mra"))
ABA = ("aba/aba WE", "aba/aba NGD")
VPA = "vpa/random"
PRINTED_SIZES = 64
"""The thesis stops at k^6."""


@dataclass(frozen=True)
class Claim:
    """A claim of the thesis.

    Attributes:
        where: figure or section.
        says: what the thesis says.
        get: what we get.
        verdict: confirmed, refuted or chance.
        why: why they differ, or what guessing does.
        guessing: for a trend, the same verdict on guessing alone.
    """

    where: str
    says: str
    get: str
    verdict: str
    why: str
    guessing: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain JSON values."""
        return asdict(self)


def judged(found: Estimate, sign: int) -> str:
    """Verdict on a difference that should have this sign.

    >>> judged(Estimate(0.2, 0.1, 0.3, 9), 1), judged(Estimate(0.2, -0.1, 0.5, 9), 1)
    ('confirmed', 'chance')
    """
    low, high = (found.low, found.high) if sign > 0 else (-found.high, -found.low)
    return CONFIRMED if low > 0 else REFUTED if high < 0 else UNDECIDED


def in_range(found: Estimate, low: float, high: float) -> str:
    """Verdict on a printed number."""
    return CONFIRMED if low <= found.mean <= high else REFUTED


def together(verdicts: Iterable[str]) -> str:
    """Verdict on a claim with several parts."""
    parts = set(verdicts)
    if parts == {CONFIRMED}:
        return CONFIRMED
    return REFUTED if REFUTED in parts else UNDECIDED


@dataclass(frozen=True)
class Trend:
    """Slopes of one measure along a sweep, for several attacks."""

    figures: Figures
    sweep: str
    measure: str
    scope: str = "all"
    attacks: Sequence[str] = (*SEMANTIC, VPA)

    def slope(self, attack: str, side: str = "value") -> Estimate:
        """Change for each step."""
        most = PRINTED_SIZES if self.sweep == "size" else float("inf")
        return slope_of(self.figures.along(self.sweep, attack, self.measure, self.scope, side, most)).estimate

    def above(self, attack: str) -> Estimate:
        """Change of what is above chance."""
        return slope_of(above_chance(self.figures, self.sweep, attack, self.measure, self.scope)).estimate

    def verdict(self, sign: int) -> str:
        """Whether all attacks go this way."""
        return together(judged(self.slope(attack), sign) for attack in self.attacks)

    def claim(self, where: str, says: str, sign: int, why: str) -> Claim:
        """The claim that all attacks go this way, and whether guessing alone does."""
        guessing = judged(self.slope("random"), sign)
        return Claim(where, says, self.get, self.verdict(sign), why, guessing)

    @property
    def get(self) -> str:
        """Slopes in words."""
        slopes = sorted(
            ((self.slope(attack), attack) for attack in self.attacks), key=lambda one: one[0].mean
        )
        (least, first), (most, last) = slopes[0], slopes[-1]
        if len(slopes) == 1:
            return f"a step changes it by {least.signed}"
        return f"a step changes it by {least.signed} ({first}) to {most.signed} ({last})"

    @property
    def why(self) -> str:
        """What chance does on the same releases."""
        rest = ", ".join(f"{attack} {self.above(attack).signed}" for attack in ABA)
        return f"guessing changes by {self.slope('random').signed}; above guessing: {rest}"


def above_chance(figures: Figures, sweep: str, attack: str, measure: str, scope: str = "all") -> list[Series]:
    """Value minus chance along a sweep, as far as the thesis went."""
    found = figures.over(sweep, attack, measure, scope)
    if sweep != "size":
        return found
    return [one for x, one in zip(figures.places[sweep], found, strict=True) if x <= PRINTED_SIZES]


def difference(
    figures: Figures,
    sweep: str,
    places: Sequence[float],
    one: str,
    other: str,
    measure: str,
    scope: str = "all",
) -> Estimate:
    """Mean of one attack minus another over some places of a sweep."""
    return mean_of(
        [
            figures.at(sweep, x, one, measure, scope) - figures.at(sweep, x, other, measure, scope)
            for x in places
        ]
    ).estimate


def beats(
    figures: Figures,
    sweep: str,
    places: Sequence[float],
    pairs: Sequence[tuple[str, str]],
    measure: str,
    scope: str = "all",
    sign: int = 1,
) -> tuple[str, str]:
    """What we get and the verdict, where the first attack of each pair should be above (below) the second."""
    found = [
        (one, other, difference(figures, sweep, places, one, other, measure, scope)) for one, other in pairs
    ]
    words = "; ".join(f"{one} minus {other}: {gap.signed}" for one, other, gap in found)
    return words, together(judged(gap, sign) for _, _, gap in found)


def level(figures: Figures, sweep: str, x: float, attack: str, measure: str, scope: str = "all") -> str:
    """A value with chance and control beside it."""
    value, chance, control = (
        figures.at(sweep, x, attack, measure, scope, side).estimate for side in ("value", "chance", "control")
    )
    return f"{attack} {value}; guessing {chance.mean:.3f}, shuffled {control.mean:.3f}"


def printed_places(figures: Figures) -> list[tuple[str, float]]:
    """All settings that the thesis has."""
    return [
        (sweep, x)
        for sweep in ("k", "density", "size")
        for x in figures.places[sweep]
        if sweep != "size" or x <= PRINTED_SIZES
    ]


def most_at(figures: Figures, measure: str, places: Sequence[tuple[str, float]]) -> tuple[str, float, str]:
    """Setting and semantic attack that reach most, over some settings."""
    return max(
        ((sweep, x, attack) for sweep, x in places for attack in SEMANTIC),
        key=lambda one: figures.at(one[0], one[1], one[2], measure).estimate.mean,
    )
