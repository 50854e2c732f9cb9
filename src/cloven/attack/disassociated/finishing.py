"""The last step of every attack: scores for all, probabilities, and no choice where nothing could be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.attack.disassociated.confidence_kernel import confidences
from cloven.attack.disassociated.prior import answers, expected_copies, filled
from cloven.attack.disassociated.selection_kernel import drop
from cloven.model.guesses import Answer, Guesses

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions


def finished(
    asked: Questions,
    release: Disassociated,
    score: NDArray[np.float64],
    chosen: NDArray[np.bool_],
    sharpness: float,
    parameters: Mapping[str, Any],
    notes: Mapping[str, Any],
) -> Guesses:
    """Complete the guesses; ``score`` is NaN for candidates that have none.

    A target of a cluster that shows no anchor stays where it is: there is nothing to attach it to, and what was
    chosen for it is taken back.
    """
    answer = answers(asked, score)
    score = filled(asked, score)
    confidence = confidences(asked.offsets, score, expected_copies(asked, release), sharpness)
    drop(answer == Answer.NO_ANCHOR, asked.offsets, chosen)
    return Guesses(asked, score, confidence, chosen, answer, dict(parameters), dict(notes))
