"""Word vectors trained on a corpus that the attacker owns: co-occurrence, PPMI, truncated SVD.

The thesis's "train on the topic": a corpus of the right domain says more about the items of a release than vectors of
the whole language. The two steps and their papers stand below.
"""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.data.arrays import ascend, distinct, stable_order
from cloven.data.transactions import Transactions
from cloven.errors import InputError, NothingLearnedError, OutputError, ParameterError, shorten
from cloven.intake.packing import arrays_in
from cloven.intake.trees import tree_of
from cloven.relatedness.ladder import Ladder, finder
from cloven.relatedness.vectors import VectorsRelated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.relatedness.ladder import Find


_NO_DIRECTION = 1e-6
"""Parts of a phrase whose sum is shorter cancel out: it has no vector."""
FORMAT = "cloven.corpus-vectors/1"


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
        tokens = Tokens.of(documents, ordered=self.window is not None)
        if not len(tokens.codes):
            message = (
                f"no words in {len(tokens)} documents: nothing to train on; give documents with words in them"
            )
            raise NothingLearnedError(message)
        tokens = tokens.keep(tokens.frequencies() >= self.min_count)
        matrix = positive_information(tokens, self.window, self.smoothing, self.shift)
        there = meets_others(matrix)
        self._check(len(tokens.words), len(tokens), nothing=not there.any())
        vectors = short_vectors(matrix, self.dimensions, self.power)
        there &= vectors.any(axis=1)
        self._check(len(tokens.words), len(tokens), nothing=not there.any())
        words = tuple(tokens.words[row] for row in np.flatnonzero(there).tolist())
        return words, vectors[there], len(tokens)

    def _check(self, words: int, documents: int, *, nothing: bool) -> None:
        """Raise if no vectors can come of it."""
        if nothing:
            message = (
                f"no two of the {words} words that {self.min_count} or more of {documents} documents hold meet more"
                f" often than by chance; give more documents, or lower min_count={self.min_count} or shift={self.shift}"
            )
            raise NothingLearnedError(message)
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
        try:
            found = arrays_in(path)
            header: dict[str, Any] = tree_of(found["header"].tobytes())
            vectors = found["vectors"]
            if header["format"] != FORMAT:
                raise KeyError(FORMAT)
            training = Training(**header["training"])
            corpus = cls(
                tuple(header["words"]),
                vectors,
                training,
                header["documents"],
                header["source"],
                header["date"],
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

    def save(self, path: str | Path) -> None:
        """Write all to one file, a zip archive of arrays and a JSON header; an interrupted write leaves the old one."""
        path = Path(path)
        header = {
            "format": FORMAT,
            "source": self.source,
            "date": self.date,
            "documents": self.documents,
            "training": asdict(self.training),
            "words": self.words,
        }
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with unfinished.open("wb") as file:
                np.savez(
                    file, header=np.frombuffer(json.dumps(header).encode(), np.uint8), vectors=self.vectors
                )
            unfinished.replace(path)
        except OSError as fault:
            message = f"cannot write the vectors {path}: {fault.strerror}"
            raise OutputError(message) from fault
        finally:
            unfinished.unlink(missing_ok=True)

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
    def _find(self) -> Find:
        return finder(self.words)

    def _no_overlap(self, items: Sequence[str]) -> ParameterError:
        some = ", ".join(shorten(item) for item in items[:3])
        return ParameterError(
            f"none of the {len(items):,} items is among the {len(self.words):,} words of the corpus"
            f" {self.source or '(no source told)'}, not even {some}; train on documents that speak of the items"
        )


def _sound(corpus: Corpus) -> bool:
    """One row of length 1 for each of some distinct words."""
    words, vectors = corpus.words, corpus.vectors
    return (
        vectors.dtype == np.float32
        and vectors.ndim == 2
        and len(vectors) == len(words) == len(set(words)) > 0
        and all(isinstance(word, str) for word in words)
        and bool(np.all(np.abs(vectors) <= 1.001))  # else squares could be beyond what floats hold
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
    offsets: Longs
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
    def document(self) -> Longs:
        """Document of each token."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def frequencies(self) -> Longs:
        """Documents that hold each word."""
        width, held = max(1, len(self.words)), self.codes
        if not ascend(np.diff(self.offsets), held):  # some may stand in a document twice
            held = distinct(self.document * width + held)
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


# Positive pointwise mutual information of words from what stands near what in a corpus.
#
# PPMI(x, y) = max(0, log(p(x, y) / (p(x) p(y))) - log(shift)), where the probabilities come from counts of neighbours:
# all words of the same document, or those within a window. p(y) may be smoothed, count(y)^smoothing over the sum of
# these, which takes weight from rare contexts (Levy, Goldberg and Dagan, TACL 3, 2015, sections 2.1 and 3.2; the shift
# is Levy and Goldberg, NIPS 2014).
#
# Every token is its own neighbour, too. Otherwise two words that only ever meet each other would have nothing in
# common: each would be the other's context. In long documents this changes nothing, in short ones (sub-records) it
# matters.


def positive_information(
    tokens: Tokens, window: int | None = None, smoothing: float = 1.0, shift: float = 1.0
) -> Any:
    """PPMI of every word (row) in every context (column): a square ``scipy.sparse.csr_array`` of 32-bit floats.

    >>> tokens = Tokens.of([["flu", "fever"], ["flu", "fever"], ["knee", "pain"]], ordered=False)
    >>> row = positive_information(tokens).toarray()[0]  # fever, flu: log(2 * 12 / (4 * 4))
    >>> row.round(2).astype(float).round(2).tolist()
    [0.41, 0.41, 0.0, 0.0]
    """
    from scipy.sparse import csr_array

    words = len(tokens.words)
    low, high = _reach(tokens.offsets, window)
    places = stable_order(tokens.codes)
    first = _starts(np.bincount(tokens.codes, minlength=words))
    near = (tokens.codes, low, high, places, first)
    totals = np.bincount(tokens.codes, weights=high - low, minlength=words)
    contexts = totals**smoothing
    scales = 1 / totals, contexts.sum() / (shift * contexts)
    sizes = np.zeros(words, np.int64)
    positive_sizes(*near, *scales, sizes)
    rows = _starts(sizes)
    columns, values = np.empty(rows[-1], np.int32), np.empty(rows[-1], np.float32)
    positive_cells(*near, *scales, columns, values)
    return csr_array((values, columns, rows), shape=(words, words))


def meets_others(matrix: Any) -> NDArray[np.bool_]:
    """Which words have a positive cell beside their own."""
    found: NDArray[np.bool_] = np.diff(matrix.indptr) > (matrix.diagonal() > 0)
    return found


def _starts(sizes: NDArray[Any]) -> Longs:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _reach(offsets: Longs, window: int | None) -> tuple[Longs, Longs]:
    """First neighbour of each token, and one past the last."""
    lengths = np.diff(offsets)
    low, high = np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:], lengths)
    if window is None:
        return low, high
    here = np.arange(len(low))
    return np.maximum(low, here - window), np.minimum(high, here + window + 1)


# Short vectors from a wide sparse matrix: its truncated singular value decomposition.
#
# Row x of U S^power, U and S being the largest singular vectors and values. Power 1 approximates the rows themselves;
# less gives the many weaker dimensions a say, which serves word similarity better (Levy, Goldberg and Dagan, TACL 3,
# 2015, section 3.3).


DENSE = 1_000
"""Up to so many words the whole decomposition is quicker than the search for its largest part."""
NEGLIGIBLE = 1e-4
"""Singular values below this share of the largest are noise of 32-bit arithmetic."""
LOST = 1e-3
"""A row of which less than this share is left in the chosen dimensions has no direction of its own there."""


def short_vectors(matrix: Any, dimensions: int, power: float) -> NDArray[np.float32]:
    """Row vectors of unit length; zeros where a row is empty, or lies outside the largest dimensions."""
    left, sizes = _largest(matrix, dimensions)
    kept = sizes > NEGLIGIBLE * sizes.max(initial=0.0)
    left, sizes = left[:, kept], sizes[kept]
    squares = matrix.astype(float).power(2).sum(axis=1)
    norms = np.sqrt(np.asarray(squares).ravel())
    there = np.linalg.norm(left * sizes, axis=1) > LOST * norms
    vectors = left * sizes**power
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Floats = np.zeros(vectors.shape)
    np.divide(vectors, lengths, out=units, where=there[:, None])
    return units.astype(np.float32)


def _largest(matrix: Any, dimensions: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Left singular vectors as columns, and singular values, the largest first."""
    words = matrix.shape[0]
    if words <= DENSE or 3 * dimensions > words:
        left, sizes, _ = np.linalg.svd(matrix.toarray().astype(np.float64))
        return left[:, :dimensions], sizes[:dimensions]
    return largest_left(matrix, dimensions)


# Largest singular vectors of a sparse matrix A, by block Lanczos on A A'.
#
# Golub and Underwood ("The block Lanczos method for computing eigenvalues", Mathematical Software III, 1977), with
# every new block made orthogonal to all earlier ones, so that no restarts and no removal of copies are needed. Products
# with 16 columns at once cost far less than as many products with one: ``scipy.sparse.linalg.svds`` finds the same
# vectors, but takes several times as long and copies the matrix.
#
# The start is always the same, so the result is a function of the matrix alone.


BLOCK = 16
CHECK_EVERY = 8
TOLERANCE = 1e-3
"""Residual of a squared singular value, as a share of it, at which it counts as found."""
LARGEST_BASIS = 12
"""Columns of the basis, for each vector wanted, at which the search ends with what is there."""


@dataclass(frozen=True, eq=False, repr=False)
class _Ritz:
    """What the basis knows: approximate squared singular values, their vectors in the basis, their residuals."""

    values: Floats
    vectors: Floats
    residuals: Floats

    def found(self) -> bool:
        """Whether all are found; those that are nothing beside the largest need not be."""
        scale = np.maximum(self.values, 1e-6 * self.values[0])
        return bool(np.all(self.residuals <= TOLERANCE * scale))


def largest_left(matrix: Any, wanted: int) -> tuple[NDArray[np.float32], Floats]:
    """Left singular vectors as columns and singular values, the largest first.

    Where singular values lie so close together that they cannot be told apart, any turn of their vectors among
    themselves may come out.
    """
    rows = matrix.shape[0]
    turned = matrix.T
    steps = min(rows, LARGEST_BASIS * max(wanted, BLOCK)) // BLOCK
    basis = np.empty((rows, steps * BLOCK), np.float32, order="F")
    projected = np.zeros((steps * BLOCK, steps * BLOCK))
    block = _start(rows)
    for step in range(1, steps + 1):
        end = step * BLOCK
        basis[:, end - BLOCK : end] = block
        product = matrix @ (turned @ block)
        known = basis[:, :end]
        share = known.T @ product
        projected[:end, end - BLOCK : end] = share
        block, rest = _orthogonal(product - known @ share, known)
        if step == steps or (end >= 3 * wanted and step % CHECK_EVERY == 0):
            ritz = _ritz(projected[:end, :end], rest, wanted)
            if ritz.found():
                break
    return known @ ritz.vectors.astype(np.float32), np.sqrt(np.maximum(ritz.values, 0.0))


def _orthogonal(
    product: NDArray[np.float32], basis: NDArray[np.float32]
) -> tuple[NDArray[np.float32], Floats]:
    """Next block, orthogonal to the basis, and how much of it is in the product."""
    block = product
    for _ in range(2):  # what was little more than rounding is orthogonal only the second time
        block = _orthonormal(block - basis @ (basis.T @ block))
    return block, block.T.astype(np.float64) @ product


def _orthonormal(block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Columns of length 1 at right angles that span the same; columns of zeros where there are not so many.

    By the eigenvectors of the small matrix of products (Stathopoulos and Wu, SIAM J. Scientific Computing 23, 2002):
    on narrow blocks this is many times quicker than a threaded QR.
    """
    wide = block.astype(np.float64)
    for _ in range(2):
        lengths = np.linalg.norm(wide, axis=0)
        wide /= np.where(lengths > 0, lengths, 1.0)
        values, vectors = np.linalg.eigh(wide.T @ wide)
        wide = wide @ (vectors / np.sqrt(np.maximum(values, 1e-10 * values[-1])))
    return np.ascontiguousarray(wide, np.float32)


def _ritz(projected: Floats, rest: Floats, wanted: int) -> _Ritz:
    upper = np.triu(projected)
    values, vectors = np.linalg.eigh(upper + np.triu(projected, 1).T)
    values, vectors = values[::-1][:wanted], vectors[:, ::-1][:, :wanted]
    return _Ritz(values, vectors, np.linalg.norm(rest @ vectors[-BLOCK:], axis=0))


def _start(rows: int) -> NDArray[np.float32]:
    """A first block without symmetries: fractional parts of multiples of square roots of primes."""
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])
    parts = np.modf(np.arange(1, rows + 1)[:, None] * np.sqrt(primes))[0] - 0.5
    return _orthonormal(parts.astype(np.float32))


# Compiled loops over the tokens of a corpus: who stands near whom, and how much more often than by chance.
#
# Token ``p`` has the neighbours ``low[p]`` to ``high[p] - 1``, itself among them, and ``places[first[w]:first[w + 1]]``
# are the tokens that are word ``w``. No table of counts is kept: each row is counted when it is needed, so that only
# positive cells take memory.


@compiled
def _count_row(
    word: int, codes: Ints, low: Ints, high: Ints, places: Ints, first: Ints, counts: Ints, touched: Ints
) -> int:
    """Count the neighbours of one word in ``counts``; list them in ``touched`` and return how many they are."""
    found = 0
    for place in range(first[word], first[word + 1]):
        p = places[place]
        for q in range(low[p], high[p]):
            other = codes[q]
            if counts[other] == 0:
                touched[found] = other
                found += 1
            counts[other] += 1
    return found


@compiled
def positive_sizes(
    codes: Ints,
    low: Ints,
    high: Ints,
    places: Ints,
    first: Ints,
    row_scale: Floats,
    column_scale: Floats,
    sizes: Ints,
) -> None:
    """Count the positive cells of each row: those where count * row scale * column scale exceeds 1."""
    words = len(first) - 1
    counts = np.zeros(words, np.int32)
    touched = np.empty(words, np.int32)
    for word in range(words):
        found = _count_row(word, codes, low, high, places, first, counts, touched)
        positive = 0
        for index in range(found):
            other = touched[index]
            if counts[other] * row_scale[word] * column_scale[other] > 1.0:
                positive += 1
            counts[other] = 0
        sizes[word] = positive


@compiled
def positive_cells(
    codes: Ints,
    low: Ints,
    high: Ints,
    places: Ints,
    first: Ints,
    row_scale: Floats,
    column_scale: Floats,
    columns: Ints,
    values: NDArray[np.float32],
) -> None:
    """Write columns (ascending) and logarithms of the positive cells, row after row."""
    words = len(first) - 1
    counts = np.zeros(words, np.int32)
    touched = np.empty(words, np.int32)
    end = 0
    for word in range(words):
        found = _count_row(word, codes, low, high, places, first, counts, touched)
        # Ascending columns make the result independent of the order of documents; a full scan beats a long sort.
        scan = found * 8 > words
        if not scan:
            touched[:found].sort()
        for index in range(words if scan else found):
            other = index if scan else touched[index]
            if counts[other] > 0:
                ratio = counts[other] * row_scale[word] * column_scale[other]
                if ratio > 1.0:
                    columns[end] = other
                    values[end] = math.log(ratio)
                    end += 1
                counts[other] = 0
