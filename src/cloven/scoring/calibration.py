"""Can the confidence be believed? Of the links guessed with 30 %, three in ten should be true.

Brier score (G. W. Brier, Monthly Weather Review 78, 1950) and expected calibration error over ten equal bins
(M. P. Naeini, G. F. Cooper, M. Hauskrecht, AAAI 2015).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.scoring.definitions import SCOPES
from cloven.scoring.ranking_kernel import sort_into_bins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.model.guesses import Guesses
    from cloven.scoring.truth import Truth

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Candidates with a confidence from ``low`` to ``high``: how many, mean confidence, share that is true."""

    low: float
    high: float
    count: int
    confidence: float
    true: float


@dataclass(frozen=True)
class Calibration:
    """Confidence against truth.

    Attributes:
        bins: bins that have candidates, ascending.
        brier: mean squared distance between confidence and truth; 0 is best.
        error: expected calibration error, the mean distance between confidence and share of true links over bins.
    """

    bins: tuple[Bin, ...]
    brier: float | None
    error: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"bins": [asdict(each) for each in self.bins]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Calibration:
        """Back from plain values."""
        return cls(tuple(Bin(**each) for each in plain["bins"]), plain["brier"], plain["error"])


def calibrations(guesses: Guesses, truth: Truth, asked: NDArray[np.bool_]) -> dict[str, Calibration]:
    """Calibration over the candidates of the asked targets, for each kind of chunk."""
    questions = truth.questions
    table = sort_into_bins(
        questions.offsets, questions.target_kind, guesses.confidence, truth.holds, asked, BINS
    )
    return {scope: calibration(*table[list(kinds)].sum(axis=0).T) for scope, kinds in SCOPES.items()}


def calibration(
    count: NDArray[np.float64],
    confidence: NDArray[np.float64],
    true: NDArray[np.float64],
    squared: NDArray[np.float64],
) -> Calibration:
    """Calibration from candidates, sums of confidences, true links and squared distances of each bin."""
    total = float(count.sum())
    if not total:
        return Calibration((), None, None)
    bins = tuple(
        Bin(
            i / BINS,
            (i + 1) / BINS,
            int(count[i]),
            float(confidence[i] / count[i]),
            float(true[i] / count[i]),
        )
        for i in np.flatnonzero(count).tolist()
    )
    return Calibration(bins, float(squared.sum()) / total, float(np.abs(confidence - true).sum()) / total)
