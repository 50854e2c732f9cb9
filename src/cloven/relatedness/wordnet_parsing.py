"""Lines of WordNet's database files (manual page ``wndb(5WN)``) as arrays and dictionaries.

A line of a data file: byte offset, number of the lexicographer file, type, number of words (hexadecimal), words each
with a number, number of pointers, pointers (symbol, offset, part of speech, source and target), a bar, the gloss.
A line of an index file: lemma, part of speech, number of synsets, number of pointer symbols, the symbols, two more
numbers, byte offsets of the synsets. Lines that start with a space are the licence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_ABOVE = ("@", "@i")  # hypernym, and class of an instance (a city of cities)
_SYNTACTIC_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True, eq=False, repr=False)
class Synsets:
    """Synsets of one part of speech, numbered in the order of the file.

    Attributes:
        offsets: byte offset of each synset, ascending; its name in the files.
        words: words of each synset, in the case and with the underscores of the file.
        above_starts: where the hypernyms of each synset start in ``above``, and where the last ones end.
        above: hypernyms and classes of instances.
    """

    offsets: NDArray[np.int64]
    words: tuple[tuple[str, ...], ...]
    above_starts: NDArray[np.int64]
    above: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets)

    def at(self, offsets: Sequence[int], source: str) -> list[int]:
        """Positions of synsets that the index names by their byte offsets."""
        places = np.searchsorted(self.offsets, np.asarray(offsets, np.int64))
        known = self.offsets[np.minimum(places, len(self) - 1)] == offsets
        if not np.all(known):
            lost = str(offsets[int(np.argmin(known))])
            message = (
                "the index names a synset that the data file lacks; take all files from one copy of WordNet"
            )
            raise InputError(message, source=source, value=lost)
        found: list[int] = places.tolist()
        return found

    def hypernyms(self, synset: int) -> list[int]:
        """Synsets directly above one."""
        found: list[int] = self.above[self.above_starts[synset] : self.above_starts[synset + 1]].tolist()
        return found


def parse_synsets(text: str, source: str) -> Synsets:
    """Read a data file."""
    offsets: list[int] = []
    words: list[tuple[str, ...]] = []
    above: list[int] = []
    counts: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line[0] == " ":
            continue
        try:
            fields = line.partition("|")[0].split()
            count = int(fields[3], 16)
            pointers = 5 + 2 * count
            symbols = fields[pointers : pointers + 4 * int(fields[pointers - 1]) : 4]
            targets = [int(fields[pointers + 4 * i + 1]) for i, s in enumerate(symbols) if s in _ABOVE]
            offsets.append(int(fields[0]))
        except (ValueError, IndexError) as error:
            raise _malformed(source, number, line) from error
        words.append(tuple(_SYNTACTIC_MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]))
        above += targets
        counts.append(len(targets))
    return _linked(offsets, words, counts, above, source)


def _linked(
    offsets: list[int], words: list[tuple[str, ...]], counts: list[int], above: list[int], source: str
) -> Synsets:
    """Turn byte offsets of hypernyms into positions."""
    at = np.array(offsets, np.int64)
    if len(at) == 0 or (np.diff(at) <= 0).any():
        message = "no synsets, or not in the order of their offsets; get the file anew"
        raise InputError(message, source=source)
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    synsets = Synsets(at, tuple(words), starts, np.empty(0, np.int64))
    return Synsets(at, synsets.words, starts, np.array(synsets.at(above, source), np.int64))


def synset_texts(text: str, source: str) -> Iterator[tuple[list[str], str]]:
    """Words and gloss of each line of a data file."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line[0] == " ":
            continue
        head, bar, gloss = line.partition(" | ")
        fields = head.split()
        try:
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        except (ValueError, IndexError) as error:
            raise _malformed(source, number, line) from error
        if not bar:
            raise _malformed(source, number, line)
        yield [_SYNTACTIC_MARKER.sub("", word) for word in words], gloss.strip()


def parse_index(text: str, source: str) -> dict[str, tuple[int, ...]]:
    """Read an index file: byte offsets of the synsets of each lemma."""
    found: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line[0] == " ":
            continue
        fields = line.split()
        try:
            count = int(fields[2])
            offsets = tuple(map(int, fields[6 + int(fields[3]) :]))
        except (ValueError, IndexError) as error:
            raise _malformed(source, number, line) from error
        if len(offsets) != count or count < 1:
            raise _malformed(source, number, line)
        found[fields[0]] = offsets
    return found


def parse_exceptions(text: str, source: str) -> dict[str, tuple[str, ...]]:
    """Read an exception list: an irregular form and its base forms in each line."""
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        form, *bases = line.split() or [""]
        if form and not bases:
            raise _malformed(source, number, line)
        if form:
            found[form] = (*found.get(form, ()), *bases)
    return found


def _malformed(source: str, number: int, line: str) -> InputError:
    message = "not a line of a WordNet database file; get the file anew"
    return InputError(message, source=source, line=number, value=line)
