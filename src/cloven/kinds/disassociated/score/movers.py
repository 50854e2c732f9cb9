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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.rebuilt import Cells


class Vectors(NamedTuple):
    """A vector for each item of the vocabulary, and whether it has one."""

    matrix: NDArray[Any]
    known: Flags


@dataclass(frozen=True, eq=False)
class Moved:
    """Distances of pairs of records.

    Attributes:
        distance: distance of each pair; NaN where one side has no word with a vector.
        unknown: occurrences of words without a vector, in both records together, left out.
    """

    distance: Floats
    unknown: Longs


def check_vectors(vectors: Vectors, words: int) -> Vectors:
    """The vectors, if they are one for each of so many words."""
    matrix, known = np.asarray(vectors[0]), np.asarray(vectors[1])
    if matrix.ndim != 2 or known.shape != (len(matrix),) or len(matrix) != words:
        message = (
            f"vectors must be a matrix with a row for each of the {words:,} items of the release and a mask of the"
            f" known ones (got shapes {matrix.shape} and {known.shape})"
        )
        raise ParameterError(message)
    known = known.astype(bool)
    if not np.isfinite(matrix[known]).all():
        message = "a vector of a known word is not finite; mark such words as unknown"
        raise ParameterError(message)
    return Vectors(matrix, known)


def movers_distances(left: Iterable[Longs], right: Iterable[Longs], vectors: Vectors) -> Moved:
    """Distance between each left and right record, given as distinct ascending item codes.

    >>> vectors = Vectors(np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]), np.array([True, True, True]))
    >>> movers_distances([np.array([0, 2])], [np.array([0, 1])], vectors).distance.round(3).tolist()
    [2.236]
    """
    distances, unknown = [], []
    matrix = np.asarray(vectors.matrix, np.float64)
    distance = _between(matrix)
    for first, second in zip(left, right, strict=True):
        a, b = first[vectors.known[first]], second[vectors.known[second]]
        distances.append(distance(a, b) if len(a) and len(b) else np.nan)
        unknown.append(len(first) + len(second) - len(a) - len(b))
    return Moved(np.array(distances, np.float64), np.array(unknown, np.int64))


def _between(matrix: Floats) -> Callable[[Longs, Longs], float]:
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    marked = np.zeros(len(matrix), bool)

    def among(words: Longs, others: Longs) -> Flags:
        marked[others] = True
        found: Flags = marked[words]
        marked[others] = False
        return found

    def distance(a: Longs, b: Longs) -> float:
        if len(a) > len(b):
            a, b = b, a
        # The shorter record has the heavier words: what is common leaves nothing on the longer side.
        kept, new = among(a, b), b[~among(b, a)]
        if len(a) < len(b):
            weights = 1 / len(a) - kept / len(b)
            return _transported(weights, np.full(len(new), 1 / len(b)), cdist(matrix[a], matrix[new]))
        if not len(new):
            return 0.0
        ways = cdist(matrix[a[~kept]], matrix[new])
        rows, columns = linear_sum_assignment(ways)
        return float(ways[rows, columns].sum()) / len(a)

    return distance


def _transported(supply: Floats, demand: Floats, ways: Floats) -> float:
    """Least way of a transport problem; supply and demand add up to the same."""
    if len(supply) == 1 or len(demand) == 1:
        return float((ways * (demand if len(supply) == 1 else supply[:, None])).sum())
    try:
        from ot.lp import emd2
    except ImportError as error:
        message = 'word mover\'s distance needs the library POT; pip install "cloven[text]"'
        raise ParameterError(message) from error
    total = float(supply.sum())
    # Both sides add up to 1 here; checking and centring would take longer than solving.
    return total * float(
        emd2(supply / total, demand / demand.sum(), ways, center_dual=False, check_marginals=False)
    )


def movements(
    given: Cells, true: Cells, anchors: Cells, vectors: Vectors, units: Units, suffix: str = ""
) -> tuple[Tallies, dict[str, dict[str, int]]]:
    """Mean distance between original and rebuilt records, for each kind of chunk; and what had to be left out.

    In a narrower scope both records consist of the anchor and the items of that kind of chunk alone.
    """
    tallies: Tallies = {}
    left_out = {}
    shown = anchors.numbers(SCOPES["all"])
    for scope, kinds in SCOPES.items():
        sides = [_rows(np.union1d(shown, cells.numbers(kinds)), cells) for cells in (given, true)]
        moved = movers_distances(sides[0], sides[1], vectors)
        defined = np.isfinite(moved.distance)
        tallies["movers" + suffix, scope] = Tally.of(
            units.of_slot,
            np.where(defined, moved.distance, 0.0),
            defined.astype(float),
            units.total,
            share=False,
        )
        left_out[scope] = {
            "unknown_words": int(moved.unknown.sum()),
            "records_without_words": int(np.count_nonzero(~defined)),
        }
    return tallies, left_out


def _rows(numbers: Longs, cells: Cells) -> list[Longs]:
    """Items of each slot."""
    edges = np.searchsorted(numbers, np.arange(1, cells.slots) * cells.width)
    return np.split(numbers % max(1, cells.width), edges)
