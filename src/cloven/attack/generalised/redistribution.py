"""RBA, the redistribution-based attack (section 5.2 of the paper on attacks, Algorithm 2).

As GBA, but the weight of an eliminated item goes to the items in the lower cluster of its row, and of its column, and
to no others: what is likely to be added does not come closer for it. The clusters are those of the weighted distances
before the elimination, cut at the largest gap, the lowest of equal ones; the item itself gets nothing back, so that the
weights of a group always add up to 1. Where nobody else is in the lower cluster, or nothing parts the items, all items
left share the weight. Read so, the printed tables 8 and 9 follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.attack.generalised.rounds_kernel import Course, rounds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def redistribution(distance: NDArray[np.float64], factor: float = 1.0, most: int | None = None) -> Course:
    """Eliminate up to ``most`` cells; the threshold is ``factor`` times the mean vulnerability.

    NaN is a distance that is not known: the cell is in no group, and stays.

    >>> import numpy as np
    >>> redistribution(np.array([[0.1, 0.9, 0.2], [0.7, 0.2, 0.6], [0.1, 0.1, 0.8]])).order.tolist()
    [[-1, 0, -1], [2, -1, -1], [-1, -1, 1]]
    """
    return rounds(distance, factor, distance.size if most is None else most, True)  # noqa: FBT003
