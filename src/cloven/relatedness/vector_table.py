"""Words and their vectors, looked up without a dictionary of Python strings.

The words are one run of UTF-8 bytes. Their 64-bit hashes (FNV-1a: Fowler, Noll and Vo) stand sorted beside the rows
they belong to, so that a lookup is a binary search and a comparison of bytes. All of it can be memory-mapped: a table
of 400,000 words opens without touching them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class RowBlock(NamedTuple):
    """Some rows of a vector file: words as one run of bytes, the length of each, and their vectors."""

    words: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    values: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class WordIndex:
    """Distinct words, numbered by row.

    Attributes:
        text: the words as UTF-8, one after the other.
        offsets: where each word starts in ``text``, and where the last one ends.
        hashes: hashes of all words, ascending.
        rows: row of each of these hashes.

    >>> WordIndex.of(["flu", "fever"]).find(["fever", "cough"])
    array([ 1, -1])
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    rows: NDArray[np.int64]

    @classmethod
    def build(cls, text: NDArray[np.uint8], lengths: NDArray[np.int64]) -> WordIndex:
        """Hash and sort words given as one run of bytes."""
        offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        hashes = hash_words(text, offsets)
        rows = np.argsort(hashes, kind="stable")
        return cls(text, offsets, hashes[rows], rows)

    @classmethod
    def of(cls, words: Iterable[str]) -> WordIndex:
        """Hash and sort words."""
        return cls.build(*pack(words))

    def __len__(self) -> int:
        return len(self.rows)

    def word(self, row: int) -> bytes:
        """One word as bytes."""
        return self.text[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def words(self) -> tuple[str, ...]:
        """All words in the order of their rows; bytes that are not UTF-8 come as replacement characters."""
        text, ends = self.text.tobytes(), self.offsets.tolist()
        return tuple(text[start:end].decode("utf-8", "replace") for start, end in pairwise(ends))

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Row of each word, -1 where there is none."""
        text, lengths = pack(words)
        wanted = hash_words(text, np.concatenate(([0], np.cumsum(lengths))))
        places = np.searchsorted(self.hashes, wanted)
        rows = np.full(len(words), -1, np.int64)
        alike = np.searchsorted(self.hashes, wanted, side="right") > places
        for number in np.flatnonzero(alike).tolist():
            rows[number] = self._settle(
                words[number].encode("utf-8", "surrogatepass"), wanted[number], places[number]
            )
        return rows

    def _settle(self, word: bytes, wanted: np.uint64, place: int) -> int:
        """Row of a word among those that share its hash."""
        while place < len(self.hashes) and self.hashes[place] == wanted:
            row = int(self.rows[place])
            if self.word(row) == word:
                return row
            place += 1
        return -1

    def repeated(self) -> tuple[int, int] | None:
        """Rows of a word that stands there twice (the earlier one first), or None."""
        for place in np.flatnonzero(self.hashes[1:] == self.hashes[:-1]).tolist():
            first, second = int(self.rows[place]), int(self.rows[place + 1])
            if self.word(first) == self.word(second):
                return first, second
        return None


@dataclass(frozen=True, eq=False, repr=False)
class VectorTable:
    """Word vectors, in memory or memory-mapped.

    Attributes:
        source: file they come from, for messages.
        index: the words.
        matrix: one row for each word; any width of floating-point number.
    """

    source: str
    index: WordIndex
    matrix: NDArray[Any]

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"VectorTable({len(self):,} words, {self.dimensions} dimensions, {self.source!r})"

    @property
    def dimensions(self) -> int:
        """Numbers in each vector."""
        return int(self.matrix.shape[1])

    @property
    def words(self) -> tuple[str, ...]:
        """All words in the order of their rows; made anew at each call."""
        return self.index.words()

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Row of each word exactly as written, -1 where there is none."""
        return self.index.find(words)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Vectors of these rows."""
        taken = np.asarray(self.matrix[rows], np.float32)
        broken = ~np.isfinite(taken).all(axis=1)
        if broken.any():
            word = self.index.word(int(rows[np.argmax(broken)])).decode("utf-8", "replace")
            message = "a vector holds a value that is not a finite number; get or make the file anew"
            raise InputError(message, source=self.source, value=word)
        return taken


def pack(words: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Words as one run of UTF-8 bytes, and the length of each."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return np.frombuffer(b"".join(encoded), np.uint8), lengths


def hash_words(text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """FNV-1a of every word, byte position by byte position over all words that are long enough."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    hashes = np.full(len(starts), _FNV_START)
    alive = np.flatnonzero(lengths)
    for position in range(int(lengths.max(initial=0))):
        alive = alive[lengths[alive] > position]
        hashes[alive] = (hashes[alive] ^ text[starts[alive] + position]) * _FNV_PRIME
    return hashes


def table_of(blocks: Iterable[RowBlock], source: str) -> VectorTable:
    """Put the blocks of a file together in memory."""
    parts = list(blocks)
    text = np.concatenate([part.words for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    matrix = np.concatenate([part.values for part in parts])
    return VectorTable(source, WordIndex.build(text, lengths), matrix)
