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
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.ladder import Found, climb, word_rungs
from cloven.relatedness.wordnet_files import WordNetFiles
from cloven.relatedness.wordnet_taxonomy import ancestry, shortest_depths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.relatedness.wordnet_taxonomy import Ancestry


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
    item_starts: NDArray[np.int64]
    senses: NDArray[np.int64]
    ancestors: Ancestry

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Wu-Palmer similarity of every left item to every right one; NaN where one of them is no noun."""
        from cloven.relatedness.wordnet_kernel import best_similarities

        items = np.asarray(left, np.int64), np.asarray(right, np.int64)
        found: NDArray[np.float64] = best_similarities(*items, self.item_starts, self.senses, *self.ancestors)
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
        row_of = {lemma: row for row, lemma in enumerate(self._lemmas)}

        def find(words: Sequence[str]) -> NDArray[np.int64]:
            return np.fromiter((row_of.get(word, -1) for word in words), np.int64, len(words))

        rungs = word_rungs(self._files, ("noun",))
        rung, row = climb(items, rungs, find)
        offsets = np.concatenate(([0], np.cumsum(rung >= 0)))
        return Found(tuple(step.name for step in rungs), rung, offsets, row[rung >= 0])

    @cached_property
    def _files(self) -> WordNetFiles:
        return WordNetFiles(Path(self.path))

    @cached_property
    def _lemmas(self) -> list[str]:
        return list(self._files.index())

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        return shortest_depths(self._files.synsets(), f"{self.path}/data.noun")
