"""Short vectors from a wide sparse matrix: its truncated singular value decomposition.

Row x of U S^power, U and S being the largest singular vectors and values. Power 1 approximates the rows themselves;
less gives the many weaker dimensions a say, which serves word similarity better (Levy, Goldberg and Dagan, TACL 3,
2015, section 3.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.relatedness.block_lanczos import largest_left
from cloven.relatedness.corpus_kernel import row_norms

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
