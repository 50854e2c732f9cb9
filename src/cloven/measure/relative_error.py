"""re: relative error of the supports of item pairs (Terrovitis et al., PVLDB 2012, section 7)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.transactions import Transactions

FIRST, LAST, MIDDLE = 200, 220, 20


class RelativeError(NamedTuple):
    """Mean over the pairs that counted (0 is best, 2 is worst; None if no pair counted) and their number."""

    mean: float | None
    pairs: int


def error_pairs(original: Transactions) -> list[tuple[str, str]]:
    """Pairs of the 200th to the 220th most frequent item of the original (21 items, 210 pairs).

    With fewer than 220 items: of the 20 in the middle of the order, or of all if there are no 20. Ties go by
    text.
    """
    order = np.argsort(-original.supports, kind="stable")
    if len(order) >= LAST:
        chosen = order[FIRST - 1 : LAST]
    else:
        first = max(0, (len(order) - MIDDLE) // 2)
        chosen = order[first : first + MIDDLE]
    return list(combinations(sorted(original.vocabulary[code] for code in chosen.tolist()), 2))


def relative_error(original: NDArray[np.int64], published: NDArray[np.int64]) -> RelativeError:
    """Mean of |so - sp| / ((so + sp) / 2) over the pairs whose two supports are not both zero.

    >>> relative_error(np.array([4, 0, 0]), np.array([2, 1, 0]))
    RelativeError(mean=1.3333333333333333, pairs=2)
    """
    total = original + published
    counted = total > 0
    if not counted.any():
        return RelativeError(None, 0)
    errors = 2 * np.abs(original - published)[counted] / total[counted]
    return RelativeError(float(errors.mean()), int(counted.sum()))
