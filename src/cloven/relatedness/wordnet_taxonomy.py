"""What lies above a synset: all its ancestors, and how deep they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.relatedness.wordnet_parsing import Synsets


class Ancestry(NamedTuple):
    """Ancestors of some synsets, each with itself.

    Attributes:
        starts: where the ancestors of each synset start.
        ranks: the ancestors, ascending; a rank is a number by falling depth, so the deepest stands first.
        steps: links on the shortest way up to each of them.
        depth: depth of each rank.
    """

    starts: NDArray[np.int64]
    ranks: NDArray[np.int64]
    steps: NDArray[np.int64]
    depth: NDArray[np.int64]


def shortest_depths(synsets: Synsets, source: str) -> NDArray[np.int64]:
    """Number of synsets on the shortest way from a root down to each, both included; a root has depth 1."""
    above = np.diff(synsets.above_starts)
    below = np.repeat(np.arange(len(synsets)), above)
    depth = np.where(above == 0, 1, 0)
    level = 1
    while (depth == 0).any():
        reached = below[(depth[synsets.above] == level) & (depth[below] == 0)]
        if len(reached) == 0:
            message = "hypernyms run in a circle that has no root; get the file anew"
            raise InputError(message, source=source, value=synsets.words[int(np.argmin(depth))][0])
        level += 1
        depth[reached] = level
    return depth.astype(np.int64)


def ancestry(synsets: Synsets, wanted: Iterable[int], depths: NDArray[np.int64]) -> Ancestry:
    """Collect the ancestors of these synsets."""
    steps_up = [_steps_up(synsets, synset) for synset in wanted]
    counts = [len(steps) for steps in steps_up]
    places = np.array([place for steps in steps_up for place in steps], np.int64)
    steps = np.array([count for steps in steps_up for count in steps.values()], np.int64)
    distinct, number = np.unique(places, return_inverse=True)
    by_depth = np.argsort(-depths[distinct], kind="stable")
    ranks = np.argsort(by_depth)[number]
    order = np.lexsort((ranks, np.repeat(np.arange(len(counts)), counts)))
    starts = np.cumsum([0, *counts], dtype=np.int64)
    return Ancestry(starts, ranks[order], steps[order], depths[distinct][by_depth])


def _steps_up(synsets: Synsets, synset: int) -> dict[int, int]:
    """Links on the shortest way to each ancestor: breadth first."""
    steps = {synset: 0}
    waiting = [synset]
    for place in waiting:  # grows as it is walked
        for above in synsets.hypernyms(place):
            if above not in steps:
                steps[above] = steps[place] + 1
                waiting.append(above)
    return steps
