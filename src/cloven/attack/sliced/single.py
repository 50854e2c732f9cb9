"""What a single published table gives away: a person's sensitive value, and whether the person is in it.

Attribute disclosure is p(t,s) of slicing (Li, Li, Zhang, Molloy, IEEE TKDE 2012, section 4). Membership goes by the
number of rows to be expected with exactly the person's values: many buckets that fit a little are no evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.sliced.answers import MembershipGuesses, ValueGuesses
from cloven.attack.sliced.composition import Composition
from cloven.attack.sliced.matching import NOTHING, Weight, check_weight, match
from cloven.model.buckets import Buckets

if TYPE_CHECKING:
    from cloven.attack.sliced.known import Known
    from cloven.model.published_table import GeneralisedTable, Sliced


@dataclass(frozen=True)
class AttributeDisclosure:
    """Find out a value from one release.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute if left out.
        weight: how buckets are weighted; see ``matching``.
    """

    attribute: str | None = None
    weight: Weight = "rows"

    def __post_init__(self) -> None:
        check_weight(self.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "attribute disclosure", "attribute": self.attribute, "weight": self.weight}

    def guess(self, release: GeneralisedTable | Sliced, known: Known) -> ValueGuesses:
        """Guess the value of every person."""
        return Composition(self.attribute, self.weight).combine((release,), known, self.parameters)


@dataclass(frozen=True)
class Membership:
    """Find out who is in a release."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "membership"}

    def guess(self, release: GeneralisedTable | Sliced, known: Known) -> MembershipGuesses:
        """Guess for every person whether they are there."""
        buckets = Buckets.of(known.reads(release))
        matches = match(buckets, known, NOTHING, "rows")
        rows = matches.rows / buckets.rate
        return MembershipGuesses(matches.buckets, rows, -np.expm1(-rows), self.parameters)
