"""What an attack on published tables answers: which value a person may have, and whether a person is there at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class Found(IntEnum):
    """Where a person was found."""

    EVERYWHERE = 0  # every release holds rows that fit
    SOMEWHERE = 1  # some do; the others were not used
    NOWHERE = 2  # none does: the belief is the published distribution
    CONTRADICTED = (
        3  # all do, but no value is possible in all: somebody's values were changed, or it is not the person
    )


@dataclass(frozen=True, eq=False, repr=False)
class ValueGuesses:
    """Which value of an attribute each person may have.

    Attributes:
        attribute: what was to be found out.
        values: all values that it may have, ascending.
        candidate: persons x values: not ruled out by rows that fit; nothing where nothing fits.
        confidence: persons x values: how likely each value is, as the attack sees it; sums to 1 for every person.
        prior: how likely each value is for anybody, from the published distribution.
        matched: persons x distinct releases: how many buckets (or classes) fit.
        found: a ``Found`` for each person.
        attack: name and parameters of the attack, as plain JSON values.
        notes: what the attack has to say about itself, as plain JSON values.
    """

    attribute: str
    values: tuple[str, ...]
    candidate: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    prior: NDArray[np.float64]
    matched: NDArray[np.int64]
    found: NDArray[np.int8]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.candidate)

    def __repr__(self) -> str:
        sure = int((self.candidate.sum(axis=1) == 1).sum())
        return f"ValueGuesses({len(self):,} persons, {sure:,} with one {self.attribute!r} left)"

    def candidates(self, person: int) -> dict[str, float]:
        """Values that a person may have, the likeliest first, each with its confidence."""
        left = np.flatnonzero(self.candidate[person])
        order = left[np.argsort(-self.confidence[person, left], kind="stable")]
        return {self.values[value]: float(self.confidence[person, value]) for value in order.tolist()}


@dataclass(frozen=True, eq=False, repr=False)
class MembershipGuesses:
    """Whether each person is in a release.

    Attributes:
        matched: how many buckets (or classes) fit; 0 means the person cannot be there unless values were changed.
        rows: expected number of rows with exactly the values known of the person.
        confidence: how likely at least one row is theirs or looks exactly like it: 1 - exp(-rows).
        attack: name and parameters of the attack, as plain JSON values.
    """

    matched: NDArray[np.int64]
    rows: NDArray[np.float64]
    confidence: NDArray[np.float64]
    attack: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.matched)

    def __repr__(self) -> str:
        return f"MembershipGuesses({len(self):,} persons, {int((self.matched > 0).sum()):,} may be there)"
