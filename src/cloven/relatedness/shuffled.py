"""The control: a measure of relatedness whose item names are permuted.

It has the same scores, but between the wrong items. An attack that does as well with it got nothing from meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.protocols import Related, Relatedness

FEW = 8
"""Up to so many items a plain permutation could well be none at all."""


@runtime_checkable
class KnowsDistances(Protocol):
    """Scores and distances of one vocabulary, such as those of NGD."""

    @property
    def coverage(self) -> Coverage:
        """How the items were found, and which have no score."""
        ...

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relatedness of every left item to every right one."""
        ...

    def distances(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distance of every left item to every right one."""
        ...

    def conjunctions(
        self, offsets: NDArray[np.int64], items: NDArray[np.int64], right: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Distance of every conjunction of items to every right item."""
        ...


@dataclass(frozen=True)
class Shuffled:
    """Any measure, its items exchanged among those that have a score; unknown items stay unknown.

    Attributes:
        measure: the measure.
        seed: which permutation; the same seed and vocabulary give the same one.
    """

    measure: Relatedness
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the measure, marked."""
        return f"shuffled-{self.measure.name}"

    def relate(self, items: Sequence[str]) -> ShuffledRelated:
        """Look the items up, then exchange them."""
        related = self.measure.relate(items)
        unknown = set(related.coverage.unknown)
        known = np.array([place for place, item in enumerate(items) if item not in unknown], dtype=np.int64)
        standing_for = np.arange(len(items), dtype=np.int64)
        standing_for[known] = _exchanged(known, np.random.default_rng(self.seed))
        if isinstance(related, KnowsDistances):
            return ShuffledDistances(related, standing_for)
        return ShuffledRelated(related, standing_for)


def _exchanged(known: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random permutation; of a handful of items one that leaves none in its place, if there are two."""
    if len(known) > FEW:
        return rng.permutation(known)
    order = rng.permutation(len(known))
    exchanged = np.empty_like(known)
    exchanged[order] = known[np.roll(order, 1)]
    return exchanged


@dataclass(frozen=True, eq=False, repr=False)
class ShuffledRelated:
    """Scores of one vocabulary between other items.

    Attributes:
        related: the right scores.
        standing_for: item whose scores each item gets.
    """

    related: Related
    standing_for: NDArray[np.int64]

    @property
    def coverage(self) -> Coverage:
        """The coverage of the measure."""
        return self.related.coverage

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relatedness of the items that stand for every left and every right one."""
        return self.related.block(self.standing_for[left], self.standing_for[right])


@dataclass(frozen=True, eq=False, repr=False)
class ShuffledDistances(ShuffledRelated):
    """The same for a measure that knows distances.

    Attributes:
        related: the right scores and distances.
        standing_for: item whose distances each item gets.
    """

    related: KnowsDistances

    def distances(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distances of the items that stand for every left and every right one."""
        return self.related.distances(self.standing_for[left], self.standing_for[right])

    def conjunctions(
        self, offsets: NDArray[np.int64], items: NDArray[np.int64], right: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Distances from several items taken as one, between the items that stand for them."""
        return self.related.conjunctions(offsets, self.standing_for[items], self.standing_for[right])
