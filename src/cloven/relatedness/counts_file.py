"""Document counts in a file: JSON Lines that a person can read, with the source and the date of the counts.

The first line describes the file::

    {"format": "cloven.counts/1", "source": "MedQuAD", "date": "2024-05-01", "documents": 16407, "unlisted": "never"}

Then come items, ``["blood", 812]``, and pairs of items, ``["blood", "vessel", 95]``; an item stands before its pairs.
An item that is not listed was not found. ``unlisted`` says what pairs are that are not listed: ``never`` together
(count 0), or ``unknown``, as from a search engine that was asked about some pairs only; there a pair with count 0 is
listed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import OutputError, ParameterError
from cloven.relatedness.counting import Listed, LogCounts
from cloven.relatedness.counts_lines import FORMAT, UNLISTED, CountLines
from cloven.relatedness.pair_table import PairTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.protocols import CountSource


@dataclass(frozen=True)
class CountsFile:
    """Counts that stand in a file.

    Attributes:
        path: the file.
    """

    path: str | Path

    @cached_property
    def _lines(self) -> CountLines:
        return CountLines.read(Path(self.path))

    def count(self, items: Sequence[str]) -> FileCounts:
        """Look the items up in the file, which is read when first used."""
        from scipy.sparse import coo_array

        lines = self._lines
        place = {lines.number[item]: position for position, item in enumerate(items) if item in lines.number}
        single = np.zeros(len(items), dtype=np.int64)
        single[list(place.values())] = lines.single[list(place)]
        listed = [
            (place[x], place[y], count + 1)
            for (x, y), count in lines.pairs.items()
            if x in place and y in place
        ]
        rows, columns, counts = np.array(listed, dtype=np.int64).reshape(-1, 3).T
        both = np.concatenate([rows, columns]), np.concatenate([columns, rows])
        cells = coo_array((np.concatenate([counts, counts]), both), shape=(len(items), len(items))).tocsr()
        about = lines.header["source"], lines.header["date"], lines.header["documents"]
        return FileCounts(*about, single, UNLISTED[lines.header["unlisted"]], PairTable(cells))


@dataclass(frozen=True, eq=False, repr=False)
class FileCounts:
    """Counts of one vocabulary (see ``cloven.protocols.Counted``) from a file.

    Attributes:
        source: what was counted, in words.
        date: when it was counted (ISO date), or an empty string.
        documents: number of all documents.
        single: documents that hold each item; 0 where it is not listed.
        unlisted: count of pairs that are not listed: 0 or -1 (not known).
        listed: counts plus 1 of the pairs that are listed, so that a listed 0 is not an empty cell.
    """

    source: str
    date: str
    documents: int
    single: NDArray[np.int64]
    unlisted: int
    listed: PairTable

    def together(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Documents that hold both, for every left and every right item; -1 where the file does not say."""
        counts = self.listed.block(left, right) - 1
        counts[counts < 0] = self.unlisted
        return np.where(left[:, None] == right[None, :], self.single[left][:, None], counts)

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Pairs that are listed: first item, second item (larger), documents."""
        cells = self.listed.cells.tocoo()
        rows, columns = cells.row.astype(np.int64), cells.col.astype(np.int64)
        above = columns > rows
        yield rows[above], columns[above], cells.data[above].astype(np.int64) - 1


def write_counts(path: str | Path, items: Sequence[str], counts: CountSource) -> None:
    """Count items and all pairs of them, and write a file that ``CountsFile`` reads.

    A source that must be asked pair by pair is asked about all pairs of items that it knows.
    """
    if len(set(items)) != len(items):
        message = "an item is named twice; name every item once"
        raise ParameterError(message)
    logs = LogCounts.of(counts, items)
    counted, path = logs.counted, Path(path)
    unlisted = "never" if isinstance(counted, Listed) and counted.unlisted == 0 else "unknown"
    header = {"format": FORMAT, "source": counted.source, "date": counted.date}
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.write(_line({**header, "documents": counted.documents, "unlisted": unlisted}))
            file.writelines(_line([items[item], int(counted.single[item])]) for item in logs.known)
            for first, second, both in logs.pairs():
                rows = zip(first.tolist(), second.tolist(), both.tolist(), strict=True)
                file.writelines(_line([items[x], items[y], count]) for x, y, count in rows if count >= 0)
        unfinished.replace(path)
    except OSError as fault:
        message = f"cannot write the counts {path}: {fault.strerror}"
        raise OutputError(message) from fault
    finally:
        unfinished.unlink(missing_ok=True)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
