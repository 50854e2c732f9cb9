"""Columns: how many groups of records have which size, and of how many people how much is told."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Column:
    """One column: what stands below it, how tall it is, and what a pointer that rests on it is told."""

    label: str
    count: int
    tip: str


def columns(rows: Sequence[Sizes], records: str = "records", groups: str = "groups") -> Markup:
    """One column for each range of sizes; records and groups may be called otherwise."""
    found = [
        Column(_range(row), row.groups, f"{counted(row.groups, groups)} of {_range(row)} {records}")
        for row in rows
    ]
    return histogram(f"Sizes of the {groups} of {records}", found, f"{records} in each", groups)


def histogram(label: str, rows: Sequence[Column], below: str, beside: str, css: str = "control") -> Markup:
    """Columns side by side; ``below`` and ``beside`` name the axes."""
    y = scale(0, max(1, *(row.count for row in rows), 1), steps=4)
    parts = []
    for mark in y.marks:
        if mark != int(mark):
            continue
        at = across(1 - y.at(mark))
        parts += [line(0, at, "100%", at, "grid"), words(f"{int(mark):,}", -8, at, "words mark end", dy=4)]
    width, every = 1 / len(rows), -(-len(rows) // MOST_MARKS)
    for number, row in enumerate(rows):
        tall = y.at(row.count)
        bar = element("rect", tip(row.tip), x=across(width * (number + 0.06)), y=across(1 - tall),
                      width=across(width * 0.88), height=across(tall), class_="bar")  # fmt: skip
        parts.append(element("g", bar, class_=css))
        if number % every == 0:
            parts.append(words(row.label, across(width * (number + 0.5)), "100%", "words mark middle", dy=18))
    parts += [
        line(0, "100%", "100%", "100%", "baseline"),
        words(below, "100%", "100%", "words axis end", dy=36),
        words(beside, -40, 0, "words axis", dy=-14),
    ]
    return drawing(label, HEIGHT, parts)


def _range(row: Sizes) -> str:
    return f"{row.low:,}" if row.low == row.high else f"{row.low:,}-{row.high:,}"
