"""Indexes of documents: for a closed list of terms, by one scan of the documents, or in a folder of tantivy.

A closed index needs no search engine.

Documents are sets of terms, or texts. In texts an item of several words ("blood vessel") is found as a phrase, and
its words still count for themselves: "blood" is found there, too. Capital letters and what stands between words do
not matter. A document counts once for an item, however often it holds it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from array import array
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.intake.files import content
from cloven.intake.packing import arrays_in
from cloven.intake.trees import tree_of
from cloven.relatedness.counts import ROWS_AT_ONCE, PairTable, upper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.relatedness.counts import Pairs


CLOSED_FORMAT = "cloven.closed-index/1"


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
            "format": CLOSED_FORMAT,
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
            found = arrays_in(path)
            header: dict[str, Any] = tree_of(found["header"].tobytes())
            arrays = found["offsets"].astype(np.int64), found["holders"].astype(np.int32)
            if header.get("format") != CLOSED_FORMAT:
                raise KeyError(CLOSED_FORMAT)
            postings = Postings(*arrays, header["documents"], header["source"], header["date"])
            terms = tuple(header["terms"])
        except FileNotFoundError:
            message = "there is no such file; build the index and save it first"
            raise InputError(message, source=str(path)) from None
        except (OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, BadZipFile) as fault:
            message = f"not an index of documents ({CLOSED_FORMAT}); build it anew"
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

    offsets: Longs
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
    def single(self) -> Longs:
        """Documents that hold each item; 0 where it was not found."""
        return np.diff(self.offsets)

    def holding(self, item: int) -> NDArray[np.int32]:
        """Documents that hold one item, ascending."""
        return self.holders[self.offsets[item] : self.offsets[item + 1]]

    def together(self, left: Longs, right: Longs) -> Longs:
        """Documents that hold both, for every left and every right item."""
        if self._table is not None:
            return self._table.block(left, right)
        product = self._matrix[left] @ self._matrix[right].T
        return np.asarray(product.toarray(), dtype=np.int64)

    def pairs(self) -> Iterator[Pairs]:
        """All pairs of items that some document holds, in pieces: first item, second item (larger), documents."""
        if self._table is not None:
            yield upper(self._table.cells)
            return
        others = self._matrix.T.tocsr()
        for start in range(0, len(self.single), ROWS_AT_ONCE):
            yield upper(self._matrix[start : start + ROWS_AT_ONCE] @ others, first=start)

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
    def _held(self) -> Longs:
        """How many of the items each document holds."""
        return np.bincount(self.holders, minlength=self.documents)

    @cached_property
    def _table(self) -> PairTable | None:
        items = len(self.single)
        if min(int((self._held**2).sum()), items * items) > TABLE_PAIRS:
            return None
        return PairTable((self._matrix @ self._matrix.T).tocsr())


def well_formed(postings: Postings) -> bool:
    """Whether the lists are well formed: ascending without repeats, and inside the documents."""
    inside = bool(((postings.holders >= 0) & (postings.holders < postings.documents)).all())
    return inside and all(
        bool((np.diff(postings.holders[start:end]) > 0).all()) for start, end in pairwise(postings.offsets)
    )


# Documents counted in a local corpus: a tantivy index on disk, for texts by the million and items that come later.
#
# Items of several words are searched as phrases. The postings of each item are pulled once; pairs are then counted from
# them without asking the index again. Needs ``cloven[text]``.


TANTIVY_FORMAT = "cloven.corpus-index/1"
ABOUT = "about.json"
TEXT, NUMBER, WORDS = "text", "number", "words"
HEAP_BYTES = 128_000_000
PATIENCE = 10.0  # seconds that the threads of a failed build get to let go of its folder


@dataclass(frozen=True)
class About:
    """What an index was built from.

    Attributes:
        source: what the documents are, in words.
        date: when they were collected (ISO date), or an empty string.
        documents: number of all documents.
        stem: whether English words are cut to their stems, so that "vessels" is found as "vessel".
    """

    source: str
    date: str
    documents: int
    stem: bool


@dataclass(frozen=True)
class TantivyIndex:
    """An index of texts in a folder; ``build`` makes one, ``open`` finds it again.

    Attributes:
        folder: where it is.
        about: what it was built from.
    """

    folder: Path
    about: About

    @classmethod
    def build(
        cls,
        documents: Iterable[str],
        folder: str | Path,
        *,
        stem: bool = False,
        source: str = "",
        date: str = "",
    ) -> TantivyIndex:
        """Index texts into a new folder, which appears when all is written; an interruption leaves none."""
        folder = Path(folder)
        tantivy = _tantivy()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            message = f"{folder} is not an empty folder; name a new one for the index"
            raise OutputError(message)
        unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
        try:
            unfinished.mkdir(parents=True)
            count = _write(tantivy, documents, unfinished, stem=stem)
            about = About(source, date, count, stem)
            _note(unfinished / ABOUT, about)
            unfinished.replace(folder)
        except OSError as fault:
            message = f"cannot write the index {folder}: {fault.strerror or fault}"
            raise OutputError(message) from fault
        finally:
            _remove(unfinished)
        return cls(folder, about)

    @classmethod
    def open(cls, folder: str | Path) -> TantivyIndex:
        """Open an index that ``build`` wrote."""
        folder = Path(folder)
        try:
            noted: dict[str, Any] = tree_of(content(folder / ABOUT, within=folder))
            if noted.pop("format") != TANTIVY_FORMAT:
                raise KeyError(TANTIVY_FORMAT)
            about = About(**noted)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            message = f"not an index of a corpus ({TANTIVY_FORMAT}); build it first"
            raise InputError(message, source=str(folder)) from fault
        return cls(folder, about)

    def count(self, items: Sequence[str]) -> Postings:
        """Pull the documents of every item; one without letters or digits is in none."""
        tantivy = _tantivy()
        try:
            index = tantivy.Index.open(str(self.folder))
        except ValueError as fault:
            message = "the index is damaged; build it anew"
            raise InputError(message, source=str(self.folder)) from fault
        analyser = _analyser(tantivy, stem=self.about.stem)
        index.register_tokenizer(WORDS, analyser)
        searcher = index.searcher()
        if searcher.num_docs != self.about.documents:
            message = (
                f"the index holds {searcher.num_docs} documents, not {self.about.documents}; build it anew"
            )
            raise InputError(message, source=str(self.folder))
        lists = [_holding(tantivy, index.schema, searcher, analyser.analyze(item)) for item in items]
        return Postings.of(lists, self.about.documents, self.about.source, self.about.date)


def _tantivy() -> ModuleType:
    try:
        import tantivy
    except ImportError as fault:
        message = 'a corpus index needs tantivy; install it with: pip install "cloven[text]"'
        raise ParameterError(message) from fault
    module: ModuleType = tantivy
    return module


def _analyser(tantivy: ModuleType, *, stem: bool) -> Any:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    return (builder.filter(tantivy.Filter.stemmer("english")) if stem else builder).build()


def _write(tantivy: ModuleType, documents: Iterable[object], folder: Path, *, stem: bool) -> int:
    """Index the texts, numbered from 0; gives how many they are."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT, stored=False, tokenizer_name=WORDS)
    builder.add_unsigned_field(NUMBER, fast=True)
    index = tantivy.Index(builder.build(), path=str(folder))
    index.register_tokenizer(WORDS, _analyser(tantivy, stem=stem))
    writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
    try:
        count = _add(tantivy, writer, documents)
        writer.commit()
    finally:
        writer.wait_merging_threads()  # else it goes on writing into a folder that is being removed
    return count


def _remove(folder: Path) -> None:
    """Remove an unfinished index. Its threads may outlive the wait for them, and write while the folder is emptied."""
    end = time.monotonic() + PATIENCE
    shutil.rmtree(folder, ignore_errors=True)
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.01)
        shutil.rmtree(folder, ignore_errors=True)


def _add(tantivy: ModuleType, writer: Any, documents: Iterable[object]) -> int:
    count = 0
    for text in documents:
        if not isinstance(text, str):
            message = f"document {count + 1} is not a text; an index of sets of terms is a ClosedIndex"
            raise InputError(message, value=repr(text))
        document = tantivy.Document()
        document.add_text(TEXT, text)
        document.add_unsigned(NUMBER, count)
        writer.add_document(document)
        count += 1
    if not count:
        message = "no documents: an index cannot be built from nothing; give at least one"
        raise ParameterError(message)
    return count


def _note(path: Path, about: About) -> None:
    path.write_text(
        json.dumps({"format": TANTIVY_FORMAT, **asdict(about)}, indent=2) + "\n", encoding="utf-8"
    )


def _holding(tantivy: ModuleType, schema: Any, searcher: Any, words: list[str]) -> NDArray[np.int32]:
    """Numbers of the documents that hold these words in a row, ascending."""
    if not words:
        return np.empty(0, dtype=np.int32)
    if len(words) == 1:
        query = tantivy.Query.term_query(schema, TEXT, words[0])
        found = searcher.doc_freq(TEXT, words[0])
    else:
        query = tantivy.Query.phrase_query(schema, TEXT, words)
        found = searcher.search(query, limit=1, count=True).count
    if not found:
        return np.empty(0, dtype=np.int32)
    hits = searcher.search(query, limit=found, count=False, order_by_field=NUMBER).hits
    numbers = np.fromiter((number for number, _ in hits), dtype=np.int32, count=len(hits))
    numbers.sort()
    return numbers
