"""The charts gallery of the documentation: a page in words and one picture for each chart."""

from __future__ import annotations

import re
from importlib.resources import files
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from cloven.report import drawn
from cloven.report.charts import CHARTS
from cloven.report.svg.elements import element, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH = 880
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INTRODUCTION = """# Charts

Every chart of the report, drawn from an audit of the [clinic sample](../explanation/clinic-sample.md). The report draws
them by itself. In Python `report.chart(name)` gives the same figures as [Altair](https://altair-viz.github.io) charts,
for notebooks and for pictures in other formats; that needs `pip install "cloven[charts]"`.
"""
ENDING = """
The pictures and this page are made by `python docs/pictures/charts.py`.
"""


class Room(NamedTuple):
    """Space around a drawing for the words at its margins, and how many stand in a row."""

    left: int
    right: int
    top: int
    bottom: int
    columns: int


BARS, PLOT, SMALL = Room(76, 132, 30, 14, 2), Room(56, 24, 36, 52, 1), Room(56, 24, 62, 52, 3)
ROOMS = {
    "risks": BARS,
    "utility": Room(170, 150, 14, 14, 1),
    "trade-off": PLOT,
    "kinds": BARS,
    "calibration": SMALL,
    "sizes": PLOT,
}


def page() -> str:
    """The gallery in Markdown, from the words of ``CHARTS``."""
    return INTRODUCTION + "".join(map(_section, CHARTS)) + ENDING


def _section(name: str) -> str:
    about = CHARTS[name]
    return (
        f"\n## {about.title}\n\n`report.chart({name!r})`\n\n![{about.title}](../pictures/chart-{name}.svg)\n\n"
        + "\n".join(
            fill(words, 118) + "\n"
            for words in (
                f"**What it shows.** {about.shows}",
                f"**How to read it.** {about.reading}",
                f"**When it misleads.** {about.misleads}",
            )
        )
    )


def pictures(document: Mapping[str, Any]) -> dict[str, str]:
    """One picture for each chart, as a whole SVG file on white."""
    single = {"utility": drawn.utility, "trade-off": drawn.trade_off, "sizes": drawn.sizes}
    several = {"risks": drawn.gauges, "kinds": drawn.kinds, "calibration": drawn.calibration}
    parts = {name: [("", draw(document))] for name, draw in single.items()}
    parts |= {name: list(draw(document).items()) for name, draw in several.items()}
    return {name: _board(CHARTS[name].title, parts[name], ROOMS[name]) for name in CHARTS}


def _board(title: str, parts: Sequence[tuple[str, Markup | None]], room: Room) -> str:
    """Drawings in rows, each with its name above it, as one file."""
    cell = WIDTH / room.columns
    inside, y = [], 0
    for start in range(0, len(parts), room.columns):
        row = [(name, chart) for name, chart in parts[start : start + room.columns] if chart is not None]
        tall = max(drawn_height(chart) for _, chart in row)
        for column, (name, chart) in enumerate(row):
            x = column * cell
            if name:
                inside.append(words(name, x + 16, y + 20, "words title"))
            inside.append(
                element("svg", chart, x=x + room.left, y=y + room.top, width=cell - room.left - room.right,
                        height=drawn_height(chart), overflow="visible")
            )  # fmt: skip
        y += room.top + tall + room.bottom
    ground = element("rect", width=WIDTH, height=y, fill="#ffffff", rx=6)
    whole = element(
        "svg",
        element("title", Markup.escape(title)),
        element("style", light_style()),
        ground,
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        width=WIDTH,
        height=y,
        font_family=FONT,
    )
    return f"{whole}\n"


def light_style() -> Markup:
    """Colours for light ground, and the style of the charts; both are our own files."""
    folder = files("cloven.report") / "templates"
    colours = (folder / "colours.css").read_text(encoding="utf-8").split("@media")[0]
    charts = (folder / "charts.css").read_text(encoding="utf-8")
    return Markup(colours.replace("color-scheme: light dark;", "") + charts)  # noqa: S704


def drawn_height(chart: Markup) -> int:
    """Pixels that a drawing is high."""
    found = re.search(r'height="(\d+)"', chart)
    return int(found[1]) if found else 0
