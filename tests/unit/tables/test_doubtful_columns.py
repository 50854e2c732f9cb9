"""One slip or one word for no value among numbers must not make categories of them, and categories are left alone."""

from __future__ import annotations

import pytest

from cloven.data.schema import Column, Schema
from cloven.errors import InputError
from cloven.reading.tables import read_table

NUMBERS = [str(number) for number in range(20, 40)]


def kind_of(path, cells, missing_values=("", "?"), missing="refuse", **column):
    """Whether the column was read as numbers."""
    path.write_text("\n".join(["x,y", *(f"{cell},a" for cell in cells)]) + "\n")
    schema = Schema((Column("x", "quasi-identifier", **column),), missing, missing_values)
    return "number" if read_table(path, schema).attributes[0].numbers is not None else "category"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.csv"


@pytest.mark.parametrize(
    ("slip", "tree"), [("thirty", None), ("3O", "ranges"), ("-inf", None), ("1_000", None)]
)
def test_a_slip_is_refused_where_it_stands(path, slip, tree):
    words = r"people.csv:5: column 'x' holds numbers, but not in 1 of 21 rows.*correct the cell.*kind = \"category\""
    with pytest.raises(InputError, match=words) as raised:
        kind_of(path, [*NUMBERS[:3], slip, *NUMBERS[3:]], tree=tree)
    assert (raised.value.line, raised.value.value) == (5, slip)


@pytest.mark.parametrize(
    ("word", "often"), [("NA", 1), ("N/A", 50), ("nan", 1), ("null", 50), ("None", 1), ("-", 50)]
)
def test_words_for_no_value_are_named(path, word, often):
    words = (
        rf'missing_values = \["", "\?", "{word}"\] if .{word}. stands for no value, or .*kind = "category"'
    )
    with pytest.raises(InputError, match=words):
        kind_of(path, [*NUMBERS, *[word] * often])
    assert kind_of(path, [*NUMBERS, word], ("", "?", word), "drop") == "number"
    assert kind_of(path, [*NUMBERS, word], kind="category") == "category"


def test_a_question_mark_that_is_said_to_be_a_value(path):
    with pytest.raises(InputError, match=r'missing_values = \["", "\?"\]'):
        kind_of(path, [*NUMBERS, "?"], ("",))


def test_a_slip_is_shown_before_words_for_no_value(path):
    with pytest.raises(
        InputError, match=r'correct the cell, write missing_values = \["", "\?", "NA"\]'
    ) as raised:
        kind_of(path, ["NA", *NUMBERS, "thirty"])
    assert raised.value.line == 23


def test_many_cells_count_like_many_values(path):
    with pytest.raises(InputError, match=r"but not in 1 of 20 rows.*got '3\+'"):
        kind_of(path, [*["0", "1", "2"] * 6, "1", "3+"])


@pytest.mark.parametrize(
    "cells",
    [
        ["0", "1", "2", "3+"],
        [*NUMBERS[:8], "a", "b"],
        ["Private", "State", "NA"],
        ["01234", *NUMBERS],
        ["01234", *NUMBERS, "NA"],
    ],
    ids=["a few", "four fifths", "words", "codes", "codes and a word"],
)
def test_categories_stay_categories(path, cells):
    assert kind_of(path, cells) == "category"


def test_what_the_owner_lists_is_not_doubted(path):
    cells = [*NUMBERS, "old"]
    assert kind_of(path, cells, values=tuple(cells)) == "category"
    with pytest.raises(InputError, match="said to hold numbers"):
        kind_of(path, cells, kind="number")
    assert kind_of(path, cells, tree={"*": cells}) == "category"
