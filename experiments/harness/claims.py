"""Claims of a source, and verdicts on them that follow from kept figures.

A claim holds if the 95 % interval of its figure lies where the source says, does not hold if it lies on the other side,
and is not decided if it covers the border. A claim with several figures holds if all do, holds partly if some do and
some do not, does not hold if none does, and else is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from experiments.harness.figures import Estimate, Row, Table, number

if TYPE_CHECKING:
    from collections.abc import Iterable

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds partly", "does not hold", "not decided"
VERDICTS = (HOLDS, PARTLY, FAILS, OPEN)
NEAR = 0.05
"""What two shares may differ by and still be called the same."""

Found = TypeVar("Found")
Named = Mapping[str, Estimate]
"""Figures by name; the names stand on the page."""
Rule = Callable[[Sequence[Estimate]], str]
"""The verdict on the figures of a claim, in their order."""


def combined(verdicts: Iterable[str]) -> str:
    """Verdict on a claim with several figures.

    >>> combined([HOLDS, HOLDS]), combined([HOLDS, FAILS]), combined([HOLDS, OPEN]), combined([FAILS, OPEN])
    ('holds', 'holds partly', 'not decided', 'does not hold')
    """
    parts = set(verdicts)
    if FAILS in parts:
        return PARTLY if HOLDS in parts else FAILS
    return HOLDS if parts == {HOLDS} else OPEN


def each(verdict: Callable[[Estimate], str]) -> Rule:
    """The same for every figure.

    >>> each(above(0))([Estimate(0.2, 0.1, 0.3, 9), Estimate(0.2, -0.1, 0.5, 9)])
    'not decided'
    """
    return lambda figures: combined(map(verdict, figures))


def in_turn(*verdicts: Callable[[Estimate], str]) -> Rule:
    """A rule of its own for every figure."""
    return lambda figures: combined(
        verdict(figure) for verdict, figure in zip(verdicts, figures, strict=True)
    )


def above(limit: float) -> Callable[[Estimate], str]:
    """More than a limit."""
    return lambda figure: between(figure, limit, float("inf"))


def below(limit: float) -> Callable[[Estimate], str]:
    """Less than a limit."""
    return lambda figure: between(figure, -float("inf"), limit)


def within(low: float, high: float) -> Callable[[Estimate], str]:
    """Between two limits, wherever the interval lies: for numbers that are printed."""
    return lambda figure: HOLDS if low <= figure.mean <= high else FAILS


def near(limit: float = NEAR) -> Callable[[Estimate], str]:
    """No difference, or one that does not matter."""
    return lambda figure: between(figure, -limit, limit)


def between(figure: Estimate, low: float, high: float) -> str:
    """Whether a figure lies between two limits, with its interval where it has one.

    >>> between(Estimate(0.2, 0.1, 0.3, 9), 0, 1), between(Estimate.exact(0.2), 0.3, 1)
    ('holds', 'does not hold')
    """
    least, most = (figure.low, figure.high) if figure.has_interval else (figure.mean, figure.mean)
    if low < least and most < high:
        return HOLDS
    return FAILS if most < low or high < least else OPEN


@dataclass(frozen=True)
class Claim(Generic[Found]):
    """A claim of a source.

    Attributes:
        name: a short name, which the kept figures stand under.
        where: figure or section of the source.
        says: what the source says.
        figures: what decides it, by name, from what was found.
        rule: the verdict on these figures.
        beside: what they must be compared with, such as what guessing does; decides nothing.
        form: how a figure is printed.
        why: why it is so, if more is known than the figures.
    """

    name: str
    where: str
    says: str
    figures: Callable[[Found], Named]
    rule: Rule
    beside: Callable[[Found], Named] = field(default=lambda _found: {})
    form: str = "+.3f"
    why: str = ""


@dataclass(frozen=True)
class Judged:
    """A claim and what became of it; ``figures`` decided, ``beside`` is for comparison."""

    claim: Claim[object]
    verdict: str
    figures: Named
    beside: Named

    @property
    def found(self) -> str:
        """All figures in words."""
        compared = f"; to compare: {self._in_words(self.beside)}" if self.beside else ""
        return self._in_words(self.figures) + compared

    def _in_words(self, figures: Named) -> str:
        shown = [f"{name} {figure:{self.claim.form}}" for name, figure in figures.items()]
        return "; ".join(shown).replace("%", " %")


def measured(claims: Iterable[Claim[Found]], found: Found) -> Table:
    """The table ``claims``: every figure of every claim."""
    rows: Table = []
    for claim in claims:
        for role, figures in (("decides", claim.figures(found)), ("beside", claim.beside(found))):
            for name, figure in figures.items():
                low, high = (figure.low, figure.high) if figure.has_interval else (None, None)
                row: Row = {"claim": claim.name, "figure": name, "role": role}
                rows.append(row | {"mean": figure.mean, "low": low, "high": high})
    return rows


def judged(claims: Iterable[Claim[Found]], table: Table) -> list[Judged]:
    """The verdicts, from the kept figures alone."""
    out = []
    for claim in claims:
        sides: dict[str, dict[str, Estimate]] = {"decides": {}, "beside": {}}
        for row in table:
            if row["claim"] == claim.name:
                sides[str(row["role"])][str(row["figure"])] = _figure(row)
        verdict = claim.rule(list(sides["decides"].values())) if sides["decides"] else OPEN
        out.append(Judged(claim, verdict, sides["decides"], sides["beside"]))  # type: ignore[arg-type]
    return out


def sentence(one: Judged) -> str:
    """A point of the page: the verdict, what the source says and where, what was found, and why.

    >>> slope = {"slope": Estimate(0.2, 0.1, 0.3, 9)}
    >>> sentence(Judged(Claim("a", "Fig. 1", "it grows", dict, each(above(0)), why="as it must"), HOLDS, slope, {}))
    '**Holds.** It grows (Fig. 1). Found: slope +0.200 (+0.100 to +0.300). As it must.'
    """
    parts = [f"{_begun(one.claim.says)} ({one.claim.where})", f"Found: {one.found}"]
    parts += [_begun(one.claim.why)] if one.claim.why else []
    return f"**{_begun(one.verdict)}.** {'. '.join(parts)}."


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def counted(verdicts: Iterable[Judged]) -> str:
    """How many claims hold.

    >>> claim = Claim("a", "1", "it grows", lambda found: {}, each(above(0)))
    >>> counted([Judged(claim, HOLDS, {}, {}), Judged(claim, OPEN, {}, {})])
    'Of 2 claims 1 holds, 0 hold partly, 0 do not hold, and 1 is not decided.'
    """
    every = [one.verdict for one in verdicts]
    holds, partly, fails, undecided = (every.count(verdict) for verdict in VERDICTS)
    return (
        f"Of {len(every)} claims {holds} {'holds' if holds == 1 else 'hold'}, {partly}"
        f" {'holds' if partly == 1 else 'hold'} partly, {fails} {'does' if fails == 1 else 'do'} not hold, and"
        f" {undecided} {'is' if undecided == 1 else 'are'} not decided."
    )


def _figure(row: Row) -> Estimate:
    if row["low"] is None:
        return Estimate.exact(number(row["mean"]))
    return Estimate(number(row["mean"]), number(row["low"]), number(row["high"]), 2)
