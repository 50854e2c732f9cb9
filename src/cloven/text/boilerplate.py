"""Headers and footers: lines that many documents start or end with.

The set-generalisation paper (6.1.1) leaves headers and footers of reports out because they repeat. Here a line is one
if it stands among the first or last three lines of at least a fifth of the documents, and of at least five. Digits and
case do not matter, so that "Page 3 of 7" and "PAGE 4 OF 9" are the same line. Only lines at the edge go, from outside
inwards. A document of fewer than four lines is left alone, and so is one that would lose all of them: it is a copy.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_EDGE = 3
_SHORTEST = 4
_LEAST_DOCUMENTS = 5
_LEAST_SHARE = 0.2
_DIGITS = re.compile(r"\d+")


def repeated_lines(texts: Iterable[str]) -> frozenset[str]:
    """Lines, in the form that is compared, that are headers or footers of these texts."""
    found: Counter[str] = Counter()
    documents = 0
    for text in texts:
        documents += 1
        lines = [_compared(line) for line in text.splitlines() if line.strip()]
        if len(lines) >= _SHORTEST:
            found.update({*lines[:_EDGE], *lines[-_EDGE:]})
    least = max(_LEAST_DOCUMENTS, _LEAST_SHARE * documents)
    return frozenset(line for line, count in found.items() if count >= least)


def without_edges(text: str, repeated: frozenset[str]) -> tuple[str, int]:
    r"""The text without the repeated lines at its edges, and how many went.

    >>> without_edges("City Hospital\nPage 7\nFever and\na cough.\nSigned", frozenset({"city hospital", "page 0"}))
    ('Fever and\na cough.\nSigned', 2)
    """
    lines = text.splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not repeated or len(filled) < _SHORTEST:
        return text, 0
    head = _run(lines, filled[:_EDGE], repeated)
    inner = filled[head:]
    tail = _run(lines, inner[: -_EDGE - 1 : -1], repeated)
    inner = inner[: len(inner) - tail]
    if len(inner) in (0, len(filled)):
        return text, 0
    return "\n".join(lines[inner[0] : inner[-1] + 1]), head + tail


def _run(lines: list[str], edge: list[int], repeated: frozenset[str]) -> int:
    """How many lines from the edge inwards are repeated ones."""
    count = 0
    while count < len(edge) and _compared(lines[edge[count]]) in repeated:
        count += 1
    return count


def _compared(line: str) -> str:
    return _DIGITS.sub("0", " ".join(line.casefold().split()))
