"""What can be said before any meaning is looked at: expected copies, and scores for want of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.prior_kernel import fill, reasons
from cloven.attack.disassociated.term_copies import term_copies
from cloven.model.disassociated import Kind
from cloven.model.guesses import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions

    Floats = NDArray[np.float64]


def expected_copies(asked: Questions, release: Disassociated) -> Floats:
    """How many slots hold each target: its copies; for an item of a term chunk an estimate (see ``term_copies``).

    More than k - 1 can hold a sensitive item, or one that the lemma moved there, or, if k counts persons, any.
    """
    expected = asked.target_copies.astype(np.float64)
    term = asked.target_kind == Kind.TERM
    if term.any():
        cluster, item = asked.target_cluster[term], asked.target_item[term]
        expected[term] = term_copies(release, cluster.astype(np.int64), item.astype(np.int64))
    return expected


def answers(asked: Questions, score: Floats) -> NDArray[np.int8]:
    """Which targets could be answered; ``score`` is NaN where a candidate has none."""
    shows = asked.slot_anchor >= 0
    found = reasons(asked.offsets, asked.slots, shows, score)
    return np.array([Answer.INFORMED, Answer.NO_SCORE, Answer.NO_ANCHOR], np.int8)[found]


def filled(asked: Questions, score: Floats) -> Floats:
    """Give candidates without a score the mean of their target's others (0 if there is none), and make ties exact."""
    return fill(asked.offsets, score)
