"""Texts that are numbers, and texts that only look like them."""

from __future__ import annotations


def plain_number(text: str) -> float | None:
    """The number that a text is; None for other texts.

    >>> plain_number("1e3"), plain_number("1_000")
    (1000.0, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_digit(text: str) -> bool:
    """Whether there is a digit: ``nan`` and ``inf`` are words, although Python reads them as numbers."""
    return any(map(str.isdigit, text))


def has_leading_zero(text: str) -> bool:
    """Whether a number begins with a zero that would be lost, as zip codes do.

    >>> has_leading_zero("01234"), has_leading_zero("0.5")
    (True, False)
    """
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
