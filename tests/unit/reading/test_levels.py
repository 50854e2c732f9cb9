"""Dates and codes: read to a precision, generalised by calendar and prefix, and nothing finer anywhere."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.data.schema import PRECISIONS
from cloven.errors import InputError, ParameterError
from cloven.kinds.tables.files import to_frame
from cloven.reading.levels import calendar, order_of, parsed, prefix_tree, shown


def read(values, **settings):
    column = cv.Column("when", "quasi-identifier", **settings)
    schema = cv.Schema((column, cv.Column("ill", "sensitive")), missing="keep")
    return cv.read_table(pa.table({"when": values, "ill": ["flu", "gout"] * (len(values) // 2)}), schema)


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)), st.sampled_from(PRECISIONS))
def test_a_date_is_a_leaf_of_the_calendar_below_all_coarser_ones(day, precision):
    tree = calendar(day.year, day.year, precision)
    leaf = shown(day, precision)
    above = tree.ancestors(leaf)
    coarser = PRECISIONS[PRECISIONS.index(precision) + 1 :]
    assert set(above) <= {shown(day, each) for each in coarser}
    assert above[-1:] == ((shown(day, "decade"),) if coarser else ())


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_texts_of_dates_are_read_in_every_order(day):
    assert parsed(day.isoformat(), None) == day
    assert parsed(f"{day.isoformat()} 12:30:00", None) == day
    assert parsed(f"{day.day}.{day.month}.{day.year:04}", None) == day
    assert parsed(f"{day.month}/{day.day}/{day.year:04}", "mdy") == day
    assert parsed(f"{day.day}/{day.month}/{day.year:04}", "dmy") == day


@pytest.mark.parametrize("text", ["1989-13-01", "1989-02-30", "soon", "25-5", "19890525", "1989-5-25x", ""])
def test_what_is_no_date(text):
    assert parsed(text, None) is None


def test_order_is_told_by_days_above_twelve():
    assert order_of(["3/4/2001", "13/4/2001"]) == "dmy"
    assert order_of(["3.4.2001"]) == "dmy"
    assert order_of(["13/4/2001", "4/13/2001"]) is None


@given(st.sets(st.text("0123456789AB.", min_size=1, max_size=6), min_size=1, max_size=30))
def test_a_code_stands_below_its_beginnings_and_groups_part_codes(codes):
    tree = prefix_tree(codes)
    below = {}
    for code in codes:
        for group in tree.ancestors(code):
            assert code.startswith(group[:-1])
            below.setdefault(group, set()).add(code)
    for group, held in below.items():
        assert held == {code for code in codes if code.startswith(group[:-1])}
        assert len(held) > 1
    for code in codes:
        sizes = [len(below[group]) for group in tree.ancestors(code)]
        assert all(inner < outer for inner, outer in pairwise(sizes))


def test_years_are_numbers_and_no_day_is_read():
    days = [(date(1950, 1, 1) + timedelta(days=97 * n)).isoformat() for n in range(200)]
    attribute = read(days, kind="date").attributes[0]
    assert attribute.numbers is not None
    assert set(attribute.values) == {day[:4] for day in days}
    decades = read(days, kind="date", round=10).attributes[0]
    assert decades.blocks is not None
    released = cv.Mondrian(k=5).anonymise(read(days, kind="date")).release
    for text in to_frame(released)["when"].to_pylist():
        assert "-" not in text


def test_years_with_missing_ones_are_categories_with_decades():
    attribute = read(["1951-02-03", "", "1962-01-01", "1969-12-31"], kind="date").attributes[0]
    assert attribute.numbers is None
    assert "(missing)" in attribute.values
    assert "1960s" in attribute.tree.labels
    assert len([value for value in attribute.values if value.startswith("195")]) == 10, "whole decades"


def test_quarters_and_codes_have_trees():
    quarters = read(
        ["1951-02-03", "1951-04-03", "1952-11-11", "1952-12-01"], kind="date", precision="quarter"
    )
    assert quarters.row(2)[0] == "1952-Q4"
    assert "1951" in quarters.attributes[0].tree.labels
    codes = read(["02139", "02143", "02445", "10001"], kind="code", precision=3).attributes[0]
    assert codes.values == ("(missing)", "021", "024", "100")
    assert not codes.stated, "they are those of the rows"
    assert "02*" in codes.tree.labels


def test_dates_of_a_frame_are_read():
    table = pa.table({"when": [date(1951, 2, 3), date(1962, 1, 1)], "ill": ["flu", "gout"]})
    schema = cv.Schema((cv.Column("when", "quasi-identifier", kind="date"), cv.Column("ill", "sensitive")))
    assert cv.read_table(table, schema).row(0) == ("1951", "flu")


@pytest.mark.parametrize(
    ("values", "settings", "words"),
    [
        (["1951-02-03", "soon"], {"kind": "date"}, "is said to hold dates, and this is none"),
        (["3/4/1951", "5/6/1952"], {"kind": "date", "precision": "month"}, 'write order = "dmy" or "mdy"'),
    ],
)
def test_dates_that_cannot_be_read(values, settings, words):
    with pytest.raises(InputError, match=words):
        read(values, **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "date", "precision": "week"}, "must be one of 'day', 'month'"),
        ({"kind": "code", "precision": 0}, "precision of a code is how many characters are read"),
        ({"kind": "code", "precision": "year"}, "precision of a code is how many characters are read"),
        ({"kind": "number", "precision": 3}, "precision is for dates and codes"),
        ({"kind": "code", "order": "dmy"}, "order is for dates; give kind too"),
        ({"kind": "date", "order": "ymd"}, "must be one of 'dmy', 'mdy'"),
        ({"kind": "date", "values": ["1951"]}, "values is for categories"),
        ({"kind": "code", "tree": {"a": ["b"]}}, "the groups of a code are known"),
        ({"kind": "code", "round": 10}, "round is for numbers"),
        ({"kind": "date", "precision": "quarter", "round": 10}, "round is for numbers, and years are some"),
    ],
)
def test_settings_that_say_two_things(settings, words):
    with pytest.raises(ParameterError, match=words):
        cv.Column("when", "quasi-identifier", **settings)


@pytest.mark.parametrize("precision", ["month", "quarter", "year", "decade"])
def test_the_first_and_the_last_year_that_dates_have_are_read(precision):
    table = read(["0001-01-01", None, "9999-12-31", "1970-06-05"], kind="date", precision=precision)
    attribute = table.attributes[0]
    assert attribute.tree is not None
    assert {shown(date(1, 1, 1), precision), shown(date(9999, 12, 31), precision)} <= set(attribute.values)
    assert "0000" not in attribute.values


def test_days_of_ten_thousand_years_are_refused_in_words():
    with pytest.raises(InputError, match=r"0001 to 9999.*missing_values.*0001-01-01"):
        read(["0001-01-01", "9999-12-31"], kind="date", precision="day")


@pytest.mark.parametrize("setting", [{"range": (0, 12000)}, {"range": (1990, 10000)}, {"cuts": (0, 10, 20)}])
def test_years_that_no_date_has_are_refused(setting):
    with pytest.raises(ParameterError, match="years from 1 to 9999, got"):
        cv.Column("when", "quasi-identifier", kind="date", **setting)


def test_a_date_outside_the_range_is_named_and_not_its_tree():
    days = ["1950-03-01", None, "1965-01-02", "1971-01-02"]
    with pytest.raises(InputError, match=r"2 dates outside the years 1900 to 1960.*widen range") as raised:
        read(days, kind="date", range=(1900, 1960))
    assert "1965-01-02" in str(raised.value)
    assert "tree" not in str(raised.value)


@pytest.mark.parametrize("setting", [{"range": (1900, 1960)}, {"cuts": (1900, 1930, 1960)}])
def test_a_date_outside_the_range_is_clamped_where_one_is_missing_too(setting):
    table = read(["1950-03-01", None, "1965-01-02", "1890-01-02"], kind="date", outside="clamp", **setting)
    assert [table.row(row)[0] for row in range(4)] == ["1950", "(missing)", "1960", "1900"]


def test_the_order_of_day_and_month_is_asked_only_where_it_matters():
    days = ["3/4/2001", "5/6/2002"]
    assert set(read(days, kind="date").attributes[0].values) == {"2001", "2002"}
    assert read(["3/14/2001", "15/6/2012"], kind="date", precision="decade").row(1)[0] == "2010s"
    with pytest.raises(InputError, match=r'write order = "dmy" or "mdy"'):
        read(days, kind="date", precision="month")
