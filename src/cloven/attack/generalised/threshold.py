"""TBA, the threshold-based attack (Ong and Shao 2014, as the paper on attacks describes it in section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.largest_first_kernel import largest_first

if TYPE_CHECKING:
    from numpy.typing import NDArray


def threshold(distance: NDArray[np.float64], factor: float = 1.0) -> NDArray[np.int32]:
    """Eliminate all distances above ``factor`` times their mean, the largest first; -1 for the cells that stay.

    >>> threshold(np.array([[0.1, 0.9], [0.8, 0.2]])).tolist()
    [[-1, 0], [1, -1]]
    """
    known = distance[~np.isnan(distance)]
    return largest_first(distance, factor * float(known.mean()) if len(known) else np.inf, distance.size)
