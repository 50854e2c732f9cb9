"""Word-similarity sets: pairs of words and how related people find them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.protocols import Relatedness

FEWEST = 3
"""Pairs that a correlation needs."""
_EXPECTED = "expected a word, a word and a score, separated by tabs, commas or semicolons"


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Pairs of words with people's scores.

    Attributes:
        name: what it is called in tables.
        pairs: the words.
        human: people's score of each pair, higher is more related.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    human: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Benchmark({self.name!r}, {len(self):,} pairs)"

    def scores(self, measure: Relatedness) -> NDArray[np.float64]:
        """What a measure says about each pair; NaN where it says nothing.

        All words are one vocabulary. A measure is asked only about pairs in the set, first word by first word. One that
        scores fewer than 3 pairs is refused.
        """
        words = sorted({word for pair in self.pairs for word in pair})
        code_of = {word: code for code, word in enumerate(words)}
        codes = np.array([[code_of[first], code_of[second]] for first, second in self.pairs], np.int64)
        related = measure.relate(words)
        scores = np.full(len(self), np.nan)
        for first in np.unique(codes[:, 0]):
            mine = np.flatnonzero(codes[:, 0] == first)
            scores[mine] = related.block(np.array([first]), codes[mine, 1])[0]
        scored = len(self) - int(np.isnan(scores).sum())
        if scored < FEWEST:
            message = (
                f"{measure.name} has scores for {scored} of the {len(self)} pairs of {self.name}; a correlation needs"
                f" at least {FEWEST}: take a measure that knows these words"
            )
            raise ParameterError(message)
        return scores


def read_benchmark(path: str | Path) -> Benchmark:
    """Read a text file with a word, a word and a score in each line.

    Separators are tabs, else commas, else semicolons, as in the first line. Blank lines and lines that start with ``#``
    are skipped, and so is a first line without a digit (column names).
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as fault:
        message = f"cannot be read ({fault.strerror or fault}); check the path"
        raise InputError(message, source=str(path)) from fault
    except UnicodeDecodeError as fault:
        message = "is not UTF-8 text; a benchmark holds a word, a word and a score in each line"
        raise InputError(message, source=str(path)) from fault
    return _parsed(lines, path)


def _parsed(lines: Iterable[str], path: Path) -> Benchmark:
    pairs, human, separator = [], [], ""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if not separator:
            separator = next((sign for sign in "\t,;" if sign in line), "\t")
            if not any(letter.isdigit() for letter in line):
                continue
        first, second, score = _row(line, separator, str(path), number)
        pairs.append((first, second))
        human.append(score)
    if len(pairs) < FEWEST:
        message = f"{len(pairs)} pairs; a correlation needs at least {FEWEST}"
        raise InputError(message, source=str(path))
    return Benchmark(path.stem, tuple(pairs), np.array(human))


def _row(line: str, separator: str, source: str, number: int) -> tuple[str, str, float]:
    fields = [field.strip().strip('"') for field in line.split(separator)]
    if len(fields) != 3 or not fields[0] or not fields[1]:
        raise InputError(_EXPECTED, source=source, line=number, value=line)
    try:
        score = float(fields[2])
    except ValueError:
        raise InputError(_EXPECTED, source=source, line=number, value=line) from None
    if not isfinite(score):
        message = "the score must be a finite number"
        raise InputError(message, source=source, line=number, value=fields[2])
    return fields[0], fields[1], score
