"""How strongly two attributes hang together: the mean-square contingency coefficient (Cramér 1946, chapter 21).

With shares ``f`` of the rows,

    phi^2 = sum over values i, j of (f_ij - f_i f_j)^2 / (f_i f_j)

which is the sum of ``f_ij^2 / (f_i f_j)`` over the pairs that meet, less 1, lies between 0 and ``min(d1, d2) - 1`` for
attributes that show ``d1`` and ``d2`` values. Dividing by that bound gives ``min-1``, the usual coefficient. BinJubier
et al. (2022, equation 1) divide by ``min(d1, d2)``, under which two equal attributes of two values reach 0.5 and
nothing reaches 1: ``min``. Which pair is the stronger can depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.anonymise.slicing.bins import binned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.bins import BinsBy
    from cloven.model.table import Table

Normalisation = Literal["min-1", "min"]


def contingency(
    left: NDArray[np.int32], right: NDArray[np.int32], normalisation: Normalisation = "min-1"
) -> float:
    """Mean-square contingency coefficient of two columns of codes; 0 if one of them shows a single value.

    >>> two_equal = np.array([0, 0, 1, 1], np.int32)
    >>> contingency(two_equal, two_equal), contingency(two_equal, two_equal, "min")
    (1.0, 0.5)
    """
    (_, one, ones), (_, two, twos) = (
        np.unique(codes, return_inverse=True, return_counts=True) for codes in (left, right)
    )
    fewer = min(len(ones), len(twos))
    if fewer == 1:
        return 0.0
    pairs, counts = np.unique(one * len(twos) + two, return_counts=True)
    rows, columns = np.divmod(pairs, len(twos))
    phi_squared = float((counts / ones[rows] * (counts / twos[columns])).sum()) - 1.0
    return max(0.0, phi_squared) / (fewer - 1 if normalisation == "min-1" else fewer)


def association(
    table: Table, *, normalisation: Normalisation = "min-1", bins: int = 10, by: BinsBy = "width"
) -> NDArray[np.float64]:
    """Coefficient of every two attributes, numbers in bins; 1 for an attribute with itself, 0 for ignored ones.

    Args:
        table: the rows.
        normalisation: what phi^2 is divided by.
        bins: number of bins that numbers are put into.
        by: bins of equal ``width`` or of equal ``frequency``.
    """
    codes = binned(table, bins, by)
    found = np.eye(len(table.attributes))
    used = [place for place, attribute in enumerate(table.attributes) if attribute.role != "ignored"]
    for number, left in enumerate(used):
        for right in used[number + 1 :]:
            found[left, right] = contingency(codes[:, left], codes[:, right], normalisation)
            found[right, left] = found[left, right]
    return found
