"""Charts of the studio's own pages, drawn by the same hand as those of the report; each has its table in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.audit.decision import MAX_RISK
from cloven.figures import counted
from cloven.report import rows, svg
from cloven.report.rows import Tried, scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from cloven.studio.records import Run

BANDS = ((1, 1), (2, 4), (5, 9), (10, 19), (20, None))
"""How many rows look alike: alone, few, more."""


def singled_out(summary: Mapping[str, Any]) -> Markup:
    """Who can be singled out by a few known items."""
    found = [
        svg.Bar(
            known(each["known_items"]),
            each["share"],
            None if each["exact"] else each["low"],
            None if each["exact"] else each["high"],
            "attacker",
        )
        for each in summary["singled_out"]
    ]
    axis = scale(0, max([0.05, *(1.02 * (bar.high or bar.value) for bar in found)]), most=1.0)
    return svg.bars("Share of records that known items single out", [svg.Group("", tuple(found))], axis)


def known(items: int) -> str:
    """What somebody knows, in words.

    >>> known(1), known(2)
    ('1 known item', '2 known items')
    """
    return counted(items, "known items")


def lengths(summary: Mapping[str, Any]) -> Markup:
    """How many items records have."""
    return svg.columns(rows.sizes(summary), "items", "records")


def alike(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How many rows share what others may know with how many others."""
    total = max(1, summary["records"])
    out = []
    for low, high in BANDS:
        here = sum(
            each["rows"]
            for each in summary["groups"]
            if each["size"] >= low and (high is None or each["size"] <= high)
        )
        out.append({"label": _band(low, high), "rows": here, "share": here / total})
    return out


def _band(low: int, high: int | None) -> str:
    if low == high:
        return "alone" if low == 1 else f"{low} alike"
    return f"{low} or more alike" if high is None else f"{low} to {high} alike"


def looks(summary: Mapping[str, Any]) -> Markup:
    """The same as bars."""
    found = [
        svg.Bar(
            each["label"], each["share"], None, None, "attacker" if each["label"] == "alone" else "control"
        )
        for each in alike(summary)
    ]
    axis = scale(0, max([0.05, *(1.02 * bar.value for bar in found)]), most=1.0)
    return svg.bars("Rows by how many look alike", [svg.Group("", tuple(found))], axis)


def side_by_side(runs: Sequence[Run]) -> Markup | None:
    """Risk against utility of several runs; they are numbered as they are called.

    The strictest of their limits is drawn. Runs whose utility is measured in different ways share no axis.
    """
    shown = [run for run in runs if run.headline.get("risk") is not None]
    if len(shown) < 2 or len({run.headline["measure"] for run in shown}) > 1:
        return None
    most = min(float(run.wanted.get("max_risk", MAX_RISK)) for run in shown)
    return trade_off([tried(run) for run in shown], most, str(shown[0].headline["measure"]))


def trade_off(found: Sequence[Tried], most: float, measure: str, least: float = 0.0) -> Markup:
    """Settings by what they keep and what they risk."""
    kept = [row.utility for row in found]
    room = max(0.02, 0.15 * (max(kept) - min(kept)))
    x = scale(max(0.0, min(kept) - room), min(1.0, max(kept) + room), most=1.0)
    y = scale(0, max([1.05 * most, *(1.05 * row.risk for row in found)]), most=1.0)
    return svg.settings(found, x, y, (most, least), (f"utility by {measure}", "risk, upper end"))


def tried(run: Run) -> Tried:
    """A finished run as a point."""
    told = run.headline
    better = told["verdict"] == "publish"
    return Tried(
        run.number,
        run.name,
        run.method,
        told["utility"] or 0.0,
        told["risk"],
        told["broken"] or 0,
        main=False,
        front=False,
        better=better,
        threat=told["worst"] or "",
    )


def searched(found: Mapping[str, Any], most: float, least: float) -> Markup | None:
    """Every setting that a search has tried so far; those that no other one beats are joined."""
    rows = [
        Tried(
            each["number"],
            each["setting"],
            each["setting"].partition(":")[0],
            each["utility"],
            each["risk"],
            each["broken"],
            main=False,
            front=each["front"],
            better=each["setting"] == found["chosen"],
        )
        for each in found.get("rows", ())
        if each["utility"] is not None
    ]
    return trade_off(rows, most, found["measure"], least) if rows else None
