"""Small bars that stand in tables, beside their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.figures import percent
from cloven.report.svg import across, element, line, tip

if TYPE_CHECKING:
    from markupsafe import Markup

HEIGHT = 14


def meter(share: float, beside: float | None = None, css: str = "attacker", words: str = "") -> Markup:
    """A bar for a share; a mark says where the figure that it is compared with stands.

    The figures stand in the table, so that the bar is nothing for those who listen.

    >>> 'width="25%"' in str(meter(0.25)), str(meter(0.25, 0.5)).count("<line")
    (True, 2)
    """
    said = percent(share) if beside is None else f"{percent(share)}, beside {percent(beside)}"
    parts = [
        tip(f"{words}: {said}" if words else said),
        line(0, HEIGHT - 0.5, "100%", HEIGHT - 0.5, "grid"),
        element("rect", x=0, y=2, width=across(min(1.0, max(0.0, share))), height=HEIGHT - 4, class_="bar"),
    ]
    if beside is not None:
        at = across(min(1.0, max(0.0, beside)))
        parts.append(line(at, 0, at, HEIGHT, "compared"))
    return element("svg", *parts, width="100%", height=HEIGHT, class_=f"meter {css}", aria_hidden="true")
