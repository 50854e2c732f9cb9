"""The frame of charts with two axes, and the chart of settings: risk against utility."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cloven.report.svg.apart import GAP, Mark, apart
from cloven.report.svg.elements import across, drawing, element, folded, line, tip, words
from cloven.report.visible import visible
from cloven.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.report.rows import Tried
    from cloven.report.scale import Scale

HEIGHT = 320
MOST_NUMBERED = 15
NAME, LINE = 36, 15
"""Letters in a line of the name of an axis, and how far lines are apart."""


def frame(x: Scale, y: Scale, names: tuple[str, str], aside: str = "") -> list[Markup]:
    """Grid, marks and names of both axes; the name of the upright one stands on top of it."""
    parts = []
    for mark in x.marks:
        at = across(x.at(mark))
        parts += [
            line(at, 0, at, "100%", "grid"),
            words(f"{100 * mark:g} %", at, "100%", "words mark middle", dy=18),
        ]
    for mark in y.marks:
        at = across(1 - y.at(mark))
        parts += [
            line(0, at, "100%", at, "grid"),
            words(f"{100 * mark:g} %", -14, at, "words mark end", dy=4),
        ]
    parts += [line(0, "100%", "100%", "100%", "baseline"), line(0, 0, 0, "100%", "baseline")]
    return [
        *parts,
        *_name_across(names[0], aside),
        words(names[1], -40, 0, "words axis", dy=-14),
    ]


def _name_across(name: str, aside: str) -> list[Markup]:
    """In lines that fit a phone; what is said aside is left out there."""
    *before, last = [escape(visible(text)) for text in folded(name, NAME)]
    if aside:
        last += element("tspan", escape(f" {aside}"), class_="aside")
    return [
        element(
            "text",
            text,
            x="100%",
            y="100%",
            class_=f"words axis end{' second' * (number > 0)}",
            dy=36 + LINE * number,
        )
        for number, text in enumerate((*before, last))
    ]


def settings(
    rows: Sequence[Tried], x: Scale, y: Scale, limits: tuple[float, float], names: tuple[str, str]
) -> Markup:
    """Every setting as a point; those that no other one beats are joined; limits of risk and utility are lines."""
    risk, utility = limits
    parts = frame(x, y, names, "(100 %: nothing is lost)")
    parts.append(line(0, across(1 - y.at(risk)), "100%", across(1 - y.at(risk)), "limit"))
    note = f"limit {100 * risk:.3g} %"
    parts.append(words(note, "100%", across(1 - y.at(risk)), "words note end", dx=-4, dy=-5))
    if utility > x.low:
        parts.append(line(across(x.at(utility)), 0, across(x.at(utility)), "100%", "limit"))
    for broken in (True, False):
        front = sorted(
            (row for row in rows if row.front and bool(row.broken) == broken), key=lambda row: row.utility
        )
        css = "front broken" if broken else "front"
        parts += [
            line(*_place(one, x, y), *_place(other, x, y), css) for one, other in itertools.pairwise(front)
        ]
    parts += [whisker for row in rows for whisker in _whiskers(row, x, y)]
    # Those that matter most stand where they belong, and are drawn last.
    first = sorted(rows, key=lambda row: (not row.main, not row.better, not row.front, row.number))
    numbered = [row for row in first if len(rows) <= MOST_NUMBERED or row.front or row.main or row.better]
    named = [row.setting.partition(":")[0] for row in numbered]
    if len(rows) > MOST_NUMBERED or len(set(named)) == 1:  # too many to name, or names that tell nothing
        named = [""] * len(named)
    places = [(x.at(row.utility), 1 - y.at(row.risk)) for row in numbered]
    marks = apart(places, named, HEIGHT, (1 - y.at(risk), note))
    parts += [_dot(row, x, y) for row in first if row not in numbered]
    parts += reversed([
        _point(row, x, y, mark, name) for row, mark, name in zip(numbered, marks, named, strict=True)
    ])  # fmt: skip
    label = f"Risk against utility of {len(rows)} settings; the table below has the same figures"
    return drawing(label, HEIGHT, parts)


def _place(row: Tried, x: Scale, y: Scale) -> tuple[str, str]:
    return across(x.at(row.utility)), across(1 - y.at(row.risk))


def _whiskers(row: Tried, x: Scale, y: Scale) -> list[Markup]:
    """Intervals of risk, downwards from its upper end, and of utility; thin, so that many points stay apart."""
    left, top = _place(row, x, y)
    css = "range main" if row.main else "range"
    out = []
    if row.risk_low is not None:
        out.append(line(left, top, left, across(1 - y.at(row.risk_low)), css))
    if row.utility_low is not None and row.utility_high is not None:
        out.append(line(across(x.at(row.utility_low)), top, across(x.at(row.utility_high)), top, css))
    return out


def _point(row: Tried, x: Scale, y: Scale, mark: Mark, name: str) -> Markup:
    """A numbered mark; one that was moved has a dot at its place and a line to it."""
    parts = [_about(row)]
    if mark.dx or mark.dy:
        parts += [line(0, 0, mark.dx, mark.dy, "leader"), element("circle", cx=0, cy=0, r=3, class_="at")]
    parts += [
        _shape(row, mark.dx, mark.dy, 11),
        words(str(row.number), mark.dx, mark.dy, "words number middle", dy=4),
    ]
    if name:
        side = ("words name end", mark.dx - GAP) if mark.left else ("words name", mark.dx + GAP)
        parts.append(words(name, side[1], mark.dy, side[0], dy=4))
    return _placed(row, x, y, parts)


def _dot(row: Tried, x: Scale, y: Scale) -> Markup:
    return _placed(row, x, y, [_about(row), _shape(row, 0, 0, 4)])


def _about(row: Tried) -> Markup:
    return tip(f"{row.number}. {row.setting}: risk {percent(row.risk)}, utility {percent(row.utility)}")


def _placed(row: Tried, x: Scale, y: Scale, parts: list[Markup]) -> Markup:
    left, top = _place(row, x, y)
    css = "point main" if row.main else "point better" if row.better else "point"
    return element("svg", *parts, x=left, y=top, overflow="visible", class_=css)


def _shape(row: Tried, x: float, y: float, size: float) -> Markup:
    if not row.broken:
        return element("circle", cx=x, cy=y, r=size, class_="shape")
    side = 1.7 * size  # a square, so that it is told apart without colour
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=2, class_="shape")
