"""How sure an attack is of each cell: a probability that the item was added.

*Base rate.* A release does not say how many of its s items a generalised item stands for in a row. If the items were
in records independently of each other, each with the same probability p, a generalised item would be in a share
1 - (1 - p)^s of all records. The release tells that share, so p, so how many of the items a row has on average:
s p / (1 - (1 - p)^s). For items in few records that is little more than one, which fits how such items are made. It is
at least 1 (a row stands for something), at least s / rows (every item is in some row), and at most s.

*Evidence.* The log odds of a cell rise by ``sharpness`` for each standard deviation by which its distance exceeds what
is usual, and once more for its elimination. Usual is the mean of the table; for attacks that compare only inside rows
and columns, what row and column together lead to expect (mean of the row plus mean of the column minus mean of the
table). The odds of a row are then shifted together so that its probabilities add up to s minus the base rate. Cells
that nothing is known of keep the base rate. A sharpness of 1 suits a measure that knows the field: on recipes and on
patients the Brier score is best between 1 and 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.confidence_kernel import rows_as_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def expected_originals(items: int, rows: int, records: int) -> float:
    """How many of the items of a generalised item a row has on average, as far as the release tells.

    >>> round(expected_originals(4, 8, 1000), 3), expected_originals(4, 2, 1000)
    (1.003, 2.0)
    """
    # Half a record less than all: from a generalised item in all records nothing can be told.
    share = min(rows, records - 0.5) / records
    each = 1.0 - (1.0 - share) ** (1.0 / items)
    return float(np.clip(items * each / share, max(1.0, items / rows), items))


def confidence(
    distance: Floats, order: NDArray[np.int32], expected: float, sharpness: float, *, comparable: bool
) -> NDArray[np.float32]:
    """Probability that each cell of a table was added; ``expected`` items of a row were not."""
    evidence = _evidence(distance, comparable=comparable) + (order >= 0)
    return rows_as_probabilities(sharpness * evidence, distance.shape[1] - expected)


def _evidence(distance: Floats, *, comparable: bool) -> Floats:
    """By how many standard deviations each distance exceeds what is usual; 0 where it is not known."""
    known = np.isfinite(distance)
    if not known.any():
        return np.zeros(distance.shape)
    filled = np.where(known, distance, 0.0)
    usual: Floats | float = filled.sum() / known.sum()
    if comparable:
        rows, columns = (
            filled.sum(axis, keepdims=True) / np.maximum(known.sum(axis, keepdims=True), 1) for axis in (1, 0)
        )
        usual = rows + columns - usual
    beyond = np.where(known, distance - usual, 0.0)
    spread = float(np.sqrt((beyond[known] ** 2).mean()))
    return beyond / spread if spread > 1e-12 else np.zeros(distance.shape)
