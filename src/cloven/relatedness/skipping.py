"""A measure that is not asked about some items, such as likely typing errors: they get no score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Related, Relatedness


@dataclass(frozen=True)
class Skipping:
    """Any measure without scores for these items.

    Attributes:
        measure: the measure.
        items: what it is not asked about.
    """

    measure: Relatedness
    items: frozenset[str]

    def __repr__(self) -> str:
        return f"Skipping({self.measure!r}, {len(self.items)} items)"

    @property
    def name(self) -> str:
        """The name of the measure."""
        return self.measure.name

    def relate(self, items: Sequence[str]) -> SkippingRelated:
        """Look the others up."""
        return SkippingRelated(self.measure.relate(items), tuple(items), self.items)


@dataclass(frozen=True, eq=False, repr=False)
class SkippingRelated:
    """Scores of one vocabulary; NaN for what is skipped."""

    related: Related
    vocabulary: tuple[str, ...]
    items: frozenset[str]

    @property
    def coverage(self) -> Coverage:
        """Skipped items are unknown; how they would have been found is not told apart."""
        found, skipped = self.related.coverage, [item for item in self.vocabulary if item in self.items]
        lost = len(set(skipped) - set(found.unknown))
        rungs, unknown = dict(found.rungs), set(found.unknown) | set(skipped)
        for rung in reversed(rungs):
            taken = min(lost, rungs[rung])
            rungs[rung] -= taken
            lost -= taken
        return Coverage(rungs, tuple(item for item in self.vocabulary if item in unknown))

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relatedness of every left item to every right one; NaN where one is skipped."""
        scores = np.array(self.related.block(left, right), np.float64)
        scores[[self.vocabulary[item] in self.items for item in left.tolist()], :] = np.nan
        scores[:, [self.vocabulary[item] in self.items for item in right.tolist()]] = np.nan
        return scores
