"""The frame of charts with two axes, and the chart of settings: risk against utility."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from cloven.report.svg.elements import across, drawing, element, line, tip, words
from cloven.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from cloven.report.rows import Tried
    from cloven.report.scale import Scale

HEIGHT = 320
MOST_NUMBERED = 15


def frame(x: Scale, y: Scale, names: tuple[str, str]) -> list[Markup]:
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
        parts += [line(0, at, "100%", at, "grid"), words(f"{100 * mark:g} %", -8, at, "words mark end", dy=4)]
    parts += [line(0, "100%", "100%", "100%", "baseline"), line(0, 0, 0, "100%", "baseline")]
    return [
        *parts,
        words(names[0], "100%", "100%", "words axis end", dy=36),
        words(names[1], -40, 0, "words axis", dy=-14),
    ]


def settings(
    rows: Sequence[Tried], x: Scale, y: Scale, limits: tuple[float, float], names: tuple[str, str]
) -> Markup:
    """Every setting as a point; those that no other one beats are joined; limits of risk and utility are lines."""
    risk, utility = limits
    parts = frame(x, y, names)
    parts.append(line(0, across(1 - y.at(risk)), "100%", across(1 - y.at(risk)), "limit"))
    parts.append(
        words(f"limit {100 * risk:.3g} %", "100%", across(1 - y.at(risk)), "words note end", dx=-4, dy=-5)
    )
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
    numbered = len(rows) <= MOST_NUMBERED
    for row in sorted(rows, key=lambda row: (row.main or row.better, row.front)):
        parts.append(_point(row, x, y, numbered=numbered or row.front or row.main or row.better))
    label = f"Risk against utility of {len(rows)} settings; the table below has the same figures"
    return drawing(label, HEIGHT, parts)


def _place(row: Tried, x: Scale, y: Scale) -> tuple[str, str]:
    return across(x.at(row.utility)), across(1 - y.at(row.risk))


def _point(row: Tried, x: Scale, y: Scale, *, numbered: bool) -> Markup:
    left, top = _place(row, x, y)
    css = "point main" if row.main else "point better" if row.better else "point"
    size = 11 if numbered else 4
    parts = [tip(f"{row.number}. {row.setting}: risk {percent(row.risk)}, utility {percent(row.utility)}")]
    if row.broken:  # a square, so that it is told apart without colour
        side = 1.7 * size
        parts.append(
            element("rect", x=left, y=top, width=side, height=side, rx=2, class_="shape",
                    transform=f"translate({-side / 2:.1f} {-side / 2:.1f})")
        )  # fmt: skip
    else:
        parts.append(element("circle", cx=left, cy=top, r=size, class_="shape"))
    if numbered:
        parts.append(words(str(row.number), left, top, "words number middle", dy=4))
    return element("g", *parts, class_=css)
