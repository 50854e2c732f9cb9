"""Text as bytes: the checks that come before splitting, and lines for messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.io.readers.raw import Place
from cloven.io.readers.tokens import NOT_CLOSED, TEXT_AFTER_QUOTE

if TYPE_CHECKING:
    from cloven.io.readers.tokens import Tokens

_BOM = b"\xef\xbb\xbf"
_KINDS = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"PK\x03\x04": ".zip", b"PAR1": ".parquet"}
_QUOTE_FAULTS = {
    NOT_CLOSED: "a quote is opened and never closed; close it, or double a quote that is part of an item",
    TEXT_AFTER_QUOTE: "text after a closing quote; double a quote that is part of an item",
}


def clean_text(content: bytes, source: str) -> bytes:
    """Take a byte order mark off; refuse an empty or a binary file."""
    for magic, extension in _KINDS.items():
        if content.startswith(magic):
            message = f"this is not text but {extension} data; give the file that ending"
            raise InputError(message, source=source)
    at = content.find(b"\0")
    if at >= 0:
        hint = (
            "UTF-16 text; save it as UTF-8" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "a binary file"
        )
        message = f"holds NUL bytes, so it is {hint}"
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
