"""What can be said before any meaning is looked at: expected copies, and scores for want of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.model.guesses import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.guesses import Questions

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


def expected_copies(asked: Questions, k: int) -> Floats:
    """How many slots hold each target: its copies; k / 2 for an item of a term chunk, the middle of 1 .. k - 1."""
    return np.where(asked.target_kind == Kind.TERM, k / 2, asked.target_copies)


def per_target(asked: Questions, values: NDArray[np.generic]) -> Floats:
    """Sum over the candidates of each target."""
    running = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    return running[asked.offsets[1:]] - running[asked.offsets[:-1]]


def answers(asked: Questions, score: Floats) -> NDArray[np.int8]:
    """Which targets could be answered; ``score`` is NaN where a candidate has none."""
    anchored = per_target(asked, asked.slot_anchor[asked.slots] >= 0) > 0
    scored = per_target(asked, np.isfinite(score)) > 0
    found = np.where(scored, Answer.INFORMED, Answer.NO_SCORE)
    return np.where(anchored, found, Answer.NO_ANCHOR).astype(np.int8)


def fill(asked: Questions, score: Floats, digits: int) -> Floats:
    """Give candidates without a score the mean of their target's others (0 if there is none), and make ties exact."""
    known = np.isfinite(score)
    clean = np.where(known, score, 0.0)
    many = per_target(asked, known)
    mean = per_target(asked, clean) / np.maximum(many, 1)
    target = asked.pair_target
    filled: Floats = np.where(known, score, mean[target])
    return filled.round(digits)
