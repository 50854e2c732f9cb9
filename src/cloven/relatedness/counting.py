"""What every measure made from document counts needs: logarithms, coverage, and all pairs of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from cloven.errors import InputError, ParameterError, shorten
from cloven.model.coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.protocols import Counted, CountSource

ROWS_AT_ONCE = 256


@runtime_checkable
class Listed(Protocol):
    """Counts that can list the pairs of their vocabulary without asking anybody."""

    @property
    def unlisted(self) -> int:
        """What holds for pairs that are not listed: 0 (never together) or -1 (not known)."""
        ...

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Pairs in pieces: first item, second item (larger), documents that hold both."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class LogCounts:
    """Natural logarithms of the counts of one vocabulary: NaN is not known, minus infinity is never.

    Attributes:
        counted: the counts.
        single: logarithm of the documents of each item, NaN where it was not found.
        documents: logarithm of the number of all documents.
        coverage: which items were found.
    """

    counted: Counted
    single: NDArray[np.float64]
    documents: float
    coverage: Coverage

    @classmethod
    def of(cls, source: CountSource, items: Sequence[str]) -> LogCounts:
        """Look the items up; raise if none was found, or if the counts contradict the number of documents."""
        counted = source.count(items)
        single = np.asarray(counted.single)
        found = single > 0
        unknown = tuple(item for item, known in zip(items, found.tolist(), strict=True) if not known)
        if len(items) and not found.any():
            names = ", ".join(shorten(item) for item in unknown[:5]) + (", ..." if len(unknown) > 5 else "")
            place = f"{counted.source}: " if counted.source else ""
            message = f"{place}none of the {len(items)} items ({names}) was found; count documents about them"
            raise ParameterError(message)
        if len(items) and single.max() > counted.documents:
            worst = items[int(single.argmax())]
            message = f"{single.max()} documents hold {shorten(worst)}, but all are {counted.documents}; correct that"
            raise InputError(message, source=counted.source or None)
        logarithms = np.full(len(items), np.nan)
        logarithms[found] = np.log(single[found])
        coverage = Coverage({"counted": int(found.sum())}, unknown)
        return cls(counted, logarithms, float(np.log(max(counted.documents, 1))), coverage)

    @property
    def known(self) -> NDArray[np.int64]:
        """Items that were found."""
        return np.flatnonzero(~np.isnan(self.single))

    def together(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Logarithm of the documents that hold both, for every left and every right item."""
        return logarithm(self.counted.together(left, right))

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Pairs of found items with their counts: those that are listed, or all, asked row by row."""
        if isinstance(self.counted, Listed):
            yield from self.counted.pairs()
            return
        known = self.known
        for start in range(0, len(known), ROWS_AT_ONCE):
            rows = known[start : start + ROWS_AT_ONCE]
            counts = self.counted.together(rows, known)
            first, second = np.nonzero(rows[:, None] < known[None, :])
            yield rows[first], known[second], counts[first, second]


def logarithm(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithm of counts: minus infinity of 0, NaN of -1.

    >>> logarithm(np.array([1, 0, -1])).tolist()
    [0.0, -inf, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(counts)


def same(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where an item meets itself."""
    return np.equal(left[:, None], right[None, :])
