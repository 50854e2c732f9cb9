"""Reuters-21578: newswire stories of 1987, a thousand to an SGML file.

A story becomes one document: its BODY, with its TITLE as title; dateline, topics and control characters stay outside. A
story without a BODY is dropped and counted.

SGML is no XML, but this collection uses it in one fixed way, so the parts are cut out by their tags. Only numbered
and the standard named characters are resolved; nothing can be declared.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.text.documents import Document, DocumentOptions, Dropped
from cloven.text.files import matching_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OPEN, _CLOSE = "<REUTERS", "</REUTERS>"
_NUMBER = re.compile(r'NEWID="([^"]*)"')
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read_reuters(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each story with a body."""
    pattern = "*.sgm" if options.pattern == "*" else options.pattern
    for name, place, text in matching_texts(path, options, pattern, "latin-1"):
        for story in _stories(text, place):
            body, title = _part(story, "BODY"), _part(story, "TITLE")
            number = _NUMBER.search(story)
            label = f"{name}:{number.group(1)}" if number else name
            yield Document(label, body, title) if body else Dropped("story without a body")


def _stories(text: str, place: str) -> Iterator[str]:
    at = text.find(_OPEN)
    while at >= 0:
        end, following = text.find(_CLOSE, at), text.find(_OPEN, at + 1)
        if end < 0 or 0 <= following < end:
            message = f"a story is not closed by {_CLOSE}"
            raise InputError(message, source=place, line=text.count("\n", 0, at) + 1)
        yield text[at:end]
        at = following


def _part(story: str, tag: str) -> str | None:
    """What stands between a pair of tags, None if it is blank or absent."""
    _, opened, rest = story.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    if not (opened and closed):
        return None
    return _CONTROL.sub("", html.unescape(inner)).rstrip() or None
