"""Likely typos, against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import ParameterError
from cloven.text.typos import TypoRule, one_edit, suspected_typos

LETTERS = "abs"
WORDS = st.text(LETTERS, min_size=1, max_size=6)


def one_edit_away(word: str) -> set[str]:
    """All words one edit away, by making every edit."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {a + b[1:] for a, b in cuts if b} | {a + c + b for a, b in cuts for c in LETTERS}
    found |= {a + c + b[1:] for a, b in cuts if b for c in LETTERS}
    return (found | {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}) - {word}


@given(WORDS, WORDS)
def test_one_edit_against_making_every_edit(word, other):
    plural = f"{word}s" == other or f"{other}s" == word
    assert one_edit(word, other) == (other in one_edit_away(word) and not plural)


@given(
    st.dictionaries(st.text(LETTERS, min_size=3, max_size=6), st.integers(1, 30), max_size=12),
    st.sets(WORDS, max_size=8),
)
def test_suspects_against_all_pairs(supports, reference):
    rule = TypoRule(rare=2, ratio=5, shortest=3, shortest_known=4)
    suspected = {
        word
        for word, count in supports.items()
        if count <= rule.rare and word not in reference
        for other in {*supports, *reference}
        if one_edit(word, other) and word[0] == other[0]
        if supports.get(other, 0) >= rule.ratio * count
        or (other in reference and len(word) >= rule.shortest_known and word[-2:] == other[-2:])
    }
    assert set(suspected_typos(supports, reference, rule)) == suspected


def test_the_most_frequent_word_is_meant():
    supports = {"biopsy": 50, "biopsi": 1, "biopsia": 20}
    assert suspected_typos(supports, set()) == {"biopsi": "biopsy"}


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("tumors", "plural"),
        ("tumour", "British"),
        ("DUMOR", "abbreviation"),
        ("fumor", "first letter"),
        ("tumor-x", "hyphen"),
        ("rumor", "known"),
    ],
)
def test_what_is_no_typo(word, why):
    assert suspected_typos({"tumor": 90, word: 1}, {"rumor"}) == {}, why


def test_frequent_words_are_no_typos():
    assert suspected_typos({"femoral": 90, "femorel": 3}, set()) == {}
    assert suspected_typos({"femoral": 9, "femorel": 1}, set()) == {}
    assert suspected_typos({"femoral": 10, "femorel": 1}, set()) == {"femorel": "femoral"}


def test_known_words_need_length_and_a_like_ending():
    known = {"femoral", "liver", "cellulitis"}
    assert suspected_typos({"femroal": 1, "livver": 1, "cellulitic": 1}, known) == {"femroal": "femoral"}


def test_words_of_phrases_count_together():
    supports = {"femoral artery": 6, "femoral vein": 6, "left femorla": 1}
    assert suspected_typos(supports, set()) == {"left femorla": "left femoral"}


def test_bad_rule():
    with pytest.raises(ParameterError, match="rare >= 1, ratio >= 2"):
        TypoRule(ratio=1)
