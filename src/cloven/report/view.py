"""What the templates show: the document, and beside it what has to be drawn, judged or sorted first."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from cloven.report import drawn, judged, rows
from cloven.report import told as known
from cloven.report.speech import speech
from cloven.report.terms import COVERS, LINKAGES, not_modelled, terms
from cloven.report.worst import Cluster, cluster

if TYPE_CHECKING:
    from collections.abc import Mapping

STANDARD = (
    "by_kind",
    "calibration",
    "covers",
    "worst",
    "findings",
    "ways",
    "people",
    "people_of",
    "histogram",
)
"""Parts of the details of a risk that have a section of their own."""


def view(document: Mapping[str, Any]) -> dict[str, Any]:
    """All that a page is made from."""
    owner = document["audience"] == "owner"
    return {
        "document": document,
        "owner": owner,
        "title": document.get("title") or "Audit of a release",
        "settings": [document["setting"], *document["decision"]["better"]],
        "verdict": judged.VERDICTS[document["decision"]["verdict"]],
        "told": _told(document),
        "gauges": _gauges(document),
        "kept": rows.kept(document),
        "utility_chart": drawn.utility(document) if rows.kept(document) else None,
        "tried": rows.tried(document),
        "failed": document.get("failed", ()),
        "trade_off": drawn.trade_off(document) if document["outcomes"] else None,
        "kinds": drawn.kinds(document),
        "calibrations": _calibrations(document),
        "sizes": drawn.sizes(document),
        "covers": {name: risk["details"]["covers"] for name, risk in _with(document, "covers")},
        "cover_words": COVERS,
        "worst": _worst(document),
        "findings": {name: risk["details"]["findings"] for name, risk in _with(document, "findings")},
        "further": _further(document),
        "terms": terms(document, calibrated=bool(rows.sure(document))),
        "speech": speech(document),
        "linkages": LINKAGES,
        "measures": _measures(document) if _with(document, "findings") else {},
        "not_modelled": not_modelled(document),
        "hashes": document.get("hashes", {}),
    }


def facts(document: Mapping[str, Any]) -> dict[str, Any]:
    """All that a page without figures of the rows is made from."""
    return {
        "document": document,
        "title": "Audit of a release",
        "speech": speech(document),
        "further": {},
        "owner": False,
        "hashes": document["hashes"],
    }


def _gauges(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    charts, withheld = drawn.gauges(document), bool(document.get("withheld"))
    limits = document["limits"]
    return [
        {
            "name": name,
            "risk": risk,
            "sign": judged.of_risk(
                risk, rows.limit_of(document, risk), limits, withheld=withheld or risk.get("withheld", False)
            ),
            "chart": charts.get(name),
        }
        for name, risk in rows.threats(document)
    ]


def _told(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is told of known persons, each threat with its chart and its histogram."""
    return [
        {"found": each, "chart": drawn.told(each), "histogram": drawn.told_of(each)}
        for each in known.told(document)
    ]


def _calibrations(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    charts = drawn.calibration(document)
    found = {risk[0]: risk[1]["details"]["calibration"] for risk in _with(document, "calibration")}
    return [
        {
            "name": name,
            "chart": charts[name],
            "words": judged.of_confidence(list(each)),
            "figures": found[name],
        }
        for name, each in groupby(rows.sure(document), key=lambda row: row.threat)
    ]


def _worst(document: Mapping[str, Any]) -> dict[str, list[Cluster]]:
    return {
        name: [cluster(each) for each in risk["details"]["worst"]] for name, risk in _with(document, "worst")
    }


def _further(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Figures of a threat that no section knows: families may tell whatever they have."""
    found = {
        name: {key: value for key, value in risk["details"].items() if key not in STANDARD}
        for name, risk in rows.threats(document)
    }
    return {name: figures for name, figures in found.items() if figures}


def _with(document: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Threats that have something to tell under a key of their details."""
    return [(name, risk) for name, risk in rows.threats(document) if risk["details"].get(key)]


def _measures(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the figures of attacks are: sentence, and whether more is worse."""
    if document["family"] == "tables":
        from cloven.scoring.tables.definitions import MEMBERSHIP_MEASURES, ROW_MEASURES, VALUE_MEASURES

        every = VALUE_MEASURES | ROW_MEASURES | MEMBERSHIP_MEASURES
        return {name: {"sentence": words, "higher_is_worse": True} for name, words in every.items()}
    from cloven.scoring.definitions import MEASURES

    return MEASURES
