"""How much there was to answer, and how much of it no attack could answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.guesses import Answer
from cloven.scoring.definitions import SCOPES
from cloven.scoring.findings import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.guesses import Guesses
    from cloven.scoring.rebuilt import Cells
    from cloven.scoring.truth import Truth


def counts(guesses: Guesses, truth: Truth, true: Cells, asked: NDArray[np.bool_]) -> tuple[Counts, ...]:
    """Count targets, links and transactions for each kind of chunk; ``asked`` are targets with an anchor."""
    questions, copies = truth.questions, truth.copies
    bare = questions.slot_anchor[questions.slots[truth.holds]] < 0
    link_kind = questions.target_kind[truth.link_target]
    found = []
    for scope, kinds in SCOPES.items():
        here = np.isin(questions.target_kind, kinds)
        torn = np.zeros(true.slots, bool)
        torn[true.slot[np.isin(true.kind, kinds)]] = True
        found.append(
            Counts(
                scope=scope,
                targets=int(here.sum()),
                true_links=int(copies[here].sum()),
                targets_without_anchor=int((here & ~asked).sum()),
                targets_without_score=int((here & asked & (guesses.answer == Answer.NO_SCORE)).sum()),
                targets_on_all_candidates=int((here & (copies == np.diff(questions.offsets))).sum()),
                links_without_anchor=int((bare & np.isin(link_kind, kinds)).sum()),
                transactions=int(torn.sum()),
                transactions_skipped=int((~torn).sum()),
            )
        )
    return tuple(found)
