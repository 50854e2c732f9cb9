"""What every measure made from document counts needs: logarithms, coverage, and all pairs of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from cloven.errors import InputError, ParameterError, shorten
from cloven.protocols import Coverage

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


# A symmetric table of counts for pairs of items, asked block by block.


DENSE_CELLS = 1 << 24
"""Tables up to this size are unpacked (64 MB of int32): a small block then comes about nine times faster."""


@dataclass(frozen=True, eq=False, repr=False)
class PairTable:
    """Counts for pairs, kept sparse; cells that are not stored are 0.

    Attributes:
        cells: SciPy CSR array of whole numbers, items by items, both triangles.
    """

    cells: Any

    @cached_property
    def _dense(self) -> NDArray[np.signedinteger] | None:
        items = self.cells.shape[0]
        return np.asarray(self.cells.toarray()) if items * items <= DENSE_CELLS else None

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cells of every left and every right item."""
        if self._dense is not None:
            return self._dense[np.ix_(left, right)].astype(np.int64)
        return np.asarray(self.cells[left][:, right].toarray(), dtype=np.int64)


# Normalised pointwise mutual information (Bouma, Proceedings of the GSCL conference, 2009) from document counts.
#
# NPMI(x, y) = log(p(x, y) / (p(x) p(y))) / -log p(x, y): 1 when the items are only ever together, 0 when they are
# independent, -1 when they are never together. Unlike NGD it compares with what chance would give, so rare words are
# not far from everything; in turn, two words that one single document holds are as close as can be.


@dataclass(frozen=True)
class MutualInformation:
    """Relatedness NPMI from document counts.

    Attributes:
        counts: where documents are counted.
        never: items that are never together are ``far`` apart (-1), or have no score (``unknown``).

    >>> from cloven.relatedness.counts_closed import ClosedIndex
    >>> index = ClosedIndex.build([["flu", "fever"], ["flu", "fever"], ["fever"], ["knee"]])
    >>> items = np.arange(3)
    >>> MutualInformation(index).relate(["flu", "fever", "knee"]).block(items, items).round(2).tolist()
    [[1.0, 0.42, -1.0], [0.42, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """

    counts: CountSource
    never: Literal["far", "unknown"] = "far"

    def __post_init__(self) -> None:
        if self.never not in ("far", "unknown"):
            message = f"never must be 'far' or 'unknown', got {self.never!r}"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "npmi"

    def relate(self, items: Sequence[str]) -> MutualRelated:
        """Count the items."""
        return MutualRelated(LogCounts.of(self.counts, items), -1.0 if self.never == "far" else np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class MutualRelated:
    """NPMI of one vocabulary.

    Attributes:
        logs: logarithms of the counts.
        beyond: score of items that are never together; NaN where that means no score.
    """

    logs: LogCounts
    beyond: float

    @property
    def coverage(self) -> Coverage:
        """Which items were found in some document."""
        return self.logs.coverage

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """NPMI of every left item to every right one; NaN means no score."""
        single = self.logs.single
        ours, theirs = single[left][:, None], single[right][None, :]
        scores = mutual_information(ours, theirs, self.logs.together(left, right), self.logs.documents)
        scores[np.isneginf(scores)] = self.beyond
        return np.where(same(left, right), np.where(np.isnan(ours), np.nan, 1.0), scores)


def mutual_information(
    left: NDArray[np.float64], right: NDArray[np.float64], both: NDArray[np.float64], documents: float
) -> NDArray[np.float64]:
    """NPMI from logarithms of counts: minus infinity where the items are never together, NaN where a count is NaN.

    Items that all documents hold tell nothing: 0. Counts that contradict each other are kept within -1 and 1.

    >>> mutual_information(np.log([4.0]), np.log([4.0]), np.log([2.0]), np.log(8.0)).tolist()
    [0.0]
    """
    excess = both + documents - left - right
    surprise = np.broadcast_to(documents - both, excess.shape)
    score = np.where(np.isnan(excess), np.nan, 0.0)
    finite = np.isfinite(excess) & (surprise > 0)
    np.divide(excess, surprise, out=score, where=finite)
    np.clip(score, -1.0, 1.0, out=score)
    score[np.isneginf(excess)] = -np.inf
    return score
