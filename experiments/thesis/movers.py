"""Word mover's distance between records (M. Kusner, Y. Sun, N. Kolkin, K. Weinberger, ICML 2015).

A record is a bag of words with equal weights that add up to 1; the distance is the least total way, in Euclidean
distance between word vectors, that the weights of one record have to travel to become those of the other.

What both records have in common stays where it is: if some of the weight of a common word went on to y while other
weight came in from x, sending the latter from x to y directly would be no longer way (triangle inequality). So the
smaller of the two weights of a common word is taken away from both sides first, exactly. Records of equal length lose
their common words altogether, and equal weights make the rest an assignment problem; other pairs go to the network
simplex of POT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs


class Vectors(NamedTuple):
    """A vector for each item of the vocabulary, and whether it has one."""

    matrix: NDArray[Any]
    known: Flags


def movers_distances(left: Iterable[Longs], right: Iterable[Longs], vectors: Vectors) -> Floats:
    """Distance between each left and right record, given as distinct ascending item codes.

    Words without a vector are left out; NaN where one side has no word with a vector.

    >>> vectors = Vectors(np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]), np.array([True, True, True]))
    >>> movers_distances([np.array([0, 2])], [np.array([0, 1])], vectors).round(3).tolist()
    [2.236]
    """
    matrix, known = np.asarray(vectors.matrix, np.float64), vectors.known
    pairs = ((a[known[a]], b[known[b]]) for a, b in zip(left, right, strict=True))
    return np.array([_distance(a, b, matrix) if len(a) and len(b) else np.nan for a, b in pairs])


def _distance(a: Longs, b: Longs, matrix: Floats) -> float:
    if len(a) > len(b):
        a, b = b, a
    # The shorter record has the heavier words: what is common leaves nothing on the longer side.
    kept, new = np.isin(a, b), b[~np.isin(b, a)]
    if len(a) < len(b):
        weights = 1 / len(a) - kept / len(b)
        return _transported(weights, np.full(len(new), 1 / len(b)), cdist(matrix[a], matrix[new]))
    if not len(new):
        return 0.0
    ways = cdist(matrix[a[~kept]], matrix[new])
    return float(ways[linear_sum_assignment(ways)].sum()) / len(a)


def _transported(supply: Floats, demand: Floats, ways: Floats) -> float:
    """Least way of a transport problem; supply and demand add up to the same."""
    from ot.lp import emd2

    total = float(supply.sum())
    # Both sides add up to 1 here; checking and centring would take longer than solving.
    return total * float(
        emd2(supply / total, demand / demand.sum(), ways, center_dual=False, check_marginals=False)
    )
