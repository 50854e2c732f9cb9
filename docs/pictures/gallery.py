"""The pictures of the charts gallery, one for each chart of a report; `docs/reference/charts.md` has the words."""

from __future__ import annotations

import re
from importlib.resources import files
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from cloven.report import drawing
from cloven.report.page import icon, view
from cloven.report.svg import element, words
from cloven.report.words import contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


WIDTH = 880
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
TITLES = {
    "risks": "What attackers reach",
    "utility": "What stays useful",
    "trade-off": "Risk against utility",
    "kinds": "Where it breaks",
    "calibration": "Confidence against truth",
    "sizes": "Sizes of groups",
}


class Room(NamedTuple):
    """Space around a drawing for the words at its margins, and how many stand in a row."""

    left: int
    right: int
    top: int
    bottom: int
    columns: int


BARS, PLOT, SMALL = Room(76, 132, 30, 14, 2), Room(56, 24, 36, 70, 1), Room(56, 24, 62, 52, 3)
ROOMS = {
    "risks": BARS,
    "utility": Room(170, 150, 14, 14, 1),
    "trade-off": PLOT,
    "kinds": BARS,
    "calibration": SMALL,
    "sizes": PLOT,
}


def pictures(document: Mapping[str, Any]) -> dict[str, str]:
    """One picture for each chart, as a whole SVG file on white."""
    single = {"utility": drawing.utility, "trade-off": drawing.trade_off, "sizes": drawing.sizes}
    several = {"risks": drawing.gauges, "kinds": drawing.kinds, "calibration": drawing.calibration}
    parts = {name: [("", draw(document))] for name, draw in single.items()}
    parts |= {name: list(draw(document).items()) for name, draw in several.items()}
    return {name: _board(title, parts[name], ROOMS[name]) for name, title in TITLES.items()}


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
    return _file(title, light_style(), (WIDTH, y), [ground, *inside])


def _file(title: str, style: Markup, size: tuple[int, int], parts: Sequence[Markup]) -> str:
    """A whole SVG file of this size."""
    width, height = size
    whole = element(
        "svg",
        element("title", Markup.escape(title)),
        element("style", style),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
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


# The first screen of the page as one picture, for places that show pictures but no pages, such as a README.


PICTURE_WIDTH, EDGE, COLUMNS = 1180, 24, 3
STYLE = Markup(
    ".large { font-size: 23px; font-weight: 650; } .h2 { font-size: 17px; font-weight: 650; fill: var(--ink); }"
    " .text { font-size: 14px; fill: var(--ink); } .soft { font-size: 12.5px; fill: var(--ink-2); }"
    " .icon { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }"
    " .brief .interval { display: none; }"
)
TONES = {"good": "good", "change": "change", "other": "change", "bad": "bad", "quiet": "quiet"}


def first_screen(document: Mapping[str, Any]) -> str:
    """Title, verdict, utility and a gauge for each threat, as a whole SVG file."""
    shown = view(document)
    middle = PICTURE_WIDTH // 2
    chart = drawing.utility(document)
    top, said = 92, _said(document["decision"], (middle - EDGE - 10) // 8)
    tall = max(drawn_height(chart) + 56, 78 + 21 * len(said) + 9)
    parts = [
        words(shown["title"], EDGE, 40, "words large", style="fill: var(--ink)"),
        words(contents(document["published"]) + ".", EDGE, 66, "words soft"),
        _verdict(shown["verdict"], said, top, middle - EDGE - 10, tall),
        _card(middle + 10, top, middle - EDGE - 10, tall),
        words("What stays useful", middle + 30, top + 32, "words h2"),
        _placed(chart, middle + 200, top + 48, middle - EDGE - 10 - 190 - 152),
    ]
    gauges, height = _gauges(shown["gauges"], top + tall + 16)
    ground = element("rect", width=PICTURE_WIDTH, height=height, rx=8, fill="var(--ground)")
    title = f"The report of an audit: {shown['verdict'].words}"
    return _file(title, light_style() + STYLE, (PICTURE_WIDTH, height), [ground, *parts, *gauges])


def _said(decision: Mapping[str, Any], width: int) -> list[tuple[str, int]]:
    """The verdict and its reasons in rows of so many characters, each with its weight."""
    rows = [(row, 400) for row in wrap(decision["sentence"], width)]
    rows += [("Why", 600)] if decision["reasons"] else []
    for reason in decision["reasons"]:
        rows += [
            (row, 400) for row in wrap(reason, width, initial_indent="\u2013 ", subsequent_indent="\u2002 ")
        ]
    return rows


def _verdict(sign: Any, said: Sequence[tuple[str, int]], top: int, width: int, tall: int) -> Markup:
    tone = TONES[sign.tone]
    return element(
        "g",
        element("rect", x=EDGE, y=top, width=width, height=tall, rx=10, fill=f"var(--{tone}-wash)"),
        element("rect", x=EDGE, y=top, width=6, height=tall, rx=3, fill=f"var(--{tone})"),
        _icon(sign.tone, EDGE + 26, top + 22, 28),
        words(sign.words, EDGE + 64, top + 44, "words large", style=f"fill: var(--{tone})"),
        *(
            words(row, EDGE + 26, top + 78 + 21 * number, "words text", font_weight=weight)
            for number, (row, weight) in enumerate(said)
        ),
    )


def _gauges(gauges: list[dict[str, Any]], top: int) -> tuple[list[Markup], int]:
    """All gauges on one card, and where the picture ends."""
    cell, y = (PICTURE_WIDTH - 2 * EDGE) // COLUMNS, top + 56
    parts = [words("What attackers reach", EDGE + 20, top + 34, "words h2")]
    for start in range(0, len(gauges), COLUMNS):
        row = gauges[start : start + COLUMNS]
        for column, gauge in enumerate(row):
            parts += _gauge(gauge, EDGE + 20 + column * cell, y, cell - 30)
        y += max(_tall(gauge, cell - 30) for gauge in row) + 14
    return [_card(EDGE, top, PICTURE_WIDTH - 2 * EDGE, y - top), *parts], y + EDGE


def _gauge(gauge: dict[str, Any], x: int, y: int, width: int) -> list[Markup]:
    sign, chart = gauge["sign"], gauge["chart"]
    parts = [
        words(gauge["name"], x, y + 16, "words text", font_weight=600),
        _icon(sign.tone, x + width - 20, y + 3, 16),
        words(
            sign.words,
            x + width - 26,
            y + 16,
            "words end",
            style=f"fill: var(--{TONES[sign.tone]})",
            font_weight=600,
        ),
    ]
    y += 26
    if chart is not None:
        parts.append(element("g", _placed(chart, x + 64, y, width - 64 - 56), class_="brief"))
        y += drawn_height(chart) + 12
    parts += [
        words(row, x, y + 16 * number, "words soft") for number, row in enumerate(_sentence(gauge, width))
    ]
    return parts


def _tall(gauge: dict[str, Any], width: int) -> int:
    chart = gauge["chart"]
    return 26 + (0 if chart is None else drawn_height(chart) + 12) + 16 * len(_sentence(gauge, width))


def _sentence(gauge: dict[str, Any], width: int) -> list[str]:
    return wrap(gauge["risk"]["sentence"], int(width / 6.6))


def _card(x: int, y: int, width: int, height: int) -> Markup:
    return element(
        "rect", x=x, y=y, width=width, height=height, rx=10, fill="var(--card)", stroke="var(--line)"
    )


def _icon(tone: str, x: int, y: int, size: int) -> Markup:
    inner = element("svg", icon(tone), x=x, y=y, width=size, height=size)
    return element("g", inner, color=f"var(--{TONES[tone]})")


def _placed(chart: Markup, x: int, y: int, width: int) -> Markup:
    return element("svg", chart, x=x, y=y, width=width, height=drawn_height(chart), overflow="visible")
