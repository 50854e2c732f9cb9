"""Candidate slots of targets: how many there are is known before any of them is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.shared_kernel import count_slots, fill_ranges, fill_slots, told_further_in
from cloven.model.disassociated import Disassociated, Kind
from cloven.model.equal_rows import first_of_equal
from cloven.model.guesses import Questions
from cloven.reconstruction.layout import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """All targets of a release, ready to be asked about.

    Attributes:
        layout: the release, arranged.
        row: published row of each target; the first of equal ones.
        item: item code for targets of term chunks, -1 for sub-records.
        copies: how many slots hold it, 0 for items of term chunks.
        told: who tells, further in, what each joint shares; see ``shared_kernel``.
        many: number of candidate slots of each target.
    """

    layout: Layout
    row: Longs
    item: NDArray[np.int32]
    copies: Longs
    told: tuple[Longs, Longs]
    many: Longs

    @classmethod
    def of(cls, release: Disassociated) -> Candidates:
        """List the targets, and count their candidates."""
        layout = Layout.of(release)
        row, item, copies = targets_of(release)
        told = _told(layout)
        shared = release.row_kind[row] == Kind.SHARED
        many = np.where(shared, 0, release.cluster_size[release.row_cluster[row]])
        rows = row[shared]
        many[shared] = count_slots(
            rows, release.row_joint[rows], _table(release), layout.inner, told, layout.members, layout.bounds
        )
        return cls(layout, row, item, copies, told, many)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def total(self) -> int:
        """Candidates of all targets."""
        return int(self.many.sum())

    def questions(self, targets: Longs) -> Questions:
        """Ask about some targets (ascending); all others are never written down."""
        release, bounds = self.layout.release, self.layout.bounds
        row = self.row[targets]
        offsets = np.concatenate(([0], np.cumsum(self.many[targets]))).astype(np.int64)
        slots = np.empty(int(offsets[-1]), np.int32)
        shared = release.row_kind[row] == Kind.SHARED
        own, starts = release.row_cluster[row[~shared]], offsets[:-1]
        fill_ranges(bounds[own], bounds[own + 1], starts[~shared], slots)
        fill_slots(
            row[shared], release.row_joint[row[shared]], _table(release), self.layout.inner, self.told,
            self.layout.members, bounds, starts[shared], slots,
        )  # fmt: skip
        whole = len(targets) == len(self)
        return Questions(
            slot_offsets=bounds,
            slot_anchor=_anchors(release, bounds),
            target_row=row,
            target_item=self.item[targets],
            target_copies=self.copies[targets],
            target_kind=release.row_kind[row],
            target_cluster=release.row_cluster[row],
            offsets=offsets,
            slots=slots,
            targets_in_all=None if whole else len(self),
            candidates_in_all=None if whole else self.total,
        )


def targets_of(release: Disassociated) -> tuple[Longs, NDArray[np.int32], Longs]:
    """Published row, item (-1 for sub-records) and copies (0 for items of term chunks) of each target.

    What stands at the root was split off from no cluster: nearly everybody may have it, and asking would only thin out
    what is asked about clusters. What it tells of somebody is for the attack on a known person.
    """
    kind = release.row_kind
    asked = ((kind != Kind.RECORD) | (release.row_chunk > 0)) & ~release.at_root
    first = np.flatnonzero(asked & (first_of_equal(release) == np.arange(release.rows)))
    # Equal rows stand together, so the copies reach up to the next different row.
    following = np.append(first[1:], release.rows)
    anchors = np.concatenate(([0], np.cumsum(~asked)))
    copies = following - first - (anchors[following] - anchors[first])
    lengths = np.where(kind[first] == Kind.TERM, np.diff(release.row_offsets)[first], 1)
    row = np.repeat(first, lengths)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    term = kind[row] == Kind.TERM
    item = np.full(len(row), -1, np.int32)
    item[term] = release.row_items[(release.row_offsets[row] + inside)[term]]
    return row, item, np.where(term, 0, np.repeat(copies, lengths))


def _told(layout: Layout) -> tuple[Longs, Longs]:
    """Tellers of each item that a joint shares: where they start, and who they are."""
    place, teller = told_further_in(layout.shown, layout.inner)
    place, teller = place[place >= 0], teller[place >= 0]
    order = np.argsort(place, kind="stable")
    edges = np.arange(len(layout.inner[3]) + 1)
    return np.searchsorted(place[order], edges).astype(np.int64), teller[order]


def _table(release: Disassociated) -> tuple[Longs, NDArray[np.int32]]:
    """Published rows, as the kernels want them: not frozen."""
    return np.array(release.row_offsets), np.array(release.row_items)


def _anchors(release: Disassociated, bounds: Longs) -> Longs:
    """Row of record chunk 0 that each slot shows, -1 for none."""
    anchor = np.full(release.records, -1, np.int64)
    rows = np.flatnonzero((release.row_kind == Kind.RECORD) & (release.row_chunk == 0))
    cluster = release.row_cluster[rows]
    starts = np.searchsorted(cluster, np.arange(release.clusters))
    anchor[bounds[cluster] + np.arange(len(rows)) - starts[cluster]] = rows
    return anchor
