"""Risk against utility as a small picture of letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.cli.console import dot, percent

if TYPE_CHECKING:
    from cloven.tuning import Tuned
    from cloven.tuning.points import Point

WIDE, HIGH = 56, 12


def picture(tuned: Tuned, audited: str | None) -> str:
    """Every setting that was measured: front, default, chosen one and the rest; the best place is top left."""
    marks = [(tuned.point(trial), dot()) for trial in tuned.finished]
    marks += [(tuned.point(trial), "x") for trial in tuned.finished if tuned.point(trial).broken]
    marks += [(tuned.point(trial), "o") for trial in tuned.front if not tuned.point(trial).broken]
    marks.append((tuned.point(tuned.default), "D"))
    marks += [(tuned.point(trial), "*") for trial in tuned.finished if trial.name == audited]
    legend = f"o front   {dot()} beaten   x breaks a promise   D default" + ("   * chosen" if audited else "")
    return "\n".join([f"  {tuned.score_words}", *_drawn(marks), f"{'':12}{legend}", ""])


def _drawn(marks: list[tuple[Point, str]]) -> list[str]:
    risks, utilities = [point.risk for point, _ in marks], [point.utility for point, _ in marks]
    left, right = _ends(risks)
    bottom, top = _ends(utilities)
    grid = [[" "] * WIDE for _ in range(HIGH)]
    for point, mark in marks:  # later marks are more important
        column = round((point.risk - left) / (right - left) * (WIDE - 1))
        row = round((top - point.utility) / (top - bottom) * (HIGH - 1))
        grid[row][column] = mark
    labels = {0: percent(top), HIGH - 1: percent(bottom)}
    lines = [f"  {labels.get(row, ''):>8} |{''.join(cells)}".rstrip() for row, cells in enumerate(grid)]
    ends = f"{percent(left)} {'risk':^{WIDE - len(percent(left)) - len(percent(right)) - 2}} {percent(right)}"
    return [*lines, f"  {'':8} +{'-' * WIDE}", f"  {'':8}  {ends}"]


def _ends(values: list[float]) -> tuple[float, float]:
    """The range of an axis; never empty."""
    low, high = min(values), max(values)
    return (low, high) if high - low > 1e-9 else (low - 0.005, high + 0.005)
