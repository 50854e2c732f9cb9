"""Relatedness by WordNet: similarity of the closest noun senses.

Wu and Palmer, "Verb semantics and lexical selection", ACL 1994, section 4. For two synsets a and b with the lowest
common ancestor c::

    2 depth(c) / (steps(a, c) + steps(b, c) + 2 depth(c))

``depth`` counts synsets from the root to c, both included, so that the root has depth 1 and two nouns below one root
never score 0; ``steps`` counts the links up to c. In a tree this is 2 depth(c) / (depth(a) + depth(b)). WordNet is not
quite a tree: some synsets have several hypernyms. Here, depth and steps follow the shortest way, the lowest common
ancestor is the one of greatest depth, and of several as deep the one that gives the greatest similarity counts.
Instances (Paris) hang below their classes (city). Senses that share no ancestor score 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.errors import InputError, ParameterError
from cloven.relatedness.ladder import Found, climb, finder, word_rungs
from cloven.relatedness.wordnet_files import WordNetFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.compiled import Floats, Ints, Longs
    from cloven.protocols import Coverage
    from cloven.relatedness.wordnet_files import Synsets


@dataclass(frozen=True, eq=False)
class WordNetRelated:
    """Similarities of the items of one vocabulary.

    Attributes:
        coverage: how the items were found.
        item_starts: where the senses of each item start in ``senses``.
        senses: synsets of the items, by their number in ``ancestors``.
        ancestors: what lies above each synset.
    """

    coverage: Coverage
    item_starts: Longs
    senses: Longs
    ancestors: Ancestry

    def block(self, left: Longs, right: Longs) -> Floats:
        """Wu-Palmer similarity of every left item to every right one; NaN where one of them is no noun."""
        items = np.asarray(left, np.int64), np.asarray(right, np.int64)
        found: Floats = best_similarities(*items, self.item_starts, self.senses, *self.ancestors)
        return found


@dataclass(frozen=True)
class WordNet:
    """Wu-Palmer similarity of nouns: of two items as similar as their closest senses.

    Items are looked up as written, in lower case, by lemma and by spelling (``cloven.relatedness.ladder``); phrases
    only as a whole.

    Attributes:
        path: folder or tar file of WordNet's database files.
    """

    path: str | Path

    @property
    def name(self) -> str:
        """One word for tables."""
        return "wordnet"

    def relate(self, items: Sequence[str]) -> WordNetRelated:
        """Look the items up among the nouns."""
        found = self._look_up(items)
        if len(items) and (found.rung < 0).all():
            some = ", ".join(repr(item) for item in items[:3])
            message = (
                f"{self.path}: none of the {len(items):,} items is a noun of WordNet, not even {some};"
                " WordNet knows English names, not codes"
            )
            raise ParameterError(message)
        senses = [self._files.senses(self._lemmas[row]) for row in found.rows.tolist()]
        counts = np.zeros(len(items), np.int64)
        counts[found.rung >= 0] = [len(some) for some in senses]
        flat = np.array([synset for some in senses for synset in some], np.int64)
        synsets, number = np.unique(flat, return_inverse=True)
        return WordNetRelated(
            found.coverage(items),
            np.concatenate(([0], np.cumsum(counts))),
            number.astype(np.int64),
            ancestry(self._files.synsets(), synsets.tolist(), self._depths),
        )

    def _look_up(self, items: Sequence[str]) -> Found:
        rungs = word_rungs(self._files, ("noun",))
        rung, row = climb(items, rungs, finder(self._lemmas))
        offsets = np.concatenate(([0], np.cumsum(rung >= 0)))
        return Found(tuple(step.name for step in rungs), rung, offsets, row[rung >= 0])

    @cached_property
    def _files(self) -> WordNetFiles:
        return WordNetFiles(Path(self.path))

    @cached_property
    def _lemmas(self) -> list[str]:
        return list(self._files.index())

    @cached_property
    def _depths(self) -> Longs:
        return shortest_depths(self._files.synsets(), f"{self.path}/data.noun")


# What lies above a synset: all its ancestors, and how deep they are.


class Ancestry(NamedTuple):
    """Ancestors of some synsets, each with itself.

    Attributes:
        starts: where the ancestors of each synset start.
        ranks: the ancestors, ascending; a rank is a number by falling depth, so the deepest stands first.
        steps: links on the shortest way up to each of them.
        depth: depth of each rank.
    """

    starts: Longs
    ranks: Longs
    steps: Longs
    depth: Longs


def shortest_depths(synsets: Synsets, source: str) -> Longs:
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


def ancestry(synsets: Synsets, wanted: Iterable[int], depths: Longs) -> Ancestry:
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


# Wu-Palmer similarity of all pairs of items, over all pairs of their senses, in compiled code.


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
