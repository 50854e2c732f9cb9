"""Positive pointwise mutual information of words from what stands near what in a corpus.

PPMI(x, y) = max(0, log(p(x, y) / (p(x) p(y))) - log(shift)), where the probabilities come from counts of neighbours:
all words of the same document, or those within a window. p(y) may be smoothed, count(y)^smoothing over the sum of
these, which takes weight from rare contexts (Levy, Goldberg and Dagan, TACL 3, 2015, sections 2.1 and 3.2; the shift
is Levy and Goldberg, NIPS 2014).

Every token is its own neighbour, too. Otherwise two words that only ever meet each other would have nothing in common:
each would be the other's context. In long documents this changes nothing, in short ones (sub-records) it matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Floats, Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.relatedness.corpus import Tokens


def positive_information(
    tokens: Tokens, window: int | None = None, smoothing: float = 1.0, shift: float = 1.0
) -> Any:
    """PPMI of every word (row) in every context (column): a square ``scipy.sparse.csr_array`` of 32-bit floats.

    >>> from cloven.relatedness.corpus import Tokens
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


# Short vectors from a wide sparse matrix: its truncated singular value decomposition.
#
# Row x of U S^power, U and S being the largest singular vectors and values. Power 1 approximates the rows themselves;
# less gives the many weaker dimensions a say, which serves word similarity better (Levy, Goldberg and Dagan, TACL 3,
# 2015, section 3.3).


DENSE = 1_000
"""Up to so many words the whole decomposition is quicker than the search for its largest part."""
NEGLIGIBLE = 1e-4
"""Singular values below this share of the largest are noise of 32-bit arithmetic."""
LOST = 1e-3
"""A row of which less than this share is left in the chosen dimensions has no direction of its own there."""


def short_vectors(matrix: Any, dimensions: int, power: float) -> NDArray[np.float32]:
    """Row vectors of unit length; zeros where a row is empty, or lies outside the largest dimensions."""
    left, sizes = _largest(matrix, dimensions)
    kept = sizes > NEGLIGIBLE * sizes.max(initial=0.0)
    left, sizes = left[:, kept], sizes[kept]
    norms = np.empty(matrix.shape[0])
    row_norms(matrix.indptr, matrix.data, norms)
    there = np.linalg.norm(left * sizes, axis=1) > LOST * norms
    vectors = left * sizes**power
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float64] = np.zeros(vectors.shape)
    np.divide(vectors, lengths, out=units, where=there[:, None])
    return units.astype(np.float32)


def _largest(matrix: Any, dimensions: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Left singular vectors as columns, and singular values, the largest first."""
    words = matrix.shape[0]
    if words <= DENSE or 3 * dimensions > words:
        left, sizes, _ = np.linalg.svd(matrix.toarray().astype(np.float64))
        return left[:, :dimensions], sizes[:dimensions]
    return largest_left(matrix, dimensions)


# Largest singular vectors of a sparse matrix A, by block Lanczos on A A'.
#
# Golub and Underwood ("The block Lanczos method for computing eigenvalues", Mathematical Software III, 1977), with
# every new block made orthogonal to all earlier ones, so that no restarts and no removal of copies are needed. Products
# with 16 columns at once cost far less than as many products with one: ``scipy.sparse.linalg.svds`` finds the same
# vectors, but takes several times as long and copies the matrix.
#
# The start is always the same, so the result is a function of the matrix alone.


BLOCK = 16
CHECK_EVERY = 8
TOLERANCE = 1e-3
"""Residual of a squared singular value, as a share of it, at which it counts as found."""
LARGEST_BASIS = 12
"""Columns of the basis, for each vector wanted, at which the search ends with what is there."""


@dataclass(frozen=True, eq=False, repr=False)
class _Ritz:
    """What the basis knows: approximate squared singular values, their vectors in the basis, their residuals."""

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residuals: NDArray[np.float64]

    def found(self) -> bool:
        """Whether all are found; those that are nothing beside the largest need not be."""
        scale = np.maximum(self.values, 1e-6 * self.values[0])
        return bool(np.all(self.residuals <= TOLERANCE * scale))


def largest_left(matrix: Any, wanted: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Left singular vectors as columns and singular values, the largest first.

    Where singular values lie so close together that they cannot be told apart, any turn of their vectors among
    themselves may come out.
    """
    rows = matrix.shape[0]
    turned = matrix.T
    steps = min(rows, LARGEST_BASIS * max(wanted, BLOCK)) // BLOCK
    basis = np.empty((rows, steps * BLOCK), np.float32, order="F")
    projected = np.zeros((steps * BLOCK, steps * BLOCK))
    block = _start(rows)
    for step in range(1, steps + 1):
        end = step * BLOCK
        basis[:, end - BLOCK : end] = block
        product = matrix @ (turned @ block)
        known = basis[:, :end]
        share = known.T @ product
        projected[:end, end - BLOCK : end] = share
        block, rest = _orthogonal(product - known @ share, known)
        if step == steps or (end >= 3 * wanted and step % CHECK_EVERY == 0):
            ritz = _ritz(projected[:end, :end], rest, wanted)
            if ritz.found():
                break
    return known @ ritz.vectors.astype(np.float32), np.sqrt(np.maximum(ritz.values, 0.0))


def _orthogonal(
    product: NDArray[np.float32], basis: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Next block, orthogonal to the basis, and how much of it is in the product."""
    block = product
    for _ in range(2):  # what was little more than rounding is orthogonal only the second time
        block = _orthonormal(block - basis @ (basis.T @ block))
    return block, block.T.astype(np.float64) @ product


def _orthonormal(block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Columns of length 1 at right angles that span the same; columns of zeros where there are not so many.

    By the eigenvectors of the small matrix of products (Stathopoulos and Wu, SIAM J. Scientific Computing 23, 2002):
    on narrow blocks this is many times quicker than a threaded QR.
    """
    wide = block.astype(np.float64)
    for _ in range(2):
        lengths = np.linalg.norm(wide, axis=0)
        wide /= np.where(lengths > 0, lengths, 1.0)
        values, vectors = np.linalg.eigh(wide.T @ wide)
        wide = wide @ (vectors / np.sqrt(np.maximum(values, 1e-10 * values[-1])))
    return np.ascontiguousarray(wide, np.float32)


def _ritz(projected: NDArray[np.float64], rest: NDArray[np.float64], wanted: int) -> _Ritz:
    upper = np.triu(projected)
    values, vectors = np.linalg.eigh(upper + np.triu(projected, 1).T)
    values, vectors = values[::-1][:wanted], vectors[:, ::-1][:, :wanted]
    return _Ritz(values, vectors, np.linalg.norm(rest @ vectors[-BLOCK:], axis=0))


def _start(rows: int) -> NDArray[np.float32]:
    """A first block without symmetries: fractional parts of multiples of square roots of primes."""
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])
    parts = np.modf(np.arange(1, rows + 1)[:, None] * np.sqrt(primes))[0] - 0.5
    return _orthonormal(parts.astype(np.float32))


# Compiled loops over the tokens of a corpus: who stands near whom, and how much more often than by chance.
#
# Token ``p`` has the neighbours ``low[p]`` to ``high[p] - 1``, itself among them, and ``places[first[w]:first[w + 1]]``
# are the tokens that are word ``w``. No table of counts is kept: each row is counted when it is needed, so that only
# positive cells take memory.


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
                    values[end] = math.log(ratio)
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
