"""Charts of ``cloven reproduce generalisation``: Figures 13 to 16 of Shao and Ong, baselines beside. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.thesis_charts import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.generalisation_figures import Figures
    from experiments.thesis_figures import Estimate

ONE, RANDOM = "all but one random", "random, RBA's budget"
COLOURS = {
    "RA": "#9ecae1", "MDA": "#6baed6", "TBA": "#7b4fa3", "WBA": "#1b9e77", "GBA": "#1f77b4", "RBA": "#d95f02",
    "TBA'": "#c5b0d5", "RBA'": "#fdae6b", ONE: "#222222", RANDOM: "#999999",
}  # fmt: skip
MEASURES = {"recall": "recall", "precision": "precision", "f": "F"}
NAMES = {"random": "RA", "mda": "MDA", "tba": "TBA", "wba": "WBA", "gba": "GBA", "rba": "RBA"}
BASELINES = {ONE: "one", RANDOM: "chance"}


def all_charts(figures: Figures) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    lines = {name: ("k", attack, "value") for attack, name in NAMES.items()}
    beside = {name: ("k", "rba", side) for name, side in BASELINES.items()}
    dense = {
        NAMES[attack]: ("density", attack, "value")
        for attack in NAMES
        if figures.at("density", figures.places("density")[0], attack, "f")
    }
    dense |= {name: ("density", "rba", side) for name, side in BASELINES.items()}
    both = {NAMES[attack]: ("k", attack, "value") for attack in ("tba", "rba")}
    both |= {f"{NAMES[attack]}'": ("consistent", attack, "value") for attack in ("tba", "rba")}
    both |= {ONE: ("k", "rba", "one"), f"{ONE}'": ("consistent", "rba", "one")}
    along = [data for data in figures.data if len(figures.places("consistent", data)) > 1]
    return {
        "k": _grid(figures, lines | beside, figures.data, "k"),
        "density": _grid(
            figures, dense, [data for data in figures.data if figures.places("density", data)], "density"
        ),
        "utility": _grid(figures, both, along, "k"),
        "left": _left(figures),
        "time": _time(figures),
    }


def _grid(figures: Figures, lines: dict[str, tuple[str, str, str]], data: Sequence[str], axis: str) -> Any:
    """A column for each data set, a row for each measure."""
    altair = library()
    rows = [
        altair.hconcat(
            *(
                _panel(altair, _rows(figures, lines, name, measure), axis, title, name if not number else "")
                for name in data
            ),
            spacing=12,
        )
        for number, (measure, title) in enumerate(MEASURES.items())
    ]
    return _styled(altair.vconcat(*rows, spacing=8))


def _rows(
    figures: Figures, lines: dict[str, tuple[str, str, str]], data: str, measure: str
) -> list[dict[str, Any]]:
    rows = []
    for name, (sweep, attack, side) in lines.items():
        for x in figures.places(sweep, data):
            found = figures.at(sweep, x, attack, measure, side, data).estimate
            if found.pairs:
                rows.append({"series": name, "x": x, **_band(found)})
    return rows


def _band(found: Estimate) -> dict[str, float]:
    """Mean and interval, as far as it lies in 0..1."""
    if found.pairs < 2:  # no interval, no band
        return {"mean": found.mean, "low": found.mean, "high": found.mean}
    return {"mean": found.mean, "low": max(0.0, found.low), "high": min(1.0, found.high)}


def _colours(altair: Any, present: Sequence[str]) -> Any:
    colours = COLOURS | {f"{ONE}'": "#bbbbbb"}
    names = [name for name in colours if name in present]
    return altair.Color(
        "series:N",
        scale=altair.Scale(domain=names, range=[colours[name] for name in names]),
        legend=altair.Legend(
            title=None, orient="top", columns=8, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
        ),
    )


def _panel(altair: Any, rows: list[dict[str, Any]], axis: str, title: str, head: str) -> Any:
    present = list(dict.fromkeys(row["series"] for row in rows))
    colour = _colours(altair, present)
    dashed = altair.StrokeDash(
        "series:N",
        scale=altair.Scale(domain=present, range=[[4, 3] if " " in name else [1, 0] for name in present]),
        legend=None,
    )
    shown = altair.Chart(altair.Data(values=rows))
    x = altair.X("x:O", title=axis, axis=altair.Axis(labelAngle=0))
    y = altair.Y("mean:Q", title=title, scale=altair.Scale(domain=[0, 1]))
    band = shown.mark_area(opacity=0.15).encode(x=x, y="low:Q", y2="high:Q", color=colour)
    line = shown.mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=y, color=colour, strokeDash=dashed)
    return (band + line).properties(width=150, height=125, title=head)


def _left(figures: Figures) -> Any:
    """F of RBA, of all but the nearest item, and of all but a random one: what meaning adds."""
    altair = library()
    lines = {
        "RBA": ("rba", "value"),
        "RBA, words shuffled": ("rba", "control"),
        RANDOM: ("rba", "chance"),
        "all but the nearest": ("nearest", "value"),
        ONE: ("rba", "one"),
    }
    colours = ["#d95f02", "#fdae6b", "#999999", "#1f77b4", "#222222"]
    rows = [
        {"data": data, "series": name, **_band(figures.at("k", 5, attack, "f", side, data).estimate)}
        for data in figures.data
        for name, (attack, side) in lines.items()
        if figures.at("k", 5, attack, "f", side, data)
    ]
    colour = altair.Color(
        "series:N",
        scale=altair.Scale(domain=list(lines), range=colours),
        legend=altair.Legend(title=None, orient="top"),
    )
    shown = altair.Chart(altair.Data(values=rows))
    y = altair.Y("data:N", sort=list(figures.data), title=None)
    offset = altair.YOffset("series:N", sort=list(lines))
    rule = shown.mark_rule(strokeWidth=2).encode(
        altair.X("low:Q", title="F at k = 5", scale=altair.Scale(zero=False)),
        altair.X2("high:Q"),
        y=y,
        yOffset=offset,
        color=colour,
    )
    point = shown.mark_point(filled=True, size=45).encode(x="mean:Q", y=y, yOffset=offset, color=colour)
    return _styled((rule + point).properties(width=480, height=altair.Step(11)))


def _time(figures: Figures) -> Any:
    altair = library()
    rows = [
        {"series": NAMES[row["method"]], "cells": row["size"] ** 2, "seconds": row["seconds"]}
        for row in figures.times
    ]
    shown = altair.Chart(altair.Data(values=rows))
    log = altair.Scale(type="log")
    return _styled(
        shown.mark_line(point=True)
        .encode(
            x=altair.X("cells:Q", scale=log, title="cells of the table"),
            y=altair.Y("seconds:Q", scale=log, title="seconds"),
            color=_colours(altair, [row["series"] for row in rows]),
        )
        .properties(width=340, height=220)
    )


def _styled(chart: Any) -> Any:
    return (
        chart.configure(background="white", font="sans-serif")
        .configure_view(stroke="#dddddd")
        .configure_axis(gridColor="#eeeeee", titleFontWeight="normal")
        .configure_legend(labelFontSize=12)
    )
