"""The one JSON document of an audit (``cloven.audit/1``), from which terminal, page and charts are made.

This is the owner's, which holds everything. What may be shared is another document; see ``public_document``.
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.disclosure.outcome import front
from cloven.standards import section

if TYPE_CHECKING:
    from cloven.audit.report import AuditReport
    from cloven.disclosure.outcome import Outcome
    from cloven.disclosure.risk import Risk

FORMAT = "cloven.audit/1"


def owned(report: AuditReport) -> dict[str, Any]:
    """The owner's document, before anything is written."""
    audit, outcome = report.audit, report.outcome
    sizes = report.family.sizes(report.result.release)
    return {
        "format": FORMAT,
        "version": __version__,
        "audience": "owner",
        "title": audit.title,
        "family": report.family.name,
        "setting": outcome.name,
        "parameters": dict(outcome.parameters),
        "limits": {
            "max_risk": audit.limits.max_risk,
            "max_tail": audit.limits.max_tail,
            "min_utility": audit.limits.min_utility,
            "measure": outcome.utility.get(audit.limits.measure).name,
        },
        "sample": {"records": len(report.data), "of": report.records_in_all} if report.sampled else None,
        "data": report.description.to_dict(),
        "published": dict(report.family.published(report.result.release)),
        "counts": dict(report.family.counts(report.data, report.result)),
        "sizes": [{"size": size, "groups": groups} for size, groups in histogram(sizes)],
        "groups": len(sizes),
        "verification": report.verified.to_dict(),
        "risks": [risk.to_dict() for risk in outcome.risks],
        "utility": outcome.utility.to_dict(),
        "decision": report.decision.to_dict(),
        "standard": section.owned(report),
        "outcomes": _outcomes(outcome, report.others, audit.limits.measure),
        "failed": [{"name": name, "reason": reason} for name, reason in report.failed.items()],
        "cautions": [str(caution) for caution in report.cautions],
        "seconds": dict(report.seconds),
        "seed": audit.seed,
        "environment": environment(),
        "hashes": {"manifest_sha256": None, "input_sha256": report.fingerprint},
    }


def _outcomes(main: Outcome, others: tuple[Outcome, ...], measure: str) -> list[dict[str, Any]]:
    """Every setting that was tried in one row each; the whole of the first stands elsewhere."""
    every = (main, *others)
    best = front(every, measure)
    return [
        {
            "name": outcome.name,
            "family": outcome.family,
            "parameters": dict(outcome.parameters),
            "main": outcome is main,
            "front": outcome in best,
            "risk": None if outcome.given_up else outcome.risk,
            "given_up": outcome.given_up,
            "worst": _worst(outcome),
            "tail": outcome.tail,
            "broken": outcome.broken,
            "utility": outcome.utility.score(measure),
            "utility_low": ends(outcome, measure)[0],
            "utility_high": ends(outcome, measure)[1],
            "risks": [_headline(risk) for risk in outcome.risks],
            "measures": {each.name: each.score for each in outcome.utility.measures},
            "seconds": outcome.seconds,
            "groups": outcome.groups,
            "doubts": [str(doubt) for doubt in outcome.doubts],
        }
        for outcome in every
    ]


def _worst(outcome: Outcome) -> dict[str, Any] | None:
    """The attack that the risk of a setting comes from, with its interval."""
    worst = outcome.worst
    if worst is None or worst.judged is None:
        return None
    return {"threat": worst.threat, **asdict(worst.judged)}


def ends(outcome: Outcome, measure: str) -> tuple[float | None, float | None]:
    """Ends of the interval of a measure, on the scale of scores."""
    found = outcome.utility.get(measure)
    if found.low is None or found.high is None:
        return None, None
    ends = sorted(replace(found, value=end).score or 0.0 for end in (found.low, found.high))
    return ends[0], ends[1]


def _headline(risk: Risk) -> dict[str, Any]:
    names = (
        *("threat", "attacker", "guessing", "control", "outsiders", "excess", "gain"),
        *("counts", "broken", "not_tried"),
    )
    return {name: value for name, value in risk.to_dict().items() if name in names}


def histogram(sizes: list[int]) -> list[tuple[int, int]]:
    """Every size of a group, and how many groups have it.

    >>> histogram([5, 7, 5])
    [(5, 2), (7, 1)]
    """
    return sorted(Counter(sizes).items())


def environment() -> dict[str, str]:
    """Versions that figures depend on."""
    packages = {name: version(name) for name in ("numpy", "numba", "scipy", "pyarrow")}
    return {"cloven": __version__, "python": platform.python_version(), **packages}
