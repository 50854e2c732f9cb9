"""Document counts: what every measure made from them needs, where they come from, and a file that keeps them.

The file is JSON Lines that a person can read. The first line describes it::

    {"format": "cloven.counts/1", "source": "MedQuAD", "date": "2024-05-01", "documents": 16407, "unlisted": "never"}

Then come items, ``["blood", 812]``, and pairs of items, ``["blood", "vessel", 95]``; an item stands before its pairs.
An item that is not listed was not found. ``unlisted`` says what pairs are that are not listed: ``never`` together
(count 0), or ``unknown``, as from a search engine that was asked about some pairs only; there a pair with count 0 is
listed.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError, shorten
from cloven.intake.files import open_plain
from cloven.intake.trees import tree_of
from cloven.protocols import Coverage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.protocols import Counted, CountSource

    Pairs = tuple[Longs, Longs, Longs]


ROWS_AT_ONCE = 256


@runtime_checkable
class Listed(Protocol):
    """Counts that can list the pairs of their vocabulary without asking anybody."""

    @property
    def unlisted(self) -> int:
        """What holds for pairs that are not listed: 0 (never together) or -1 (not known)."""
        ...

    def pairs(self) -> Iterator[Pairs]:
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
    single: Floats
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
    def known(self) -> Longs:
        """Items that were found."""
        return np.flatnonzero(~np.isnan(self.single))

    def together(self, left: Longs, right: Longs) -> Floats:
        """Logarithm of the documents that hold both, for every left and every right item."""
        return logarithm(self.counted.together(left, right))

    def pairs(self) -> Iterator[Pairs]:
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


def logarithm(counts: Longs) -> Floats:
    """Logarithm of counts: minus infinity of 0, NaN of -1.

    >>> logarithm(np.array([1, 0, -1])).tolist()
    [0.0, -inf, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(counts)


def count_source(path: str | Path) -> CountSource:
    """Counts of documents, told apart by what is there: index of a corpus, closed index, or counts file."""
    from cloven.relatedness.counts_index import ClosedIndex, TantivyIndex

    path = Path(path)
    if path.is_dir():
        return TantivyIndex.open(path)
    try:
        with open_plain(path) as file:
            start = file.read(4)
    except OSError as fault:
        message = f"cannot be read: {fault.strerror}; name a file of counts"
        raise InputError(message, source=str(path)) from fault
    return ClosedIndex.load(path) if start == b"PK\x03\x04" else CountsFile(path)


def same(left: Longs, right: Longs) -> NDArray[np.bool_]:
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

    def block(self, left: Longs, right: Longs) -> Longs:
        """Cells of every left and every right item."""
        if self._dense is not None:
            return self._dense[np.ix_(left, right)].astype(np.int64)
        return np.asarray(self.cells[left][:, right].toarray(), dtype=np.int64)


def upper(counts: Any, first: int = 0) -> Pairs:
    """Cells above the diagonal of rows that start at ``first`` of a symmetric table."""
    cells = counts.tocoo()
    rows, columns = cells.row.astype(np.int64) + first, cells.col.astype(np.int64)
    above = columns > rows
    return rows[above], columns[above], cells.data[above].astype(np.int64)


# Document counts in a file, as the head of this module describes it.


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
    single: Longs
    unlisted: int
    listed: PairTable

    def together(self, left: Longs, right: Longs) -> Longs:
        """Documents that hold both, for every left and every right item; -1 where the file does not say."""
        counts = self.listed.block(left, right) - 1
        counts[counts < 0] = self.unlisted
        return np.where(left[:, None] == right[None, :], self.single[left][:, None], counts)

    def pairs(self) -> Iterator[Pairs]:
        """Pairs that are listed: first item, second item (larger), documents."""
        first, second, counts = upper(self.listed.cells)
        yield first, second, counts - 1


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


# The lines of such a file; a bad one is named with its number.


FORMAT = "cloven.counts/1"
UNLISTED = {"never": 0, "unknown": -1}


@dataclass(frozen=True, eq=False, repr=False)
class CountLines:
    """All of a file.

    Attributes:
        header: its first line.
        number: items in the order of their lines.
        single: documents that hold each item.
        pairs: documents that hold both, by the numbers of the items, the smaller first.
    """

    header: dict[str, Any]
    number: dict[str, int]
    single: Longs
    pairs: dict[tuple[int, int], int]

    @classmethod
    def read(cls, path: Path) -> CountLines:
        """Read a file; a bad line raises an error that names it."""
        try:
            with io.TextIOWrapper(open_plain(path), encoding="utf-8") as file:
                return cls._parsed(file, str(path))
        except OSError as fault:
            message = f"cannot be read: {fault.strerror}; name a file of counts"
            raise InputError(message, source=str(path)) from fault
        except UnicodeDecodeError as fault:
            message = "is not UTF-8 text; counts are JSON Lines"
            raise InputError(message, source=str(path)) from fault

    @classmethod
    def _parsed(cls, lines: Iterator[str], source: str) -> CountLines:
        header = _header(next(lines, ""), source)
        number: dict[str, int] = {}
        single: list[int] = []
        pairs: dict[tuple[int, int], int] = {}
        for position, line in enumerate(lines, start=2):
            if not line.strip():
                continue
            try:
                *names, count = _entry(line)
                if len(names) == 1:
                    _add(number, names[0], len(single))
                    single.append(count)
                else:
                    low, high = sorted((_known(number, names[0]), _known(number, names[1])))
                    _add(pairs, (low, high), count)
            except _BadLineError as fault:
                raise InputError(str(fault), source=source, line=position, value=line.rstrip("\n")) from None
        return cls(header, number, np.array(single, dtype=np.int64), pairs)


class _BadLineError(Exception):
    """What is wrong with a line."""


def _header(line: str, source: str) -> dict[str, Any]:
    try:
        header = tree_of(line)
        good = (
            header["format"] == FORMAT
            and isinstance(header["source"], str)
            and isinstance(header["date"], str)
            and type(header["documents"]) is int
            and 0 < header["documents"] < 2**62
            and header["unlisted"] in UNLISTED
        )
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        message = f'expected {{"format": "{FORMAT}", "source", "date", "documents" > 0, "unlisted": never or unknown}}'
        raise InputError(message, source=source, line=1, value=line.rstrip("\n"))
    found: dict[str, Any] = header
    return found


def _entry(line: str) -> list[Any]:
    """One or two names and a count."""
    message = 'expected ["item", count] or ["item", "item", count]'
    try:
        entry = tree_of(line)
    except ValueError:
        raise _BadLineError(message) from None
    if not (isinstance(entry, list) and len(entry) in (2, 3) and all(isinstance(n, str) for n in entry[:-1])):
        raise _BadLineError(message)
    if type(entry[-1]) is not int or not 0 <= entry[-1] < 2**62:
        message = "expected a count: a whole number from 0 on"
        raise _BadLineError(message)
    return entry


def _add(counts: dict[Any, int], key: Any, count: int) -> None:
    if isinstance(key, tuple) and key[0] == key[1]:
        message = "expected two different items"
        raise _BadLineError(message)
    if key in counts:
        message = "is listed twice; keep one line"
        raise _BadLineError(message)
    counts[key] = count


def _known(number: dict[str, int], name: str) -> int:
    if name not in number:
        message = f"{name!r} has no count of its own before; list items before their pairs"
        raise _BadLineError(message)
    return number[name]
