"""Topics by non-negative matrix factorisation, and documents chosen evenly over them (thesis 5.1.2).

The matrix documents x terms (TF-IDF) is factored into documents x topics and topics x terms. A document belongs to the
topic that weighs most in it, with topics scaled alike. The factorisation starts from a singular value decomposition
(*nndsvda*) with a fixed seed, so it gives the same topics every time; only the choice of documents draws lots.

The thesis takes "two hundred transactions with around 4,000 terms from more than 35 topics". :func:`topic_sample` is
that recipe: 35 topics, 6 documents of each, 20 terms of highest TF-IDF of each document. How rare a term may be is not
said there and decides the type-token ratio: on MedQuAD it is 0.55 with all terms, 0.46 with those of 8 documents.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.text.counts import TermCounts
from cloven.text.lemmas import text_library

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
