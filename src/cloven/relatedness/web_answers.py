"""Questions to search engines, and numbers in their answers."""

from __future__ import annotations

import json
import re
from typing import Any

GROUPED = re.compile(r"\d{1,3}(?:[,.'\u2019\s]\d{3})+|\d+")
"""A whole number, also one whose thousands are set apart: 67,400,000."""


def phrased(item: str) -> str:
    """An item as a question: words of a phrase are quoted.

    >>> phrased("blood  vessel"), phrased("lung")
    ('"blood vessel"', 'lung')
    """
    words = item.replace('"', " ").split()
    return f'"{" ".join(words)}"' if len(words) > 1 else "".join(words)


def whole_number(value: Any) -> int | None:
    """A count that an engine shows, or None.

    >>> whole_number("67,400,000"), whole_number(12.0), whole_number("many"), whole_number(True)
    (67400000, 12, None, None)
    """
    if isinstance(value, str):
        digits = GROUPED.fullmatch(value.strip())
        return int(re.sub(r"\D", "", digits[0])) if digits else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != value // 1:
        return None
    return int(value)


def pointed(text: str, pointer: str) -> Any:
    """Value at a JSON pointer (RFC 6901), or None.

    >>> pointed('{"found": [{"total/all": 5}]}', "/found/0/total~1all")
    5
    """
    try:
        value = json.loads(text)
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return value
