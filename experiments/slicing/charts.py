"""Charts of ``cloven reproduce slicing``: Figures 3 to 8 of BinJubier et al., chance beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.harness.charts import (
    GUESSING,
    STROKES,
    band,
    coloured,
    intervals,
    library,
    lines,
    seen,
    styled,
)
from experiments.slicing.claims import printed
from experiments.slicing.data import (
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    EDUCATION,
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
from experiments.slicing.runs import DIMENSIONS, NEAREST

if TYPE_CHECKING:
    from experiments.harness.runs import Plain
    from experiments.slicing.runs import Figures

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
RATE_TITLES = {
    "drr_soft": "soft ratio",
    "confidence": "mean confidence",
    "utility": "data utility as printed",
    "query with": "error, with sensitive value",
    "query without": "error, without",
}
WORTH_TITLES = {
    "utility": "data utility as printed",
    "query with": "error of counts (log)",
    "pairs": "pair distance",
    "invalid": "invalid rows",
    "learned": "rows told by naive Bayes",
}
DATA_COLOURS = ("#d95f02", "#1f77b4", "#999999")


def charts(figures: Figures) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    drawn = {
        "trade": _trade(figures),
        "cells": _cells(figures),
        "worth": _worth(figures),
        "risk": _risk(figures),
        "rate": _rate(figures),
        "query": _query(figures),
    }
    return {name: styled(chart).configure_title(frame="group", offset=10) for name, chart in drawn.items()}


def _lines(rows: list[Plain], titles: tuple[str, str, str], *, log: bool = False) -> Any:
    """Lines with bands; titles of the axes and of the panel."""
    altair = library()
    colours = {name: colour for name, colour in COLOURS.items() if any(row["series"] == name for row in rows)}
    y = {
        "title": titles[1],
        "scale": altair.Scale(type="log", domain=[LEAST, 12], nice=False) if log else altair.Scale(zero=True),
        "axis": altair.Axis(values=TICKS) if log else altair.Axis(tickCount=5, labelFlush=True),
    }
    return lines(
        rows,
        altair.X("x:O", title=titles[0], axis=altair.Axis(labelAngle=0)),
        y,
        coloured("series", colours, columns=6, **STROKES),
        dashes={name: [4, 3] if name == GUESSING else [1, 0] for name in colours},
        opacity=0.07 if log else 0.15,
    ).properties(width=215, height=140, title=titles[2])


def _stacked(rows: list[list[Any]]) -> Any:
    """Panels in rows, with room for their axes."""
    altair = library()
    return altair.vconcat(*(altair.hconcat(*row, spacing=APART, bounds="flush") for row in rows), spacing=8)


def _risk(figures: Figures) -> Any:
    """Figures 5 and 6: a column for each data set, a row for each reading."""
    series = [*((one, one, "value") for one in SHOWN), (GUESSING, UL_MAIN, "chance")]
    rows: list[list[Any]] = []
    for measure, title in RISK_TITLES.items():
        panels = []
        for data in figures.data:
            shown = [
                {
                    "series": name,
                    "x": overlap,
                    **band(figures.at(method, measure, side, data, overlap).estimate, 0.0),
                }
                for name, method, side in series
                for overlap in figures.overlaps
            ]
            panels.append(_lines(shown, ("shared rows", title, "" if rows else data)))
        rows.append(panels)
    return _stacked(rows)


def _rate(figures: Figures) -> Any:
    """Figure 7, and what the swap rate costs."""
    altair = library()
    colour = coloured("series", dict(zip(figures.data, DATA_COLOURS, strict=False)), **STROKES)
    panels = []
    for measure, title in RATE_TITLES.items():
        rows = [
            {
                "series": data,
                "x": f"{100 * rate:g}",
                **band(figures.at(swapped(rate), measure, data=data).estimate, 0.0),
            }
            for data in figures.data
            for rate in RATES
        ]
        x = altair.X("x:O", title="swap rate, %", sort=None, axis=altair.Axis(labelAngle=0))
        scale = altair.Scale(zero=measure != "utility")
        y = {"title": title, "scale": scale, "axis": altair.Axis(tickCount=5)}
        panels.append(lines(rows, x, y, colour).properties(width=130, height=140))
    return altair.hconcat(*panels, spacing=12)


def _query(figures: Figures) -> Any:
    """Figure 8: with and without the sensitive value, a column for each data set."""
    rows = []
    for name, title in (("with", "error, with sensitive value"), ("without", "error, without")):
        panels = []
        for data in figures.data:
            shown = [
                {"series": method, "x": number, **band(found, LEAST)}
                for method in SHOWN
                for number in DIMENSIONS
                for found in [figures.at(method, f"query {number} {name}", data=data).estimate]
                if found.pairs
            ]
            titles = ("quasi-identifiers asked about", title, data if name == "with" else "")
            panels.append(_lines(shown, titles, log=True))
        rows.append(panels)
    return _stacked(rows)


def _worth(figures: Figures) -> Any:
    """Figures 3 and 4 beside what they hide: a row for each method, a column for each measure."""
    altair = library()
    panels: list[Any] = []
    for measure, title in WORTH_TITLES.items():
        log = "log" in title
        rows = [
            {
                "method": method,
                "data": data,
                **band(figures.at(method, measure, data=data).estimate, 0.1 if log else 0.0),
            }
            for method in SHOWN
            for data in figures.data
        ]
        labels = altair.Axis(title=None, labels=not panels, ticks=False, labelLimit=160)
        x = {
            "title": title,
            "scale": altair.Scale(type="log", nice=False, padding=6) if log else altair.Scale(zero=False),
            "axis": altair.Axis(values=[0.2, 0.5, 1, 2, 5, 10]) if log else altair.Axis(tickCount=4),
        }
        chart = intervals(
            rows,
            x,
            40,
            y=altair.Y("method:N", sort=list(SHOWN), axis=labels),
            yOffset=altair.YOffset("data:N", sort=list(figures.data)),
            color=coloured("data", dict(zip(figures.data, DATA_COLOURS, strict=False))),
        )
        panels.append(chart.properties(width=130, height=altair.Step(9)))
    return altair.hconcat(*panels, spacing=12)


def _trade(figures: Figures) -> Any:
    """Risk against utility, all methods at once: bottom left is best."""
    altair = library()
    panels = []
    shapes = ["circle", "square", "diamond", "triangle-up", "triangle-down"]
    shape = altair.Shape(
        "series:N",
        scale=altair.Scale(
            domain=list(SHOWN), range=[shapes[place % len(shapes)] for place in range(len(SHOWN))]
        ),
        legend=altair.Legend(title=None, orient="top", columns=6),
    )
    colour = coloured("series", {name: COLOURS[name] for name in SHOWN}, columns=6)
    for data in figures.data:
        rows = [
            {
                "series": method,
                "x": figures.mean(method, "query with", data=data),
                "y": figures.mean(method, "confidence", data=data),
            }
            for method in reversed(SHOWN)  # the first is drawn last, over the others
        ]
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
        points = seen(rows).mark_point(filled=True, size=90, opacity=1)
        guess = seen([{"y": figures.mean(UL_MAIN, "confidence", "chance", data)}])
        rule = guess.mark_rule(strokeDash=[4, 3], color=COLOURS[GUESSING]).encode(y=y)
        both = rule + points.encode(x=x, y=y, color=colour, shape=shape)
        panels.append(both.properties(width=215, height=190, title=data))
    return altair.hconcat(*panels, spacing=APART, bounds="flush")


def _cells(figures: Figures) -> Any:
    """Tables 3 and 4: cells and rows at the lower level, printed and ours."""
    altair = library()
    within, attribute = NEAREST
    colours = {"paper, column 1": "#555555", "ours": "#d95f02"}
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
        marks = seen(rows).mark_point(filled=True, size=45, opacity=0.7)
        chart = marks.encode(
            x=altair.X("x:O", title="swap rate, %", sort=None, axis=altair.Axis(labelAngle=0)),
            xOffset=altair.XOffset("series:N", sort=list(colours)),
            y=altair.Y("y:Q", title=f"{title} with at most this share"),
            color=coloured("series", colours),
        )
        panels.append(chart.properties(width=230, height=150))
    return altair.hconcat(*panels, spacing=20)
