"""Texts of strangers: nothing hidden is left, and nothing else is changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloven.errors import InputError, ParameterError
from cloven.escapes import FORMULA, csv_cell, hidden, json_text, signed, visible

ANY = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY)
def test_nothing_hidden_is_left(text):
    for shown in (visible(text), signed(text), csv_cell(text)):
        assert not any(map(hidden, shown))
    assert "\n" not in visible(text) + csv_cell(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="=+-@")))
def test_what_can_be_seen_stays(text):
    assert visible(text) == signed(text) == csv_cell(text) == text


@given(ANY)
def test_no_cell_is_a_formula(text):
    """Plain numbers may begin with a sign; they calculate nothing."""
    shown = csv_cell(text)
    if shown.lstrip().startswith(FORMULA):
        float(shown)


@given(st.recursive(ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner)))
@example("\x7f")
@example({"\x7f\u202e": ["\x00"]})
def test_json_says_the_same_and_hides_nothing(value):
    text = json_text(value)
    assert json.loads(text) == value
    assert not any(hidden(each) for each in text.replace("\n", ""))
    assert json_text(value, ascii_only=True).isascii()


@pytest.mark.parametrize("error", [InputError("a\x1b[2J\nb"), ParameterError("\u202e\ud800")])
def test_messages_are_one_line(error):
    assert str(error).isprintable()


def test_scripts_and_emoji_keep_their_joiners():
    joined = "\u0645\u06cc\u200c\u062e"  # as Persian is written
    assert signed(joined) == joined
    assert csv_cell("👩\u200d⚕") == "👩\u200d⚕"
