"""Records chosen for experiments: evenly over topics, or so that the data have a wanted density."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.text.counts import TermCounts
from cloven.text.words import text_library

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Topics by non-negative matrix factorisation, and documents chosen evenly over them (thesis 5.1.2).
#
# The matrix documents x terms (TF-IDF) is factored into documents x topics and topics x terms. A document belongs to
# the topic that weighs most in it, with topics scaled alike. The factorisation starts from a singular value
# decomposition (*nndsvda*) with a fixed seed, so it gives the same topics every time; only the choice of documents
# draws lots.
#
# The thesis takes "two hundred transactions with around 4,000 terms from more than 35 topics". :func:`topic_sample`
# is that recipe: 35 topics, 6 documents of each, 20 terms of highest TF-IDF of each document. How rare a term may be
# is not said there and decides the type-token ratio: on MedQuAD it is 0.55 with all terms, 0.46 with those of 8
# documents.


_MIN_DOCUMENTS, _MAX_SHARE = 3, 0.5
_ITERATIONS = 200
_SHOWN_TERMS = 10
# If some topics have too few documents, more topics are found, and the largest ones taken.
_WIDER = (1.0, 1.5, 2.5)


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of a corpus.

    Attributes:
        of_document: topic of each document; -1 where no topic weighs anything.
        weights: how much that topic weighs in the document.
        terms: the terms that weigh most in each topic.
        converged: whether the factorisation settled before it was stopped.
    """

    of_document: NDArray[np.int64]
    weights: NDArray[np.float64]
    terms: tuple[tuple[str, ...], ...]
    converged: bool

    def __len__(self) -> int:
        return len(self.terms)


def find_topics(terms: TermCounts, topics: int) -> Topics:
    """Find topics; terms of fewer than 3 documents or of more than half of them do not take part."""
    frequencies = terms.document_frequencies
    common = (frequencies >= _MIN_DOCUMENTS) & (frequencies <= _MAX_SHARE * len(terms))
    most = min(len(terms), int(common.sum()))
    if not 1 <= topics <= most:
        message = (
            f"topics must be between 1 and {most:,}: there are {len(terms):,} documents, and {int(common.sum()):,}"
            f" terms that occur in at least 3 and in no more than half of them (got {topics})"
        )
        raise ParameterError(message)
    names = np.flatnonzero(common)
    matrix = terms.where(common[terms.codes]).matrix()[:, names]
    documents, profile, converged = _factor(matrix, topics)
    documents = documents * np.linalg.norm(profile, axis=1)
    best = documents.argmax(axis=1)
    weights = documents[np.arange(len(documents)), best]
    strongest = np.argsort(-profile, axis=1, kind="stable")[:, :_SHOWN_TERMS]
    listed = tuple(tuple(terms.vocabulary[names[code]] for code in row) for row in strongest.tolist())
    return Topics(np.where(weights > 0, best, -1).astype(np.int64), weights, listed, converged)


def _factor(matrix: object, topics: int) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Documents x topics, topics x terms, and whether the factorisation settled."""
    decomposition = text_library("sklearn.decomposition")
    model = decomposition.NMF(topics, init="nndsvda", random_state=0, max_iter=_ITERATIONS, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", text_library("sklearn.exceptions").ConvergenceWarning)
        documents = model.fit_transform(matrix)
    return documents, model.components_, model.n_iter_ < _ITERATIONS


def choose_documents(
    topics: Topics,
    documents: int,
    among: int,
    rng: np.random.Generator,
    eligible: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Draw documents evenly over the ``among`` largest topics, as numbers in ascending order.

    ``eligible`` says which documents may be drawn; counts of two topics differ by one at most.
    """
    if not 1 <= among <= documents:
        message = (
            f"documents must be at least as many as topics, and both at least 1 (got {documents}, {among})"
        )
        raise ParameterError(message)
    may = topics.of_document >= 0 if eligible is None else eligible & (topics.of_document >= 0)
    sizes = np.bincount(topics.of_document[may], minlength=len(topics))
    largest = np.argsort(-sizes, kind="stable")[:among]
    wanted = np.full(among, documents // among)
    wanted[: documents % among] += 1
    if len(largest) < among or (sizes[largest] < wanted).any():
        enough = int((sizes >= wanted[0]).sum())
        message = (
            f"only {enough} of {len(topics)} topics have {wanted[0]} documents to draw from, {among} are wanted;"
            " ask for fewer topics, or fewer documents of each"
        )
        raise ParameterError(message)
    drawn = [
        rng.choice(np.flatnonzero(may & (topics.of_document == topic)), count, replace=False)
        for topic, count in zip(largest.tolist(), wanted.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TopicSample:
    """Records chosen over topics.

    Attributes:
        transactions: the records; ``source_rows`` says which documents they are.
        topics: topic of each record.
        topic_terms: the terms that weigh most in each topic.
        type_token_ratio: different items per occurrence.
    """

    transactions: Transactions
    topics: NDArray[np.int64]
    topic_terms: tuple[tuple[str, ...], ...]
    type_token_ratio: float


def topic_sample(
    source: TermCounts | Transactions,
    rng: np.random.Generator,
    *,
    topics: int = 35,
    per_topic: int = 6,
    terms: int = 20,
    min_documents: int = 8,
) -> TopicSample:
    """Draw ``per_topic`` documents of each topic, and keep the ``terms`` terms of highest TF-IDF of each.

    Terms of fewer than ``min_documents`` documents are left out, and documents with fewer than ``terms`` other terms
    are not drawn. Where a topic has too few documents, more topics are looked for.
    """
    if min(topics, per_topic, terms, min_documents) < 1:
        message = "topics, per_topic, terms and min_documents must be at least 1"
        raise ParameterError(message)
    counts = TermCounts.from_transactions(source) if isinstance(source, Transactions) else source
    counts = counts.where((counts.document_frequencies >= min_documents)[counts.codes])
    long_enough = np.diff(counts.offsets) >= terms
    for wider in _WIDER:
        found = find_topics(counts, min(round(topics * wider), max(topics, len(counts) // per_topic)))
        try:
            chosen = choose_documents(found, topics * per_topic, topics, rng, long_enough)
            break
        except ParameterError:
            if wider == _WIDER[-1]:
                raise
    best = counts.where(counts.best(terms)).take(chosen)
    data = best.transactions()
    return TopicSample(
        data, found.of_document[chosen], found.terms, len(data.vocabulary) / max(1, len(data.codes))
    )


# Subsets of a wanted density: the type-token ratio of thesis 5.1.1 (0.2 is dense, 0.7 is sparse).
#
# With so many records of so many items, the ratio is fixed by the number of different items. Documents are drawn, and
# of each as many of its items as wanted, all at random. Then items are exchanged, one in each document in turn: an
# item that no other record holds for one that another record holds (one different item less), or the other way round
# (one more), until the wanted number is met exactly or nothing can be exchanged. If that is not enough, the draw
# starts from the items that most (fewest) of the documents share, and in the end from documents with ever more common
# (rare) items. So the random draw is disturbed no more than needed.


# Shares of the documents, those with the most common (or rarest) items first, that a draw is made from.
_POOLS = (1.0, 0.5, 0.25, 0.1, 0.0)


@dataclass(frozen=True, eq=False)
class DensitySample:
    """Records of a wanted density.

    Attributes:
        transactions: the records; ``source_rows`` says which records of the source they are cut from.
        wanted: type-token ratio asked for.
        type_token_ratio: the one reached.
        mean_length: mean number of items reached.
        pool: share of the documents that were drawn from; below 1, those with the most common (rarest) items.
    """

    transactions: Transactions
    wanted: float
    type_token_ratio: float
    mean_length: float
    pool: float


def density_sample(
    data: Transactions,
    wanted: float,
    rng: np.random.Generator,
    *,
    records: int = 200,
    mean_length: float = 20,
    tolerance: float = 0.01,
) -> DensitySample:
    """Cut ``records`` records with ``mean_length`` items each out of the data, with the wanted type-token ratio.

    >>> data = Transactions.from_records([[f"{row}:{n}" for n in range(5)] + list("abcde") for row in range(8)])
    >>> sample = density_sample(data, 0.5, np.random.default_rng(1), records=6, mean_length=4)
    >>> len(sample.transactions), sample.mean_length, sample.type_token_ratio
    (6, 4.0, 0.5)
    """
    _check(data, wanted, records, mean_length, tolerance)
    draw = _Draw(data, records, mean_length, rng)
    sample = draw.sample(wanted, 1.0)
    for pool in _POOLS:
        if abs(sample.type_token_ratio - wanted) <= tolerance:
            return sample
        common = sample.type_token_ratio > wanted
        sample = draw.sample(wanted, pool, extreme=True, common=common)
    if abs(sample.type_token_ratio - wanted) <= tolerance:
        return sample
    lowest = draw.sample(0.0, 0.0, extreme=True, common=True).type_token_ratio
    highest = draw.sample(1.0, 0.0, extreme=True, common=False).type_token_ratio
    message = (
        f"a type-token ratio of {wanted} cannot be had from this data with {records} records of {mean_length:g} items:"
        f" it can be had from about {lowest:.2f} to {highest:.2f}; change the ratio, the records or the length"
    )
    raise ParameterError(message)


def _check(data: Transactions, wanted: float, records: int, mean_length: float, tolerance: float) -> None:
    if not 0 < wanted <= 1 or tolerance < 0:
        message = (
            f"wanted must be above 0 and at most 1, tolerance not negative (got {wanted} and {tolerance})"
        )
        raise ParameterError(message)
    if not 1 <= records <= len(data):
        message = f"records must be between 1 and {len(data):,}, the records there are (got {records})"
        raise ParameterError(message)
    if not 1 <= mean_length <= data.lengths.max():
        message = f"mean_length must be between 1 and {data.lengths.max():,}, the longest record (got {mean_length})"
        raise ParameterError(message)


class _Draw:
    """Draws of documents and items from one data set."""

    def __init__(
        self, data: Transactions, records: int, mean_length: float, rng: np.random.Generator
    ) -> None:
        self._data, self._records, self._rng = data, records, rng
        lengths = data.lengths
        long_enough = lengths >= np.ceil(mean_length)
        if long_enough.sum() < records:  # the longest ones, then
            long_enough = np.zeros(len(data), bool)
            long_enough[np.argsort(-lengths, kind="stable")[:records]] = True
        supports = data.supports[data.codes].astype(np.float64)
        commonness = np.add.reduceat(np.log(supports), data.offsets[:-1]) / lengths
        rows = np.flatnonzero(long_enough)
        self._by_commonness = rows[np.argsort(-commonness[rows], kind="stable")]
        self._wanted_lengths = np.full(records, int(mean_length))
        self._wanted_lengths[: round(records * (mean_length - int(mean_length)))] += 1

    def sample(
        self, wanted: float, pool: float, *, extreme: bool = False, common: bool = False
    ) -> DensitySample:
        """One draw, with items exchanged until the ratio is as wanted or nothing more can be done."""
        size = max(self._records, round(pool * len(self._by_commonness)))
        ordered = self._by_commonness if common else self._by_commonness[::-1]
        rows = np.sort(self._rng.choice(ordered[:size], self._records, replace=False))
        items = [
            self._data.codes[self._data.offsets[row] : self._data.offsets[row + 1]] for row in rows.tolist()
        ]
        supports = np.bincount(np.concatenate(items), minlength=len(self._data.vocabulary))
        halves = _Halves(len(self._data.vocabulary))
        for codes, length in zip(items, self._rng.permutation(self._wanted_lengths).tolist(), strict=True):
            mixed = self._rng.permutation(codes)
            if extreme:
                mixed = mixed[np.argsort(-supports[mixed] if common else supports[mixed], kind="stable")]
            halves.add(mixed.tolist(), length)
        halves.exchange(round(wanted * halves.total), self._rng)
        return self._cut(rows, halves, wanted, pool)

    def _cut(self, rows: NDArray[np.int64], halves: _Halves, wanted: float, pool: float) -> DensitySample:
        data = Transactions.from_arrays(
            np.array([len(held) for held in halves.held], np.int64),
            np.array([code for held in halves.held for code in sorted(held)], np.int32),
            self._data.vocabulary,
            source_rows=self._data.source_rows[rows],
        )
        total = len(data.codes)
        return DensitySample(data, wanted, len(data.vocabulary) / total, total / len(data), pool)


class _Halves:
    """The items of each document in two halves: those that the record holds, and those in reserve."""

    def __init__(self, vocabulary: int) -> None:
        self.held: list[list[int]] = []
        self._reserve: list[list[int]] = []
        self._support = [0] * vocabulary
        self.different = 0
        self.total = 0

    def add(self, codes: list[int], length: int) -> None:
        """A document: its first items are held."""
        self.held.append(codes[:length])
        self._reserve.append(codes[length:])
        self.total += len(self.held[-1])
        for code in self.held[-1]:
            self._count(code, 1)

    def _count(self, code: int, step: int) -> None:
        before = self._support[code]
        self._support[code] = before + step
        self.different += (before + step > 0) - (before > 0)

    def exchange(self, wanted: int, rng: np.random.Generator) -> None:
        """Exchange items, at most one of each document in turn, until there are as many different ones as wanted."""
        moved = True
        while moved and self.different != wanted:
            moved = False
            for document in rng.permutation(len(self.held)).tolist():
                if self.different == wanted:
                    return
                moved |= self._exchange_one(document, fewer=self.different > wanted)

    def _exchange_one(self, document: int, *, fewer: bool) -> bool:
        """Swap one held item for one in reserve, so that there is one different item less (or more)."""
        held, reserve, support = self.held[document], self._reserve[document], self._support
        if fewer:
            gone = next((at for at, code in enumerate(held) if support[code] == 1), None)
            come = max(range(len(reserve)), key=lambda at: support[reserve[at]], default=None)
            usable = come is not None and support[reserve[come]] > 0
        else:
            gone = max(range(len(held)), key=lambda at: support[held[at]], default=None)
            come = next((at for at, code in enumerate(reserve) if support[code] == 0), None)
            usable = gone is not None and support[held[gone]] > 1
        if gone is None or come is None or not usable:
            return False
        self._count(held[gone], -1)
        self._count(reserve[come], 1)
        held[gone], reserve[come] = reserve[come], held[gone]
        return True
