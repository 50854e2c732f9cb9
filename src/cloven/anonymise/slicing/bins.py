"""Numbers in bins, for whatever counts values: a number is too fine to be counted as it stands.

Equal width is what slicing takes (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.1); equal frequency suits
skewed numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Attribute, Table

BinsBy = Literal["width", "frequency"]


def value_bins(
    attribute: Attribute, codes: NDArray[np.int32], bins: int, by: BinsBy = "width"
) -> NDArray[np.int64]:
    """Bin of each value of an attribute; numbers with more than ``bins`` values share bins, others keep their own.

    Args:
        attribute: whose domain it is.
        codes: the rows; bins span the values that they hold.
        bins: number of bins.
        by: bins of equal ``width``, or of about equal ``frequency``.
    """
    counts = np.bincount(codes, minlength=len(attribute))
    if attribute.numbers is None or np.count_nonzero(counts) <= bins:
        return np.arange(len(attribute), dtype=np.int64)
    if by == "width":
        there = attribute.numbers[counts > 0]
        edges = np.linspace(there[0], there[-1], bins + 1)[1:-1]
        return np.searchsorted(edges, attribute.numbers, side="right").astype(np.int64)
    # A value goes where its middle row goes, so equal numbers are never parted.
    middle = np.cumsum(counts) - counts / 2
    place: NDArray[np.int64] = np.minimum((middle * bins / counts.sum()).astype(np.int64), bins - 1)
    return place


def binned(table: Table, bins: int, by: BinsBy = "width") -> NDArray[np.int32]:
    """Codes of a table with numbers in bins: rows x attributes, numbered without gaps by what occurs."""
    out = np.empty(table.codes.shape, np.int32)
    for position, attribute in enumerate(table.attributes):
        codes = table.codes[:, position]
        if attribute.role != "ignored":
            coarse = value_bins(attribute, codes, bins, by)[codes]
            out[:, position] = np.unique(coarse, return_inverse=True)[1]
    return out
