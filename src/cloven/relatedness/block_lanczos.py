"""Largest singular vectors of a sparse matrix A, by block Lanczos on A A'.

Golub and Underwood ("The block Lanczos method for computing eigenvalues", Mathematical Software III, 1977), with every
new block made orthogonal to all earlier ones, so that no restarts and no removal of copies are needed. Products with 16
columns at once cost far less than as many products with one: ``scipy.sparse.linalg.svds`` finds the same vectors, but
takes several times as long and copies the matrix.

The start is always the same, so the result is a function of the matrix alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
