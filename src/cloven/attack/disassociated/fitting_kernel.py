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
def _mean_to_target(table: Floats, items: Ints, column: int) -> float:
    """sc(a): mean relatedness of one anchoring term to the items of a target; NaN if none has a score."""
    total, many = 0.0, 0
    for item in items:
        value = table[item, column]
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
    table: Floats,
    columns: Ints,
    targets: Ints,
    pairs: Ints,
    items: tuple[Ints, Ints],
    methods: Ints,
    anchors: tuple[Ints, Ints],
    shows: Ints,
    score: Floats,
) -> None:
    """Score some targets for the slots of one cluster, into ``score``; NaN where there is no score.

    Args:
        table: relatedness of items (rows) to anchoring terms (columns).
        columns: columns of the terms that the anchors of this cluster have.
        targets: the targets.
        pairs: where the slots of the cluster start among the candidates of each of them.
        items: rows in ``table`` of the items of all targets.
        methods: method of every target.
        anchors: terms of each different anchor, as positions in ``columns``.
        shows: which of the anchors each slot shows.
        score: what is filled in, by candidate.
    """
    to_target, kept = np.empty(len(columns)), np.empty(len(columns))
    fits = np.empty(len(anchors[0]) - 1)
    for i in range(len(targets)):
        target = targets[i]
        mine = items[1][items[0][target] : items[0][target + 1]]
        for term in range(len(columns)):
            to_target[term] = _mean_to_target(table, mine, columns[term])
        for anchor in range(len(fits)):
            many = 0
            for at in range(anchors[0][anchor], anchors[0][anchor + 1]):
                value = to_target[anchors[1][at]]
                if not np.isnan(value):
                    kept[many] = value
                    many += 1
            fits[anchor] = summarise(kept[:many], methods[target])
        for slot in range(len(shows)):
            score[pairs[i] + slot] = fits[shows[slot]]


@compiled
def visits(
    targets: Ints, offsets: Ints, slots: Ints, slot_cluster: Ints, slot_offsets: Ints
) -> tuple[Ints, Ints, Ints]:
    """Cluster, target, and first candidate, for every target and every cluster whose slots may hold it."""
    found = 0
    for write in range(2):
        if write:
            cluster, target, pair = (
                np.empty(found, np.int64),
                np.empty(found, np.int64),
                np.empty(found, np.int64),
            )
            found = 0
        for t in targets:
            at = offsets[t]
            while at < offsets[t + 1]:
                c = slot_cluster[slots[at]]
                if write:
                    cluster[found], target[found], pair[found] = c, t, at
                found += 1
                # All slots of a cluster are candidates, or none is.
                at += slot_offsets[c + 1] - slot_offsets[c]
    return cluster, target, pair
