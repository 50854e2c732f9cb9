"""Documents counted in a local corpus: a tantivy index on disk, for texts by the million and items that come later.

Items of several words are searched as phrases. The postings of each item are pulled once; pairs are then counted from
them (see ``counts_closed``) without asking the index again. Needs ``cloven[text]``.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.counts_closed import Postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

FORMAT = "cloven.corpus-index/1"
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
            noted: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            if noted.pop("format") != FORMAT:
                raise KeyError(FORMAT)
            about = About(**noted)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            message = f"not an index of a corpus ({FORMAT}); build it first"
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
    path.write_text(json.dumps({"format": FORMAT, **asdict(about)}, indent=2) + "\n", encoding="utf-8")


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
