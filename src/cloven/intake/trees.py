"""JSON as every program reads it: numbers that fit, texts that can be written, each key once, not nested without end.

Python's own reader takes ``1e999`` for infinity, numbers of thousands of digits and lone surrogates, of which programs
break later, far from the file that brought them.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_LARGE = re.compile(r"\d{19}|\d[eE]\+?\d{3}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LARGEST = 2**63


def tree_of(content: str | bytes) -> Any:
    r"""The value of a JSON text.

    Raises:
        ValueError: it is no such text; of a fault of spelling a ``json.JSONDecodeError`` that knows the line.

    >>> tree_of('{"k": [5, 0.5]}')
    {'k': [5, 0.5]}
    >>> tree_of("[1e999]")
    Traceback (most recent call last):
    ...
    ValueError: the number 1e999 is too large
    """
    text = content if isinstance(content, str) else content.decode("utf-8")
    numbers = (_whole, _real) if _LARGE.search(text) else (None, None)  # ours are slower
    try:
        value = json.loads(
            text,
            parse_int=numbers[0],
            parse_float=numbers[1],
            parse_constant=_constant,
            object_pairs_hook=_once,
        )
    except RecursionError:
        message = "nested too deeply"
        raise ValueError(message) from None
    if _SURROGATE.search(text):
        json.dumps(
            value, ensure_ascii=False
        ).encode()  # a UnicodeEncodeError, which is a ValueError, if one is alone
    return value


def _whole(digits: str) -> int:
    number = int(digits)
    if not -_LARGEST <= number < _LARGEST:
        raise _too_large(digits)
    return number


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _too_large(digits)
    return number


def _too_large(digits: str) -> ValueError:
    return ValueError(f"the number {digits if len(digits) < 30 else digits[:27] + '...'} is too large")


def _constant(name: str) -> None:
    message = f"{name} is no number"
    raise ValueError(message)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        message = f"two entries are called {twice[:60]!r}"
        raise ValueError(message)
    return found
