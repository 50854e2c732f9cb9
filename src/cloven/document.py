"""The one JSON document of an audit (``cloven.audit/2``), from which terminal, page and charts are made.

Two flavours. The owner's holds everything. The public one holds what the release shows anyway, and totals of what only
the owner can measure; totals over fewer than ``FEWEST`` clusters, be it of this release, of one kind of its parts or of
a setting that it was compared with, are withheld, and there is no guess, no cluster, no item and no fingerprint of the
data in it.
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.model.outcome import front

if TYPE_CHECKING:
    from cloven.audit_report import AuditReport
    from cloven.model.outcome import Outcome
    from cloven.model.risk import Risk

FORMAT = "cloven.audit/2"
FEWEST = 100
"""Clusters below which a total could tell about single persons."""
WITHHELD = f"withheld: totals over fewer than {FEWEST} groups or guesses are not shared"


def document(owner: dict[str, Any], audience: str, manifest_sha256: str | None = None) -> dict[str, Any]:
    """The document of an audit for the owner or for the public, with the SHA-256 of a manifest that was written."""
    plain = owner | {"hashes": owner["hashes"] | {"manifest_sha256": manifest_sha256}}
    return plain if audience == "owner" else public(plain)


def owned(report: AuditReport) -> dict[str, Any]:
    """The owner's document, before anything is written."""
    audit, outcome = report.audit, report.outcome
    k, sizes = audit.method.k, report.family.sizes(report.result.release)
    return {
        "format": FORMAT,
        "version": __version__,
        "audience": "owner",
        "title": audit.title,
        "family": report.family.name,
        "setting": outcome.name,
        "parameters": dict(outcome.parameters),
        "limits": {
            "max_risk": audit.limits.risk_at(k),
            "max_risk_is_one_in_k": audit.limits.max_risk is None,
            "min_utility": audit.limits.min_utility,
            "measure": outcome.utility.get(audit.limits.measure).name,
        },
        "sample": {"records": len(report.data), "of": report.records_in_all} if report.sampled else None,
        "data": report.description.to_dict(),
        "published": dict(report.family.published(report.result.release)),
        "counts": dict(report.family.counts(report.data, report.result)),
        "sizes": _histogram(sizes),
        "groups": len(sizes),
        "verification": report.verified.to_dict(),
        "risks": [risk.to_dict() for risk in outcome.risks],
        "utility": outcome.utility.to_dict(),
        "decision": report.decision.to_dict(),
        "outcomes": _outcomes(outcome, report.others, audit.limits.measure),
        "failed": [{"name": name, "reason": reason} for name, reason in report.failed.items()],
        "cautions": list(report.cautions),
        "seconds": dict(report.seconds),
        "seed": audit.seed,
        "environment": _environment(),
        "hashes": {"manifest_sha256": None, "input_sha256": report.fingerprint},
    }


def public(owner: dict[str, Any]) -> dict[str, Any]:
    """What of the owner's document may be shared."""
    few = owner["groups"] < FEWEST
    tried = [] if few else [each for each in owner["outcomes"] if each["main"] or each["groups"] >= FEWEST]
    same = (
        "format",
        "version",
        "family",
        "setting",
        "parameters",
        "limits",
        "sample",
        "groups",
        "sizes",
        "published",
    )
    checks = owner["verification"]
    return {
        **{name: owner[name] for name in same},
        "audience": "public",
        "withheld": WITHHELD if few else "",
        "verification": {"level": checks["level"], "ok": checks["ok"], "checks": len(checks["checks"])},
        "risks": [
            _public_risk(risk, few=few)
            for risk in owner["risks"]
            if not risk["threat"].startswith("another release")  # that there is one is the owner's to tell
        ],
        "utility": {**owner["utility"], "measures": [] if few else _public_measures(owner)},
        "decision": _public_decision(owner, {each["name"] for each in tried}, few=few),
        "outcomes": [_public_outcome(each) for each in tried],
        # Reasons count persons, and name their values.
        "failed": [] if few else [{"name": each["name"], "reason": ""} for each in owner["failed"]],
        "environment": owner["environment"],
        "hashes": {"manifest_sha256": owner["hashes"]["manifest_sha256"]},
    }


def _public_measures(owner: dict[str, Any]) -> list[dict[str, Any]]:
    """All but the share of records published, which tells how many were left out."""
    return [each for each in owner["utility"]["measures"] if each["name"] != "records published"]


def _public_risk(risk: dict[str, Any], *, few: bool) -> dict[str, Any]:
    out = {name: value for name, value in risk.items() if name != "details"}
    kinds = risk["details"].get("by_kind", [])
    if any(each["groups"] < FEWEST for each in kinds):
        kinds = []  # all of them: one that is left out is the total less the others
    few = few or 0 < risk["count"] < FEWEST
    out["details"] = {} if few else {"by_kind": kinds}
    # The reason may name what only the owner knows.
    out["not_tried"] = "not tried" if risk["not_tried"] else ""
    if risk["linkage"] == "record":  # the fewest candidates are somebody's, not a total
        out["sentence"], out["meaning"] = f"{risk['measure'].capitalize()}.", ""
    if few:
        out |= dict.fromkeys(("attacker", "guessing", "control", "beats"))
        out |= {"count": 0, "units": 0, "broken": 0}
        out["sentence"] = WITHHELD if not risk["not_tried"] else ""
        out["meaning"] = ""
    return out


def _public_decision(owner: dict[str, Any], told: set[str], *, few: bool) -> dict[str, Any]:
    """The decision without figures of settings that are not told, and reasons that are about totals alone."""
    decision = owner["decision"]
    if decision["verdict"] == "publish":
        return {**decision, "sentence": "Publish: no attack that was tried gets past the limits."}
    verdict, best = decision["verdict"].capitalize(), decision["better"][:1]
    if few:
        return {**decision, "sentence": f"{verdict}.", "reasons": []}
    shown = {**decision, "reasons": _public_reasons(owner)}
    return shown if set(best) <= told else {**shown, "sentence": f"{verdict}: {best[0]} holds."}


def _public_reasons(owner: dict[str, Any]) -> list[str]:
    """Reasons without the fewest candidates of anybody, and without other releases."""
    out = []
    for reason in owner["decision"]["reasons"]:
        risk = next((each for each in owner["risks"] if f"({each['threat']})" in reason or reason.startswith(
            each["sentence"] or "\n")), None)  # fmt: skip
        if risk is not None and risk["threat"].startswith("another release"):
            continue
        if risk is not None and risk["linkage"] == "record" and reason.startswith(risk["sentence"] or "\n"):
            out.append(f"An attacker ({risk['threat']}) gets past the limit.")
        else:
            out.append(reason)
    return out


def _public_outcome(outcome: dict[str, Any]) -> dict[str, Any]:
    names = (
        "name",
        "family",
        "main",
        "front",
        "risk",
        "worst",
        "broken",
        "utility",
        "utility_low",
        "utility_high",
    )
    out = {name: outcome[name] for name in names}
    if out["worst"] is not None and out["worst"]["threat"].startswith("another release"):
        out["worst"] = None  # that there is one is the owner's to tell
    return out


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
            "risk": outcome.risk,
            "worst": _worst(outcome),
            "broken": outcome.broken,
            "utility": outcome.utility.score(measure),
            "utility_low": _ends(outcome, measure)[0],
            "utility_high": _ends(outcome, measure)[1],
            "risks": [_headline(risk) for risk in outcome.risks],
            "measures": {each.name: each.score for each in outcome.utility.measures},
            "seconds": outcome.seconds,
            "groups": outcome.groups,
        }
        for outcome in every
    ]


def _worst(outcome: Outcome) -> dict[str, Any] | None:
    """The attack that the risk of a setting comes from, with its interval."""
    worst = outcome.worst
    if worst is None or worst.attacker is None:
        return None
    return {"threat": worst.threat, **asdict(worst.attacker)}


def _ends(outcome: Outcome, measure: str) -> tuple[float | None, float | None]:
    """Ends of the interval of a measure, on the scale of scores."""
    found = outcome.utility.get(measure)
    if found.low is None or found.high is None:
        return None, None
    ends = sorted(replace(found, value=end).score or 0.0 for end in (found.low, found.high))
    return ends[0], ends[1]


def _headline(risk: Risk) -> dict[str, Any]:
    names = ("threat", "attacker", "guessing", "control", "counts", "broken", "not_tried")
    return {name: value for name, value in risk.to_dict().items() if name in names}


def _histogram(sizes: list[int]) -> list[dict[str, int]]:
    """How many groups have each size."""
    counted = Counter(sizes)
    return [{"size": size, "groups": counted[size]} for size in sorted(counted)]


def _environment() -> dict[str, str]:
    packages = {name: version(name) for name in ("numpy", "numba", "scipy", "pyarrow")}
    return {"cloven": __version__, "python": platform.python_version(), **packages}
