"""How much covers give away to somebody with background knowledge (Barakat et al. 2016, Algorithm 1, and plain counts).

The algorithm is read as its text means it: for each cluster the largest number, over items, of earlier chunks with a
cover that the attacker knows a pair of; these are added up. Its printed steps differ: the earlier chunk is set once for
all items of a chunk, so that only the first is tested, and the maximum is never reset, so that it is added again for
every later cluster. That, and a count by chunk instead of by item, are given beside it. None of them counts records.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.breach.knowledge import Knowledge
from cloven.model.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.breach.covers import Covers
    from cloven.breach.holders import Holders

    Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Breach:
    """What an attacker learns from the covers of a release.

    Attributes:
        score: Algorithm 1, corrected: the best item of each cluster.
        score_by_chunk: the same with the best chunk of each cluster.
        score_as_printed: the steps as they are printed.
        covers: covers of which the attacker knows a pair.
        single: those with one item in I.
        pairs: leaked pairs that the attacker knows, one for each cluster.
        different_pairs: the same without regard to clusters.
        everywhere: those that no other cluster gives enough candidates for.
        clusters: clusters touched.
        records: records of these clusters.
        holders: original records that hold such a pair; None if the original is not at hand.
    """

    score: int
    score_by_chunk: int
    score_as_printed: int
    covers: int
    single: int
    pairs: int
    different_pairs: int
    everywhere: int
    clusters: int
    records: int
    holders: int | None = None

    def to_dict(self) -> dict[str, int | None]:
        """Plain values for JSON."""
        return asdict(self)


def breaches(covers: Covers, knowledge: Knowledge | None = None, holders: Holders | None = None) -> Breach:
    """Count what covers give away; without ``knowledge``, to somebody who knows every pair.

    >>> import cloven as cv
    >>> from cloven.breach.covers import covers
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> found = breaches(covers(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release))
    >>> found.score, found.pairs, found.everywhere, found.records
    (1, 1, 1, 4)
    """
    release, width = covers.release, len(covers.release.vocabulary)
    if knowledge is None:  # one that is empty is false too, and knows nothing
        knowledge = Knowledge.all(width)
    number, covered = covers.leaks
    item = covers.item[number]
    known = knowledge.knows(item, covered)
    entry = np.zeros(len(covers), bool)
    entry[number[known]] = True
    touched = distinct(covers.cluster[entry])
    keys = (np.minimum(item, covered) * width + np.maximum(item, covered))[known]
    return Breach(
        *_scores(covers, entry),
        covers=int(entry.sum()),
        single=int((entry & covers.single).sum()),
        pairs=int(known.sum()),
        different_pairs=len(np.unique(keys)),
        everywhere=len(np.unique(keys[covers.everywhere[known]])),
        clusters=len(touched),
        records=int(release.cluster_size[touched].sum()),
        holders=None if holders is None else holders.count(known),
    )


def _scores(covers: Covers, entry: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Algorithm 1: by item, by chunk, as printed."""
    clusters = covers.release.clusters
    cluster, item = covers.cluster[entry], covers.item[entry]
    listed = covers.chunk_items
    chunk = listed.find(cluster, covers.chunk[entry])
    first = listed.item[listed.start[chunk]] == item
    best = _best(cluster, item, clusters)
    # The maximum that is never reset is the running one.
    printed = np.maximum.accumulate(_best(cluster[first], chunk[first], clusters))
    return int(best.sum()), int(_best(cluster, chunk, clusters).sum()), int(printed.sum())


def _best(cluster: Longs, part: Longs, clusters: int) -> Longs:
    """Most entries that one part (item or chunk) of each cluster has."""
    most = np.zeros(clusters, np.int64)
    if len(cluster):
        wide = int(part.max()) + 1
        keys, counts = np.unique(cluster * wide + part, return_counts=True)
        np.maximum.at(most, keys // wide, counts)
    return most
