"""Topics and documents chosen over them, on made-up corpora whose topics are known."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.errors import ParameterError
from cloven.text.counts import TermCounts
from cloven.text.samples import Topics, choose_documents, find_topics, topic_sample


def corpus(topics: int = 4, documents: int = 12, seed: int = 5) -> tuple[TermCounts, np.ndarray]:
    """Documents of 8 of the 10 words of their topic and 4 of 30 words of all."""
    rng = np.random.default_rng(seed)
    counters, truth = [], []
    for number in range(topics * documents):
        topic = number % topics
        own = [f"t{topic}w{word}" for word in rng.choice(10, 8, replace=False)]
        other = [f"all{word:02}" for word in rng.choice(30, 4, replace=False)]
        counters.append({**dict.fromkeys(own, 2), **dict.fromkeys(other, 1)})
        truth.append(topic)
    return TermCounts.from_counters(counters), np.array(truth)


def test_known_topics_are_found():
    terms, truth = corpus()
    topics = find_topics(terms, 4)
    assert len({(found, true) for found, true in zip(topics.of_document, truth, strict=True)}) == 4
    assert all(len({name[:2] for name in listed[:8]}) == 1 for listed in topics.terms)
    assert topics.converged
    assert (topics.weights > 0).all()


def test_topics_are_the_same_every_time():
    terms, _ = corpus()
    first, second = find_topics(terms, 4), find_topics(terms, 4)
    assert np.array_equal(first.of_document, second.of_document)
    assert first.terms == second.terms


def test_document_without_a_common_term_has_no_topic():
    terms, _ = corpus()
    counters = [
        dict(zip([terms.vocabulary[c] for c in terms.codes[a:b]], terms.counts[a:b].tolist(), strict=True))
        for a, b in zip(terms.offsets[:-1], terms.offsets[1:], strict=True)
    ]
    topics = find_topics(TermCounts.from_counters([*counters, {"alone": 1}]), 4)
    assert topics.of_document[-1] == -1


TOPICS = Topics(np.array([0] * 9 + [1] * 5 + [2] * 3 + [-1]), np.ones(18), ((), (), ()), converged=True)


@pytest.mark.parametrize(
    ("documents", "among", "counts"), [(9, 3, [3, 3, 3]), (8, 3, [3, 3, 2]), (7, 2, [4, 3, 0])]
)
def test_documents_are_drawn_evenly(documents, among, counts):
    chosen = choose_documents(TOPICS, documents, among, np.random.default_rng(1))
    assert len(set(chosen.tolist())) == documents
    assert np.bincount(TOPICS.of_document[chosen], minlength=3).tolist() == counts


def test_only_eligible_documents_are_drawn():
    eligible = np.arange(18) % 2 == 0
    chosen = choose_documents(TOPICS, 6, 3, np.random.default_rng(1), eligible)
    assert (chosen % 2 == 0).all()


def test_topics_too_small():
    with pytest.raises(
        ParameterError, match="only 2 of 3 topics have 4 documents to draw from, 3 are wanted"
    ):
        choose_documents(TOPICS, 12, 3, np.random.default_rng(1))
    with pytest.raises(ParameterError, match="at least as many as topics"):
        choose_documents(TOPICS, 2, 3, np.random.default_rng(1))


def test_sample_over_topics():
    terms, truth = corpus()
    sample = topic_sample(terms, np.random.default_rng(2), topics=4, per_topic=5, terms=6, min_documents=3)
    data = sample.transactions
    assert (len(data), set(data.lengths.tolist())) == (20, {6})
    assert np.bincount(truth[data.source_rows]).tolist() == [5] * 4
    assert np.bincount(sample.topics).tolist() == [5] * 4
    assert sample.type_token_ratio == len(data.vocabulary) / 120
    again = topic_sample(terms, np.random.default_rng(2), topics=4, per_topic=5, terms=6, min_documents=3)
    assert again.transactions == data


def test_sample_of_transactions_and_of_rare_terms():
    terms, _ = corpus()
    data = terms.transactions()
    sample = topic_sample(data, np.random.default_rng(2), topics=4, per_topic=5, terms=6, min_documents=8)
    supports = dict(zip(data.vocabulary, data.supports.tolist(), strict=True))
    assert min(supports[name] for name in sample.transactions.vocabulary) >= 8


def test_sample_that_cannot_be_had():
    terms, _ = corpus(topics=3, documents=6)
    with pytest.raises(ParameterError, match="topics have 5 documents to draw from, 9 are wanted"):
        topic_sample(terms, np.random.default_rng(1), topics=9, per_topic=5, terms=6, min_documents=1)
    with pytest.raises(ParameterError, match="must be at least 1"):
        topic_sample(terms, np.random.default_rng(1), topics=0)
