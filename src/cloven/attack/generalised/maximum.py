"""MDA, the maximum distance attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.largest_first_kernel import largest_first

if TYPE_CHECKING:
    from numpy.typing import NDArray


def maximum(distance: NDArray[np.float64]) -> NDArray[np.int32]:
    """Eliminate the largest distance of the table, and nothing else: 0 there, -1 for the cells that stay.

    >>> maximum(np.array([[0.1, 0.9], [0.8, 0.2]])).tolist()
    [[-1, 0], [-1, -1]]
    """
    return largest_first(distance, -np.inf, 1)
