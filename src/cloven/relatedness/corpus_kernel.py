"""Compiled loops over the tokens of a corpus: who stands near whom, and how much more often than by chance.

Token ``p`` has the neighbours ``low[p]`` to ``high[p] - 1``, itself among them, and ``places[first[w]:first[w + 1]]``
are the tokens that are word ``w``. No table of counts is kept: each row is counted when it is needed, so that only
positive cells take memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cloven.compiled import Ints, compiled

Floats = NDArray[np.float64]


@compiled
def _count_row(
    word: int, codes: Ints, low: Ints, high: Ints, places: Ints, first: Ints, counts: Ints, touched: Ints
) -> int:
    """Count the neighbours of one word in ``counts``; list them in ``touched`` and return how many they are."""
    found = 0
    for place in range(first[word], first[word + 1]):
        p = places[place]
        for q in range(low[p], high[p]):
            other = codes[q]
            if counts[other] == 0:
                touched[found] = other
                found += 1
            counts[other] += 1
    return found


@compiled
def positive_sizes(
    codes: Ints,
    low: Ints,
    high: Ints,
    places: Ints,
    first: Ints,
    row_scale: Floats,
    column_scale: Floats,
    sizes: Ints,
) -> None:
    """Count the positive cells of each row: those where count * row scale * column scale exceeds 1."""
    words = len(first) - 1
    counts = np.zeros(words, np.int32)
    touched = np.empty(words, np.int32)
    for word in range(words):
        found = _count_row(word, codes, low, high, places, first, counts, touched)
        positive = 0
        for index in range(found):
            other = touched[index]
            if counts[other] * row_scale[word] * column_scale[other] > 1.0:
                positive += 1
            counts[other] = 0
        sizes[word] = positive


@compiled
def positive_cells(
    codes: Ints,
    low: Ints,
    high: Ints,
    places: Ints,
    first: Ints,
    row_scale: Floats,
    column_scale: Floats,
    columns: Ints,
    values: NDArray[np.float32],
) -> None:
    """Write columns (ascending) and logarithms of the positive cells, row after row."""
    words = len(first) - 1
    counts = np.zeros(words, np.int32)
    touched = np.empty(words, np.int32)
    end = 0
    for word in range(words):
        found = _count_row(word, codes, low, high, places, first, counts, touched)
        # Ascending columns make the result independent of the order of documents; a full scan beats a long sort.
        scan = found * 8 > words
        if not scan:
            touched[:found].sort()
        for index in range(words if scan else found):
            other = index if scan else touched[index]
            if counts[other] > 0:
                ratio = counts[other] * row_scale[word] * column_scale[other]
                if ratio > 1.0:
                    columns[end] = other
                    values[end] = np.log(ratio)
                    end += 1
                counts[other] = 0


@compiled
def row_norms(rows: Ints, values: NDArray[np.float32], norms: Floats) -> None:
    """Lengths of the rows of a sparse matrix."""
    for row in range(len(norms)):
        total = 0.0
        for cell in range(rows[row], rows[row + 1]):
            total += np.float64(values[cell]) * np.float64(values[cell])
        norms[row] = np.sqrt(total)
