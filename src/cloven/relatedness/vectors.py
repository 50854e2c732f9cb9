"""Relatedness by word vectors: the cosine of two words' vectors (Mikolov et al. 2013; Pennington et al. 2014).

Words a file lacks are looked up by the rungs of ``cloven.relatedness.ladder``; a phrase whose parts are known gets
the mean of their vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.relatedness.ladder import Ladder
from cloven.relatedness.vector_cache import open_vectors
from cloven.relatedness.wordnet_files import WordNetFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Coverage
    from cloven.relatedness.ladder import Found
    from cloven.relatedness.vector_table import VectorTable

_SAMPLE = Path(__file__).parent / "data" / "clinic-glove-100d.txt"


@dataclass(frozen=True, eq=False)
class VectorsRelated:
    """Cosines of the items of one vocabulary.

    Attributes:
        coverage: how the items were found.
        units: vector of each item at length 1; zeros for unknown items.
        known: which items have a vector.
    """

    coverage: Coverage
    units: NDArray[np.float64]
    known: NDArray[np.bool_]

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Cosine of every left item to every right one; NaN where one of them has no vector."""
        cosines: NDArray[np.float64] = np.clip(self.units[left] @ self.units[right].T, -1.0, 1.0)
        cosines[~self.known[left]] = np.nan
        cosines[:, ~self.known[right]] = np.nan
        return cosines


@dataclass(frozen=True)
class Vectors:
    """Word vectors from a file.

    Attributes:
        path: GloVe or word2vec file, NumPy pair, or cache (``cloven.relatedness.vector_files``, ``.vector_cache``).
        wordnet: folder or tar file of WordNet, for lemmas, spelling variants and synonyms of unknown words.
        ladder: look unknown words up by lemma, spelling and parts; if not, as written only.

    >>> related = Vectors.sample().relate(["asthma", "inhaler", "fracture", "zzyzx"])
    >>> related.block(np.array([0]), np.array([1, 2, 3])).round(2)
    array([[0.55, 0.32,  nan]])
    """

    path: str | Path
    wordnet: str | Path | None = None
    ladder: bool = True

    @classmethod
    def sample(cls) -> Vectors:
        """Vectors of all items of the built-in sample ``clinic``: rows of GloVe 6B, 100 dimensions."""
        return cls(_SAMPLE)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "vectors"

    def relate(self, items: Sequence[str]) -> VectorsRelated:
        """Look the items up; an item whose vector is zero has no score."""
        matrix, known, found = self._look_up(items)
        units = matrix.astype(np.float64)
        units[known] /= np.linalg.norm(units[known], axis=1, keepdims=True)
        return VectorsRelated(found.coverage(items, known), units, known)

    def table(self, items: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors as they stand in the file, zeros for unknown items, and which items are known."""
        matrix, known, _ = self._look_up(items)
        return matrix, known

    def _look_up(self, items: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_], Found]:
        found = Ladder(self._words_of_wordnet, exact_only=not self.ladder).look_up(items, self._table.find)
        served = found.rung >= 0
        rows, place = np.unique(found.rows, return_inverse=True)
        matrix = np.zeros((len(items), self._table.dimensions), np.float32)
        if served.any():
            sums = np.add.reduceat(self._table.take(rows)[place], found.offsets[:-1][served])
            matrix[served] = sums / np.diff(found.offsets)[served, None]
        known: NDArray[np.bool_] = np.any(matrix != 0, axis=1)
        if len(items) and not known.any():
            raise self._no_overlap(items)
        return matrix, known, found

    def _no_overlap(self, items: Sequence[str]) -> ParameterError:
        some = ", ".join(repr(item) for item in items[:3])
        return ParameterError(
            f"{self.path}: none of the {len(items):,} items has a vector, not even {some};"
            " take vectors of the items' own language, and names rather than codes"
        )

    @cached_property
    def _table(self) -> VectorTable:
        return open_vectors(self.path)

    @cached_property
    def _words_of_wordnet(self) -> WordNetFiles | None:
        return None if self.wordnet is None else WordNetFiles(Path(self.wordnet))
