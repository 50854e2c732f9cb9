"""Text of others made harmless to read: what cannot be seen, or turns the words around it, gets a visible sign.

Escaping for HTML is another thing and stays with the templates. An item may be called anything; a name that holds a
right-to-left override would otherwise turn round the figures that stand beside it.
"""

from __future__ import annotations

import re
from unicodedata import category

JOINERS = "\u200c\u200d"
"""Needed to write Persian, Indic scripts and some emoji; they turn nothing around."""
_ASCII = re.compile(r"[ -~]*")


def visible(text: str) -> str:
    r"""The text with control characters, bidirectional overrides and lone surrogates written out.

    >>> visible("a\tb"), visible("abc\u202edef"), visible("naïve 日本")
    ('a␉b', 'abc⟨U+202E⟩def', 'naïve 日本')
    """
    if _ASCII.fullmatch(text):
        return text
    return "".join(map(_sign, text))


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    hidden = category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in JOINERS
    return f"⟨U+{code:04X}⟩" if hidden or code & 0xFFFE == 0xFFFE else character
