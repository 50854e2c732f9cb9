"""Which leaked pairs are leaked over the whole release: no other cluster provides the candidates that one lacks.

A cluster that leaks a pair has at most k - 1 records with both items; any other cluster has as many as its chunks
allow (``reconstruction.evidence``). A pair with fewer than k candidates in all is a breach of the whole release. Few
pairs can be: one other cluster that shows both items in different chunks is nearly always enough, and that is looked
up first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.reconstruction.evidence import evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.breach.covers import Covers
    from cloven.model.disassociated import Disassociated

    Longs = NDArray[np.int64]

TERM = -1


def leaked_everywhere(covers: Covers) -> NDArray[np.bool_]:
    """For each leak (``Covers.leaks``): whether the whole release has fewer than k candidates for the pair."""
    number, covered = covers.leaks
    if not len(number):
        return np.zeros(0, bool)
    release, width = covers.release, len(covers.release.vocabulary)
    item = covers.item[number]
    keys, pair = np.unique(np.minimum(item, covered) * width + np.maximum(item, covered), return_inverse=True)
    cluster = covers.cluster[number]
    enough = _surely(covers, keys, pair.ravel(), cluster) >= release.k
    exposed = np.zeros(len(keys), bool)
    for at in np.flatnonzero(~enough).tolist():
        found = evidence(release, np.array(divmod(int(keys[at]), width)))
        leaking = found.at_most[cluster[pair == at]]
        total = found.total_at_most - int(np.maximum(leaking - (release.k - 1), 0).sum())
        exposed[at] = total < release.k
    return exposed[pair.ravel()]


def _surely(covers: Covers, keys: Longs, pair: Longs, cluster: Longs) -> Longs:
    """Candidates of each pair that are easily seen: in clusters that show the two items in different chunks."""
    release, width = covers.release, len(covers.release.vocabulary)
    shown, chunk, support = _places(covers)
    posting = np.argsort(shown % width, kind="stable")
    starts = np.searchsorted(shown[posting] % width, np.arange(width + 1))
    first, second = np.divmod(keys, width)
    fewer = np.where(np.diff(starts)[first] <= np.diff(starts)[second], first, second)
    many = np.diff(starts)[fewer]
    which = np.repeat(np.arange(len(keys)), many)
    here = posting[np.arange(len(which)) + np.repeat(starts[fewer] - (np.cumsum(many) - many), many)]
    owner = shown[here] // width
    other = owner * width + (first + second - fewer)[which]
    there = np.minimum(np.searchsorted(shown, other), len(shown) - 1)
    both = (shown[there] == other) & (chunk[here] != chunk[there])
    which, owner, here, there = which[both], owner[both], here[both], there[both]
    meet = np.minimum(np.minimum(support[here], support[there]), _room(release)[owner])
    leak = np.isin(which * release.clusters + owner, pair * release.clusters + cluster)
    meet = np.where(leak, np.minimum(meet, release.k - 1), meet)
    return np.bincount(which, weights=meet, minlength=len(keys)).astype(np.int64)


def _places(covers: Covers) -> tuple[Longs, Longs, Longs]:
    """Where clusters show items: keys (cluster, item) ascending, record chunk or term chunk, least records to meet."""
    release, listed = covers.release, covers.chunk_items
    width = len(release.vocabulary)
    own = (release.row_kind == Kind.TERM) & (release.row_cluster >= 0)
    rows = np.flatnonzero(own)
    at = np.repeat(own, np.diff(release.row_offsets))
    length = np.diff(release.row_offsets)[rows]
    term = np.repeat(release.row_cluster[rows], length) * width + release.row_items[at]
    record = listed.cluster[listed.owner] * width + listed.item
    keys = np.concatenate((record, term))
    chunk = np.concatenate((listed.chunk[listed.owner], np.full(len(term), TERM)))
    support = np.concatenate((listed.support, np.ones(len(term), np.int64)))
    order = np.argsort(keys, kind="stable")
    # An item of a record chunk that is in the term chunk too, as after a repair, has its place in the record chunk.
    order = order[np.diff(keys[order], prepend=-1) != 0]
    return keys[order], chunk[order], support[order]


def _room(release: Disassociated) -> Longs:
    """How many records of each cluster can take sub-records from two record chunks, so that no record is empty."""
    record = release.row_kind == Kind.RECORD
    spare = np.bincount(release.row_cluster[record], minlength=release.clusters) - release.cluster_size
    filled = (release.cluster_joint >= 0) | release.has_terms
    return np.where(filled, release.cluster_size, np.maximum(spare, 0))
