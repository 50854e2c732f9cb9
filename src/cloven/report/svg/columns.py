"""Columns: how many groups of records have which size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.report.scale import scale
from cloven.report.svg.elements import across, drawing, element, line, tip, words
from cloven.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from cloven.report.rows import Sizes

HEIGHT = 180
MOST_MARKS = 6


def columns(rows: Sequence[Sizes], records: str = "records", groups: str = "groups") -> Markup:
    """One column for each range of sizes; records and groups may be called otherwise."""
    y = scale(0, max(row.groups for row in rows), steps=4)
    parts = []
    for mark in y.marks:
        if mark != int(mark):
            continue
        at = across(1 - y.at(mark))
        parts += [line(0, at, "100%", at, "grid"), words(f"{int(mark):,}", -8, at, "words mark end", dy=4)]
    width, every = 1 / len(rows), -(-len(rows) // MOST_MARKS)
    for number, row in enumerate(rows):
        tall = y.at(row.groups)
        text = f"{counted(row.groups, groups)} of {_range(row)} {records}"
        bar = element("rect", tip(text), x=across(width * (number + 0.06)), y=across(1 - tall),
                      width=across(width * 0.88), height=across(tall), class_="bar")  # fmt: skip
        parts.append(element("g", bar, class_="control"))
        if number % every == 0:
            parts.append(
                words(_range(row), across(width * (number + 0.5)), "100%", "words mark middle", dy=18)
            )
    parts += [
        line(0, "100%", "100%", "100%", "baseline"),
        words(f"{records} in each", "100%", "100%", "words axis end", dy=36),
        words(groups, -40, 0, "words axis", dy=-14),
    ]
    return drawing(f"Sizes of the {groups} of {records}", HEIGHT, parts)


def _range(row: Sizes) -> str:
    return f"{row.low:,}" if row.low == row.high else f"{row.low:,}-{row.high:,}"
