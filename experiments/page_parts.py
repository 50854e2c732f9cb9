"""Pieces that the pages of experiments are put together from."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.thesis_figures import Estimate

WIDTH = 118


def filled(text: str, indent: str = "") -> str:
    """Text in lines of the usual width."""
    return fill(" ".join(text.split()), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A table.

    >>> print(grid(("a", "b"), [("1", "x|y")]), end="")
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and what stands below it."""
    return f"## {title}\n\n" + "\n".join(parts)


def number(found: Estimate, digits: int, *, spread: bool = True) -> str:
    """Mean with half its interval.

    >>> from experiments.thesis_figures import Estimate
    >>> number(Estimate(0.5, 0.4, 0.6, 8), 2), number(Estimate(0.5, 0.4, 0.6, 8), 1, spread=False)
    ('0.50 ±0.10', '0.5')
    """
    if not found.pairs:
        return "-"
    half = f" ±{(found.high - found.low) / 2:.{digits}f}" if spread and found.pairs > 1 else ""
    return f"{found.mean:.{digits}f}{half}"
