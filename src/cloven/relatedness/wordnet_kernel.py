"""Wu-Palmer similarity of all pairs of items, over all pairs of their senses, in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints


@compiled
def _similarity(starts: Ints, ranks: Ints, steps: Ints, depth: Ints, first: int, second: int) -> float:
    """Similarity of two synsets; their ancestors stand deepest first.

    The first ancestor they share is the deepest; of others as deep, the one that gives most counts.
    """
    a, a_end, b, b_end = starts[first], starts[first + 1], starts[second], starts[second + 1]
    best, deepest = 0.0, 0
    while a < a_end and b < b_end:
        if ranks[a] < ranks[b]:
            a += 1
        elif ranks[a] > ranks[b]:
            b += 1
        else:
            level = depth[ranks[a]]
            if level < deepest:
                break
            deepest = level
            best = max(best, 2.0 * level / (2.0 * level + steps[a] + steps[b]))
            a += 1
            b += 1
    return best


@compiled
def best_similarities(
    left: Ints,
    right: Ints,
    item_starts: Ints,
    senses: Ints,
    starts: Ints,
    ranks: Ints,
    steps: Ints,
    depth: Ints,
) -> Any:
    """Greatest similarity over the senses of every left and every right item; NaN where one has no sense.

    ``senses[item_starts[i]:item_starts[i + 1]]`` are the synsets of item i; the last four arrays are an ``Ancestry``.
    """
    out = np.full((len(left), len(right)), np.nan)
    for row in range(len(left)):
        for column in range(len(right)):
            best = -1.0
            for s in range(item_starts[left[row]], item_starts[left[row] + 1]):
                for t in range(item_starts[right[column]], item_starts[right[column] + 1]):
                    best = max(best, _similarity(starts, ranks, steps, depth, senses[s], senses[t]))
            if best >= 0.0:
                out[row, column] = best
    return out
