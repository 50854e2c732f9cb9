"""What an audit can say to the clauses of a standard: each answer by name, from figures that stand in the document.

An answer is given, or it has failed, or a person has to give it. What was not tried is never given as an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from cloven.figures import counted, listed, many, percent
from cloven.standards.context import MODELS
from cloven.standards.identification import identification, least_k

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.audit.report import AuditReport
    from cloven.disclosure.risk import Criterion, Estimate, Risk
    from cloven.standards.claim import Claim

State = Literal["answered", "needs a person", "failed"]
Answering: TypeAlias = "Callable[[AuditReport, Claim], Answer]"


@dataclass(frozen=True)
class Answer:
    """What is said to one clause.

    Attributes:
        state: whether that answers it.
        text: the answer, in a sentence or two.
        figure: what was measured, if one figure stands for it.
        limit: what that is held to.
        baseline: the same of people outside the release, or what lots get.
        baseline_of: which of them.
        where: keys of the document of the audit where it stands.
    """

    state: State
    text: str
    figure: Estimate | None = None
    limit: float | None = None
    baseline: Estimate | None = None
    baseline_of: str = ""
    where: str = ""


def answered(name: str, report: AuditReport, claim: Claim) -> Answer:
    """The answer of a name."""
    return ANSWERS[name](report, claim)


def k_of(report: AuditReport) -> int:
    """Candidates that the method promises."""
    return report.audit.method.k


def _recipient(_report: AuditReport, claim: Claim) -> Answer:
    context = claim.context
    text = f"{_full(context.recipient)} Purpose: {_full(context.purpose)} Release: {MODELS[context.release]}."
    return Answer("answered", text, where="standard.context")


def _controls(_report: AuditReport, claim: Claim) -> Answer:
    context, where = claim.context, "standard.context.controls"
    if context.controls:
        return Answer("answered", " ".join(map(_full, context.controls)), where=where)
    if context.release == "public":
        return Answer(
            "answered", "Nothing binds readers of a public release: the figures alone hold.", where=where
        )
    return Answer("needs a person", "The context names no control.", where=where)


def _method(report: AuditReport, _claim: Claim) -> Answer:
    from cloven._version import __version__

    named = report.outcome.published_name or "the method of the manifest"
    text = f"{named}, by Cloven {__version__}. Parameters, versions and the hash of the release stand below."
    return Answer("answered", text, where="setting, parameters, environment, hashes")


def _verification(report: AuditReport, _claim: Claim) -> Answer:
    found = report.verified
    state: State = "answered" if found.ok else "failed"
    passed = f"{counted(len(found.checks), 'checks')} of a checker that shares nothing with the method"
    text = f"{passed}, at {found.level} level: {'all passed' if found.ok else 'not all passed'}."
    return Answer(state, text, where="verification")


def _threats(report: AuditReport, _claim: Claim) -> Answer:
    tried = [risk for risk in report.risks if not risk.not_tried]
    text = f"{many(len(tried), 'attacker')} tried: {listed(risk.threat for risk in tried)}."
    missing = [risk.threat for risk in report.risks if risk.not_tried]
    if missing:
        text += f" Not tried: {listed(missing)}."
    return Answer(
        "answered" if tried else "needs a person", text if tried else "Nobody was tried.", where="risks"
    )


def _adversary(report: AuditReport, claim: Claim) -> Answer:
    found = _threats(report, claim)
    past = [risk.threat for risk in report.risks if is_past(risk, report)]
    if found.state == "answered" and past:
        return Answer("failed", f"{found.text} Past the limits: {listed(past)}.", where="risks")
    return found


def _criterion(criterion: Criterion, report: AuditReport, _claim: Claim) -> Answer:
    """What attackers reached who tried it; the one that is nearest to its limit, or past it, stands for all."""
    asked = [(at, risk) for at, risk in enumerate(report.risks) if criterion in risk.criteria and risk.counts]
    tried = [(at, risk) for at, risk in asked if risk.judged is not None]
    if not tried:
        return Answer("needs a person", f"No attack that counts tried {criterion}.", where="risks")
    past = [risk.threat for _, risk in asked if is_past(risk, report)]
    at, worst = max(tried, key=lambda each: _strain(each[1], report))
    of, baseline = baseline_of(worst)
    if past:
        text = f"Past the limits: {listed(dict.fromkeys(past))}."
    else:
        text = f"{many(len(tried), 'attacker')} tried, none gets past the limits."
    return Answer(
        "failed" if past else "answered",
        f"{text} {worst.sentence}".strip(),
        worst.judged,
        limit_of(worst, report),
        baseline,
        of,
        f"risks[{at}]",
    )


def _strain(risk: Risk, report: AuditReport) -> tuple[bool, float]:
    """How much of its limit an attacker takes up."""
    reached = 0.0 if risk.judged is None else risk.judged.upper
    return is_past(risk, report), reached / max(limit_of(risk, report), 1e-9)


def is_past(risk: Risk, report: AuditReport) -> bool:
    """Whether an attacker speaks against publishing."""
    limits = report.audit.limits
    past = risk.exceeds(limit_of(risk, report)) or risk.tails_beyond(limits.max_tail, limits.max_risk)
    return bool(past or risk.missing or risk.doubt or (risk.counts and risk.broken))


def limit_of(risk: Risk, report: AuditReport) -> float:
    """What an attacker is held to."""
    return report.audit.limits.limit_of(risk, k_of(report))


def baseline_of(risk: Risk) -> tuple[str, Estimate | None]:
    """What the same attack reaches without the release, and how that is called."""
    if risk.outsiders is not None:
        return "outsiders", risk.outsiders
    return ("guessing", risk.guessing) if risk.guessing is not None else ("", None)


def _risk(report: AuditReport, claim: Claim) -> Answer:
    """The risk that a person is found, against the threshold."""
    found, threshold = identification(report.risks, k_of(report)), claim.threshold
    reached, where = claim.reached(found), "standard.risks"
    figures = f"The {claim.judged} counts, {percent(reached)}; by the promise {percent(found.promised)}"
    if found.average is not None:
        figures += f", on average {percent(found.average.value)} were found"
    if threshold is None:
        return Answer(
            "needs a person", f"{figures}. No threshold is named, so it is held to nothing.", where=where
        )
    held = f"{figures}. The threshold is {percent(threshold)}."
    faults = claim.faults(report.risks, k_of(report))
    if claim.out_of_reach(k_of(report)):
        held += f" k = {least_k(threshold)} is the least whose promise meets it."
    figure = found.average if claim.judged == "average" else None
    return Answer("failed" if faults else "answered", held, figure, threshold, where=where)


def _assumed(report: AuditReport, _claim: Claim) -> Answer:
    """What an attacker is taken to know; and what somebody reaches who knows more."""
    promised = [risk.knows for risk in report.risks if risk.promised]
    if not promised:
        return Answer(
            "needs a person", "The release promises no number of candidates to anybody.", where="risks"
        )
    text = f"The promise is for whoever knows {listed(dict.fromkeys(promised))}."
    beyond = [risk for risk in report.risks if risk.linkage == "record" and not risk.counts and risk.attacker]
    for risk in beyond:
        text += f" Shown and not judged ({risk.threat}): {risk.sentence}"
    return Answer("answered", text, where="parameters, risks")


def _utility(report: AuditReport, _claim: Claim) -> Answer:
    found = report.outcome.utility.get()
    if found.score is None:
        return Answer(
            "needs a person", "The headline of utility is not defined for this data.", where="utility"
        )
    text = f"{percent(found.score)} kept by {found.name}: {found.sentence}."
    least = report.audit.limits.min_utility
    short = report.outcome.utility.score(report.audit.limits.measure) < least
    return Answer("failed" if short else "answered", text, where="utility.measures")


def _earlier(report: AuditReport, _claim: Claim) -> Answer:
    others = report.audit.knowledge.releases
    if others:
        text = f"{many(len(others), 'other release')} tried together with this one; what that reached stands among"
        return Answer("answered", f"{text} the attackers.", where="risks")
    text = "No other release was tried with this one. The ledger warns of those that it knows."
    return Answer("needs a person", text, where="decision.reasons")


def _review(_report: AuditReport, claim: Claim) -> Answer:
    day = claim.context.review
    if day is None:
        return Answer("needs a person", "The context names no day of review.", where="standard.triggers")
    return Answer(
        "answered",
        f"By {day.isoformat()}, or when one of the triggers below occurs.",
        where="standard.triggers",
    )


def _full(text: str) -> str:
    """With a full stop at its end."""
    ended = text.strip()
    return ended if ended.endswith((".", "!", "?")) else f"{ended}."


ANSWERS: Mapping[str, Answering] = {
    "recipient": _recipient,
    "controls": _controls,
    "method": _method,
    "verification": _verification,
    "threats": _threats,
    "adversary": _adversary,
    "singling out": partial(_criterion, "singling out"),
    "linkability": partial(_criterion, "linkability"),
    "inference": partial(_criterion, "inference"),
    "risk": _risk,
    "assumed": _assumed,
    "utility": _utility,
    "earlier": _earlier,
    "review": _review,
}
PUBLIC = ("method", "verification")
"""Answers that rest on the release and its manifest alone."""
