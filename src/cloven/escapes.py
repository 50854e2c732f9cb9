r"""Text of others made harmless: names of items, attributes, files and methods are untrusted wherever they are shown.

``visible`` is for terminals, logs and messages, ``signed`` for pages, ``csv_cell`` for CSV, ``json_text`` for JSON.
Escaping for HTML is another thing and stays with the templates.

>>> visible("flu\n\x1b[2J"), signed("a\tb\u202ec"), csv_cell("=1+1"), json_text("\u202e")
('flu\\n\\x1b[2J', 'a␉b⟨U+202E⟩c', "'=1+1", '"\\u202e"')
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from unicodedata import category, normalize

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMULA = ("=", "+", "-", "@")
"""What makes a spreadsheet run a cell instead of showing it."""
JOINERS = "\u200c\u200d"
"""Needed to write Persian, Indic scripts and some emoji; they turn nothing around."""
_ASCII = re.compile(r"[ -~]*")
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def hidden(character: str) -> bool:
    r"""Whether a character cannot be seen, or turns the words around it: controls, overrides, lone surrogates.

    >>> [letter for letter in "a\x00b\u202e\u200d\u00e9" if hidden(letter)]
    ['\x00', '\u202e']
    """
    if character in JOINERS:
        return False
    return category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(character) & 0xFFFE == 0xFFFE


def visible(text: str, limit: int | None = None) -> str:
    """Text on one line, with an escape for whatever is not printed as it stands, cut to ``limit`` characters."""
    shown = text
    if not text.isprintable():
        shown = "".join(each if each.isprintable() else _escape(each) for each in text)
    return shown if limit is None or len(shown) <= limit else f"{shown[: limit - 3]}..."


def names(items: Iterable[str], limit: int = 80) -> str:
    """Item names in one line, each made visible."""
    return ", ".join(visible(item, limit) for item in items)


def signed(text: str) -> str:
    """Text with a visible sign for every hidden character."""
    return text if _ASCII.fullmatch(text) else "".join(map(_sign, text))


def csv_cell(text: str) -> str:
    """Text as a spreadsheet shows it, and never runs it: numbers stay numbers, formulas get an apostrophe.

    >>> csv_cell("-1"), csv_cell("-1+1"), csv_cell("@x"), csv_cell("31-38")
    ('-1', "'-1+1", "'@x", '31-38')
    """
    if not _ASCII.fullmatch(text):
        text = "".join(_escape(each) if hidden(each) else each for each in text)
    begins = normalize("NFKC", text[:100]).lstrip(f"{JOINERS} \u00a0")
    runs = begins.startswith(FORMULA) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


def json_text(value: Any, *, ascii_only: bool = False) -> str:
    """A value as indented JSON, in which hidden characters are escapes; what it says is the same."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2, allow_nan=False)
    text = text.replace("\x7f", "\\u007f")  # the one control character that JSON leaves as it is
    if text.isascii():
        return text
    return "".join(json.dumps(each)[1:-1] if each != "\n" and hidden(each) else each for each in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩" if hidden(character) else character
