"""What speaks for one record per line: delimited text, FIMI and SPMF."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloven.io.readers.guessing import CANDIDATES, QUOTED
from cloven.io.readers.unplaced import Suggestion, delimiter_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.io.readers.head import Head

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_WHOLE_NUMBERS = re.compile(r"\s*-?\d+(?:\s+-?\d+)*\s*")
# Items that are words hold spaces more often than spaces part them; nothing else stands in their way.
_SPACES_PART_WORDS = 0.4
_ONE_ITEM_PER_LINE = 0.05
_MARKS_AS_ITEMS = 0.2  # -1 and -2 are hardly ever items


def line_suggestions(head: Head) -> Iterator[Suggestion]:
    """Ways to read the lines as records."""
    lines = [QUOTED.sub("q", line).strip() for line in head.lines]
    yield from _spmf([line for line in lines if line[0] not in "#%@"])
    yield from _fimi(lines)
    shares = {each: _share(each in line for line in lines) for each in (*CANDIDATES, " ")}
    for delimiter in CANDIDATES:
        share = shares[delimiter]
        if share > 0:
            # A delimiter parts records of all lengths; one that stands in few lines is more likely part of a name.
            yield delimited(delimiter, f"{_NAMES[delimiter]} in {_of_the_lines(share)}", 0.8 * share**2)
    others = max(shares[delimiter] for delimiter in CANDIDATES)
    if shares[" "] > 0:
        score = _SPACES_PART_WORDS * shares[" "] * (1 - others)
        yield delimited(" ", f"spaces in {_of_the_lines(shares[' '])}", score)
    if others < 0.5:
        yield delimited(",", "one item per line", _ONE_ITEM_PER_LINE)


def delimited(delimiter: str, reason: str, score: float) -> Suggestion:
    """Lines with this delimiter."""
    return Suggestion({"format": "lines", "delimiter": delimiter_word(delimiter)}, reason, score)


def _spmf(lines: list[str]) -> Iterator[Suggestion]:
    share = _share(line.split()[-1] == "-2" for line in lines)
    if share > 0.5:
        yield Suggestion({"format": "spmf"}, f"-2 at the end of {_of_the_lines(share)}", share)


def _fimi(lines: list[str]) -> Iterator[Suggestion]:
    share = _share(_WHOLE_NUMBERS.fullmatch(line) is not None for line in lines)
    if share > 0.5 and any(len(line.split()) > 1 for line in lines):
        marked = any("-2" in line.split() for line in lines)
        score = 0.9 * share * (_MARKS_AS_ITEMS if marked else 1)
        yield Suggestion({"format": "fimi"}, "whole numbers between spaces", score)


def _of_the_lines(share: float) -> str:
    return "every line" if share == 1 else f"{100 * share:.0f} % of the lines"


def _share(found: Iterator[bool]) -> float:
    flags = list(found)
    return sum(flags) / max(1, len(flags))
