"""What notebooks show of data, releases and reports: a small table of figures, in HTML that can do no harm."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from cloven.escapes import signed, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 200
"""Characters of a cell; names can be of any length."""


def card(title: str, figures: Mapping[str, object]) -> str:
    """A title and a line for each figure; numbers are grouped, texts made harmless.

    >>> card("Data", {"records": 1200, "items": "<b>"})
    '<table><caption>Data</caption><tr><th>records</th><td>1,200</td></tr><tr><th>items</th><td>&lt;b&gt;</td></tr></table>'
    """
    lines = (f"<tr><th>{_safe(name)}</th><td>{_safe(value)}</td></tr>" for name, value in figures.items())
    return f"<table><caption>{_safe(title)}</caption>{''.join(lines)}</table>"


def _safe(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else signed(str(value))
    return escape(visible(text, LONGEST))
