"""Bars with whiskers, in groups, on one axis: what attacker, guessing and control reach, and what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cloven.report.svg.elements import across, drawing, element, line, tip, words
from cloven.report.words import interval, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.report.scale import Scale

ROW, THICK, TITLE, AXIS, NOTE = 17, 10, 24, 22, 14


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, its value with the ends of its interval, and its class in the style sheet."""

    label: str
    value: float
    low: float | None
    high: float | None
    css: str


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
    height = top + sum(ROW * len(group.bars) + (TITLE if group.title else 0) for group in groups)
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
            y += ROW
    parts.append(line(0, top, 0, height, "baseline"))
    if limit is not None:
        parts.append(_limit(scale.at(limit), note, height))
    if axis:
        parts += [_mark(mark, height, scale) for mark in scale.marks]
    return drawing(label, height + (AXIS if axis else 2), parts)


def _bar(bar: Bar, y: int, scale: Scale) -> Markup:
    middle, ends = y + ROW / 2, interval(bar.value, bar.low, bar.high)
    parts = [
        tip(f"{bar.label}: {percent(bar.value)} {ends}".strip()),
        words(bar.label, -8, middle + 4, "words end"),
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


def _mark(mark: float, height: int, scale: Scale) -> Markup:
    text = f"{100 * mark:g} %"
    return words(text, across(scale.at(mark)), height + 16, "words mark middle")
