"""GBA, the grouping-based attack (section 5.1 of the paper on attacks, Algorithm 1).

In every round the row or column of highest vulnerability loses its largest item, as long as that vulnerability exceeds
the mean of all groups at the start. Each distance is weighted by how likely its item is not an original one: a row
with m items left gives each the weight 1/m, so does a column, and a distance counts d (1 - 1/m) (1 - 1/n). In other
words, the weight of an eliminated item goes to all others of its row, and of its column, in equal parts.

Definition 5.3 prints the number of rows in the factor for rows and that of columns in the factor for columns; the
sentence about 1/m, and tables that are not square, need the lengths, as here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.attack.generalised.rounds_kernel import Course, rounds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def grouping(distance: NDArray[np.float64], factor: float = 1.0, most: int | None = None) -> Course:
    """Eliminate up to ``most`` cells; the threshold is ``factor`` times the mean vulnerability.

    NaN is a distance that is not known: the cell is in no group, and stays.

    >>> import numpy as np
    >>> grouping(np.array([[0.1, 0.9, 0.2], [0.7, 0.2, 0.6], [0.1, 0.1, 0.8]])).order.tolist()
    [[-1, 0, -1], [2, -1, -1], [-1, -1, 1]]
    """
    return rounds(distance, factor, distance.size if most is None else most, False)  # noqa: FBT003
