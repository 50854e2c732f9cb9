"""Bars with whiskers, in groups, on one axis: what attacker, guessing and control reach, and what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cloven.report.svg.elements import across, drawing, element, folded, line, tip, words
from cloven.report.words import interval, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.report.scale import Scale

ROW, THICK, TITLE, AXIS, NOTE = 17, 10, 24, 22, 14
NAME, LINE = 22, 13
"""Letters in a line of a name, for which the style sheet leaves room; and how far lines are apart."""


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, its value with the ends of its interval, and its class in the style sheet."""

    label: str
    value: float
    low: float | None
    high: float | None
    css: str

    @property
    def lines(self) -> list[str]:
        """What it is called, in lines."""
        return folded(self.label, NAME)

    @property
    def height(self) -> int:
        """Pixels from this bar to the next one."""
        return ROW + LINE * (len(self.lines) - 1)


@dataclass(frozen=True)
class Group:
    """Bars that belong together, under a title or none."""

    title: str
    bars: tuple[Bar, ...]


def bars(
    label: str,
    groups: Sequence[Group],
    scale: Scale,
    *,
    limit: float | None = None,
    note: str = "",
    axis: bool = True,
) -> Markup:
    """A chart of bars; ``limit`` is drawn as a line across, with a note on top of it."""
    top = NOTE if limit is not None else 2
    height = top + sum(
        sum(bar.height for bar in group.bars) + (TITLE if group.title else 0) for group in groups
    )
    parts = [
        line(across(scale.at(mark)), top, across(scale.at(mark)), height, "grid") for mark in scale.marks
    ]
    y = top
    for group in groups:
        if group.title:
            parts.append(words(group.title, 0, y + 16, "words title"))
            y += TITLE
        for bar in group.bars:
            parts.append(_bar(bar, y, scale))
            y += bar.height
    parts.append(line(0, top, 0, height, "baseline"))
    if limit is not None:
        parts.append(_limit(scale.at(limit), note, height))
    if axis:
        parts += [_mark(number, height, scale) for number in range(len(scale.marks))]
    return drawing(label, height + (AXIS if axis else 2), parts)


def _bar(bar: Bar, y: int, scale: Scale) -> Markup:
    middle, ends = y + bar.height / 2, interval(bar.value, bar.low, bar.high)
    parts = [
        tip(f"{bar.label}: {percent(bar.value)} {ends}".strip()),
        *_name(bar.lines, middle),
        element(
            "rect", x=0, y=middle - THICK / 2, width=across(scale.at(bar.value)), height=THICK, class_="bar"
        ),
    ]
    if bar.low is not None and bar.high is not None:
        low, high = across(scale.at(bar.low)), across(scale.at(bar.high))
        parts.append(line(low, middle, high, middle, "whisker"))
        parts += [line(end, middle - 3, end, middle + 3, "whisker") for end in (low, high)]
    inside = [escape(percent(bar.value))]
    if ends:
        inside.append(element("tspan", escape(ends), dx="0.4em", class_="interval"))
    parts.append(element("text", *inside, x="100%", dx=8, y=middle + 4, class_="words value"))
    return element("g", *parts, class_=bar.css)


def _limit(at: float, note: str, height: int) -> Markup:
    css = "words note end" if at > 0.7 else "words note"
    moved = -4 if at > 0.7 else 4
    return element(
        "g",
        line(across(at), 2, across(at), height, "limit"),
        words(note, across(at), 10, css, dx=moved),
    )


def _name(lines: list[str], middle: float) -> list[Markup]:
    first = middle + 4 - LINE * (len(lines) - 1) / 2
    return [words(text, -8, first + LINE * number, "words end") for number, text in enumerate(lines)]


def _mark(number: int, height: int, scale: Scale) -> Markup:
    """Every other mark is spare: it is not shown where there is little room."""
    mark = scale.marks[number]
    css = "words mark middle spare" if number % 2 else "words mark middle"
    return words(f"{100 * mark:g} %", across(scale.at(mark)), height + 16, css)
