"""Normalised Google distance from several items taken as one: the documents that hold all of them.

Section 4.1 of the paper on attacking set-generalised transactions weighs this reading of a context against the mean
over single items, and prefers the mean. Only counts that name the documents of each item can answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@runtime_checkable
class Holding(Protocol):
    """Counts that name the documents of each item."""

    @property
    def documents(self) -> int:
        """Number of all documents."""
        ...

    def holding(self, item: int) -> NDArray[np.int32]:
        """Documents that hold one item, ascending."""
        ...


def conjunction_counts(
    counts: Holding, offsets: NDArray[np.int64], items: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Documents that hold all items of each conjunction; and those that hold a right item besides.

    Conjunction ``i`` has the items ``items[offsets[i]:offsets[i + 1]]``; one of no items is in all documents.

    >>> from cloven.relatedness.postings import Postings
    >>> counts = Postings.of([[0, 1, 2], [1, 2], [2, 3]], documents=5)
    >>> conjunction_counts(counts, np.array([0, 2]), np.array([0, 1]), np.array([2]))
    (array([2]), array([[1]]))
    """
    many = len(offsets) - 1
    alone, beside = np.zeros(many, np.int64), np.zeros((many, len(right)), np.int64)
    others = [counts.holding(item) for item in right.tolist()]
    seen: dict[bytes, int] = {}
    marks = np.zeros(counts.documents, bool)
    for number in range(many):
        members = np.sort(items[offsets[number] : offsets[number + 1]])
        before = seen.setdefault(members.tobytes(), number)
        if before < number:
            alone[number], beside[number] = alone[before], beside[before]
            continue
        held = _intersection([counts.holding(item) for item in members.tolist()], counts.documents)
        marks[held] = True
        alone[number] = len(held)
        beside[number] = [np.count_nonzero(marks[other]) for other in others]
        marks[held] = False
    return alone, beside


def _intersection(lists: list[NDArray[np.int32]], documents: int) -> NDArray[np.int64]:
    """Numbers that are in all of the ascending lists, the shortest taken first."""
    found = np.arange(documents)
    for each in sorted(lists, key=len):
        found = np.intersect1d(found, each, assume_unique=True)
        if not len(found):
            break
    return found
