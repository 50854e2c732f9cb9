"""Rows of GloVe and word2vec text files: a word and its numbers in each line, separated by spaces.

A word may itself hold spaces, as some of the large GloVe files have it: it goes on until the first number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError
from cloven.relatedness.vector_table import RowBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_LINE = 1 << 24
LARGEST = 3.4e38
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BLANKS = re.compile(rb"[ \t\r]+")


@dataclass(frozen=True)
class TextLayout:
    """What the first line of a text file tells.

    Attributes:
        source: name of the file, for messages.
        dimensions: numbers in each line.
        first_line: number of the first line that holds a word.
        count: number of words that a word2vec file promises.
    """

    source: str
    dimensions: int
    first_line: int = 1
    count: int | None = None


def count_numbers(line: bytes, source: str) -> int:
    """Numbers in the first row of a file that has no header."""
    numbers = _numbers_after_word(line.rstrip(b"\n"))
    if not numbers:
        message = "not a vector file: the first line must be a word and its numbers, separated by spaces"
        raise InputError(message, source=source, line=1, value=_shown(line))
    return len(numbers)


def text_rows(parts: Iterable[bytes], layout: TextLayout) -> Iterator[RowBlock]:
    """Parse a text file that comes in parts of any size."""
    rows = 0
    for text in _whole_lines(parts, layout.source):
        block, rest = _parse(text, layout.dimensions)
        rows += len(block.lengths)
        if len(block.lengths):
            yield block
        if rest:
            raise _explained(rest.split(b"\n", 1)[0], layout, layout.first_line + rows)
    if layout.count is not None and rows != layout.count:
        message = (
            f"the first line promises {layout.count:,} words, the file holds {rows:,};"
            " it was cut short or put together from several: get it anew or mend the first line"
        )
        raise InputError(message, source=layout.source, line=1)


def _whole_lines(parts: Iterable[bytes], source: str) -> Iterator[bytes]:
    """Texts that end in a newline, without blank lines at the end of the file."""
    held = b""
    for part in parts:
        held += part
        # Line breaks at the end are held back until something follows them.
        cut = held.rfind(b"\n", 0, len(held.rstrip())) + 1
        if cut:
            yield held[:cut]
            held = held[cut:]
        if len(held) > LONGEST_LINE:
            message = f"not a vector file: a line of more than {LONGEST_LINE:,} bytes"
            raise InputError(message, source=source)
    if held.strip():
        yield held.rstrip() + b"\n"


def _parse(text: bytes, dimensions: int) -> tuple[RowBlock, bytes]:
    """Rows of some whole lines up to the first bad one, and the text from there on."""
    from cloven.relatedness.vector_text_kernel import parse_rows

    # A row has at least a letter, and a blank and a digit for each number: more rows than that cannot be right.
    capacity = min(text.count(b"\n"), len(text) // (2 * dimensions + 1) + 1)
    values = np.empty((capacity, dimensions), np.float32)
    words, lengths = np.empty(len(text), np.uint8), np.empty(capacity, np.int64)
    rows, at, used = parse_rows(np.frombuffer(text, np.uint8), values, words, lengths)
    return RowBlock(words[:used].copy(), lengths[:rows], values[:rows]), text[at:]


def _numbers_after_word(line: bytes) -> list[bytes]:
    """Fields of a line from the first number on; the first field is always word."""
    fields = _BLANKS.split(line.rstrip())[1:]
    while fields and not _NUMBER.fullmatch(fields[0]):
        fields.pop(0)
    return fields


def _explained(line: bytes, layout: TextLayout, number: int) -> InputError:
    """What is wrong with a line that the parser refused."""
    fields = _BLANKS.split(line.rstrip())
    found = len(fields) - 1 if len(fields) - 1 <= layout.dimensions else len(_numbers_after_word(line))
    value = _shown(line)
    if not fields[0]:
        message = "a line must start with a word; remove the line or put its word in front"
    elif found != layout.dimensions:
        message = (
            f"{found} numbers where {layout.dimensions} were expected;"
            " all lines must have equally many: mend or remove this one, or get the file anew"
        )
    else:
        bad = next((field for field in fields[-found:] if not _stored(field)), fields[-1])
        message = "not a number that can be stored; mend or remove this line, or get the file anew"
        value = _shown(bad)
    return InputError(message, source=layout.source, line=number, value=value)


def _stored(field: bytes) -> bool:
    return _NUMBER.fullmatch(field) is not None and abs(float(field)) <= LARGEST


def _shown(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace")
