"""What the documents of an audit say of a standard (``cloven.standard/1``): all to the owner, a little to everybody.

The page that somebody signs is drawn from the owner's section; see ``report.filing``. The public one is closed like the
document around it: what the manifest says, what the verdict says anyway, and names of public attackers.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.standards.answers import PUBLIC, answered, baseline_of, is_past, k_of, limit_of
from cloven.standards.context import MODELS
from cloven.standards.identification import ATTACKERS, identification, least_k

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.audit.public_document import ShownStandard
    from cloven.audit.report import AuditReport
    from cloven.disclosure.risk import Criterion, Risk
    from cloven.standards.claim import Claim
    from cloven.standards.standard import Clause

FORMAT = "cloven.standard/1"
MEANINGS: Mapping[Criterion, str] = {
    "singling out": "the record of one person can be found",
    "linkability": "records, or parts of a record, can be found to belong to the same person",
    "inference": "something can be told of a person that was not known",
}


def owned(report: AuditReport) -> dict[str, Any] | None:
    """Everything, for the owner; None without a standard."""
    claim = report.audit.limits.claim
    if claim is None:
        return None
    faults = claim.faults(report.risks, k_of(report))
    return {
        "format": FORMAT,
        "name": claim.standard.name,
        "title": claim.standard.title,
        "about": claim.standard.about,
        "beyond": list(claim.standard.beyond),
        "context": claim.context.to_dict() | {"release_means": MODELS[claim.context.release]},
        "threshold": claim.threshold,
        "judged": claim.judged,
        "needed_k": None if claim.threshold is None else least_k(claim.threshold),
        "met": report.decision.verdict == "publish" and not report.sampled,
        "faults": [str(fault) for fault in faults],
        "risks": _risks(report),
        "criteria": [_criterion(name, report) for name in MEANINGS],
        "clauses": [_clause(clause, report, claim) for clause in claim.standard.clauses],
        "triggers": _triggers(claim),
        "signatures": [{"who": who, "what": what} for who, what in claim.standard.signatures],
    }


def _risks(report: AuditReport) -> list[dict[str, Any]]:
    """Prosecutor, journalist and marketer; of the last only the mean has a meaning."""
    found = identification(report.risks, k_of(report))
    average = {
        "promised": found.promised,
        "measured": None if found.average is None else asdict(found.average),
        "counts": found.mean,
    }
    maximum = {"promised": found.promised, "measured": found.single, "counts": found.maximum}
    return [
        {
            "name": name,
            "who": who,
            "threat": found.threat,
            "maximum": None if name == "marketer" else maximum,
            "average": average,
        }
        for name, who in ATTACKERS
    ]


def _criterion(name: Criterion, report: AuditReport) -> dict[str, Any]:
    threats = [_threat(at, risk, report) for at, risk in enumerate(report.risks) if name in risk.criteria]
    return {"name": name, "means": MEANINGS[name], "threats": threats}


def _threat(at: int, risk: Risk, report: AuditReport) -> dict[str, Any]:
    of, baseline = baseline_of(risk)
    return {
        "threat": risk.threat,
        "knows": risk.knows,
        "members": None if risk.attacker is None else asdict(risk.attacker),
        "figure": None if risk.judged is None else asdict(risk.judged),
        "adds": risk.excess is not None,
        "baseline": None if baseline is None else asdict(baseline),
        "baseline_of": of,
        "limit": limit_of(risk, report) if risk.counts else None,
        "result": _result(risk, report),
        "where": f"risks[{at}]",
    }


def _result(risk: Risk, report: AuditReport) -> str:
    if risk.not_tried:
        return "not tried"
    if not risk.counts:
        return "shown, not judged"
    if risk.judged is None and not risk.broken:
        return "nothing to measure"
    if is_past(risk, report):
        return "past the limits"
    return "no gain over chance" if risk.gains_nothing(limit_of(risk, report)) else "within the limits"


def _clause(clause: Clause, report: AuditReport, claim: Claim) -> dict[str, Any]:
    asked = {"asks": clause.asks, "number": clause.number, "person": clause.person}
    if not clause.answer:
        return asked | {"state": "needs a person", "text": "", **_NOTHING}
    return asked | asdict(answered(clause.answer, report, claim))


_NOTHING = {"figure": None, "limit": None, "baseline": None, "baseline_of": "", "where": ""}


def _triggers(claim: Claim) -> list[dict[str, str]]:
    """When somebody has to look again."""
    day = claim.context.review
    return [
        {"when": "the day", "what": day.isoformat() if day else "none is named; a person names it"},
        {
            "when": "another release of the same people",
            "what": "two releases tell more than one; audit with --other-release",
        },
        {"when": "new public data", "what": "a register, a leak or a report in which the same people appear"},
        {
            "when": "a new version of the attacks",
            "what": f"tried were those of Cloven {__version__}; audit again with a later one",
        },
        {
            "when": "a change of recipient, purpose or controls",
            "what": f"this is for: {claim.context.recipient.strip()}",
        },
        {"when": "a complaint or a breach", "what": f"tell {claim.context.contact.strip()}"},
    ]


# The public section. Its keys are declared in ``audit.public_document``.


def public(report: AuditReport) -> ShownStandard | None:
    """What everybody may read; None without a standard.

    That it is met follows from the verdict *publish*. Where it is not, the reasons may be somebody's figures, so that
    nothing more is said here than among the reasons of the decision.
    """
    claim = report.audit.limits.claim
    if claim is None:
        return None
    return {
        "format": FORMAT,
        "name": claim.standard.name,
        "title": claim.standard.title,
        "about": claim.standard.about,
        "threshold": claim.threshold,
        "judged": claim.judged,
        "promised": 1 / k_of(report),
        "needed_k": None if claim.threshold is None else least_k(claim.threshold),
        "met": True if report.decision.verdict == "publish" and not report.sampled else None,
        "criteria": [
            {
                "name": name,
                "means": MEANINGS[name],
                "threats": [
                    risk.public.threat
                    for risk in report.risks
                    if risk.public is not None and name in risk.criteria and not risk.not_tried
                ],
            }
            for name in MEANINGS
        ],
        "clauses": [
            {
                "asks": clause.asks,
                "number": clause.number,
                "text": _public_text(clause, report, claim),
            }
            for clause in claim.standard.clauses
        ],
        "beyond": list(claim.standard.beyond),
    }


def _public_text(clause: Clause, report: AuditReport, claim: Claim) -> str:
    return answered(clause.answer, report, claim).text if clause.answer in PUBLIC else ""
