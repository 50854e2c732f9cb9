"""Decimal rows of vector files, parsed in compiled code: a word, then its numbers, one row in each line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints

_TAB, _NEWLINE, _RETURN, _SPACE = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(32)
_PLUS, _MINUS, _POINT, _ZERO, _NINE = np.uint8(43), np.uint8(45), np.uint8(46), np.uint8(48), np.uint8(57)
_CAPITAL_E, _SMALL_E = np.uint8(69), np.uint8(101)
_MANTISSA_LIMIT = np.int64(10**17)  # another digit still fits in 63 bits
_EXPONENT_LIMIT = 10_000
_TENS = 10.0 ** np.arange(23)  # powers of ten that a double holds exactly


@compiled
def _ends_field(byte: Any) -> bool:
    return bool(byte == _SPACE or byte == _NEWLINE or byte == _TAB or byte == _RETURN)


@compiled
def _field_end(text: Ints, at: int) -> int:
    while not _ends_field(text[at]):
        at += 1
    return at


@compiled
def _field_start(text: Ints, at: int) -> int:
    while text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
        at += 1
    return at


@compiled
def _scaled(mantissa: Any, exponent: int) -> float:
    value = float(mantissa)
    if exponent < -22 or exponent > 22:
        return float(value * 10.0**exponent) if mantissa else 0.0
    return float(value / _TENS[-exponent] if exponent < 0 else value * _TENS[exponent])


@compiled
def _exponent(text: Ints, at: int) -> tuple[int, int]:
    """Whole number after an E, and where it ends; -1 if there is none."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    start, value = at, 0
    while _ZERO <= text[at] <= _NINE:
        value = min(value * 10 + int(text[at] - _ZERO), _EXPONENT_LIMIT)
        at += 1
    return (-value if negative else value), (at if at > start else -1)


@compiled
def parse_number(text: Ints, at: int) -> tuple[float, int]:
    """Number that starts here and where it ends; -1 if the field is not a finite number."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    mantissa, exponent, digits, past_point = np.int64(0), 0, 0, False
    while True:
        byte = text[at]
        if _ZERO <= byte <= _NINE:
            digits += 1
            if mantissa < _MANTISSA_LIMIT:
                mantissa = mantissa * 10 + np.int64(byte - _ZERO)
                exponent -= past_point
            else:
                exponent += not past_point
        elif byte == _POINT and not past_point:
            past_point = True
        else:
            break
        at += 1
    if digits and (text[at] == _SMALL_E or text[at] == _CAPITAL_E):
        more, at = _exponent(text, at + 1)
        exponent += more
    value = _scaled(mantissa, exponent)
    if digits == 0 or at < 0 or not _ends_field(text[at]) or value > 3.4e38:
        return 0.0, -1
    return (-value if negative else value), at


@compiled
def _parse_line(text: Ints, at: int, vector: Any) -> tuple[int, int]:
    """Where the word of a line ends and where the line ends; -1 if it is not a word and ``len(vector)`` numbers.

    A word may hold spaces: it goes on until the first number.
    """
    word_end = after = _field_end(text, at)
    column = 0
    while True:
        after = _field_start(text, after)
        if text[after] == _NEWLINE:
            break
        value, stop = parse_number(text, after)
        if stop >= 0 and column < len(vector):
            vector[column] = value
            column += 1
            after = stop
        elif stop < 0 and column == 0:
            word_end = after = _field_end(text, after)
        else:
            return word_end, -1
    return word_end, (after if column == len(vector) and word_end > at else -1)


@compiled
def parse_rows(text: Ints, values: Any, words: Ints, lengths: Ints) -> tuple[int, int, int]:
    """Fill values, words and lengths from lines that each end in a newline, up to the first bad line.

    Returns the number of rows, where the next line starts (the length of the text if all went well), and the number
    of bytes in ``words``.
    """
    at, used, row = 0, 0, 0
    while row < len(lengths) and at < len(text):
        word_end, line_end = _parse_line(text, at, values[row])
        if line_end < 0:
            break
        for place in range(at, word_end):
            words[used] = text[place]
            used += 1
        lengths[row] = word_end - at
        at = line_end + 1
        row += 1
    return row, at, used
