"""Text as bytes: the checks that come before splitting, and lines for messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.io.readers.kinds import foreign, many_zeros
from cloven.io.readers.raw import Place
from cloven.io.readers.tokens import NOT_CLOSED, TEXT_AFTER_QUOTE
from cloven.io.readers.unplaced import UnplacedError

if TYPE_CHECKING:
    from cloven.io.readers.tokens import Tokens

_BOM = b"\xef\xbb\xbf"
_QUOTE_FAULTS = {
    NOT_CLOSED: "a quote is opened and never closed; close it, or double a quote that is part of an item",
    TEXT_AFTER_QUOTE: "text after a closing quote; double a quote that is part of an item",
}


def clean_text(content: bytes, source: str) -> bytes:
    """Take a byte order mark off; refuse an empty or a binary file."""
    if content.startswith(b"PAR1"):
        message = "this is not text but Parquet"
        raise UnplacedError(message, source=source)
    kind = foreign(content)
    if kind is not None:
        what, advice = kind
        message = f"this is not text but {what}; {advice}"
        raise InputError(message, source=source)
    at = content.find(b"\0")
    if at >= 0:
        what, advice = many_zeros(content)
        message = f"holds NUL bytes, so it is {what}; {advice}"
        raise InputError(message, source=source, line=content.count(b"\n", 0, at) + 1)
    return content.removeprefix(_BOM)


@dataclass(frozen=True)
class TextPlaces:
    """Finds the line on which a record starts, for messages."""

    text: bytes
    tokens: Tokens

    def __call__(self, record: int, _item: int = -1) -> Place:
        """Line number and text of a record."""
        begin = int(self.tokens.begins[record])
        end = self.text.find(b"\n", begin)
        shown = self.text[begin : end if end >= 0 else len(self.text)].rstrip(b"\r")
        line = self.text.count(b"\n", 0, begin) + 1
        return Place("line", line, shown.decode(errors="backslashreplace"))


def quote_faults(tokens: Tokens) -> dict[int, str]:
    """Records whose quotes are wrong."""
    return {
        record: _QUOTE_FAULTS[int(tokens.faults[record])] for record in tokens.faults.nonzero()[0].tolist()
    }
