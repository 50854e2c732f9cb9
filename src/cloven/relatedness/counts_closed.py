"""Documents counted for a closed list of terms: one scan of the documents, no search engine.

Documents are sets of terms, or texts. In texts an item of several words ("blood vessel") is found as a phrase, and
its words still count for themselves: "blood" is found there, too. Capital letters and what stands between words do
not matter. A document counts once for an item, however often it holds it.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.counts import PairTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray


FORMAT = "cloven.closed-index/1"


@dataclass(frozen=True, eq=False, repr=False)
class ClosedIndex:
    """Which documents hold which term of a closed list.

    Attributes:
        terms: the terms in their written form; those of an index of texts are lower-case words with single spaces.
        postings: documents of each term.
        text: whether the documents were texts.

    >>> texts = ["A blood vessel in the lung.", "Blood vessels", "lung"]
    >>> index = ClosedIndex.build(texts, items=["blood vessel", "blood", "lung"])
    >>> counted = index.count(["Blood-vessel", "blood", "lung", "heart"])
    >>> counted.documents, counted.single.tolist()
    (3, [1, 2, 2, 0])
    """

    terms: tuple[str, ...]
    postings: Postings
    text: bool = False

    @classmethod
    def build(
        cls,
        documents: Iterable[Iterable[str] | str],
        items: Iterable[str] | None = None,
        *,
        source: str = "",
        date: str = "",
    ) -> ClosedIndex:
        """Scan documents once, for ``items`` alone or for every term (of texts: every word) that they hold.

        ``source`` and ``date`` say what the documents are and of when; both are kept with the counts.
        """
        scan = Scan(None if items is None else tuple(items))
        for document in documents:
            scan.add(document)
        if not scan.documents:
            message = "no documents: an index cannot be built from nothing; give at least one"
            raise ParameterError(message)
        if not any(scan.holders):
            message = f"none of the terms is in the {scan.documents} documents; use documents that speak of the items"
            raise ParameterError(message)
        lists = [np.frombuffer(holders, dtype=np.intc) for holders in scan.holders]
        postings = Postings.of(lists, scan.documents, source, date)
        return cls(tuple(scan.numbers), postings, bool(scan.text))

    def __repr__(self) -> str:
        return (
            f"ClosedIndex({len(self.terms)} terms, {self.postings.documents} documents, "
            f"source={self.postings.source!r})"
        )

    @cached_property
    def _number(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def count(self, items: Sequence[str]) -> Postings:
        """Look the items up; one that is not in the closed list is in 0 documents."""
        written: Callable[[str], str] = phrase if self.text else str
        numbers = [self._number.get(written(item), -1) for item in items]
        mine, nowhere = self.postings, np.empty(0, dtype=np.int32)
        lists = [mine.holding(number) if number >= 0 else nowhere for number in numbers]
        return Postings.of(lists, mine.documents, mine.source, mine.date)

    def save(self, path: str | Path) -> None:
        """Write the index to one file; an interrupted write leaves the old one."""
        path = Path(path)
        mine = self.postings
        header = {
            "format": FORMAT,
            "source": mine.source,
            "date": mine.date,
            "documents": mine.documents,
            "text": self.text,
            "terms": self.terms,
        }
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with unfinished.open("wb") as file:
                packed = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
                np.savez_compressed(file, header=packed, offsets=mine.offsets, holders=mine.holders)
            unfinished.replace(path)
        except OSError as fault:
            unfinished.unlink(missing_ok=True)
            message = f"cannot write the index {path}: {fault.strerror}"
            raise OutputError(message) from fault

    @classmethod
    def load(cls, path: str | Path) -> ClosedIndex:
        """Read an index that ``save`` wrote."""
        try:
            with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                header: dict[str, Any] = json.loads(file["header"].tobytes())
                arrays = file["offsets"].astype(np.int64), file["holders"].astype(np.int32)
            if header.get("format") != FORMAT:
                raise KeyError(FORMAT)
            postings = Postings(*arrays, header["documents"], header["source"], header["date"])
            terms = tuple(header["terms"])
        except FileNotFoundError:
            message = "there is no such file; build the index and save it first"
            raise InputError(message, source=str(path)) from None
        except (OSError, EOFError, KeyError, ValueError, AttributeError, BadZipFile) as fault:
            message = f"not an index of documents ({FORMAT}); build it anew"
            raise InputError(message, source=str(path)) from fault
        if len(terms) + 1 != len(postings.offsets) or not well_formed(postings):
            message = "the index is damaged: its lists do not fit its terms; build it anew"
            raise InputError(message, source=str(path))
        return cls(terms, postings, bool(header["text"]))


# Finds terms in documents: members of sets, words and phrases of texts.


WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Words of a text in lower case: runs of letters and digits."""
    return WORD.findall(text.lower())


def phrase(item: str) -> str:
    """An item as it is looked for in texts.

    >>> phrase("Low-fat  Yoghurt")
    'low fat yoghurt'
    """
    return " ".join(words(item))


class Scan:
    """Posting lists under construction, for a closed list of items or (None) for every term that comes.

    Attributes:
        text: whether the documents are texts; None before the first one.
        documents: how many were added.
        numbers: terms by their number.
        holders: documents of each term.
    """

    def __init__(self, items: tuple[str, ...] | None) -> None:
        self._items = items
        self.text: bool | None = None  # the first document says which kind they are
        self.documents = 0
        self.numbers: dict[str, int] = {}
        self.holders: list[array[int]] = []
        self._phrases: dict[str, list[tuple[list[str], int]]] = {}

    def add(self, document: Iterable[str] | str) -> None:
        """Note the terms of one more document."""
        if self.text is None:
            self._begin(text=isinstance(document, str))
        if self.text != isinstance(document, str):
            message = (
                f"document {self.documents + 1} is another kind than the first; give texts only or sets only"
            )
            raise InputError(message)
        for number in self._in_text(document) if isinstance(document, str) else self._in_set(document):
            self.holders[number].append(self.documents)
        self.documents += 1

    def _begin(self, *, text: bool) -> None:
        self.text = text
        for item in self._items or ():
            written = phrase(item) if text else item
            if not written or written in self.numbers:
                continue
            number = self._new(written)
            first, *rest = written.split(" ") if text else [written]
            if rest:
                self._phrases.setdefault(first, []).append((rest, number))

    def _new(self, written: str) -> int:
        self.holders.append(array("i"))
        return self.numbers.setdefault(written, len(self.numbers))

    def _in_set(self, terms: Iterable[str]) -> set[int]:
        if self._items is not None:
            return {self.numbers[term] for term in terms if term in self.numbers}
        return {self.numbers[term] if term in self.numbers else self._new(term) for term in terms}

    def _in_text(self, text: str) -> set[int]:
        found = words(text)
        numbers = self._in_set(set(found))
        if self._phrases:
            for position, word in enumerate(found, start=1):
                for rest, number in self._phrases.get(word, ()):
                    if found[position : position + len(rest)] == rest:
                        numbers.add(number)
        return numbers


# Documents counted from posting lists: for each item the documents that hold it.
#
# All pairs at once are one sparse product X X', X being items by documents. The finished table answers a small block
# some twenty times faster than intersecting roaring bitmaps does, and all pairs together cost a tenth; so the table is
# made once, where it fits into memory.


TABLE_PAIRS = 25_000_000
"""Largest number of co-occurring pairs kept as a table (200 MB); beyond, every block is a product of its own."""
ROWS_AT_ONCE = 256


@dataclass(frozen=True, eq=False, repr=False)
class Postings:
    """Counts of one vocabulary (see ``cloven.protocols.Counted``) from posting lists.

    Attributes:
        offsets: where the documents of each item start in ``holders``, and their number.
        holders: numbers of the documents that hold each item, ascending inside an item.
        documents: number of all documents.
        source: what was counted, in words.
        date: when it was counted (ISO date), or an empty string.

    >>> counted = Postings.of([[0, 1, 2], [1, 2], []], documents=5)
    >>> counted.single.tolist(), counted.together(np.arange(3), np.array([1])).tolist()
    ([3, 2, 0], [[2], [2], [0]])
    """

    offsets: NDArray[np.int64]
    holders: NDArray[np.int32]
    documents: int
    source: str = ""
    date: str = ""

    @classmethod
    def of(
        cls, lists: Sequence[Sequence[int] | NDArray[Any]], documents: int, source: str = "", date: str = ""
    ) -> Postings:
        """Join posting lists, one ascending list of document numbers for each item."""
        arrays = [np.asarray(numbers, dtype=np.int32) for numbers in lists]
        offsets = np.zeros(len(arrays) + 1, dtype=np.int64)
        np.cumsum([len(array) for array in arrays], out=offsets[1:])
        holders = np.concatenate([np.empty(0, dtype=np.int32), *arrays])
        return cls(offsets, holders, documents, source, date)

    def __repr__(self) -> str:
        return f"Postings({len(self.offsets) - 1} items, {self.documents} documents, source={self.source!r})"

    @property
    def unlisted(self) -> int:
        """Pairs that ``pairs`` does not list are never together."""
        return 0

    @cached_property
    def single(self) -> NDArray[np.int64]:
        """Documents that hold each item; 0 where it was not found."""
        return np.diff(self.offsets)

    def holding(self, item: int) -> NDArray[np.int32]:
        """Documents that hold one item, ascending."""
        return self.holders[self.offsets[item] : self.offsets[item + 1]]

    def together(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Documents that hold both, for every left and every right item."""
        if self._table is not None:
            return self._table.block(left, right)
        product = self._matrix[left] @ self._matrix[right].T
        return np.asarray(product.toarray(), dtype=np.int64)

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """All pairs of items that some document holds, in pieces: first item, second item (larger), documents."""
        if self._table is not None:
            yield _upper(self._table.cells, first=0)
            return
        others = self._matrix.T.tocsr()
        for start in range(0, len(self.single), ROWS_AT_ONCE):
            yield _upper(self._matrix[start : start + ROWS_AT_ONCE] @ others, first=start)

    @cached_property
    def _matrix(self) -> Any:
        """Items by documents; documents that hold none of the items are left out."""
        from scipy.sparse import csr_array

        used = self._held > 0
        columns = (np.cumsum(used, dtype=np.int32) - 1)[self.holders]
        ones = np.ones(len(columns), dtype=np.int32)
        narrow = self.offsets.astype(np.int32) if len(columns) < 2**31 else self.offsets  # half the memory
        return csr_array((ones, columns, narrow), shape=(len(self.single), int(used.sum())))

    @cached_property
    def _held(self) -> NDArray[np.int64]:
        """How many of the items each document holds."""
        return np.bincount(self.holders, minlength=self.documents)

    @cached_property
    def _table(self) -> PairTable | None:
        items = len(self.single)
        if min(int((self._held**2).sum()), items * items) > TABLE_PAIRS:
            return None
        return PairTable((self._matrix @ self._matrix.T).tocsr())


def _upper(counts: Any, first: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cells above the diagonal of rows that start at ``first`` of a symmetric table."""
    cells = counts.tocoo()
    rows, columns = cells.row.astype(np.int64) + first, cells.col.astype(np.int64)
    above = columns > rows
    return rows[above], columns[above], cells.data[above].astype(np.int64)


def well_formed(postings: Postings) -> bool:
    """Whether the lists are well formed: ascending without repeats, and inside the documents."""
    inside = bool(((postings.holders >= 0) & (postings.holders < postings.documents)).all())
    return inside and all(
        bool((np.diff(postings.holders[start:end]) > 0).all()) for start, end in pairwise(postings.offsets)
    )
