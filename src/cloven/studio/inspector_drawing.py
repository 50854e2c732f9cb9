"""Small bars that stand in tables, beside their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.figures import percent
from cloven.report.svg import across, element, line, tip

if TYPE_CHECKING:
    from markupsafe import Markup

HEIGHT = 14
ALMOST = 0.9995


def meter(share: float, beside: float | None = None, css: str = "attacker", scale: float = 1.0) -> Markup:
    """A bar for a share; a line says where the figure stands that it is compared with; ``scale`` fills the whole width.

    The figures stand in the table, so that the bar is nothing for those who listen.

    >>> 'width="25%"' in str(meter(0.25)), str(meter(0.25, 0.5)).count("<line")
    (True, 2)
    """
    said = percent(share) if beside is None else f"{percent(share)}, beside {percent(beside)}"
    parts = [
        tip(said),
        line(0, HEIGHT - 0.5, "100%", HEIGHT - 0.5, "grid"),
        element("rect", x=0, y=2, width=across(_within(share, scale)), height=HEIGHT - 4, class_="bar"),
    ]
    if beside is not None:
        at = across(_within(beside, scale))
        parts.append(line(at, 0, at, HEIGHT, "compared"))
    return element("svg", *parts, width="100%", height=HEIGHT, class_=f"meter {css}", aria_hidden="true")


def sure(probability: float, certain: bool = False) -> str:  # noqa: FBT002 - a filter of templates
    """A probability in percent; 100 % is only what follows by logic.

    >>> sure(0.5), sure(0.99999), sure(1.0, certain=True)
    ('50.0 %', 'over 99.9 %', '100.0 %')
    """
    return "over 99.9 %" if probability >= ALMOST and not certain else percent(probability)


def _within(share: float, scale: float) -> float:
    return min(1.0, max(0.0, share / scale)) if scale > 0 else 0.0
