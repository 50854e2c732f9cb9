"""What a release says about a set of items: how many records of each cluster may hold them all, or must.

In a cluster an item has one place: a record chunk, else the term chunk, else a shared chunk of a joint above, else
the list of the root. What may have been withheld is not counted: fewer than k hold it. The items fall into one part
per chunk. A record holds them all only if it has a sub-record with the part in each of those chunks, so the scarcest
part is an upper bound. Parts with supports n1 .. nr in a cluster of size s overlap in at least n1 + .. + nr - (r - 1)
s records (the rest of each part leaves at most s - ni records out); a term-chunk item counts 1. No record of a
release is empty, which bounds it further.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.model.disassociated import Kind
from cloven.reconstruction.shared_parts import SharedParts, shared_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated

MOST_ITEMS = 62
"""Items are bits of one 64-bit number."""


@dataclass(frozen=True)
class Evidence:
    """Bounds on the number of records that hold all items asked for.

    Attributes:
        at_most: upper bound for each cluster; 0 where the items cannot meet.
        at_least: lower bound for each cluster, from its own chunks.
        expected: records of each cluster that are expected to hold them: its size times the share of records that hold
            each part. A cluster that merely lists an item has few of them, whatever it might have.
        shared_at_least: shared sub-records that hold all the items; each is one more record, in some cluster. A single
            item of the list of the root is in one more.
        total_at_most: upper bound for the whole release: the sum of ``at_most``, except that a shared
        sub-record
            counts once, not once in every cluster it might belong to.
    """

    at_most: NDArray[np.int64]
    at_least: NDArray[np.int64]
    expected: NDArray[np.float64]
    shared_at_least: int
    total_at_most: int

    @property
    def total_at_least(self) -> int:
        """Lower bound for the whole release."""
        return int(self.at_least.sum()) + self.shared_at_least


class Hits(NamedTuple):
    """Published rows with at least one item asked for, ascending, and which ones (bits)."""

    rows: NDArray[np.int64]
    masks: NDArray[np.int64]


def evidence(release: Disassociated, codes: NDArray[np.int64]) -> Evidence:
    """Bounds for the items with these codes (positions in the vocabulary, no repeats)."""
    if not 0 < len(codes) <= MOST_ITEMS:
        message = f"between 1 and {MOST_ITEMS} items can be asked for at once, got {len(codes)}"
        raise ParameterError(message)
    wanted = (1 << len(codes)) - 1
    hits = _hits(release, codes)
    kind = release.row_kind[hits.rows]
    size = release.cluster_size
    held, at_most, at_least, share = _record_parts(
        release, Hits(*(column[kind == Kind.RECORD] for column in hits))
    )
    terms = _term_parts(release, Hits(*(column[kind == Kind.TERM] for column in hits))) & ~held
    at_least += np.bitwise_count(terms) * (1 - size)
    share /= size.astype(np.float64) ** np.bitwise_count(terms)
    held |= terms
    shared = Hits(*(column[kind == Kind.SHARED] for column in hits))
    parts = shared_parts(release, shared.rows, shared.masks, wanted & ~held)
    held |= parts.held
    np.multiply.at(share, parts.cluster, parts.supply / _open_records(size, parts))
    listed = _listed(release, hits) & ~held
    share /= float(max(1, release.records)) ** np.bitwise_count(listed)
    held |= listed
    at_least[(parts.held | listed) != 0] = 0
    np.minimum.at(at_most, parts.cluster, parts.fitting)
    at_most[held != wanted] = 0
    at_least[(held != wanted) | (at_least < 0)] = 0
    surely = int((shared.masks == wanted).sum()) + int(len(codes) == 1 and bool(listed.any()))
    share[held != wanted] = 0
    return Evidence(at_most, at_least, share * size, surely, _total(at_most, parts))


def _hits(release: Disassociated, codes: NDArray[np.int64]) -> Hits:
    places = [release.places(code) for code in codes.tolist()]
    masks = np.repeat(1 << np.arange(len(codes), dtype=np.int64), [len(place) for place in places])
    rows = np.searchsorted(release.row_offsets, np.concatenate(places), side="right") - 1
    order = np.argsort(rows, kind="stable")
    rows, masks = rows[order], masks[order]
    first = _group_starts(rows)
    return Hits(rows[first], np.bitwise_or.reduceat(masks, first) if len(rows) else masks)


def _open_records(size: NDArray[np.int64], parts: SharedParts) -> NDArray[np.float64]:
    """Records of all clusters that draw the same part from the same shared chunk."""
    if not len(parts.cluster):
        return np.empty(0)
    _, group = np.unique(np.stack((parts.chunk, parts.part)), axis=1, return_inverse=True)
    total = np.bincount(group.ravel(), size[parts.cluster]).astype(np.float64)
    open_records: NDArray[np.float64] = total[group.ravel()]
    return open_records


def _record_parts(
    release: Disassociated, hits: Hits
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Items in record chunks, upper and (possibly negative) lower bound, and share of records, for each cluster."""
    size = release.cluster_size
    share = np.ones(len(size))
    held, at_most, at_least = np.zeros(len(size), np.int64), size.copy(), size.copy()
    if len(hits.rows):
        cluster, chunk = release.row_cluster[hits.rows], release.row_chunk[hits.rows]
        first = _group_starts(cluster, chunk)
        part = np.bitwise_or.reduceat(hits.masks, first)
        whole = hits.masks == np.repeat(part, np.diff(np.append(first, len(hits.rows))))
        support = np.add.reduceat(whole, first, dtype=np.int64)
        cluster = cluster[first]
        np.bitwise_or.at(held, cluster, part)
        np.minimum.at(at_most, cluster, support)
        _leave_none_empty(release, at_most, np.bincount(cluster, minlength=len(size)))
        np.add.at(at_least, cluster, support - size[cluster])
        np.multiply.at(share, cluster, support / size[cluster])
    return held, at_most, at_least, share


def _leave_none_empty(release: Disassociated, at_most: NDArray[np.int64], parts: NDArray[np.int64]) -> None:
    """Tighten the bound where record chunks alone must fill every record of a cluster.

    If q records take a sub-record from each of r chunks, the other records still need one each, so the
    cluster has at least r q + size - q sub-records (the lemma of Terrovitis et al., PVLDB 2012, turned
    round).
    """
    alone = (parts > 1) & (release.cluster_joint < 0) & ~release.has_terms & ~np.bool_(release.may_be_empty)
    spare = release.record_rows - release.cluster_size
    at_most[alone] = np.minimum(at_most[alone], np.maximum(spare[alone] // (parts[alone] - 1), 0))


def _term_parts(release: Disassociated, hits: Hits) -> NDArray[np.int64]:
    terms = np.zeros(release.clusters + 1, np.int64)  # the last is the list of the root, of no cluster
    terms[release.row_cluster[hits.rows]] = hits.masks
    return terms[:-1]


def _listed(release: Disassociated, hits: Hits) -> NDArray[np.int64]:
    """Items asked for that stand in the list of the root: each cluster may have them, if it has them nowhere else."""
    found = release.at_root[hits.rows] & (release.row_kind[hits.rows] == Kind.TERM)
    return np.full(release.clusters, np.bitwise_or.reduce(hits.masks[found], initial=0))


def _total(at_most: NDArray[np.int64], parts: SharedParts) -> int:
    """Add up over clusters; those that draw the same part from one shared chunk get no more than it has."""
    total = int(at_most.sum())
    if not len(parts.cluster):
        return total
    # Each cluster is limited by the scarcest shared part it needs.
    order = np.lexsort((parts.supply, parts.cluster))
    order = order[_group_starts(parts.cluster[order])]
    drawn = at_most[parts.cluster[order]]
    _, group = np.unique(np.stack((parts.chunk[order], parts.part[order])), axis=1, return_inverse=True)
    sums = np.bincount(group.ravel(), weights=drawn).astype(np.int64)
    supply = np.zeros(len(sums), np.int64)
    supply[group.ravel()] = parts.supply[order]
    return total - int(np.maximum(sums - supply, 0).sum())


def _group_starts(*columns: NDArray[np.generic]) -> NDArray[np.int64]:
    """First position of each run of equal values."""
    change = np.zeros(len(columns[0]), bool)
    change[:1] = True
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(change)
