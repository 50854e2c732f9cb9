"""Read off a disassociated release what it leaves open: which slots may hold each target (see ``model.guesses``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.shared_kernel import allowed_clusters
from cloven.errors import ParameterError, ReleaseError
from cloven.model.disassociated import Disassociated, Kind
from cloven.model.equal_rows import first_of_equal
from cloven.model.guesses import Questions
from cloven.reconstruction.layout import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]

MOST_CANDIDATES = 400_000_000
"""About 7 GB of answers; beyond it an attack works on a part of the release."""


def questions(release: Disassociated) -> Questions:
    """All targets of a release and their candidate slots.

    A sub-record of a later record chunk, and an item of a term chunk, may belong to every slot of its cluster. A
    shared sub-record may belong to every slot below its joint, but not where the cluster already shows one of its
    items: in its own record chunks, or in a joint further in.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "b", "c"], ["a", "d"], ["b", "d", "e"]])
    >>> asked = questions(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release)
    >>> len(asked), asked.slots[: asked.offsets[1]].tolist()
    (3, [0, 1, 2, 3])
    """
    published_only(release)
    layout = Layout.of(release)
    row, item, copies = _targets(release)
    kind, cluster = release.row_kind[row], release.row_cluster[row]
    shared = kind == Kind.SHARED
    visits = _clusters_of_shared(layout, row[shared])
    target, visited = _all_visits(cluster, shared, visits)
    sizes = release.cluster_size[visited]
    total = int(sizes.sum())
    if total > MOST_CANDIDATES:
        message = (
            f"the release leaves {total:,} candidate links open, more than {MOST_CANDIDATES:,};"
            " attack a smaller release, or one with a smaller maximum cluster size"
        )
        raise ParameterError(message)
    ends = np.cumsum(sizes)
    slots = np.arange(total, dtype=np.int64) + np.repeat(layout.bounds[visited] - (ends - sizes), sizes)
    per_target = np.bincount(target, weights=sizes, minlength=len(row)).astype(np.int64)
    return Questions(
        slot_offsets=layout.bounds,
        slot_anchor=_anchors(release, layout.bounds),
        target_row=row,
        target_item=item,
        target_copies=copies,
        target_kind=kind,
        target_cluster=cluster,
        offsets=np.concatenate(([0], np.cumsum(per_target))).astype(np.int64),
        slots=slots.astype(np.int32),
    )


def published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, Disassociated):
        message = (
            f"an attack works on a published disassociated release alone (got {type(release).__name__});"
            " give it `result.release`, or what `read_release` returns"
        )
        raise ReleaseError(message)


def _targets(release: Disassociated) -> tuple[Longs, NDArray[np.int32], Longs]:
    """Published row, item (-1 for sub-records) and copies (0 for items of term chunks) of each target."""
    kind = release.row_kind
    asked = (kind != Kind.RECORD) | (release.row_chunk > 0)
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


def _anchors(release: Disassociated, bounds: Longs) -> Longs:
    """Row of record chunk 0 that each slot shows, -1 for none."""
    anchor = np.full(release.records, -1, np.int64)
    rows = np.flatnonzero((release.row_kind == Kind.RECORD) & (release.row_chunk == 0))
    cluster = release.row_cluster[rows]
    starts = np.searchsorted(cluster, np.arange(release.clusters))
    anchor[bounds[cluster] + np.arange(len(rows)) - starts[cluster]] = rows
    return anchor


def _clusters_of_shared(layout: Layout, rows: Longs) -> tuple[Longs, Longs]:
    """All pairs of a shared target (by rank) and a cluster that may hold it, in this order."""
    release = layout.release
    table = (np.array(release.row_offsets), np.array(release.row_items))
    return allowed_clusters(rows, release.row_joint[rows], table, layout.members, layout.shown, layout.inner)


def _all_visits(
    cluster: Longs, shared: NDArray[np.bool_], visits: tuple[Longs, Longs]
) -> tuple[Longs, Longs]:
    """Every pair of a target and a cluster whose slots may hold it; shared rows stand at the end."""
    own = np.flatnonzero(~shared)
    first = len(own)
    return np.concatenate((own, visits[0] + first)), np.concatenate((cluster[own], visits[1]))
