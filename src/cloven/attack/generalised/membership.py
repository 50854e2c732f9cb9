"""Is this person in the release? A score for a whole record, from a set-generalised release alone.

The record touches some blocks. A member's row shows exactly these. If blocks were drawn one by one, block b with its
share q(b) of the N rows, then L = N * product over blocks of (q(b) or 1 - q(b)) equal rows would be expected without
the person. With e equal rows found and a Poisson number expected, the likelihood ratio of a member is e / L:

    score = log(e) - log(L), or ``RULED_OUT`` if no row is equal
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.known_person import KnownPersonGeneralised
from cloven.attack.generalised.known_person_kernel import equal_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.known_sets import Known
    from cloven.model.set_generalised import SetGeneralised


RULED_OUT = -1000.0
"""Score of a record that no row can be."""


@dataclass(frozen=True, eq=False)
class MembershipGeneralised:
    """A set-generalised release, arranged for the question who is in it.

    Attributes:
        person: rows of each block.
    """

    person: KnownPersonGeneralised

    @classmethod
    def of(cls, release: SetGeneralised) -> MembershipGeneralised:
        """Arrange a release, once for all questions."""
        return cls(KnownPersonGeneralised.of(release))

    def scores(self, records: Known) -> NDArray[np.float64]:
        """Score of each record (its published items): the higher, the more likely it is in the release."""
        release = self.person.release
        images = self.person.images(records, len(release.vocabulary))
        equal = equal_rows(
            np.array(release.row_offsets), self.person.starts, self.person.rows, images.offsets, images.codes
        )
        share = np.clip(release.supports, 0.5, max(release.records, 1) - 0.5) / max(release.records, 1)
        number = np.repeat(np.arange(len(images)), np.diff(images.offsets))
        gain = np.log(share / (1 - share))[images.codes]
        alone = np.bincount(number, weights=gain, minlength=len(images)) + np.log1p(-share).sum()
        chance = np.log(np.maximum(equal, 1) / max(release.records, 1)) - alone
        found: NDArray[np.float64] = np.where(equal > 0, chance, RULED_OUT)[images.of]
        return found
