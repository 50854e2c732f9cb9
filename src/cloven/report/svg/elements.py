"""The few elements that charts are made of; every attribute and every word is escaped here."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cloven.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

Place = float | int | str
"""Pixels, or a text such as ``41.2%``."""


def across(share: float) -> str:
    """A place in percent of the width or height.

    >>> across(0.12345)
    '12.35%'
    """
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def element(name: str, *inside: Markup, **attributes: Place) -> Markup:
    """One element; ``class_`` and ``font_size`` are written ``class`` and ``font-size``.

    >>> str(element("rect", x=across(0.5), class_='a"b'))
    '<rect x="50%" class="a&#34;b"></rect>'
    """
    parts = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _written(value))
        for key, value in attributes.items()
    ]
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), Markup().join(parts), Markup().join(inside))  # noqa: S704


def words(text: str, x: Place, y: Place, css: str = "", **more: Place) -> Markup:
    """One line of words; ``y`` is the line they stand on."""
    return element("text", escape(visible(text)), x=x, y=y, class_=css or "words", **more)


def folded(text: str, letters: int) -> list[str]:
    """A text in lines of at most so many letters; longer words stay whole.

    >>> folded("agreement of counts with sensitive values", 22), folded("", 22)
    (['agreement of counts', 'with sensitive values'], [''])
    """
    return wrap(text, letters, break_long_words=False) or [text]


def tip(text: str) -> Markup:
    """What a pointer that rests on the element around it is told."""
    return element("title", escape(visible(text)))


def line(x1: Place, y1: Place, x2: Place, y2: Place, css: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=css)


def drawing(label: str, height: int, parts: Iterable[Markup]) -> Markup:
    """All of a chart; the label says what it shows to those who do not see it."""
    shown = visible(label)
    return element("svg", *parts, width="100%", height=height, class_="drawing", role="img", aria_label=shown)


def _written(value: Place) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
