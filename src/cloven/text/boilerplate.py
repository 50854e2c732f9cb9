"""Headers and footers: lines that many documents start or end with.

The set-generalisation paper (6.1.1) leaves headers and footers of reports out because they repeat. Here a line is one
if it stands among the first or last three lines of at least a fifth of the documents, and of at least five. Digits and
case do not matter, so that "Page 3 of 7" and "PAGE 4 OF 9" are the same line. Only lines at the edge go, from outside
inwards. A document of fewer than four lines is left alone, and so is one that would lose all of them: it is a copy.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
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


# What is not the text itself goes: links, lists of references, datelines.
#
# Every rule is conservative: it would rather leave something in than cut into the text.
#
# - *Links*: addresses of web pages (``http://``, ``https://``, ``ftp://``, ``www.``), DOIs and e-mail addresses.
# - *References*: a line that is nothing but a heading such as "References", in the second half of the document, goes
#   with all that follows, if at least half of the lines that follow look like references (a number in brackets, a year,
#   "et al", "pp.", a link or a DOI).
# - *Datelines*: "LONDON, March 3 (Reuters) -" or "AP -" at the start of a text, "Reuter" alone at its end.
#
# Lines that many documents start or end with are found in :mod:`cloven.text.boilerplate`.


# Each pattern with marks of which one must stand in the text (in lower case): most texts are spared the search.
_LINKS = (
    (("://", "www."), re.compile(r"(?:https?|ftp)://[^\s<>\"]+|\bwww\.[^\s<>\"]+", re.IGNORECASE)),
    (("doi:", "10."), re.compile(r"\bdoi:\s*\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)),
    (("@",), re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")),
)
_HEADING = re.compile(
    r"^[ \t]*(?:\d+\.?[ \t]*)?(?:references?(?: cited| list)?|bibliography|works cited|literature cited|citations)"
    r"[ \t]*(?::[ \t]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_REFERENCE = re.compile(
    r"^\s*(?:\[\d+\]|\(\d+\)|\d{1,3}\.\s)|\b(?:1[89]|20)\d\d\b|\bet al\b|\bpp?\.\s*\d|\bdoi\b|https?://|\bwww\.",
    re.IGNORECASE,
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_AGENCY = r"(?:Reuters?|AP|AFP|UPI|Xinhua|dpa|TASS)"
_PLACE = r"[A-Z][A-Z.'\- ]{2,30}(?:, [A-Z][A-Za-z.'\- ]{1,30})?"
_DATELINE = re.compile(
    rf"\s*(?:{_PLACE}(?:,? {_MONTH} \d{{1,2}}(?:, \d{{4}})?)?,? \({_AGENCY}\)"
    rf"|{_PLACE},? {_MONTH} \d{{1,2}}(?:, \d{{4}})?"
    rf"|{_AGENCY})\s*(?:--?|\u2013|\u2014)\s"
)
_SIGN_OFFS = ("Reuter", "Reuters", "REUTER", "REUTERS")
# A document with more headings than this is odd; looking below each of them would take long.
_MOST_HEADINGS = 5


@dataclass(frozen=True)
class Cleaning:
    """What to take out of a text before its words are read.

    Attributes:
        titles: leave titles out.
        links: take out links and e-mail addresses.
        references: take out a list of references at the end.
        repeated_lines: take out lines that many documents start or end with.
        datelines: take out datelines and sign-offs of wire services.
    """

    titles: bool = True
    links: bool = True
    references: bool = True
    repeated_lines: bool = True
    datelines: bool = False


def clean(text: str, cleaning: Cleaning, tally: Counter[str]) -> str:
    """The text without references, links and datelines, as asked; ``tally`` counts what went.

    >>> from collections import Counter
    >>> clean("LONDON, March 3 (Reuters) - Tin fell; see www.example.org.", Cleaning(datelines=True), Counter())
    'Tin fell; see  '
    """
    if cleaning.references:
        text = _without_references(text, tally)
    if cleaning.datelines:
        text = _without_dateline(text, tally)
    if cleaning.links:
        text = _without_links(text, tally)
    return text


def _without_dateline(text: str, tally: Counter[str]) -> str:
    before, newline, last = text.rstrip(" \t\r\n;").rpartition("\n")
    if last.strip() in _SIGN_OFFS:
        tally["datelines"] += 1
        text = before if newline else ""
    begun = _DATELINE.match(text)
    if begun is not None:
        tally["datelines"] += 1
        text = text[begun.end() :]
    return text


def _without_links(text: str, tally: Counter[str]) -> str:
    low = text.lower()
    for marks, link in _LINKS:
        if any(mark in low for mark in marks):
            text, count = link.subn(" ", text)
            tally["links"] += count
    return text


def _without_references(text: str, tally: Counter[str]) -> str:
    for heading in islice(_HEADING.finditer(text, len(text) // 2), _MOST_HEADINGS):
        following = [line for line in text[heading.end() :].splitlines() if line.strip()]
        if following and 2 * sum(_REFERENCE.search(line) is not None for line in following) >= len(following):
            tally["lists of references"] += 1
            return text[: heading.start()]
    return text
