"""Compiled scores of the semantic attack (thesis chapter 4, equations 4.3 to 4.6; ``ABA``, ``RGA``, ``MRA``).

For an anchoring term a and a target, sc(a) is the mean relatedness between a and the items of the target. The score of
a slot is made from sc over the terms of its anchor: the mean of all (ABA), of those at or above the median (RGA), or
the largest (MRA). Pairs without a score are left out of every mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Ints

    Floats = NDArray[np.float64]

ABA, RGA, MRA = 0, 1, 2


@compiled
def _mean_to_target(block: Floats, items: Ints, anchor: int) -> float:
    """sc(a): mean relatedness of one anchoring term to the items of a target; NaN if none has a score."""
    total, many = 0.0, 0
    for item in items:
        value = block[item, anchor]
        if not np.isnan(value):
            total += value
            many += 1
    return total / many if many else np.nan


@compiled
def _upper_half(values: Floats) -> float:
    """Mean of the values that reach the median."""
    ordered = np.sort(values)
    many = len(ordered)
    median = (ordered[(many - 1) // 2] + ordered[many // 2]) / 2
    total, kept = 0.0, 0
    for value in ordered:
        if value >= median:
            total += value
            kept += 1
    return total / kept


@compiled
def summarise(values: Floats, method: int) -> float:
    """One score from the scores of the terms of an anchor."""
    if len(values) == 0:
        return np.nan
    if method == MRA:
        return float(values.max())
    if method == RGA:
        return float(_upper_half(values))
    return float(values.mean())


@compiled
def fit(
    block: Floats,
    target_offsets: Ints,
    target_items: Ints,
    methods: Ints,
    anchor_offsets: Ints,
    anchor_terms: Ints,
) -> Floats:
    """Score of every target (rows) for every anchor (columns); NaN where there is none.

    ``block`` holds the relatedness of local items (rows) to local anchoring terms (columns).
    """
    targets, anchors = len(target_offsets) - 1, len(anchor_offsets) - 1
    terms = block.shape[1]
    scores = np.full((targets, anchors), np.nan)
    to_target, kept = np.empty(terms), np.empty(terms)
    for target in range(targets):
        items = target_items[target_offsets[target] : target_offsets[target + 1]]
        for term in range(terms):
            to_target[term] = _mean_to_target(block, items, term)
        for anchor in range(anchors):
            many = 0
            for at in range(anchor_offsets[anchor], anchor_offsets[anchor + 1]):
                value = to_target[anchor_terms[at]]
                if not np.isnan(value):
                    kept[many] = value
                    many += 1
            scores[target, anchor] = summarise(kept[:many], methods[target])
    return scores
