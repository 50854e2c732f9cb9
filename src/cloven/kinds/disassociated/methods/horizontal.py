"""The horizontal step: which records share a cluster. HORPART is the default; others plug in here.

A horizontal step is any object with ``partition(part) -> cluster of each record``; see ``Part`` for what it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from cloven.data.arrays import distinct, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs


SmallClusters = Literal["add", "abandon", "suppress", "remaining", "keep"]


class Part(NamedTuple):
    """One block of records, sorted by content, and the sizes to keep to.

    Attributes:
        offsets: row starts of the records.
        terms: term numbers in tie order.
        n_terms: how many terms there are.
        person: person of each record, or empty.
        k: least number of records (or persons) of a cluster.
        m: size of the combinations that must hold.
        maximum: largest wanted cluster, inclusive.
        small: what to do with clusters below k.
    """

    offsets: Longs
    terms: NDArray[np.int32]
    n_terms: int
    person: Longs
    k: int
    m: int
    maximum: int
    small: SmallClusters


class Horizontal(Protocol):
    """Puts records into clusters."""

    def partition(self, part: Part) -> Longs:
        """Cluster of each record, numbered 0, 1, ...; -1 for records that are left out."""
        ...


@dataclass(frozen=True)
class HorPart:
    """HORPART: split by the most frequent term until parts are small (Terrovitis et al., PVLDB 2012, Fig. 4)."""

    def partition(self, part: Part) -> Longs:
        """Cluster of each record; see ``horpart`` for the strategies."""
        from cloven.kinds.disassociated.methods import horpart as kernel

        code = {
            "add": kernel.ADD,
            "abandon": kernel.ABANDON,
            "suppress": kernel.SUPPRESS,
            "remaining": kernel.REMAINING,
            "keep": kernel.KEEP,
        }[part.small]
        people = int(part.person.max()) + 1 if len(part.person) else 0
        clusters, count = kernel.horpart(
            part.offsets, part.terms, part.n_terms, part.k, part.maximum, code, part.person, people
        )
        return _again(part, clusters, count) if part.small == "remaining" else clusters


def _again(part: Part, clusters: Longs, count: int) -> Longs:
    """The remaining-list strategy: partition the records left over again, until a pass saves nothing.

    What is left then is cut into slices between k and the maximum, in canonical order; a rest below k joins the
    cluster saved last (AlShuhail 2021, Algorithm 3, with the exit it lacks).
    """
    from cloven.kinds.disassociated.methods import horpart as kernel

    while True:
        left = np.flatnonzero(clusters < 0)
        if holders(part.person, left) < part.k:
            break
        offsets, terms = take_rows(part.offsets, part.terms, left)
        if np.bincount(terms, minlength=1).max() < part.k:
            break  # no term can make a cluster of k, so another pass would only peel off a handful
        person = part.person[left] if len(part.person) else part.person
        people = int(part.person.max()) + 1 if len(part.person) else 0
        found, more = kernel.horpart(
            offsets, terms, part.n_terms, part.k, part.maximum, kernel.REMAINING, person, people
        )
        if more == 0:
            break
        clusters[left] = np.where(found >= 0, found + count, -1)
        count += more
    for piece in slices(part, left):
        if holders(part.person, piece) >= part.k or count == 0:
            clusters[piece] = count
            count += 1
        else:
            clusters[piece] = count - 1
    return clusters


def slices(part: Part, records: Longs) -> list[Longs]:
    """Cut a list of records into pieces of at most the maximum; only the last may fall below k holders.

    When there are enough records for all pieces, none falls below k.
    """
    if len(records) == 0:
        return []
    pieces = -(-len(records) // part.maximum)
    cut = [np.asarray(piece) for piece in np.array_split(records, pieces)]
    out: list[Longs] = []
    for piece in cut:
        if out and holders(part.person, out[-1]) < part.k:
            out[-1] = np.concatenate((out[-1], piece))
        else:
            out.append(piece)
    return out


# How many stand behind something: records, or distinct persons where they are told (else ``person`` is empty).


def holders(person: Longs, records: Longs) -> int:
    """Holders behind some records.

    >>> holders(np.array([7, 7, 8]), np.array([0, 1])), holders(np.empty(0, int), np.array([0, 1]))
    (1, 2)
    """
    return len(distinct(person[records])) if len(person) else len(records)


def holders_of_clusters(person: Longs, clusters: Longs) -> Longs:
    """Holders of each cluster 0, 1, ...; ``clusters`` is the cluster of each record, -1 for none.

    >>> holders_of_clusters(np.array([7, 7, 8, 9]), np.array([0, 0, 1, -1])).tolist()
    [1, 1]
    """
    inside = np.flatnonzero(clusters >= 0)
    if not len(person):
        return np.bincount(clusters[inside]).astype(np.int64)
    width = int(person.max()) + 1
    pairs = distinct(clusters[inside] * width + person[inside])
    return np.bincount(pairs // width).astype(np.int64)
