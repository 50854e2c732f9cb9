"""Dots with intervals, two in each row: people in the release beside people outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.report.svg.elements import across, drawing, element, folded, line, tip, words
from cloven.report.words import interval, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from cloven.report.scale import Scale
    from cloven.report.told import Beside, Ends

ROW, AXIS, APART, NAME, LINE = 34, 22, 7, 20, 13
SIZE = 4.5


def dots(label: str, rows: Sequence[Beside], scale: Scale) -> Markup:
    """One row for each way of knowing: members a round dot, outsiders a hollow square below it."""
    height = ROW * len(rows) + 4
    parts = [line(across(scale.at(mark)), 2, across(scale.at(mark)), height, "grid") for mark in scale.marks]
    for number, row in enumerate(rows):
        parts.append(_row(row, 2 + ROW * number + ROW / 2, scale))
    parts.append(line(0, 2, 0, height, "baseline"))
    for number, mark in enumerate(scale.marks):
        css = "words mark middle spare" if number % 2 else "words mark middle"
        parts.append(words(f"{100 * mark:g} %", across(scale.at(mark)), height + 16, css))
    return drawing(label, height + AXIS, parts)


def _row(row: Beside, middle: float, scale: Scale) -> Markup:
    lines = folded(row.label, NAME)
    first = middle + 4 - LINE * (len(lines) - 1) / 2
    parts = [words(text, -8, first + LINE * number, "words end") for number, text in enumerate(lines)]
    parts += [
        _mark("members", row.members, middle - APART, scale),
        _mark("outsiders", row.outsiders, middle + APART, scale),
    ]
    return element("g", *parts, class_="beside" if row.judged else "beside aside-row")


def _mark(who: str, ends: Ends, y: float, scale: Scale) -> Markup:
    value, low, high = ends
    at = across(scale.at(value))
    parts = [tip(f"{who}: {percent(value)} {interval(value, low, high)}".strip())]
    if low is not None and high is not None:
        parts.append(line(across(scale.at(low)), y, across(scale.at(high)), y, "whisker"))
    if who == "members":
        parts.append(element("circle", cx=at, cy=y, r=SIZE, class_="shape"))
    else:
        parts.append(
            element("rect", x=at, y=y - SIZE + 0.5, width=2 * SIZE - 1, height=2 * SIZE - 1,
                    class_="shape", transform=f"translate({0.5 - SIZE} 0)")
        )  # fmt: skip
    parts.append(words(percent(value), "100%", y + 4, "words value", dx=8))
    return element("g", *parts, class_=who)
