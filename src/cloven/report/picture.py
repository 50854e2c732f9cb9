"""The first screen of the page as one picture, for places that show pictures but no pages, such as a README."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from cloven.report import drawn
from cloven.report.gallery import FONT, drawn_height, light_style
from cloven.report.page import icon
from cloven.report.svg.elements import element, words
from cloven.report.view import view
from cloven.report.words import contents

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH, EDGE, COLUMNS = 1180, 24, 3
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
    middle = WIDTH // 2
    chart = drawn.utility(document)
    top = 92
    tall = max(drawn_height(chart) + 56, 190)
    parts = [
        words(shown["title"], EDGE, 40, "words large", style="fill: var(--ink)"),
        words(contents(document["published"]) + ".", EDGE, 66, "words soft"),
        _verdict(document, shown, top, middle - EDGE - 10, tall),
        _card(middle + 10, top, middle - EDGE - 10, tall),
        words("What stays useful", middle + 30, top + 32, "words h2"),
        _placed(chart, middle + 200, top + 48, middle - EDGE - 10 - 190 - 152),
    ]
    gauges, height = _gauges(shown["gauges"], top + tall + 16)
    whole = element(
        "svg",
        element("title", Markup.escape(f"The report of an audit: {shown['verdict'].words}")),
        element("style", light_style() + STYLE),
        element("rect", width=WIDTH, height=height, rx=8, fill="var(--ground)"),
        *parts,
        *gauges,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        font_family=FONT,
    )
    return f"{whole}\n"


def _verdict(
    document: Mapping[str, Any], shown: Mapping[str, Any], top: int, width: int, tall: int
) -> Markup:
    sign, decision = shown["verdict"], document["decision"]
    tone = TONES[sign.tone]
    parts = [
        element("rect", x=EDGE, y=top, width=width, height=tall, rx=10, fill=f"var(--{tone}-wash)"),
        element("rect", x=EDGE, y=top, width=6, height=tall, rx=3, fill=f"var(--{tone})"),
        _icon(sign.tone, EDGE + 26, top + 22, 28),
        words(sign.words, EDGE + 64, top + 44, "words large", style=f"fill: var(--{tone})"),
    ]
    y = top + 78
    for heading, texts in (("", [decision["sentence"]]), ("Why", decision["reasons"])):
        if heading and texts:
            parts.append(words(heading, EDGE + 26, y + 6, "words text", font_weight=600))
            y += 26
        for text in texts:
            for row in wrap(text, width // 8):
                parts.append(words(row, EDGE + 26, y, "words text"))
                y += 21
    return element("g", *parts)


def _gauges(gauges: list[dict[str, Any]], top: int) -> tuple[list[Markup], int]:
    """All gauges on one card, and where the picture ends."""
    cell, y = (WIDTH - 2 * EDGE) // COLUMNS, top + 56
    parts = [words("What attackers reach", EDGE + 20, top + 34, "words h2")]
    for start in range(0, len(gauges), COLUMNS):
        row = gauges[start : start + COLUMNS]
        for column, gauge in enumerate(row):
            parts += _gauge(gauge, EDGE + 20 + column * cell, y, cell - 30)
        y += max(_tall(gauge, cell - 30) for gauge in row) + 14
    return [_card(EDGE, top, WIDTH - 2 * EDGE, y - top), *parts], y + EDGE


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
