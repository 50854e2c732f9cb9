"""Confidence against truth of one attack: on the diagonal it knows how much it knows."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from cloven.report.svg.elements import across, drawing, element, line, tip
from cloven.report.svg.plot import frame
from cloven.report.words import counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from cloven.report.rows import Sure
    from cloven.report.scale import Scale

HEIGHT = 220


def reliability(threat: str, rows: Sequence[Sure], scale: Scale) -> Markup:
    """One point for guesses of about the same confidence; hollow where there are few."""
    parts = frame(scale, scale, ("said by the attacker", "really right"))
    parts.append(line(0, "100%", "100%", 0, "diagonal"))
    parts += [_point(row, scale) for row in rows]
    return drawing(f"Confidence of the attack ({threat}) against truth", HEIGHT, parts)


def _point(row: Sure, scale: Scale) -> Markup:
    said, right = across(scale.at(row.confidence)), across(1 - scale.at(row.right))
    size = 3 + 1.2 * log10(max(row.guesses, 1))
    text = f"{counted(row.guesses, 'guesses')}: said {percent(row.confidence)}, right {percent(row.right)}"
    css = "point attacker" if row.enough else "point attacker few"
    return element("g", tip(text), element("circle", cx=said, cy=right, r=size, class_="shape"), class_=css)
