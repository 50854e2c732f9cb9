"""Judgements in words, with a sign and a colour: of the audit, of one threat, of the confidence of an attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.model.risk import Risk
from cloven.report.words import counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.report.rows import Sure

CLOSE = 0.02
"""Confidence this near to truth passes for right."""
TELLING = 0.1
"""Below it confidence says nearly nothing, and there are so many such guesses that they would drown the others."""


@dataclass(frozen=True)
class Sign:
    """What colour, icon and words say together; the name of the tone is also that of the icon."""

    tone: str
    words: str


VERDICTS: Mapping[str, Sign] = {
    "publish": Sign("good", "Publish"),
    "change settings": Sign("change", "Change these settings"),
    "use another method": Sign("other", "Use that method instead"),
    "do not publish": Sign("bad", "Do not publish"),
}


def of_risk(
    plain: Mapping[str, Any], limit: float, limits: Mapping[str, float], *, withheld: bool = False
) -> Sign:
    """How one threat came out against the limits."""
    if plain["not_tried"]:
        return Sign("quiet", "not tried")
    if withheld or (plain["attacker"] is None and not plain["broken"]):
        return Sign("quiet", "withheld" if withheld else "nothing to measure")
    if plain["counts"] and plain["broken"]:
        return Sign("bad", "breaks the promise")
    risk = Risk.from_dict({name: value for name, value in plain.items() if name != "withheld"})
    if risk.exceeds(limit):
        sure = risk.judged is not None and (risk.judged.low or risk.judged.value) > limit
        return Sign("bad", "above the limit" if sure else "may be above the limit")
    if risk.tails_beyond(limits["max_tail"], limits["max_risk"]):
        return Sign("bad", "tells too much")
    if not plain["counts"]:
        return Sign("quiet", "not judged")
    if risk.no_more_than_lots and risk.judged is not None and risk.judged.upper > limit:
        return Sign("good", "no more than guessing")
    return Sign("good", "below the limit")


def of_confidence(rows: Sequence[Sure]) -> str:
    """Whether an attack knows how much it knows, in words that every group of guesses bears out."""
    telling = [row for row in rows if row.enough and row.confidence >= TELLING]
    if not telling:
        surest = max((row.confidence for row in rows), default=0.0)
        return f"Never sure enough to be tested: its highest confidence is {percent(surest)}."
    guesses = sum(row.guesses for row in telling)
    gap = sum(row.guesses * (row.confidence - row.right) for row in telling) / guesses
    last = telling[-1]
    example = (
        f"Of the {counted(last.guesses, 'guesses')} it was surest of (about {percent(last.confidence)}),"
        f" {percent(last.right)} were right."
    )
    if abs(gap) > CLOSE:
        return f"{_more_or_less(gap)}. {example}"
    if _believable(last) and all(map(_believable, telling)):
        return f"Calibrated: its confidence can be believed. {example}"
    if not _believable(last):
        return f"{_more_or_less(last.confidence - last.right)} where it is surest. {example}"
    return f"Calibrated on average only: too sure of some guesses and not sure enough of others. {example}"


def _more_or_less(gap: float) -> str:
    if gap > 0:
        return "Overconfident: it is right less often than it says"
    return "Underconfident: it is right more often than it says"


def _believable(row: Sure) -> bool:
    """Whether the share that was right is near the confidence, or no farther than chance explains."""
    spread = (row.confidence * (1 - row.confidence) / max(1, row.guesses)) ** 0.5
    return bool(abs(row.confidence - row.right) <= max(CLOSE, 2 * spread))
