"""The public document of an audit: closed by default, and made only from what is declared public.

Nothing is copied from the owner's document. Every key is declared (at the end of this file), every text comes
from something with a public audience (``Said``, ``Wording``, a ``Measured`` that is public) or is written here, and
every figure is what the release shows anyway or a total. An attacker without words for the public is in no total
either. Totals over fewer than ``FEWEST`` groups or guesses, be it of this release, of one kind of its parts or of a
setting that it was compared with, are withheld.

Beside differential privacy there are no totals: each would spend more than the budget that was published, because one
row more or less changes it. What is left is what the manifest says (``Facts``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from cloven._version import __version__
from cloven.audit.decision import price
from cloven.audit.document import FORMAT, ends, environment, histogram
from cloven.disclosure.outcome import front
from cloven.figures import percent
from cloven.standards import section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.audit.decision import Decision, Limits
    from cloven.audit.report import AuditReport
    from cloven.disclosure.outcome import Measured, Outcome
    from cloven.disclosure.risk import Estimate, Linkage, Risk, Tail


FEWEST = 100
"""Clusters below which a total could tell about single persons."""
WITHHELD = f"withheld: totals over fewer than {FEWEST} groups or guesses are not shared"
NO_TOTALS = (
    "This release promises differential privacy, so that figures measured on the rows, and a verdict that rests on"
    " them, are not shared: one row more or less would change them, which the promise does not cover"
)


def public(report: AuditReport, manifest_sha256: str | None = None) -> dict[str, Any]:
    """What of an audit may be shared."""
    shares = report.family.shares_totals(report.audit.method)
    common = _common(report, manifest_sha256)
    return dict(_with_totals(report, common) if shares else _facts(report, common))


def _common(report: AuditReport, manifest_sha256: str | None) -> Common:
    return {
        "format": FORMAT,
        "version": __version__,
        "audience": "public",
        "family": report.family.name,
        "setting": report.outcome.published_name,
        "parameters": dict(report.outcome.parameters),
        "published": dict(report.family.published(report.result.release)),
        "withheld": "",
        "environment": environment(),
        "hashes": {"manifest_sha256": manifest_sha256},
    }


def _facts(report: AuditReport, common: Common) -> Facts:
    checked: Passed = {"level": report.verified.level, "ok": report.verified.ok}
    return {**common, "withheld": NO_TOTALS, "verification": checked}


def _with_totals(report: AuditReport, common: Common) -> Public:
    outcome, limits, few = report.outcome, report.audit.limits, report.outcome.groups < FEWEST
    tried = [] if few else _settings(outcome, report.others, limits.measure)
    verified = report.verified
    return {
        **common,
        "withheld": WITHHELD if few else "",
        "limits": _limits(limits, outcome),
        "sample": {"records": len(report.data), "of": report.records_in_all} if report.sampled else None,
        "groups": outcome.groups,
        "sizes": [
            {"size": size, "groups": groups}
            for size, groups in histogram(report.family.sizes(report.result.release))
        ],
        "verification": {"level": verified.level, "ok": verified.ok, "checks": len(verified.checks)},
        "risks": [_risk(risk, few=few) for risk in outcome.risks if risk.audience == "public"],
        "utility": {
            "headline": _name(outcome.utility.get()),
            "measures": [] if few else [_measure(each) for each in _public_measures(outcome)],
            "sentence": "" if few else _done_with_it(outcome),
        },
        "decision": _decision(report, tried, few=few),
        "standard": section.public(report),
        "outcomes": _outcomes(tried, limits.measure),
        "cautions": [caution.public for caution in report.cautions if caution.audience == "public"],
    }


def _done_with_it(outcome: Outcome) -> str:
    """What can be done with the release, as far as the public may know."""
    shown = {each.name for each in _public_measures(outcome)}
    about = tuple(name for name in outcome.utility.analyses if name in shown)
    return replace(outcome.utility, analyses=about).sentence


def is_told(risk: Risk) -> bool:
    """Whether the figures of a risk may be shared: the public knows of the attacker, and they are totals."""
    return risk.audience == "public" and (risk.attacker is None or risk.count >= FEWEST)


def _risk(risk: Risk, *, few: bool) -> ShownRisk:
    words = risk.public
    if words is None:
        raise ValueError(risk.threat)
    told = is_told(risk) and not few
    tried = not risk.not_tried
    sentence = words.sentence or f"{words.measure[:1].upper()}{words.measure[1:]}."
    return {
        "threat": words.threat,
        "knows": words.knows,
        "linkage": risk.linkage,
        "measure": words.measure,
        "attacker": _estimate(risk.attacker) if told else None,
        "guessing": _estimate(risk.guessing) if told else None,
        "control": _estimate(risk.control) if told else None,
        "outsiders": _estimate(risk.outsiders) if told else None,
        "population": _estimate(risk.population) if told else None,
        "excess": _estimate(risk.excess) if told else None,
        "gain": _estimate(risk.gain) if told else None,
        "tails": list(map(_tail, risk.tails)) if told else [],
        "beats": risk.beats if told else None,
        "counts": risk.counts,
        "outside": risk.outside,
        "promised": risk.promised,
        "broken": risk.broken if told else 0,
        "broken_what": words.broken_what if told else "",
        "count": risk.count if told else 0,
        "units": risk.units if told else 0,
        "sentence": sentence if told else WITHHELD if tried else "",
        "meaning": words.meaning if told else "",
        "not_tried": "" if tried else "not tried",  # the reason may name what only the owner knows
        "withheld": tried and not told,
        "details": {"by_kind": _kinds(risk)} if told and words.by_kind else {},
    }


def _kinds(risk: Risk) -> list[ShownKind]:
    """Figures by kind of part: all of them or none, because one that is left out is the total less the others."""
    kinds = risk.details.get("by_kind", [])
    if any(each["groups"] < FEWEST for each in kinds):
        return []
    return [
        {
            "kind": each["kind"],
            "attacker": each["attacker"],
            "low": each["low"],
            "high": each["high"],
            "guessing": each["guessing"],
            "control": each["control"],
            "count": each["count"],
            "groups": each["groups"],
        }
        for each in kinds
    ]


def _public_measures(outcome: Outcome) -> list[Measured]:
    return [each for each in outcome.utility.measures if each.audience == "public"]


def _name(measure: Measured) -> str:
    return measure.name if measure.audience == "public" else ""


def _measure(measure: Measured) -> ShownMeasure:
    return {
        "name": measure.name,
        "value": measure.value,
        "low": measure.low,
        "high": measure.high,
        "best": measure.best,
        "worst": measure.worst,
        "sentence": measure.sentence,
        "score": measure.score,
    }


def _limits(limits: Limits, outcome: Outcome) -> ShownLimits:
    return {
        "max_risk": limits.max_risk,
        "max_tail": limits.max_tail,
        "min_utility": limits.min_utility,
        "measure": _name(outcome.utility.get(limits.measure)),
    }


def _settings(main: Outcome, others: Sequence[Outcome], measure: str) -> list[Outcome]:
    """Settings with figures that may be shared, with the risks that may; the audited one first, or none at all."""
    every = [outcome.of_risks(tuple(filter(is_told, outcome.risks))) for outcome in (main, *others)]
    told = [
        outcome
        for outcome in every
        if outcome.groups >= FEWEST
        and outcome.published_name
        and outcome.worst is not None
        and outcome.utility.get(measure).audience == "public"
    ]
    return told if every[0] in told else []


def _outcomes(tried: Sequence[Outcome], measure: str) -> list[ShownOutcome]:
    best = front(tuple(tried), measure)
    out: list[ShownOutcome] = []
    for outcome in tried:
        low, high = ends(outcome, measure)
        out.append(
            {
                "name": outcome.published_name,
                "family": outcome.family,
                "main": outcome is tried[0],
                "front": outcome in best,
                "risk": outcome.risk,
                "worst": _worst(outcome.worst),
                "tail": outcome.tail,
                "broken": outcome.broken,
                "utility": outcome.utility.score(measure),
                "utility_low": low,
                "utility_high": high,
            }
        )
    return out


def _worst(risk: Risk | None) -> ShownWorst | None:
    if risk is None or risk.public is None or risk.judged is None:
        return None
    found = risk.judged
    return {"threat": risk.public.threat, "value": found.value, "low": found.low, "high": found.high}


def _estimate(found: Estimate | None) -> Shown | None:
    return None if found is None else _shown(found)


def _shown(found: Estimate) -> Shown:
    return {"value": found.value, "low": found.low, "high": found.high}


def _tail(tail: Tail) -> ShownTail:
    sides = (tail.members, tail.outsiders, tail.excess)
    members, outsiders, excess = map(_shown, sides)
    return {
        "name": tail.name,
        "members": members,
        "outsiders": outsiders,
        "excess": excess,
        "known": tail.known,
        "guesses": tail.guesses,
    }


def _decision(report: AuditReport, tried: Sequence[Outcome], *, few: bool) -> ShownDecision:
    """The verdict; why, and what holds, as far as that may be shared."""
    decision = report.decision
    better = _better(decision, report.others)
    return {
        "verdict": decision.verdict,
        "sentence": _sentence(report, tried, better[:1]),
        "reasons": [] if few else _reasons(decision),
        "better": [outcome.published_name for outcome in better],
        "words": better[0].published_name if better else "",
    }


def _reasons(decision: Decision) -> list[str]:
    """Reasons for the public; those whose risk is withheld are withheld with it."""
    return [
        reason.said.public
        for reason in decision.reasons
        if reason.audience == "public" and (reason.risk is None or is_told(reason.risk))
    ]


def _better(decision: Decision, others: Sequence[Outcome]) -> list[Outcome]:
    """Settings that hold and can be named in full; none where it is the owner's why another one is needed."""
    if any(reason.audience == "owner" for reason in decision.reasons):
        return []
    found = {outcome.name: outcome for outcome in others if outcome.name == outcome.published_name}
    return [found[name] for name in decision.better if name in found]


def _sentence(report: AuditReport, tried: Sequence[Outcome], best: Sequence[Outcome]) -> str:
    verdict = report.decision.verdict
    if verdict == "publish":
        limits = report.audit.limits
        accepted = (
            f"{percent(limits.max_risk)} of guesses right, {percent(limits.max_tail)} of the people told"
        )
        return f"Publish: no attack that was tried gets past the limits ({accepted} as good as certainly)."
    word = verdict.capitalize()
    if not best or not tried:
        return f"{word}."
    told = any(outcome.name == best[0].name for outcome in tried)
    cost = f"; {price(report.outcome, best[0], report.audit.limits)}" if told else ""
    return f"{word}: {best[0].published_name} holds{cost}."


# Every key of the public documents of an audit. What is not declared here is not shared.
#
# ``Public`` is the usual one, ``Facts`` the one beside differential privacy. See ``public_document`` for what fills
# them.


class ShownEnds(TypedDict):
    """An interval; without ends where there is none."""

    low: float | None
    high: float | None


class Shown(ShownEnds):
    """A value with its interval."""

    value: float


class ShownTail(TypedDict):
    """People of whom very much is told."""

    name: str
    members: Shown
    outsiders: Shown
    excess: Shown
    known: str
    guesses: bool


class ShownWorst(Shown):
    """The attack that the risk of a setting comes from."""

    threat: str


class ShownKind(ShownEnds):
    """Figures for one kind of part."""

    kind: str
    attacker: float
    guessing: float | None
    control: float | None
    count: float
    groups: int


class ShownDetails(TypedDict, total=False):
    """What else of a risk is public."""

    by_kind: list[ShownKind]


class ShownRisk(TypedDict):
    """One attacker."""

    threat: str
    knows: str
    linkage: Linkage
    measure: str
    attacker: Shown | None
    guessing: Shown | None
    control: Shown | None
    outsiders: Shown | None
    population: Shown | None
    excess: Shown | None
    gain: Shown | None
    tails: list[ShownTail]
    beats: bool | None
    counts: bool
    outside: bool
    promised: bool
    broken: int
    broken_what: str
    count: int
    units: int
    sentence: str
    meaning: str
    not_tried: str
    withheld: bool
    details: ShownDetails


class ShownMeasure(ShownEnds):
    """One measure of utility."""

    name: str
    value: float | None
    best: float
    worst: float
    sentence: str
    score: float | None


class ShownUtility(TypedDict):
    """What is kept."""

    headline: str
    measures: list[ShownMeasure]
    sentence: str


class ShownOutcome(TypedDict):
    """One setting that was tried."""

    name: str
    family: str
    main: bool
    front: bool
    risk: float
    worst: ShownWorst | None
    tail: float | None
    broken: int
    utility: float
    utility_low: float | None
    utility_high: float | None


class ShownDecision(TypedDict):
    """The verdict."""

    verdict: str
    sentence: str
    reasons: list[str]
    better: list[str]
    words: str


class ShownCriterion(TypedDict):
    """What attackers tried, and who of them the public may know of."""

    name: str
    means: str
    threats: list[str]


class ShownClause(TypedDict):
    """A clause, with the answer if the release itself gives it; the others are with the owner."""

    asks: str
    number: str
    text: str


class ShownStandard(TypedDict):
    """What everybody may read of a standard."""

    format: str
    name: str
    title: str
    about: str
    threshold: float | None
    judged: str
    promised: float
    needed_k: int | None
    met: bool | None
    criteria: list[ShownCriterion]
    clauses: list[ShownClause]
    beyond: list[str]


class ShownLimits(TypedDict):
    """What the owner accepts."""

    max_risk: float
    max_tail: float
    min_utility: float
    measure: str


class ShownSample(TypedDict):
    """How many records were audited, of how many."""

    records: int
    of: int


class ShownSize(TypedDict):
    """How many groups have one size."""

    size: int
    groups: int


class Passed(TypedDict):
    """What the checker had at hand, and whether the release passed."""

    level: str
    ok: bool


class Checked(Passed):
    """The same with the number of checks."""

    checks: int


class ShownHashes(TypedDict):
    """What the release can be recognised by."""

    manifest_sha256: str | None


class Common(TypedDict):
    """What both public documents have."""

    format: str
    version: str
    audience: Literal["public"]
    family: str
    setting: str
    parameters: dict[str, Any]
    published: dict[str, int | float]
    withheld: str
    environment: dict[str, str]
    hashes: ShownHashes


class Facts(Common):
    """The public document beside differential privacy: what the manifest says."""

    verification: Passed


class Public(Common):
    """The public document."""

    limits: ShownLimits
    sample: ShownSample | None
    groups: int
    sizes: list[ShownSize]
    verification: Checked
    risks: list[ShownRisk]
    utility: ShownUtility
    decision: ShownDecision
    standard: ShownStandard | None
    outcomes: list[ShownOutcome]
    cautions: list[str]
