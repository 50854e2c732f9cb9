"""Positive pointwise mutual information of words from what stands near what in a corpus.

PPMI(x, y) = max(0, log(p(x, y) / (p(x) p(y))) - log(shift)), where the probabilities come from counts of neighbours:
all words of the same document, or those within a window. p(y) may be smoothed, count(y)^smoothing over the sum of
these, which takes weight from rare contexts (Levy, Goldberg and Dagan, TACL 3, 2015, sections 2.1 and 3.2; the shift
is Levy and Goldberg, NIPS 2014).

Every token is its own neighbour, too. Otherwise two words that only ever meet each other would have nothing in common:
each would be the other's context. In long documents this changes nothing, in short ones (sub-records) it matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.relatedness.corpus_kernel import positive_cells, positive_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.relatedness.corpus_tokens import Tokens


def positive_information(
    tokens: Tokens, window: int | None = None, smoothing: float = 1.0, shift: float = 1.0
) -> Any:
    """PPMI of every word (row) in every context (column): a square ``scipy.sparse.csr_array`` of 32-bit floats.

    >>> from cloven.relatedness.corpus_tokens import Tokens
    >>> tokens = Tokens.of([["flu", "fever"], ["flu", "fever"], ["knee", "pain"]], ordered=False)
    >>> row = positive_information(tokens).toarray()[0]  # fever, flu: log(2 * 12 / (4 * 4))
    >>> row.round(2).astype(float).round(2).tolist()
    [0.41, 0.41, 0.0, 0.0]
    """
    from scipy.sparse import csr_array

    words = len(tokens.words)
    low, high = _reach(tokens.offsets, window)
    places = np.argsort(tokens.codes, kind="stable")
    first = _starts(np.bincount(tokens.codes, minlength=words))
    near = (tokens.codes, low, high, places, first)
    totals = np.bincount(tokens.codes, weights=high - low, minlength=words)
    contexts = totals**smoothing
    scales = 1 / totals, contexts.sum() / (shift * contexts)
    sizes = np.zeros(words, np.int64)
    positive_sizes(*near, *scales, sizes)
    rows = _starts(sizes)
    columns, values = np.empty(rows[-1], np.int32), np.empty(rows[-1], np.float32)
    positive_cells(*near, *scales, columns, values)
    return csr_array((values, columns, rows), shape=(words, words))


def meets_others(matrix: Any) -> NDArray[np.bool_]:
    """Which words have a positive cell beside their own."""
    found: NDArray[np.bool_] = np.diff(matrix.indptr) > (matrix.diagonal() > 0)
    return found


def _starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _reach(offsets: NDArray[np.int64], window: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First neighbour of each token, and one past the last."""
    lengths = np.diff(offsets)
    low, high = np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:], lengths)
    if window is None:
        return low, high
    here = np.arange(len(low))
    return np.maximum(low, here - window), np.minimum(high, here + window + 1)
