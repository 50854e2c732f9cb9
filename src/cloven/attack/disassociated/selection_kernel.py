"""Compiled selection: the best slots of each target, one target after the other, or one sub-record to a slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints

    Floats = NDArray[np.float64]


@compiled
def choose_best(targets: Ints, offsets: Ints, score: Floats, wanted: Ints, chosen: Flags) -> None:
    """Mark the ``wanted`` best candidates of each target; the first of equal ones."""
    for target in targets:
        first, last = offsets[target], offsets[target + 1]
        many = min(wanted[target], last - first)
        if many == 0:
            continue
        here = score[first:last]
        # The score of the last one chosen; a full sort would cost far more.
        least = here.max() if many == 1 else np.partition(here, len(here) - many)[len(here) - many]
        level = many
        for value in here:
            level -= value > least
        for i in range(len(here)):
            if here[i] > least:
                chosen[first + i] = True
            elif here[i] == least and level > 0:
                chosen[first + i] = True
                level -= 1


@compiled
def drop(dropped: Flags, offsets: Ints, chosen: Flags) -> None:
    """Take back what was chosen for these targets."""
    for target in range(len(dropped)):
        if dropped[target]:
            chosen[offsets[target] : offsets[target + 1]] = False


@compiled
def choose_one_per_slot(
    first_target: int,
    last_target: int,
    offsets: Ints,
    slots: Ints,
    score: Floats,
    wanted: Ints,
    chosen: Flags,
) -> int:
    """Give each slot at most one of these targets, the best fits first; how many copies found no slot."""
    first, last = offsets[first_target], offsets[last_target]
    if first == last:
        return 0
    owner = np.empty(last - first, np.int64)
    for target in range(first_target, last_target):
        owner[offsets[target] - first : offsets[target + 1] - first] = target
    lowest = slots[first:last].min()
    taken = np.zeros(slots[first:last].max() - lowest + 1, np.bool_)
    left = wanted[first_target:last_target].copy()
    for at in np.argsort(-score[first:last], kind="mergesort"):
        target, slot = owner[at] - first_target, slots[first + at] - lowest
        if left[target] > 0 and not taken[slot]:
            chosen[first + at] = True
            taken[slot] = True
            left[target] -= 1
    return int(left.sum())
