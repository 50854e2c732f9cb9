r"""What is not the text itself goes: links, lists of references, datelines.

Every rule is conservative: it would rather leave something in than cut into the text.

- *Links*: addresses of web pages (``http://``, ``https://``, ``ftp://``, ``www.``), DOIs and e-mail addresses.
- *References*: a line that is nothing but a heading such as "References", in the second half of the document, goes with
  all that follows, if at least half of the lines that follow look like references (a number in brackets, a year, "et
  al", "pp.", a link or a DOI).
- *Datelines*: "LONDON, March 3 (Reuters) -" or "AP -" at the start of a text, "Reuter" alone at its end.

Lines that many documents start or end with are found in :mod:`cloven.text.boilerplate`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter

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
