"""The random attack: the baseline of every other one (thesis, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.questions import given_or_all
from cloven.kinds.disassociated.attack.selection import SELECTIONS, finished, one_by_one, select

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Guesswork:
    """Puts every target somewhere at random, as many copies as the other attacks, with the same selection rule."""

    selection: str = "best"

    def __post_init__(self) -> None:
        if self.selection not in SELECTIONS:
            message = f"selection must be one of {', '.join(SELECTIONS)} (got {self.selection!r})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "guesswork", "selection": self.selection}

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,  # noqa: ARG002 - done at once
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Draw a score for every candidate; its confidence is the prior."""
        return self.among(given_or_all(release, asked), release, rng or np.random.default_rng())

    def among(self, asked: Questions, release: Disassociated, rng: np.random.Generator) -> Guesses:
        """The same for questions that have been read off the release before."""
        one_by_one(asked, self.selection)
        score = rng.random(len(asked.slots))
        chosen = np.zeros(len(asked.slots), bool)
        left = select(asked, release, np.arange(len(asked)), score, self.selection, chosen)
        notes = {"copies_without_a_slot": left}
        return finished(asked, release, score, chosen, 0.0, self.parameters, notes)
