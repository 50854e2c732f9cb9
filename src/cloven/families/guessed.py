"""From what an attack guessed to a risk: the same figures and words for every family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.families.words import share
from cloven.model.risk import Estimate

if TYPE_CHECKING:
    from cloven.model.risk import Risk
    from cloven.scoring.findings import Finding, Findings
    from cloven.threats import Threat


def risk_of(
    threat: Threat,
    found: Findings,
    details: dict[str, Any],
    puts: str,
    beside: str = "",
    guess: str = "guessing",
) -> Risk:
    """The risk by the measure "hit"; ``puts`` says of what the attacker puts a share where.

    ``beside`` is the ending of measures with another baseline than lots, and ``guess`` says what that is called.
    """
    hit, auc = found.get(f"hit{beside}"), found.get(f"auc{beside}")
    attacker = _estimate(hit.value, hit.low, hit.high)
    guessing = _estimate(hit.chance, hit.chance_low, hit.chance_high)
    if attacker is None or guessing is None:
        # What whole parts tell is measured on known persons, so that this attacker is not missing.
        why = "nothing is split off, so there is nothing to put back"
        return threat.risk(not_tried=why, counts=False, details=details)
    sentence = f"An attacker ({threat.name}) puts {share(attacker)} {puts}; {guess} gets {share(guessing)}."
    meant = meaning(attacker, beats=beats(auc))
    return threat.risk(
        attacker=attacker,
        guessing=guessing,
        control=_estimate(hit.control, hit.control_low, hit.control_high),
        beats=beats(auc),
        count=int(hit.count),
        units=hit.units,
        sentence=sentence,
        meaning=meant,
        details=details,
    ).saying(sentence=sentence, meaning=meant)


def meaning(attacker: Estimate, *, beats: bool) -> str:
    """One sentence: how often the attacker is right, and whether knowledge had any part in it.

    An interval that reaches down to guessing is no proof that there is no danger, so it is not called one.

    >>> meaning(Estimate(0.125), beats=True)
    '1 in 8 guessed links is right; better than guessing'
    """
    value = attacker.value
    often = (
        f"1 in {1 / value:.0f} guessed links is right"
        if 0 < value < 0.4
        else f"{100 * value:.0f} % of guessed links are right"
    )
    return f"{often if value else 'no guessed link is right'}; " + (
        "better than guessing" if beats else "not shown to beat guessing"
    )


def beats(auc: Finding) -> bool:
    """Better than guessing and than the control, shown with 95 %. Ranking tells it apart best, so the AUC decides."""
    lows = [auc.over_chance_low] + ([] if auc.control is None else [auc.over_control_low])
    return all(low is not None and low > 0 for low in lows)


def _estimate(value: float | None, low: float | None, high: float | None) -> Estimate | None:
    return None if value is None else Estimate(value, low, high)
