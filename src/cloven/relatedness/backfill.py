"""Fills the gaps of one measure of relatedness from another, on the scale of the first.

Offline document counts know many pairs not at all: an item is not found, or two items are never together although a
larger corpus would show them (``GoogleDistance(..., never="unknown")`` leaves those open, too). The second measure's
scores are moved and stretched so that, over the pairs that both measures score, mean and standard deviation are those
of the first. Scores of the first stay as they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.model.coverage import Coverage
from cloven.relatedness.scaling import PAIRS, Scale, sampled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Related, Relatedness

ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class BackFilled:
    """The first measure, and the second where the first has no score.

    Attributes:
        first: the measure that decides wherever it can.
        second: the measure for the rest.
        pairs: pairs from which the scales are estimated, at most.
    """

    first: Relatedness
    second: Relatedness
    pairs: int = PAIRS

    def __post_init__(self) -> None:
        if self.pairs < 1:
            message = f"pairs must be at least 1, got {self.pairs}"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """Both names: the first, then what fills it."""
        return f"{self.first.name}|{self.second.name}"

    def relate(self, items: Sequence[str]) -> BackFilledRelated:
        """Look the items up in both, and put the second on the scale of the first."""
        first, second = self.first.relate(items), self.second.relate(items)
        ours, theirs = (sampled(related, len(items), self.pairs) for related in (first, second))
        common = ~np.isnan(ours) & ~np.isnan(theirs)
        if not common.any():  # nothing to compare: the scales of what each knows
            scales = Scale.of(ours[~np.isnan(ours)]), Scale.of(theirs[~np.isnan(theirs)])
        else:
            scales = Scale.of(ours[common]), Scale.of(theirs[common])
        return BackFilledRelated(tuple(items), first, second, *scales)


@dataclass(frozen=True, eq=False, repr=False)
class BackFilledRelated:
    """Scores of one vocabulary from two measures.

    Attributes:
        items: the vocabulary.
        first: scores of the first measure.
        second: scores of the second measure.
        ours: scale of the first.
        theirs: scale of the second.
    """

    items: tuple[str, ...]
    first: Related
    second: Related
    ours: Scale
    theirs: Scale

    @property
    def coverage(self) -> Coverage:
        """Ways of the first measure, and how many further items the second alone knows."""
        lacking = set(self.first.coverage.unknown)
        unknown = lacking & set(self.second.coverage.unknown)
        rungs = Counter(self.first.coverage.rungs)
        rungs["back-filled"] += sum(item in lacking and item not in unknown for item in self.items)
        return Coverage(dict(rungs), tuple(item for item in self.items if item in unknown))

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relatedness of every left item to every right one; NaN where neither measure has a score."""
        scores = self.first.block(left, right)
        gaps = np.isnan(scores)
        if not gaps.any():
            return scores
        filling = self.second.block(left, right)
        return np.where(gaps, self.ours.scores(self.theirs.standard(filling)), scores)

    def filled(self) -> int:
        """Pairs of different items whose score comes from the second measure. Looks at all pairs."""
        everything = np.arange(len(self.items), dtype=np.int64)
        count = 0
        for start in range(0, len(everything), ROWS_AT_ONCE):
            rows = everything[start : start + ROWS_AT_ONCE]
            gaps = np.isnan(self.first.block(rows, everything)) & (everything[None, :] > rows[:, None])
            count += int((gaps & ~np.isnan(self.second.block(rows, everything))).sum())
        return count
