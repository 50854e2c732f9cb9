"""What a reader of a published table tells of persons: how sure it is of the right value, and whether it is certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.scoring.tables.disclosure import value_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses


@dataclass(frozen=True, eq=False)
class ValueTelling:
    """What is told of the sensitive value of persons, one entry each.

    Attributes:
        told: the probability that is given to the right value.
        certain: whether the right value alone is left.
        stated: the probability of the likeliest value.
        best: whether the likeliest value is right.
    """

    told: NDArray[np.float64]
    certain: NDArray[np.bool_]
    stated: NDArray[np.float64]
    best: NDArray[np.bool_]


def value_telling(guesses: ValueGuesses, truth: Sequence[str]) -> ValueTelling:
    """Hold guessed values against the true ones."""
    at = value_places(truth, guesses)
    person, there, place = np.arange(len(at)), at >= 0, np.maximum(at, 0)
    single = guesses.candidate.sum(axis=1) == 1
    return ValueTelling(
        np.where(there, guesses.confidence[person, place], 0.0),
        there & single & guesses.candidate[person, place],
        guesses.confidence.max(axis=1),
        there & (guesses.confidence.argmax(axis=1) == at),
    )
