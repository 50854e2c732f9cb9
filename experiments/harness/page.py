"""Pieces that the pages of experiments are put together from."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from experiments.harness.claims import Claim
    from experiments.harness.figures import Estimate

WIDTH = 118


def filled(text: str, indent: str = "") -> str:
    """Text in lines of the usual width."""
    return fill(" ".join(text.split()), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def points(lines: Iterable[str]) -> list[str]:
    """A list with a point for each text."""
    return [filled(f"- {line}", "  ") for line in lines]


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
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


def picture(file: str, title: str) -> str:
    """A chart on the page."""
    return f"![{title}]({file}.svg)\n"


def judgements(claims: Iterable[Claim], rule: str, says: str, why: str) -> str:
    """Below the rule of judging, every claim: what is said, the verdict, what we get, and why."""
    rows = [(one.where, one.says, f"**{one.verdict}**", one.get, one.why) for one in claims]
    heads = ("where", f"the {says} says", "verdict", "we get", why)
    return section(f"The {says} says, we get", filled(rule), "", grid(heads, rows))


def number(found: Estimate, digits: int, *, spread: bool = True) -> str:
    """Mean with half its interval.

    >>> from experiments.harness.figures import Estimate
    >>> number(Estimate(0.5, 0.4, 0.6, 8), 2), number(Estimate(0.5, 0.4, 0.6, 8), 1, spread=False)
    ('0.50 ±0.10', '0.5')
    """
    if not found.pairs:
        return "-"
    half = f" ±{(found.high - found.low) / 2:.{digits}f}" if spread and found.pairs > 1 else ""
    return f"{found.mean:.{digits}f}{half}"


def percent(share: float, digits: int = 1) -> str:
    """A share as tables print it."""
    return f"{100 * share:.{digits}f} %"


def spanned(values: Iterable[float], digits: int = 0) -> str:
    """Smallest and largest of some shares.

    >>> spanned([0.2, 0.5, 0.3]), spanned([])
    ('20 % to 50 %', '-')
    """
    known = list(values)
    return f"{percent(min(known), digits)} to {percent(max(known), digits)}" if known else "-"


def listed(words: Sequence[str]) -> str:
    """Words with *and* before the last.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
