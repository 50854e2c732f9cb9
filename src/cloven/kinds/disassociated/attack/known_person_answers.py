"""A reader of a release who was asked about many known sets at once, and answers about these as often as needed.

Readers of one release look at the same clusters, and several ways to know something lead to the same sets. So all sets
are asked about together, once for all readers; what each claims is looked up then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.known_sets import Certain
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.compiled import Flags, Longs
    from cloven.data.known_sets import Claims, Known, Told


@dataclass(frozen=True, eq=False)
class Answers:
    """What one reader answered.

    Attributes:
        sets: the sets, each once, ordered by content.
        told: all that is claimed of each with the floor or more.
        sure: what is certain of each.
        floor: from which probability on they were asked.
    """

    sets: Known
    told: Told
    sure: Certain
    floor: float

    def claims(
        self, known: Known, eligible: Flags | None = None, floor: float = 0.2, *, best: bool = True
    ) -> Claims:
        """As of a release that is read anew, with a floor from that on which was asked for."""
        if not self.floor <= floor <= 1:
            message = f"floor must lie between {self.floor} and 1, got {floor}"
            raise ParameterError(message)
        flags = None if eligible is None else np.asarray(eligible, bool)
        return self.told.claims(self._numbers(known), flags, floor, best=best)

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """As of a release that is read anew."""
        found = self.sure.spread(self._numbers(known))
        if eligible is None:
            return found
        fits = np.asarray(eligible, bool)[found.items]
        before = np.concatenate(([0], np.cumsum(fits)))
        return Certain(before[found.offsets], found.items[fits])

    def _numbers(self, known: Known) -> Longs:
        found = known.numbers_in(self.sets)
        if (found < 0).any():
            missing = known.of_set(int(np.flatnonzero(found < 0)[0]))
            message = f"items {missing} were not asked about; name all known sets at the beginning"
            raise ParameterError(message)
        return found
