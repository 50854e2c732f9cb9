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

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.counts import Listed, LogCounts, PairTable

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


# Reads the lines of a counts file (see ``counts_file``); a bad one is named with its number.


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
    single: NDArray[np.int64]
    pairs: dict[tuple[int, int], int]

    @classmethod
    def read(cls, path: Path) -> CountLines:
        """Read a file; a bad line raises an error that names it."""
        try:
            with path.open(encoding="utf-8") as file:
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
        header = json.loads(line)
        good = (
            header["format"] == FORMAT
            and isinstance(header["source"], str)
            and isinstance(header["date"], str)
            and type(header["documents"]) is int
            and header["documents"] > 0
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
        entry = json.loads(line)
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
