"""Figures of an audit as lines of its answer: what each attack reached, compared with chance or a control group."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from cloven.cli.answer import Figure
from cloven.disclosure.outcome import CARE, WORKS
from cloven.disclosure.risk import NOTHING, NOTHING_GAINED, ROUNDING
from cloven.figures import counted, many, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.audit.decision import Decision, Limits
    from cloven.disclosure.outcome import Outcome, Utility
    from cloven.disclosure.risk import Estimate, Risk, Tail

NAMES = {
    "a known person": "Attribute inference",
    "known person": "Attribute inference",
    "learns from the table": "Model-based inference",
    "method": "Algorithm-aware attack",
    "replays the method": "Algorithm-aware attack",
    "a person's row": "Re-identification",
    "nearest ranges": "Re-identification, nearest ranges",
    "protected itemset of a person": "Singling out, protected itemsets",
    "guesses by frequency": "Attribute inference, by frequency",
    "being in it": "Membership inference",
    "being in the table": "Membership inference",
    "names left in": "Direct identifiers present",
}
WITHOUT_KNOWLEDGE = {"release alone": "no outside knowledge", "word meanings": "semantic knowledge"}
TAILS = {
    "told at 0.95": "near-certain",
    "certain": "logically implied",
    "likeliest claim right": "best guess correct",
}
PERCENT, POINTS = "%", "points"
WORST = "the worst items"
"""How it begins what is known where the most revealing items are."""
_KNOWN = re.compile(r"(\d+) items? of a person")
_OTHER = re.compile(r"another release( \(\d+\))?")


def threat_name(risk: Risk) -> str:
    """The field's name for an attack.

    >>> from cloven.disclosure.risk import Risk
    >>> threat_name(Risk("2 items of a person", "", "record", ""))
    'Singling out, 2 known items'
    """
    known, other = _KNOWN.fullmatch(risk.threat), _OTHER.fullmatch(risk.threat)
    if known is not None:
        return f"Singling out, {many(int(known[1]), 'known item')}"
    if other is not None:
        return f"Composition, another release{other[1] or ''}"
    if risk.threat in WITHOUT_KNOWLEDGE:
        what = "Linkability" if "linkability" in risk.criteria else "Attribute inference"
        return f"{what}, {WITHOUT_KNOWLEDGE[risk.threat]}"
    return NAMES.get(risk.threat, risk.threat[:1].upper() + risk.threat[1:])


def figures(outcome: Outcome, decision: Decision | None, limits: Limits, k: int) -> list[Figure]:
    """Every figure of an outcome, and what else speaks against publishing it."""
    found = [figure for risk in outcome.risks for figure in _figures(risk, limits, k)]
    if not outcome.groups:
        found.insert(
            0, Figure("x", "", "The release is empty: nothing is left in it that anybody could use.")
        )
    reasons = () if decision is None else decision.reasons
    return found + [Figure("x", "", str(reason)) for reason in reasons if reason.risk is None]


def _figures(risk: Risk, limits: Limits, k: int) -> list[Figure]:
    name = threat_name(risk)
    found: list[Figure] = []
    if risk.not_tried:
        mark: Literal["x", "."] = "x" if risk.missing else "."
        nothing = risk.not_tried.startswith(NOTHING)
        text = risk.not_tried if nothing else f"not attacked: {risk.not_tried}"
        found.append(Figure(mark, name, text, times=float(risk.missing)))
    if risk.judged is not None and (risk.counts or not risk.doubt):
        found.append(_headline(risk, risk.judged, name, limits.limit_of(risk, k)))
    found += [_tail(risk, tail, name, tail.limit(limits.max_tail, limits.max_risk)) for tail in risk.tails]
    if risk.counts and risk.broken:
        what = counted(risk.broken, risk.broken_what).replace(" that ", " ", 1)
        text = f"{what} ({name[:1].lower()}{name[1:]}), limit 0"
        found.append(Figure("x", "Guarantee violations", text, times=float("inf")))
    if risk.doubt:
        found.append(Figure("x", name, risk.doubt))
    return found


def _headline(risk: Risk, judged: Estimate, name: str, limit: float) -> Figure:
    """What the whole attack reached."""
    if risk.excess is not None and risk.attacker is not None:
        plain = Figure(".", name, _difference(risk.attacker, risk.outsiders, risk.excess))
        found = _compared(plain, risk.excess, limit, POINTS, counts=risk.counts)
        return replace(found, text=found.text + _knowing(risk, str(risk.details.get("known", ""))))
    text = f"{percent(judged.value)} {_verb(risk)}{_ends(judged)}"
    if risk.guessing is not None:
        text += f", random baseline {percent(risk.guessing.value)}"
    if "found" in risk.details:
        share, alarms = risk.details["found"], risk.details["false_alarms"]
        text += f", {percent(share)} of members found at {percent(alarms, 0)} false alarms"
    found = _compared(Figure(".", name, text), judged, limit, PERCENT, counts=risk.counts)
    if not risk.counts or not risk.gains_nothing(limit):
        return found
    if found.mark == "v":
        return replace(found, text=f"{found.text}; no gain over chance")
    return Figure("v", name, f"{text}: no gain over chance (at most {_number(NOTHING_GAINED)} points)")


def _tail(risk: Risk, tail: Tail, name: str, limit: float) -> Figure:
    """What it reached of people whom a mean would hide."""
    text = _difference(tail.members, tail.outsiders, tail.excess)
    plain = Figure(".", name, text, TAILS.get(tail.name, tail.name))
    found = _compared(plain, tail.excess, limit, POINTS, counts=risk.counts)
    return replace(found, text=found.text + _knowing(risk, tail.known))


def _knowing(risk: Risk, known: str) -> str:
    """What the intruder knows, where figures of one attack differ in it, and among what the worst was searched."""
    differs = {risk.details.get("known", known), *(tail.known for tail in risk.tails)} != {known}
    searched = risk.details.get("searched") if known.startswith(WORST) else None
    parts = [f"known: {known}" if differs and known else "", f"searched: {searched}" if searched else ""]
    return "".join(f"; {part}" for part in parts if part)


def _compared(plain: Figure, judged: Estimate, limit: float, unit: str, *, counts: bool) -> Figure:
    """A figure beside its limit, which its upper end is compared with."""
    if not counts:
        return replace(plain, text=f"{plain.text}: not judged")
    times = judged.upper / limit if limit else float("inf" if judged.upper else 0)
    allowed = _with_unit(_number(limit), unit)
    if judged.upper <= limit + ROUNDING:
        return replace(plain, mark="v", text=f"{plain.text}, limit {allowed}", times=times)
    upper = f"upper bound {_with_unit(_number(judged.upper, limit), unit)} exceeds the limit of {allowed}"
    return replace(plain, mark="x", text=f"{plain.text}, {upper}", times=times)


def _difference(inside: Estimate, outside: Estimate | None, excess: Estimate) -> str:
    control = "" if outside is None else f", {percent(outside.value)} in the control group"
    return (
        f"{percent(inside.value)} in the release{control}: {_points(excess.value):+.1f} points{_ends(excess)}"
    )


def _ends(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({_points(estimate.low):.1f} to {_points(estimate.high):.1f})"


def _points(share: float) -> float:
    """Percentage points to one digit; nothing is below 0 by rounding."""
    return round(100 * share, 1) + 0.0


def _with_unit(number: str, unit: str) -> str:
    return f"{number} {'point' if unit == POINTS and number == '1' else unit}"


def _number(share: float, limit: float | None = None) -> str:
    """A share in percent, with so many digits that it can be told from the limit.

    >>> _number(0.2), _number(0.012), _number(0.2004, 0.2)
    ('20', '1.2', '20.04')
    """
    for digits in (1, 2, 3):
        if limit is None or round(100 * share, digits) > round(100 * limit, digits):
            break
    return f"{100 * share:.{digits}f}" if limit is not None else f"{100 * share:.3g}"


def _verb(risk: Risk) -> str:
    match risk.linkage:
        case "record":
            return "found"
        case "table":
            return "told apart"
        case _:
            return "re-linked" if "linkability" in risk.criteria else "right"


def use(utility: Utility) -> str:
    """What the release is good for, in a line."""
    scored = [(utility.get(name).name, utility.get(name).score) for name in utility.analyses]
    known = [(name, score) for name, score in scored if score is not None]
    if not known:
        headline = utility.get()
        return f"{headline.name} {percent(utility.score())}"
    groups = {
        "good": [pair for pair in known if pair[1] >= WORKS],
        "limited": [pair for pair in known if CARE <= pair[1] < WORKS],
        "poor": [pair for pair in known if pair[1] < CARE],
    }
    return "    ".join(f"{word}: {_with_errors(pairs)}" for word, pairs in groups.items() if pairs)


def _with_errors(pairs: Sequence[tuple[str, float]]) -> str:
    first, *rest = [(name, f"{100 * (1 - score):.0f} %") for name, score in pairs]
    return ", ".join([f"{first[0]} (error {first[1]})", *(f"{name} ({error})" for name, error in rest)])
