"""The public corpora: counts of their documents, and the pipeline on the first few hundred."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.text.counts import TermCounts
from cloven.text.documents import DocumentOptions, read_documents
from cloven.text.samples import density_sample, topic_sample
from cloven.text.transactions import TextOptions, count_terms, to_transactions

pytestmark = pytest.mark.data

CORPORA = {
    "ohsumed_single_23.tar.gz": DocumentOptions(title_line=True),
    "medquad.tar.gz": DocumentOptions(format="medquad"),
    "reuters21578.tar.gz": DocumentOptions(format="reuters"),
}


def corpus(data_dir, name, limit=None):
    path = data_dir / "text" / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    options = CORPORA[name]
    return read_documents(
        path, DocumentOptions(format=options.format, title_line=options.title_line, limit=limit)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "documents", "dropped"),
    [
        ("ohsumed_single_23.tar.gz", 7400, {}),
        ("medquad.tar.gz", 5486, {"page without an answer": 11274 - 5486}),
        ("reuters21578.tar.gz", 19043, {"story without a body": 21578 - 19043}),
    ],
)
def test_documents_of_a_corpus(data_dir, name, documents, dropped):
    found = corpus(data_dir, name)
    assert (len(found), found.dropped) == (documents, dropped)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize(
    "options", [TextOptions(typos="flag"), TextOptions.noun_phrases()], ids=["words", "phrases"]
)
def test_pipeline_on_the_first_documents(data_dir, name, options):
    documents = corpus(data_dir, name, limit=200 if options.items == "words" else 8)
    data, report = to_transactions(documents, options)
    assert report.tokens == sum(report.dropped.values()) + report.occurrences
    assert report.records == len(documents) - report.empty_documents
    assert 10 < report.mean_length < 400
    assert not {"the", "of", "1987"} & set(data.vocabulary)


def test_recipe_of_the_thesis_on_a_part(data_dir):
    terms = count_terms(corpus(data_dir, "ohsumed_single_23.tar.gz", limit=600)).terms
    sample = topic_sample(terms, np.random.default_rng(1), topics=10, per_topic=6, terms=20, min_documents=3)
    assert (len(sample.transactions), len(set(sample.topics.tolist()))) == (60, 10)
    assert set(sample.transactions.lengths.tolist()) == {20}


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [0.2, 0.45, 0.7])
def test_densities_of_the_thesis_on_a_part(data_dir, wanted):
    data, _ = to_transactions(corpus(data_dir, "medquad.tar.gz", limit=400), TextOptions(top_terms=60))
    sample = density_sample(data, wanted, np.random.default_rng(1), records=100, mean_length=20)
    assert abs(sample.type_token_ratio - wanted) <= 0.01


@pytest.mark.slow
def test_recipe_of_the_thesis_on_medquad(data_dir):
    """The quick trial with 210 documents of 35 topics and 20 terms each had a type-token ratio of 0.46."""
    terms: TermCounts = count_terms(corpus(data_dir, "medquad.tar.gz")).terms
    sample = topic_sample(terms, np.random.default_rng(1))
    assert (len(sample.transactions), len(set(sample.topics.tolist()))) == (210, 35)
    assert abs(sample.type_token_ratio - 0.46) < 0.02
