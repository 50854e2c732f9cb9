"""Is this person in the release? A score for a whole record, from a disassociated release alone.

The record x (its published items) is compared with each cluster c of n records, as a likelihood ratio. With q(i) the
share of the release's records that are expected to hold item i:

    LR(x | c) = product over the record chunks of c of  (rows equal to x's share) / n
                                                        / product over the chunk's items of q(i) or 1 - q(i)
              * product over the other items of x of    share(i, c) / q(i)
    score(x)  = log( sum over c of n / N * LR(x | c) )

A member's share of a chunk is always one of its rows (an empty share: one of the records without a row); that of
somebody else often is none, which rules the cluster out: no row counts as ``DOUBT`` rows, so that the score stays a
number and says how much does not fit. ``share`` is that of ``known_person``, at least ``DOUBT`` / N. The score says how
much more likely the record is if it was drawn from one of the clusters than if its items were drawn one by one.
Where supports are lower bounds, a row may lack an item, and no row counts as half a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.known_person import KnownPerson
from cloven.attack.disassociated.known_person_rows import Rows, sums
from cloven.attack.disassociated.membership_kernel import Odds, scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.known_sets import Known
    from cloven.model.disassociated import Disassociated

    Floats = NDArray[np.float64]


DOUBT = 1e-6
"""Rows that are taken to be there where none is."""


@dataclass(frozen=True, eq=False)
class Membership:
    """A release, arranged for the question who is in it.

    Attributes:
        person: where every item stands.
        doubt: rows that are taken to be there where none is.
    """

    person: KnownPerson
    doubt: float

    @classmethod
    def of(cls, release: Disassociated) -> Membership:
        """Arrange a release, once for all questions."""
        lossy = release.parameters.get("supports") == "lower bounds"
        return cls(KnownPerson.of(release), 0.5 if lossy else DOUBT)

    def scores(self, records: Known) -> tuple[Floats, NDArray[np.int64]]:
        """Score of each record, the higher the more likely it is in the release; and its most likely cluster."""
        records.check(len(self.person.release.vocabulary), len(self.person.release.vocabulary))
        score, cluster = scores(self.person.places, self._odds, records.offsets, records.codes)
        return score, self.person.places.clusters.number[cluster]

    @cached_property
    def shares(self) -> Floats:
        """Share of all records of the release that are expected to hold each item, away from 0 and 1."""
        release = self.person.release
        _, item, copies = self.person.copies
        total = sums(item, copies, len(release.vocabulary))
        return np.clip(total, 0.5, release.records - 0.5) / max(release.records, 1)

    @cached_property
    def _odds(self) -> Odds:
        """Logarithms that all records have in common."""
        clusters, release, rows = (
            self.person.places.clusters,
            self.person.release,
            Rows.of(self.person.release),
        )
        many = int(rows.part.max(initial=-1)) + 1
        of_row = rows.cluster >= 0
        new = np.argsort(clusters.number)
        part_cluster = np.full(many, -1, np.int64)
        part_cluster[rows.part[of_row]] = new[rows.cluster[of_row]]
        own = part_cluster >= 0
        size = clusters.size[part_cluster]
        held = sums(rows.part, rows.copies, many)
        empty = np.log(np.maximum(size - held, 0.0) + self.doubt)
        present, absent = np.log(self.shares), np.log1p(-self.shares)
        shown = np.flatnonzero(rows.slot_cluster >= 0)
        nothing = sums(part_cluster[own], (empty - np.log(size))[own], release.clusters)
        nothing -= sums(new[rows.slot_cluster[shown]], absent[rows.slot_item[shown]], release.clusters)
        return Odds(
            np.log(clusters.size / max(release.records, 1)) + nothing, empty, present, absent, self.doubt
        )
