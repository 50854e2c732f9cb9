"""The original records that hold a leaked pair: the owner's own view of how many persons a cover is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.breach.covers import Covers
    from cloven.model.transactions import Transactions

    Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Holders:
    """Who holds which leaked pair.

    Attributes:
        leak: a leak (position in ``Covers.leaks``).
        record: a record that holds both its items.
    """

    leak: Longs
    record: Longs

    def count(self, known: NDArray[np.bool_]) -> int:
        """Number of records that hold a pair among these leaks."""
        return len(np.unique(self.record[known[self.leak]]))


def holders(covers: Covers, original: Transactions, record_cluster: Longs | None = None) -> Holders:
    """Look the leaked pairs up in the original.

    With ``record_cluster``, the cluster of each record (-1 for none; the key knows it), only records of the cluster
    that leaks are counted; without it every record that holds the pair, in whichever cluster.
    """
    number, covered = covers.leaks
    names, code = covers.release.vocabulary, original.code_of()
    to_original = np.fromiter((code.get(name, -1) for name in names), np.int64, len(names))
    first, second = to_original[covers.item[number]], to_original[covered]
    leak = np.flatnonzero((first >= 0) & (second >= 0))
    support = np.append(original.supports, 0)
    swap = support[first[leak]] > support[second[leak]]
    rare = np.where(swap, second[leak], first[leak])
    other = np.where(swap, first[leak], second[leak])
    width = max(1, len(original.vocabulary))
    row = np.repeat(np.arange(len(original)), original.lengths)
    posting = np.argsort(original.codes, kind="stable")
    start = np.cumsum(support[:-1]) - support[:-1]
    many = support[rare]
    entry = np.repeat(np.arange(len(leak)), many)
    at = np.arange(len(entry)) + np.repeat(start[rare] - (np.cumsum(many) - many), many)
    record = row[posting[at]]
    occurrences = row * width + original.codes
    wanted = record * width + other[entry]
    place = np.minimum(np.searchsorted(occurrences, wanted), len(occurrences) - 1)
    holds = occurrences[place] == wanted
    if record_cluster is not None:
        holds &= record_cluster[record] == covers.cluster[number[leak[entry]]]
    return Holders(leak[entry[holds]], record[holds])
