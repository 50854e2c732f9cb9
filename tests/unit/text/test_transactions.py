"""Documents to transactions: every switch, and every token accounted for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError
from cloven.text.boilerplate import Cleaning
from cloven.text.counts import TermCounts
from cloven.text.documents import Document
from cloven.text.transactions import TextOptions, to_transactions
from tests.effort import tries

TEXTS = (
    "The patients had cardiac catheterisation. Patients 1 and 2 had a long history of HIV infection.",
    "A patient with a history of lung tumours, a tumour of the lung; see www.example.org for tumours.",
    "Fresh strawberries and frozen fish. The fish was fresh, the kinins were kinin-like, a kinin.",
    "12 34 of the",
)
DOCUMENTS = tuple(Document(str(number), text, f"Title {number}") for number, text in enumerate(TEXTS))


def records(**options) -> list[list[str]]:
    return [sorted(record) for record in to_transactions(DOCUMENTS, TextOptions(**options))[0]]


def balanced(report) -> bool:
    return report.tokens == sum(report.dropped.values()) + report.occurrences


def test_words():
    data, report = to_transactions(DOCUMENTS)
    assert [sorted(record) for record in data] == [
        ["cardiac", "catheterisation", "history", "hiv", "infection", "long", "patient"],
        ["history", "lung", "patient", "tumour"],
        ["fish", "freeze", "fresh", "kinin", "kinin-like", "strawberry"],
    ]
    assert data.source_rows.tolist() == [0, 1, 2]
    assert (report.documents, report.empty_documents, report.records, report.items) == (4, 1, 3, 15)
    assert report.cleaned == {"links": 1, "titles": 4}
    assert report.dropped == {
        "numbers": 4,
        "repeats in a document": 7,
        "single characters": 5,
        "stop words": 18,
    }
    assert balanced(report)
    assert report.merged_plurals == 1
    assert report.type_token_ratio == 15 / 17
    assert report.mean_length == 17 / 3
    assert json.loads(json.dumps(report.to_dict()))["tokens"] == report.tokens


def test_phrases():
    data, report = to_transactions(DOCUMENTS, TextOptions.noun_phrases())
    found = [sorted(record) for record in data]
    assert found[0] == ["HIV infection", "cardiac catheterisation", "long history", "patient"]
    assert found[1] == ["history", "lung tumour", "patient"]
    assert balanced(report)
    assert report.dropped["joined into phrases"] >= 4


def test_switches():
    assert "title" in records(cleaning=Cleaning(titles=False))[3]
    assert "hiv" not in records(extra_stop_words=frozenset({"HIV"}))[0]
    assert "HIV" in records(keep_abbreviations=True)[0]
    assert "kinins" in records(merge_plurals=False)[2]
    assert records(min_documents=2) == [["history", "patient"], ["history", "patient"]]
    assert "patient" not in records(max_document_share=0.25)[0]


@pytest.mark.parametrize(
    "options",
    [
        TextOptions(min_documents=2),
        TextOptions(max_document_share=0.3),
        TextOptions(top_terms=2),
        TextOptions(typos="drop", min_documents=1, top_terms=3),
        TextOptions(items="nouns"),
        TextOptions(items="phrases", longest_phrase=2, keep_contained=True, min_documents=2),
        TextOptions(lemmas="tagged", keep_abbreviations=True),
    ],
)
def test_every_token_is_accounted_for(options):
    assert balanced(to_transactions(DOCUMENTS, options)[1])


WORDS = st.sampled_from(["fever", "flu", "the", "12", "x", "tumours", "tumour", "HIV", "red", ",", "."])


@settings(deadline=None, max_examples=tries(30))
@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=5), st.integers(1, 3))
def test_every_token_of_random_text_is_accounted_for(texts, terms):
    documents = [Document(str(number), f"{text} lung") for number, text in enumerate(texts)]
    data, report = to_transactions(documents, TextOptions(top_terms=terms))
    assert balanced(report)
    assert max(data.lengths) <= terms


@pytest.mark.slow
def test_typos_are_flagged_or_dropped():
    documents = [Document(str(number), "The femoral artery bleeds.") for number in range(12)]
    documents.append(Document("x", "The femorla artery bleeds."))
    data, report = to_transactions(documents, TextOptions(typos="flag"))
    assert report.suspected_typos == {"femorla": "femoral"}
    assert "femorla" in data.vocabulary
    data, report = to_transactions(documents, TextOptions(typos="drop"))
    assert (report.dropped["likely typos"], report.suspected_typos) == (1, {})
    assert "femorla" not in data.vocabulary


def test_repeated_lines_of_a_corpus_go():
    words = ("fever", "flu", "cough", "rash", "gout", "colic")
    texts = [f"City Clinic\nA {word} is here.\nThe {word} hurts.\nThe {word} goes." for word in words]
    data, report = to_transactions([Document(str(number), text) for number, text in enumerate(texts)])
    assert report.cleaned["repeated lines"] == 6
    assert "clinic" not in data.vocabulary


def test_nothing_left_is_an_error():
    with pytest.raises(
        InputError, match="no item is left of 1 documents with 3 tokens; loosen min_documents"
    ):
        to_transactions([Document("a", "the of 12")])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": "verbs"}, "items must be one of words, nouns, phrases"),
        ({"lemmas": "stem"}, "lemmas must be one of dictionary, tagged, none"),
        ({"min_documents": 0}, "at least 1"),
        ({"top_terms": -1}, "at least 1"),
        ({"max_document_share": 0}, "max_document_share must be above 0"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ParameterError, match=message):
        TextOptions(**options)


COUNTERS = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), max_size=6), min_size=1, max_size=6
)


@given(COUNTERS)
def test_weights_are_those_of_scikit_learn(counters):
    from sklearn.feature_extraction.text import TfidfTransformer

    terms = TermCounts.from_counters(counters)
    if not len(terms.codes):
        return
    raw = terms.matrix().copy()
    raw.data = terms.counts.astype(float)
    expected = TfidfTransformer().fit_transform(raw).toarray()
    assert np.allclose(terms.matrix().toarray(), expected)


@given(COUNTERS, st.integers(1, 4))
def test_best_terms_against_sorting(counters, count):
    terms = TermCounts.from_counters(counters)
    weights, kept = terms.weights(), terms.best(count)
    for row in range(len(terms)):
        entries = range(terms.offsets[row], terms.offsets[row + 1])
        ranked = sorted(entries, key=lambda entry: (-round(weights[entry], 12), terms.codes[entry]))
        assert sorted(ranked[:count]) == [entry for entry in entries if kept[entry]]


@given(COUNTERS)
def test_renaming_adds_counts_up(counters):
    renamed = TermCounts.from_counters(counters).renamed({"b": "a", "c": "z"})
    rows = [{} for _ in counters]
    for counter, row in zip(counters, rows, strict=True):
        for name, count in counter.items():
            new = {"b": "a", "c": "z"}.get(name, name)
            row[new] = row.get(new, 0) + count
    expected = TermCounts.from_counters(rows)
    assert renamed.vocabulary == expected.vocabulary
    for name in ("offsets", "codes", "counts"):
        assert np.array_equal(getattr(renamed, name), getattr(expected, name))


def test_taking_documents_keeps_their_numbers():
    terms = TermCounts.from_counters([{"a": 1}, {"b": 2, "a": 1}, {}, {"c": 1}]).take(np.array([3, 1, 2]))
    data = terms.transactions()
    assert (data.vocabulary, data.source_rows.tolist(), data.empty_records) == (("a", "b", "c"), [3, 1], 1)
    assert TermCounts.from_transactions(data).transactions() == Transactions.from_records([["c"], ["a", "b"]])
