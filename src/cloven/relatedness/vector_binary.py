"""Rows of word2vec binary files: after the line "count dimensions", each word, a space, and its little-endian floats.

The original program puts a line break after each row, others do not; both are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError
from cloven.relatedness.vector_table import RowBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST_WORD = 10_000


def binary_rows(parts: Iterable[bytes], count: int, dimensions: int, source: str) -> Iterator[RowBlock]:
    """Parse what follows the header; the content comes in parts of any size."""
    held, done = b"", 0
    for part in parts:
        held += part
        words, starts, held_from = _rows_within(held, count - done, 4 * dimensions)
        if words:
            yield _block(words, b"".join(held[at : at + 4 * dimensions] for at in starts), done, source)
        held, done = held[held_from:], done + len(words)
        if done < count and held.find(b" ", 0, _LONGEST_WORD) < 0 and len(held) >= _LONGEST_WORD:
            message = f"row {done + 1:,} has no word; the file is damaged, get it anew"
            raise InputError(message, source=source)
    if done < count:
        message = f"ends inside row {done + 1:,} of {count:,}; the file was cut short, get it anew"
        raise InputError(message, source=source)
    if held.strip():
        message = f"goes on after its {count:,} rows of {dimensions} numbers; the header is wrong, get the file anew"
        raise InputError(message, source=source)


def _rows_within(held: bytes, wanted: int, width: int) -> tuple[list[bytes], list[int], int]:
    """Words of all complete rows, where their vectors start, and where the next row starts."""
    words: list[bytes] = []
    starts: list[int] = []
    at = 0
    while len(words) < wanted:
        start = at + (held[at : at + 1] == b"\n")
        space = held.find(b" ", start, start + _LONGEST_WORD)
        if space < 0 or space + 1 + width > len(held):
            break
        words.append(held[start:space])
        starts.append(space + 1)
        at = space + 1 + width
    return words, starts, at


def _block(words: list[bytes], vectors: bytes, done: int, source: str) -> RowBlock:
    values = np.frombuffer(vectors, "<f4").reshape(len(words), -1).astype(np.float32, copy=False)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    good = np.isfinite(values).all(axis=1) & (lengths > 0)
    if not good.all():
        bad = int(np.argmin(good))
        message = f"row {done + bad + 1:,} is not a word and finite numbers; the file is damaged, get it anew"
        raise InputError(message, source=source, value=words[bad][:200].decode("utf-8", "replace"))
    return RowBlock(np.frombuffer(b"".join(words), np.uint8), lengths, values)
