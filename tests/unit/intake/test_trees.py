"""JSON that breaks other programs is refused where it is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.intake.trees import tree_of

TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@given(TREES, st.booleans())
def test_what_json_writes_is_read(tree, plain):
    text = json.dumps(tree, ensure_ascii=plain)
    assert tree_of(text) == tree
    assert tree_of(text.encode()) == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1e999]", "1e999 is too large"),
        ("[-1E+400]", "too large"),
        (f"[{10**400}]", "is too large"),
        (str(2**63), "is too large"),
        ("NaN", "NaN is no number"),
        ("[Infinity]", "no number"),
        ('"\\ud800"', "surrogates not allowed"),
        ('{"\\uDFFF": 1}', "surrogates not allowed"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"k": 1, "k": 2}', "two entries are called 'k'"),
        (b'"\xff"', "can't decode"),
        (b"\xef\xbb\xbf[]", "BOM"),
        ("[1", "delimiter"),
        ("9" * 5000, "digits"),
    ],
)
def test_what_programs_stumble_over_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        tree_of(text)


def test_pairs_of_surrogates_are_one_letter():
    assert tree_of('"\\ud83d\\ude00"') == "\U0001f600"
