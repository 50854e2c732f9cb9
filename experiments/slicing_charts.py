"""Charts of ``cloven reproduce slicing``: Figures 3 to 8 of BinJubier et al., chance beside. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.slicing_data import EDUCATION
from experiments.slicing_methods import (
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    HYBRID,
    MERGING,
    MONDRIAN,
    PROBABILISTIC,
    RATES,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    swapped,
)
from experiments.slicing_printed import printed
from experiments.slicing_runs import NEAREST
from experiments.slicing_trial import DIMENSIONS
from experiments.thesis_charts import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.slicing_figures import Figures
    from experiments.thesis_figures import Estimate

GUESSING = "guessing"
APART = 62
"""Room for the axis of the next panel."""
LEAST, TICKS = 0.02, [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
"""Smallest error that a logarithmic axis shows, and its ticks."""
COLOURS = {
    UL_MAIN: "#d95f02", UL_ADAPTIVE: "#8c2d04", SLICING: "#f2a65a", ANATOMY: "#b8860b", MERGING: "#7b4fa3",
    PROBABILISTIC: "#1b9e77", COMPOSITION: "#66c2a5", MONDRIAN: "#1f77b4", HYBRID: "#9ecae1",
    DIFFGEN: "#d62728", GUESSING: "#555555",
}  # fmt: skip
SHOWN = tuple(name for name in COLOURS if name != GUESSING)
RISK_TITLES = {"drr_soft": "soft ratio", "drr_strict": "strict ratio", "confidence": "mean confidence"}
WORTH_TITLES = {
    "utility": "data utility as printed",
    "query with": "error of counts (log)",
    "pairs": "pair distance",
    "invalid": "invalid rows",
    "learned": "rows told by naive Bayes",
}
DATA_COLOURS = ("#d95f02", "#1f77b4", "#999999")


def all_charts(figures: Figures) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    return {
        "trade": _trade(figures),
        "cells": _cells(figures),
        "worth": _worth(figures),
        "risk": _risk(figures),
        "rate": _rate(figures),
        "query": _query(figures),
    }


def _band(found: Estimate, least: float = 0.0) -> dict[str, float]:
    """Mean and interval, as far as they are not below what can be shown."""
    if found.pairs < 2:  # no interval, no band
        found = found._replace(low=found.mean, high=found.mean)
    return {"mean": max(least, found.mean), "low": max(least, found.low), "high": max(least, found.high)}


def _colour(altair: Any, names: Sequence[str], *, legend: bool = True) -> Any:
    return altair.Color(
        "series:N",
        scale=altair.Scale(domain=list(names), range=[COLOURS[name] for name in names]),
        legend=altair.Legend(
            title=None, orient="top", columns=6, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
        )
        if legend
        else None,
    )


def _lines(
    altair: Any, rows: list[dict[str, Any]], titles: tuple[str, str, str], *, log: bool = False
) -> Any:
    """Lines with bands; titles of the axes and of the panel."""
    names = [name for name in COLOURS if any(row["series"] == name for row in rows)]
    colour = _colour(altair, names)
    shown = altair.Chart(altair.Data(values=rows))
    x = altair.X("x:O", title=titles[0], axis=altair.Axis(labelAngle=0))
    scale = altair.Scale(type="log", domain=[LEAST, 12], nice=False) if log else altair.Scale(zero=True)
    axis = altair.Axis(values=TICKS) if log else altair.Axis(tickCount=5, labelFlush=True)
    y = altair.Y("mean:Q", title=titles[1], scale=scale, axis=axis)
    dash = altair.StrokeDash(
        "series:N",
        scale=altair.Scale(domain=names, range=[[4, 3] if name == GUESSING else [1, 0] for name in names]),
        legend=None,
    )
    band = shown.mark_area(opacity=0.07 if log else 0.15, clip=True).encode(
        x=x, y=altair.Y("low:Q", scale=scale, title=titles[1], axis=axis), y2="high:Q", color=colour
    )
    line = shown.mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=y, color=colour, strokeDash=dash)
    return (band + line).properties(width=215, height=140, title=titles[2])


def _risk(figures: Figures) -> Any:
    """Figures 5 and 6: a column for each data set, a row for each reading."""
    altair = library()
    rows = []
    for number, (measure, title) in enumerate(RISK_TITLES.items()):
        panels = []
        for data in figures.data:
            lines = [
                {
                    "series": name,
                    "x": overlap,
                    **_band(figures.at(method, measure, side, data, overlap).estimate),
                }
                for name, method, side in [
                    *((one, one, "value") for one in SHOWN),
                    (GUESSING, UL_MAIN, "chance"),
                ]
                for overlap in figures.overlaps
            ]
            panels.append(_lines(altair, lines, ("shared rows", title, data if number == 0 else "")))
        rows.append(altair.hconcat(*panels, spacing=APART, bounds="flush"))
    return _styled(altair.vconcat(*rows, spacing=8))


def _rate(figures: Figures) -> Any:
    """Figure 7, and what the swap rate costs."""
    altair = library()
    measures = {
        "drr_soft": "soft ratio",
        "confidence": "mean confidence",
        "utility": "data utility as printed",
        "query with": "error, with sensitive value",
        "query without": "error, without",
    }
    colour = altair.Color(
        "series:N",
        scale=altair.Scale(domain=list(figures.data), range=list(DATA_COLOURS)),
        legend=altair.Legend(
            title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
        ),
    )
    panels = []
    for measure, title in measures.items():
        rows = [
            {
                "series": data,
                "x": f"{100 * rate:g}",
                **_band(figures.at(swapped(rate), measure, data=data).estimate),
            }
            for data in figures.data
            for rate in RATES
        ]
        shown = altair.Chart(altair.Data(values=rows))
        x = altair.X("x:O", title="swap rate, %", sort=None, axis=altair.Axis(labelAngle=0))
        scale = altair.Scale(zero=measure != "utility")
        y = altair.Y("mean:Q", title=title, scale=scale, axis=altair.Axis(tickCount=5))
        band = shown.mark_area(opacity=0.15).encode(
            x=x, y=altair.Y("low:Q", scale=scale, title=title), y2="high:Q", color=colour
        )
        panels.append(
            (band + shown.mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour)).properties(
                width=130, height=140
            )
        )
    return _styled(altair.hconcat(*panels, spacing=12))


def _query(figures: Figures) -> Any:
    """Figure 8: with and without the sensitive value, a column for each data set."""
    altair = library()
    rows = []
    for name, title in (("with", "error, with sensitive value"), ("without", "error, without")):
        panels = [
            _lines(
                altair,
                [
                    {"series": method, "x": number, **_band(found, LEAST)}
                    for method in SHOWN
                    for number in DIMENSIONS
                    for found in [figures.at(method, f"query {number} {name}", data=data).estimate]
                    if found.pairs
                ],
                ("quasi-identifiers asked about", title, data if name == "with" else ""),
                log=True,
            )
            for data in figures.data
        ]
        rows.append(altair.hconcat(*panels, spacing=APART, bounds="flush"))
    return _styled(altair.vconcat(*rows, spacing=8))


def _worth(figures: Figures) -> Any:
    """Figures 3 and 4 beside what they hide: a row for each method, a column for each measure."""
    altair = library()
    panels = []
    colour = altair.Color(
        "data:N",
        scale=altair.Scale(domain=list(figures.data), range=list(DATA_COLOURS)),
        legend=altair.Legend(title=None, orient="top"),
    )
    for number, (measure, title) in enumerate(WORTH_TITLES.items()):
        least = 0.1 if "log" in title else 0.0
        rows = [
            {"method": method, "data": data, **_band(figures.at(method, measure, data=data).estimate, least)}
            for method in SHOWN
            for data in figures.data
        ]
        seen = altair.Chart(altair.Data(values=rows))
        axis = altair.Axis(title=None, labels=number == 0, ticks=False, labelLimit=160)
        y = altair.Y("method:N", sort=list(SHOWN), axis=axis)
        log = "log" in title
        scale = altair.Scale(type="log", nice=False, padding=6) if log else altair.Scale(zero=False)
        ticks = altair.Axis(values=[0.2, 0.5, 1, 2, 5, 10]) if log else altair.Axis(tickCount=4)
        x = altair.X("mean:Q", title=title, scale=scale, axis=ticks)
        offset = altair.YOffset("data:N", sort=list(figures.data))
        bars = seen.mark_rule(strokeWidth=2).encode(
            altair.X("low:Q", title=title, scale=scale, axis=ticks),
            altair.X2("high:Q"),
            y=y,
            yOffset=offset,
            color=colour,
        )
        points = seen.mark_point(filled=True, size=40).encode(x=x, y=y, yOffset=offset, color=colour)
        panels.append((bars + points).properties(width=130, height=altair.Step(9)))
    return _styled(altair.hconcat(*panels, spacing=12))


def _trade(figures: Figures) -> Any:
    """Risk against utility, all methods at once: bottom left is best."""
    altair = library()
    panels = []
    for data in figures.data:
        rows = [
            {
                "series": method,
                "x": figures.mean(method, "query with", data=data),
                "y": figures.mean(method, "confidence", data=data),
            }
            for method in reversed(SHOWN)  # the first is drawn last, over the others
        ]
        shown = altair.Chart(altair.Data(values=rows))
        x = altair.X(
            "x:Q",
            title="error of counts (log)",
            scale=altair.Scale(type="log", nice=False, padding=12),
            axis=altair.Axis(values=TICKS),
        )
        y = altair.Y(
            "y:Q",
            title="mean confidence in the true value",
            scale=altair.Scale(zero=True),
            axis=altair.Axis(labelFlush=True, tickCount=6),
        )
        points = shown.mark_point(filled=True, size=90, opacity=1).encode(
            x=x, y=y, color=_point_colour(altair), shape=_shapes(altair)
        )
        guess = altair.Chart(
            altair.Data(values=[{"y": figures.mean(UL_MAIN, "confidence", "chance", data)}])
        ).mark_rule(strokeDash=[4, 3], color=COLOURS[GUESSING])
        panels.append((guess.encode(y=y) + points).properties(width=215, height=190, title=data))
    return _styled(altair.hconcat(*panels, spacing=APART, bounds="flush"))


def _point_colour(altair: Any) -> Any:
    return altair.Color(
        "series:N",
        scale=altair.Scale(domain=list(SHOWN), range=[COLOURS[name] for name in SHOWN]),
        legend=altair.Legend(title=None, orient="top", columns=6),
    )


def _shapes(altair: Any) -> Any:
    shapes = ["circle", "square", "diamond", "triangle-up", "triangle-down"]
    return altair.Shape(
        "series:N",
        scale=altair.Scale(
            domain=list(SHOWN), range=[shapes[place % len(shapes)] for place in range(len(SHOWN))]
        ),
        legend=altair.Legend(title=None, orient="top", columns=6),
    )


def _cells(figures: Figures) -> Any:
    """Tables 3 and 4: cells and rows at the lower level, printed and ours."""
    altair = library()
    within, attribute = NEAREST
    colour = altair.Color(
        "series:N",
        scale=altair.Scale(domain=["paper, column 1", "ours"], range=["#555555", "#d95f02"]),
        legend=altair.Legend(title=None, orient="top"),
    )
    panels = []
    for what, field, title in (("cells 1", "lower_cells", "cells"), ("rows 1", "lower_rows", "rows")):
        rows = []
        for rate in RATES:
            label = f"{100 * rate:g}"
            rows += [{"series": "paper, column 1", "x": label, "y": value} for value in printed(rate, what)]
            rows += [
                {"series": "ours", "x": label, "y": one.mean}
                for one in figures.cells(EDUCATION, attribute, within, rate, field)
            ]
        shown = altair.Chart(altair.Data(values=rows))
        panels.append(
            shown.mark_point(filled=True, size=45, opacity=0.7)
            .encode(
                x=altair.X("x:O", title="swap rate, %", sort=None, axis=altair.Axis(labelAngle=0)),
                xOffset=altair.XOffset("series:N", sort=["paper, column 1", "ours"]),
                y=altair.Y("y:Q", title=f"{title} with at most this share"),
                color=colour,
            )
            .properties(width=230, height=150)
        )
    return _styled(altair.hconcat(*panels, spacing=20))


def _styled(chart: Any) -> Any:
    return (
        chart.configure(background="white", font="sans-serif")
        .configure_view(stroke="#dddddd")
        .configure_axis(gridColor="#eeeeee", titleFontWeight="normal")
        .configure_legend(labelFontSize=12)
        .configure_title(frame="group", offset=10)
    )
