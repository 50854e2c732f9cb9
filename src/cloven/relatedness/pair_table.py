"""A symmetric table of counts for pairs of items, asked block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE_CELLS = 1 << 24
"""Tables up to this size are unpacked (64 MB of int32): a small block then comes about nine times faster."""


@dataclass(frozen=True, eq=False, repr=False)
class PairTable:
    """Counts for pairs, kept sparse; cells that are not stored are 0.

    Attributes:
        cells: SciPy CSR array of whole numbers, items by items, both triangles.
    """

    cells: Any

    @cached_property
    def _dense(self) -> NDArray[np.signedinteger] | None:
        items = self.cells.shape[0]
        return np.asarray(self.cells.toarray()) if items * items <= DENSE_CELLS else None

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cells of every left and every right item."""
        if self._dense is not None:
            return self._dense[np.ix_(left, right)].astype(np.int64)
        return np.asarray(self.cells[left][:, right].toarray(), dtype=np.int64)
