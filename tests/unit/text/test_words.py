"""Tokens, stop words, lemmas, tags, nouns and noun phrases."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import ParameterError
from cloven.text.items import PhraseFinder, WordFinder, contained
from cloven.text.words import (
    STOP_WORDS,
    Lemmatiser,
    Tagger,
    is_abbreviation,
    merged_plurals,
    pieces,
    quiet,
    sentences,
    text_library,
    tokenise,
    word_of,
)


@pytest.fixture(scope="module")
def tagger():
    return Tagger()


@pytest.fixture(scope="module")
def lemmatiser():
    return Lemmatiser()


def test_tokens():
    text = "The patient\u2019s follow-up: 2.5 mg, 155,221 b12_x caf\u00e9 cafe\u0301 (x-ray) 'quoted' 63-year-old"
    expected = (
        "The patient\u2019s follow-up 2.5 mg 155,221 b12 x caf\u00e9 caf\u00e9 x-ray quoted 63-year-old"
    )
    assert tokenise(text) == expected.split()


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("Study's", "Study"),
        ("study\u2019s", "study"),
        ("5-fluorouracil", "fluorouracil"),
        ("63-year-old", "year-old"),
        ("1,2", "numbers"),
        ("1990s", "numbers"),
        ("3-4", "numbers"),
        ("x", "single characters"),
        ("a's", "single characters"),
        ("4-x", "single characters"),
        ("b12", "b12"),
        ("\u00fcber", "\u00fcber"),
    ],
)
def test_word_of_token(token, word):
    assert word_of(token) == word


@given(st.text())
def test_tokens_are_words_or_none_and_pieces_hold_them(text):
    tokens = tokenise(text)
    assert [piece for piece in pieces(text) if piece[0].isalnum()] == tokens
    for token in tokens:
        word = word_of(token)
        assert word
        assert word == "single characters" or not any(mark.isspace() for mark in word)


def test_abbreviations_and_shouting():
    words = ("DNA", "DNAs", "HIV-1", "I", "A1", "Tin", "mRNA", "INTERNATIONALLY")
    assert [word for word in words if is_abbreviation(word)] == ["DNA", "DNAs", "HIV-1"]
    assert quiet("TIN FALLS IN LONDON\nUS GDP FELL\nThe USA and the DNA") == (
        "tin falls in london\nUS GDP FELL\nThe USA and the DNA"
    )


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("studies", "study"),
        ("studying", "study"),
        ("mice", "mouse"),
        ("diagnoses", "diagnosis"),
        ("analyses", "analysis"),
        ("metastases", "metastasis"),
        ("doses", "dose"),
        ("shelves", "shelf"),
        ("serves", "serve"),
        ("valves", "valve"),
        ("tumours", "tumour"),
        ("diabetes", "diabetes"),
    ],
)
def test_lemmas(lemmatiser, word, lemma):
    assert lemmatiser.lemma(word) == lemma


def test_singular_leaves_other_words(lemmatiser):
    words = ("women", "vertebrae", "running", "specimen", "blood vessels", "left")
    expected = ["woman", "vertebra", "running", "specimen", "blood vessel", "left"]
    assert [lemmatiser.singular(word) for word in words] == expected


def test_unknown_plurals_merge_with_their_singular():
    words = {"zorb", "zorbs", "gliopathy", "gliopathies", "plix", "plixes", "virus", "viru", "frobs"}
    words |= {"lens", "len"}
    found = {"zorbs": "zorb", "gliopathies": "gliopathy", "plixes": "plix"}
    assert merged_plurals(words, {"lens"}.__contains__) == found


def test_missing_library_says_what_to_install():
    with pytest.raises(ParameterError, match=r'nowhere is not installed.*pip install "cloven\[text\]"'):
        text_library("nowhere.at_all")


def test_sentences_end_at_stops_blank_lines_and_bullets():
    text = "It fell. Then\nit rose 2.5 pct.\n   New paragraph\n\nLast; end"
    assert [" ".join(words) for words in sentences(text)] == [
        "It fell .",
        "Then it rose 2.5 pct .",
        "New paragraph",
        "Last",
        "end",
    ]
    assert max(len(words) for words in sentences("word " * 1000)) == 200


def test_kept_analyses_change_no_tag(tagger):
    fresh = text_library("HanTa.HanoverTagger").HanoverTagger("morphmodel_en.pgz")
    text = "The zorbulous patients of Xanthville received glimtocaine. The zorbulous mice glimtocained well."
    for words in sentences(text) * 2:
        assert tagger._tags(words) == fresh.tag_sent(words, taglevel=0)


def test_word_that_leads_nowhere_is_still_tagged(tagger, monkeypatch):
    def no_path(*_args, **_options):
        raise KeyError

    monkeypatch.setattr(tagger._model, "tag_sent", no_path)
    assert tagger._tags(["lung", "tumours"]) == ["NN1", "NN2"]


def test_words_are_lemmas_without_stop_words_numbers_and_single_characters():
    tally: Counter[str] = Counter()
    found = WordFinder(STOP_WORDS).find(
        "The studies of 3 mice: studying a mouse's x-rays. He was going.", tally
    )
    assert found == {"study": 2, "mouse": 2, "x-ray": 1}
    assert tally["tokens"] == 12
    assert (tally["numbers"], tally["single characters"], tally["stop words"]) == (1, 1, 5)


def test_lemmas_by_part_of_speech(tagger, lemmatiser):
    found = WordFinder(STOP_WORDS, lemmatiser=lemmatiser, tagger=tagger).find
    assert set(found("She left the meeting.", Counter())) == {"leave", "meeting"}
    assert set(WordFinder(STOP_WORDS).find("She left the meeting.", Counter())) == {"left", "meet"}


@pytest.fixture(scope="module")
def finder(tagger, lemmatiser):
    return PhraseFinder(3, STOP_WORDS, tagger=tagger, lemmatiser=lemmatiser)


def test_noun_phrases(finder):
    tally: Counter[str] = Counter()
    text = (
        "The patients had cardiac catheterisation and radiotherapy for aggressive lung tumours, a biopsy of blood"
        " vessels, fresh strawberries, low-fat yoghurts and frozen fish fingers."
    )
    assert set(finder.find(text, tally)) == {
        "patient", "cardiac catheterisation", "radiotherapy", "aggressive lung tumour", "biopsy", "blood vessel",
        "fresh strawberry", "low-fat yoghurt", "frozen fish finger",
    }  # fmt: skip


def test_contained_items_go_and_abbreviations_stay(finder):
    tally: Counter[str] = Counter()
    found = finder.find("A long history of HIV infection. His history shows two infections and HIVs.", tally)
    assert found == {"long history": 1, "HIV infection": 1}
    assert tally["contained in a longer item"] == 3


def test_pieces_of_two_words_as_the_paper_prints_them(tagger, lemmatiser):
    finder = PhraseFinder(2, STOP_WORDS, tagger=tagger, lemmatiser=lemmatiser, keep_contained=True)
    found = finder.find("The body mass index and sudden weight loss.", Counter())
    assert sorted(found) == ["body mass", "index", "loss", "sudden weight"]


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join), max_size=8))
def test_contained_against_plain_comparison(items):
    expected = {item for item in items for other in items if other != item and f" {item} " in f" {other} "}
    assert contained(items) == expected
