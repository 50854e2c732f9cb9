"""What cells of other tools stand for, form by form, and ranges against counting one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.data.table import Attribute
from cloven.data.taxonomy import Taxonomy, tree_of
from cloven.kinds.tables.foreign.cells import CellReader, number_in, span_of

AGES = ("5", "17", "18", "20", "25", "30", "31", "90", "95")
AGE = Attribute("age", "quasi-identifier", AGES, np.array([float(age) for age in AGES]))
ZIP = Attribute("zip", "quasi-identifier", ("01305", "13053", "13058", "13068", "14850"))
COUNTRIES = ("Austria", "Chad", "France", "Ghana")
TREE = tree_of(
    Taxonomy.from_rows(
        [
            ("Austria", "Europe", "*"),
            ("Chad", "Africa", "*"),
            ("France", "Europe", "*"),
            ("Ghana", "Africa", "*"),
        ]
    ),
    COUNTRIES,
)
COUNTRY = Attribute("country", "quasi-identifier", COUNTRIES, None, TREE)
BOTH = Attribute("bmi", "quasi-identifier", ("(missing)", "18.5", "21", "30", "NA"))


@pytest.mark.parametrize(
    ("text", "how", "held"),
    [
        ("[18, 30[", "range", "18 20 25"),  # ARX
        ("]18, 30]", "range", "20 25 30"),
        ("(18,30]", "range", "20 25 30"),  # R and sdcMicro
        ("[18, 30)", "range", "18 20 25"),  # anjana
        ("[18; 30]", "range", "18 20 25 30"),
        ("[90, Inf)", "range", "90 95"),
        ("(-inf, 18)", "range", "5 17"),
        ("18-25", "range", "18 20 25"),
        ("18 - 25", "range", "18 20 25"),
        ("18..25", "range", "18 20 25"),  # Cloven
        ("<18", "range", "5 17"),
        ("<= 18", "range", "5 17 18"),
        (">=90", "range", "90 95"),
        ("> 90", "range", "95"),
        ("90+", "range", "90 95"),
        ("{18, 95}", "set", "18 95"),
        ("{18.0; 95}", "set", "18 95"),
        ("18.0", "value", "18"),
        ("1*", "mask", "17 18"),
        ("*", "nothing", " ".join(AGES)),
        ("**", "nothing", " ".join(AGES)),
        ("NA", "nothing", " ".join(AGES)),
        ("", "nothing", " ".join(AGES)),
    ],
)
def test_forms_of_numbers(text, how, held):
    cell = CellReader(AGE).read(text)
    assert (cell.how, [AGES[code] for code in cell.codes]) == (how, held.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[87, 38.248[", "ends before it begins"),
        ("[40, 50[", "nobody's number"),
        ("{18, 99}", "not in the original"),
        ("19", "no value of the original"),
        ("young", "no value of the original"),
        ("9**", "no value of the original fits"),
    ],
)
def test_what_cannot_be_read_may_be_anything_and_says_why(text, why):
    cell = CellReader(AGE).read(text)
    assert cell.how == "unread"
    assert why in cell.why
    assert len(cell.codes) == len(AGES)


def test_masks_of_codes_keep_their_zeros():
    reader = CellReader(ZIP)
    assert [ZIP.values[code] for code in reader.read("130**").codes] == ["13053", "13058", "13068"]
    assert [ZIP.values[code] for code in reader.read("01***").codes] == ["01305"]
    assert reader.read("01305").how == "value"
    assert reader.read("1305").how == "unread"  # another code, although the number is the same


def test_groups_of_a_hierarchy():
    reader = CellReader(COUNTRY)
    assert [COUNTRIES[code] for code in reader.read("Europe").codes] == ["Austria", "France"]
    assert len(reader.read("*").codes) == 4
    assert CellReader(Attribute("country", "quasi-identifier", COUNTRIES)).read("Europe").how == "unread"


def test_no_value_is_one_of_the_original_until_more_is_taken_out():
    """``NA`` is what some people have; published more often than that, it is also what was taken from others."""
    plain = CellReader(BOTH, (frozenset({""}), "(missing)"))
    assert [BOTH.values[code] for code in plain.read("NA").codes] == ["NA"]
    assert [BOTH.values[code] for code in plain.read("").codes] == ["(missing)"]
    taken = CellReader(BOTH, (frozenset({""}), "(missing)"), frozenset({"", "NA"}))
    assert len(taken.read("NA").codes) == len(taken.read("").codes) == len(BOTH.values)
    assert [BOTH.values[code] for code in plain.read("[18, 25[").codes] == ["18.5", "21"]


def test_turned_ranges_hold_the_other_end():
    reader = CellReader(AGE, turned=True)
    assert [AGES[code] for code in reader.read("[18, 30)").codes] == ["20", "25", "30"]
    assert [AGES[code] for code in reader.read("[18, 30]").codes] == ["18", "20", "25", "30"]


NUMBERS = st.integers(-30, 30).map(lambda tenth: tenth / 2)


@given(st.sampled_from("[]("), NUMBERS, NUMBERS, st.sampled_from("[])"), st.sampled_from([", ", ",", ";"]))
def test_ranges_hold_what_lies_between_their_ends(first, low, high, last, between):
    span = span_of(f"{first}{low:g}{between}{high:g}{last}")
    assert span is not None
    for number in np.arange(-16, 16, 0.5).tolist():
        inside = (low < number or (low == number and first == "[")) and (
            number < high or (number == high and last == "]")
        )
        assert bool(span.holds(np.array([number]))[0]) is inside
    assert span.backwards is (low > high)


@given(st.text(max_size=12))
def test_any_text_is_read_somehow(text):
    for attribute in (AGE, ZIP, COUNTRY, BOTH):
        cell = CellReader(attribute).read(text)
        assert len(cell.codes)
        assert (np.diff(cell.codes) > 0).all()
        assert bool(cell.why) is (cell.how == "unread")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_known_again(number):
    assert number_in(repr(number)) == number
