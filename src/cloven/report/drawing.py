"""The charts of the page by name: which rows of a document are drawn, on which scale; ``svg`` draws them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from cloven.figures import counted, percent
from cloven.report import rows
from cloven.report.rows import Scale, scale
from cloven.report.svg import Bar, Column, Group, bars, columns, dots, histogram, reliability, settings
from cloven.report.words import kind_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from cloven.report.rows import Told

RISK_AXIS = "risk, upper end"
CSS = {"attacker": "attacker", "adds": "attacker", "guessing": "guessing", "shuffled": "control"}


def gauges(document: Mapping[str, Any]) -> dict[str, Markup]:
    """One gauge for each threat that was tried, all on one scale, so that they can be compared."""
    found = rows.reached(document)
    axis = scale(0, max([1.05 * document["limits"]["max_risk"], *_ends(found)]), most=1.0)
    risks = dict(rows.threats(document))
    out = {}
    for threat, each in groupby(found, key=lambda row: row.threat):
        group = _group("", list(each))
        limit = rows.limit_of(document, risks[threat])
        note = f"limit {100 * limit:.3g} %" if risks[threat]["counts"] else "limit, not applied"
        label = f"{threat}: " + "; ".join(f"{bar.label} {percent(bar.value)}" for bar in group.bars)
        out[threat] = bars(label, [group], axis, limit=limit, note=note)
    return out


def told(found: Told) -> Markup:
    """What is told of known persons: members beside outsiders, for each way of knowing."""
    ends = [row[2] or row[0] for each in found.shown for row in (each.members, each.outsiders)]
    axis = scale(0, max([0.01, *(1.02 * end for end in ends)]), most=1.0)
    label = f"{found.name}: " + "; ".join(
        f"{row.label}, members {percent(row.members[0])}, outsiders {percent(row.outsiders[0])}"
        for row in found.shown
    )
    return dots(label, found.shown, axis)


def told_of(found: Told) -> Markup | None:
    """Of how many people how much is told."""
    if not found.histogram:
        return None
    columns = [
        Column(
            f"{each['from']:g}-{each['to']:g}",
            each["people"],
            f"{counted(each['people'], 'persons')}: {each['from']:g} to {each['to']:g}",
        )
        for each in found.histogram
    ]
    return histogram(
        "How much is told of how many people", columns, "highest probability of a right claim", "people",
        "attacker",
    )  # fmt: skip


def kinds(document: Mapping[str, Any]) -> dict[str, Markup]:
    """For each threat what is reached, by kind of part; all on one scale."""
    found = rows.reached_by_kind(document)
    axis = scale(0, max([0.01, *_ends(found)]), most=1.0)
    out = {}
    for threat, each in groupby(found, key=lambda row: row.threat):
        groups = [_group(kind, list(bar)) for kind, bar in groupby(each, key=lambda row: row.kind)]
        out[threat] = bars(f"What the attacker ({threat}) reaches, by kind of part", groups, axis)
    return out


def utility(document: Mapping[str, Any]) -> Markup:
    """Every measure of utility, from nothing to all of the original."""
    found = [
        Bar(row.measure, row.score, row.low, row.high, "kept headline" if row.headline else "kept")
        for row in rows.kept(document)
    ]
    axis = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    return bars("What is kept of the original", [Group("", tuple(found))], axis)


def trade_off(document: Mapping[str, Any]) -> Markup:
    """Risk against utility of every setting that was tried."""
    found = [row for row in rows.tried(document) if not row.given_up]
    limits = document["limits"]
    kept = [row.utility for row in found]
    room = max(0.02, 0.15 * (max(kept) - min(kept)))
    x = scale(max(0.0, min(kept) - room), min(1.0, max(kept) + room), most=1.0)
    y = scale(0, max([1.05 * limits["max_risk"], *(1.05 * row.risk for row in found)]), most=1.0)
    names = (f"utility by {limits['measure']}", RISK_AXIS)
    return settings(found, x, y, (limits["max_risk"], limits["min_utility"]), names)


def calibration(document: Mapping[str, Any]) -> dict[str, Markup]:
    """Confidence against truth, for each attack that says how sure it is; all on one scale."""
    found = rows.sure(document)
    if not found:
        return {}
    axis = scale(0, max(max(row.confidence, row.right) for row in found), most=1.0)
    return {
        threat: reliability(threat, list(each), axis)
        for threat, each in groupby(found, key=lambda row: row.threat)
    }


def sizes(document: Mapping[str, Any]) -> Markup | None:
    """How large the groups of records are."""
    found = rows.sizes(document)
    nouns = kind_words(document)
    return columns(found, nouns.records, nouns.groups) if found else None


def _group(title: str, found: Sequence[rows.Reached]) -> Group:
    return Group(title, tuple(Bar(row.who, row.value, row.low, row.high, CSS[row.who]) for row in found))


def _ends(found: Sequence[rows.Reached]) -> list[float]:
    return [1.02 * (row.value if row.high is None else row.high) for row in found]
