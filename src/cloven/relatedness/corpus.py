"""Word vectors trained on a corpus that the attacker owns: co-occurrence, PPMI, truncated SVD.

The thesis's "train on the topic": a corpus of the right domain says more about the items of a release than vectors of
the whole language. See ``corpus_matrix`` for the two steps and their papers.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from cloven.data.arrays import distinct
from cloven.data.transactions import Transactions
from cloven.errors import InputError, OutputError, ParameterError, shorten
from cloven.relatedness.ladder import Ladder
from cloven.relatedness.vectors import VectorsRelated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


_NO_DIRECTION = 1e-6
"""Parts of a phrase whose sum is shorter cancel out: it has no vector."""


@dataclass(frozen=True)
class Training:
    """How vectors are trained.

    Attributes:
        dimensions: length of the vectors.
        min_count: documents that must hold a word; rarer ones are left out.
        window: how many words to either side are neighbours; None means all of the document.
        smoothing: exponent of context counts, 1 for none.
        shift: how many times more often than by chance words must meet to count at all.
        power: exponent of the singular values.
    """

    dimensions: int = 100
    min_count: int = 2
    window: int | None = None
    smoothing: float = 0.75
    shift: float = 1.0
    power: float = 0.5

    def __post_init__(self) -> None:
        for name, least in (("dimensions", 1), ("min_count", 1), ("window", 1), ("power", 0), ("shift", 1)):
            value = getattr(self, name)
            if value is not None and not least <= value < np.inf:
                message = f"{name} must be at least {least} (got {value})"
                raise ParameterError(message)
        if not 0 < self.smoothing <= 1:
            message = f"smoothing must lie above 0 and not above 1, which is none (got {self.smoothing})"
            raise ParameterError(message)

    def vectors(self, documents: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], NDArray[np.float32], int]:
        """Words, their vectors, and the number of documents read."""
        from cloven.relatedness.corpus_matrix import meets_others, positive_information, short_vectors

        tokens = Tokens.of(documents, ordered=self.window is not None)
        if not len(tokens.codes):
            message = (
                f"no words in {len(tokens)} documents: nothing to train on; give documents with words in them"
            )
            raise ParameterError(message)
        tokens = tokens.keep(tokens.frequencies() >= self.min_count)
        matrix = positive_information(tokens, self.window, self.smoothing, self.shift)
        there = meets_others(matrix)
        self._check(len(tokens.words), len(tokens), nothing=not there.any())
        vectors = short_vectors(matrix, self.dimensions, self.power)
        there &= vectors.any(axis=1)
        words = tuple(tokens.words[row] for row in np.flatnonzero(there).tolist())
        return words, vectors[there], len(tokens)

    def _check(self, words: int, documents: int, *, nothing: bool) -> None:
        """Raise if no vectors can come of it."""
        if nothing:
            message = (
                f"no two of the {words} words that {self.min_count} or more of {documents} documents hold meet more"
                f" often than by chance; give more documents, or lower min_count={self.min_count} or shift={self.shift}"
            )
            raise ParameterError(message)
        if self.dimensions > words:
            message = (
                f"dimensions={self.dimensions} is more than the {words} words that {self.min_count} or more documents"
                f" hold; choose at most {words}, or give more documents"
            )
            raise ParameterError(message)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Relatedness by cosine of vectors trained on a corpus; ``train`` makes it, ``load`` finds it again.

    Attributes:
        words: the vocabulary, ascending by code point.
        vectors: a row of length 1 for each word.
        training: parameters that made them.
        documents: number of documents trained on.
        source: what the documents are, in words.
        date: when they were collected (ISO date), or an empty string.
        ladder: look unknown items up by lemma, spelling and parts (``cloven.relatedness.ladder``); if not, as written.

    >>> texts = [["flu", "fever"], ["fever", "flu", "cough"], ["knee", "pain"], ["pain", "knee", "bruise"]]
    >>> related = Corpus.train(texts, dimensions=2).relate(["flu", "fever", "knee", "knee pain"])
    >>> related.block(np.array([0]), np.array([1, 2])).round(2).tolist()
    [[1.0, 0.0]]
    >>> related.coverage.rungs["exact"], related.coverage.rungs["parts"]
    (3, 1)
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    training: Training
    documents: int
    source: str = ""
    date: str = ""
    ladder: bool = True

    def __post_init__(self) -> None:
        frozen = self.vectors.view()
        frozen.setflags(write=False)
        object.__setattr__(self, "vectors", frozen)

    @classmethod
    def train(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        dimensions: int = 100,
        min_count: int = 2,
        window: int | None = None,
        smoothing: float = 0.75,
        shift: float = 1.0,
        power: float = 0.5,
        source: str = "",
        date: str = "",
        ladder: bool = True,
    ) -> Corpus:
        """Train on documents: transactions, or any iterables of words. The order of documents does not matter."""
        training = Training(dimensions, min_count, window, smoothing, shift, power)
        words, vectors, read = training.vectors(documents)
        return cls(words, vectors, training, read, source, date, ladder)

    @classmethod
    def load(cls, path: str | Path) -> Corpus:
        """Read what ``save`` wrote."""
        return load(path)

    def save(self, path: str | Path) -> None:
        """Write all to one file; an interrupted write leaves the old one."""
        save(self, path)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self.words):,} words from {self.documents:,} documents, source={self.source!r},"
            f" date={self.date!r}, {self.training})"
        )

    @property
    def name(self) -> str:
        """One word for tables."""
        return "corpus"

    def relate(self, items: Sequence[str]) -> VectorsRelated:
        """Look the items up; a phrase that the corpus does not hold whole gets the mean of its parts."""
        found = Ladder(exact_only=not self.ladder).look_up(items, self._find)
        served = found.rung >= 0
        if len(items) and not served.any():
            raise self._no_overlap(items)
        units = np.zeros((len(items), self.vectors.shape[1]))
        if served.any():
            units[served] = np.add.reduceat(self.vectors[found.rows], found.offsets[:-1][served])
        lengths = np.linalg.norm(units, axis=1)
        known = lengths > _NO_DIRECTION
        units[known] /= lengths[known, None]
        units[~known] = 0.0
        return VectorsRelated(found.coverage(items, known), units, known)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def _find(self, words: Sequence[str]) -> NDArray[np.int64]:
        row = self._row
        return np.fromiter((row.get(word, -1) for word in words), np.int64, len(words))

    def _no_overlap(self, items: Sequence[str]) -> ParameterError:
        some = ", ".join(shorten(item) for item in items[:3])
        return ParameterError(
            f"none of the {len(items):,} items is among the {len(self.words):,} words of the corpus"
            f" {self.source or '(no source told)'}, not even {some}; train on documents that speak of the items"
        )


# Trained vectors in one file: a zip archive of NumPy arrays and a JSON header, readable without Cloven.


FORMAT = "cloven.corpus-vectors/1"


def save(corpus: Corpus, path: str | Path) -> None:
    """Write words, vectors, parameters, source and date."""
    path = Path(path)
    header = {
        "format": FORMAT,
        "source": corpus.source,
        "date": corpus.date,
        "documents": corpus.documents,
        "training": asdict(corpus.training),
        "words": corpus.words,
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            np.savez(
                file, header=np.frombuffer(json.dumps(header).encode(), np.uint8), vectors=corpus.vectors
            )
        unfinished.replace(path)
    except OSError as fault:
        message = f"cannot write the vectors {path}: {fault.strerror}"
        raise OutputError(message) from fault
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | Path) -> Corpus:
    """Read what ``save`` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(file["header"].tobytes())
            vectors = file["vectors"]
        if header["format"] != FORMAT:
            raise KeyError(FORMAT)
        training = Training(**header["training"])
        corpus = Corpus(
            tuple(header["words"]), vectors, training, header["documents"], header["source"], header["date"]
        )
    except FileNotFoundError:
        message = "there is no such file; train vectors and save them first"
        raise InputError(message, source=str(path)) from None
    except (
        OSError,
        EOFError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        BadZipFile,
        ParameterError,
    ) as fault:
        message = f"not vectors of a corpus ({FORMAT}); train them anew"
        raise InputError(message, source=str(path)) from fault
    if not _sound(corpus):
        message = "the vectors are damaged: they do not fit their words; train them anew"
        raise InputError(message, source=str(path))
    return corpus


def _sound(corpus: Corpus) -> bool:
    """One row of length 1 for each of some distinct words."""
    words, vectors = corpus.words, corpus.vectors
    return (
        vectors.dtype == np.float32
        and vectors.ndim == 2
        and len(vectors) == len(words) == len(set(words)) > 0
        and all(isinstance(word, str) for word in words)
        and bool(np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3))
    )


# Documents as word numbers: any iterables of words, or transactions, whose records are sets.


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """All words of all documents, one after the other.

    Attributes:
        codes: number of each word.
        offsets: where each document starts, and where the last one ends.
        words: the words, ascending by code point, so that numbers do not depend on the order of documents.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    words: tuple[str, ...]

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]], *, ordered: bool) -> Tokens:
        """Number the words; ``ordered`` documents keep order and repetitions, others become sets."""
        if isinstance(documents, Transactions):
            if ordered:
                raise ParameterError(_NO_ORDER)
            return cls(documents.codes, documents.offsets, documents.vocabulary)
        code_of: defaultdict[str, int] = defaultdict(count().__next__)
        runs = [
            np.fromiter(map(code_of.__getitem__, _words_of(document, place, ordered=ordered)), np.int32)
            for place, document in enumerate(documents)
        ]
        lengths = np.fromiter(map(len, runs), np.int64, len(runs))
        codes = np.concatenate(runs) if runs else np.empty(0, np.int32)
        for word in code_of:
            if not isinstance(word, str) or not word.strip():
                message = "a word must be a string that is not blank"
                raise InputError(message, value=repr(word))
        words = sorted(code_of)
        rank = np.empty(len(words), np.int32)
        rank[[code_of[word] for word in words]] = np.arange(len(words))
        return cls(rank[codes], np.concatenate(([0], np.cumsum(lengths))), tuple(words))

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.offsets) - 1

    @property
    def document(self) -> NDArray[np.int64]:
        """Document of each token."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def frequencies(self) -> NDArray[np.int64]:
        """Documents that hold each word."""
        width = max(1, len(self.words))
        held = distinct(self.document * width + self.codes)
        return np.bincount(held % width, minlength=len(self.words)).astype(np.int64)

    def keep(self, chosen: NDArray[np.bool_]) -> Tokens:
        """Only the chosen words; what stood on both sides of a removed one becomes neighbours."""
        stays = chosen[self.codes]
        lengths = np.bincount(self.document[stays], minlength=len(self))
        codes = (np.cumsum(chosen, dtype=np.int32) - 1)[self.codes[stays]].astype(np.int32)
        words = tuple(word for word, kept in zip(self.words, chosen.tolist(), strict=True) if kept)
        return Tokens(codes, np.concatenate(([0], np.cumsum(lengths))), words)


_NO_ORDER = (
    "a window needs the order of words, but these documents are sets; leave window out or give lists of words"
)


def _words_of(document: Iterable[str], place: int, *, ordered: bool) -> Iterable[str]:
    """Words of a document, each once unless their order counts."""
    if isinstance(document, str):
        message = "a document must be a collection of words, not one string; split it first"
        raise InputError(message, source=f"document {place}", value=document)
    if not isinstance(document, set | frozenset):
        return document if ordered else dict.fromkeys(document)
    if ordered:
        raise ParameterError(_NO_ORDER)
    return document
