"""Marks of a chart that would cover each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.report.rows import Tried, scale
from cloven.report.svg import (
    NARROW_WIDTH,
    PLOT_HEIGHT,
    RADIUS,
    USUAL_WIDTH,
    Mark,
    Note,
    apart,
    beside_line,
    settings,
)

HEIGHT = 320


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_marks_do_not_cover_each_other(places):
    marks = apart(places, [""] * len(places), HEIGHT)
    at = [
        (x * USUAL_WIDTH + mark.dx, y * HEIGHT + mark.dy) for (x, y), mark in zip(places, marks, strict=True)
    ]
    assert marks[0] == Mark(0.0, 0.0), "the first one stands where it belongs"
    for one, other in combinations(at, 2):
        assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= 2 * RADIUS - 0.2


def test_a_name_that_would_leave_the_chart_stands_on_the_other_side():
    (mark,) = apart([(0.98, 0.5)], ["composition-like"], HEIGHT)
    assert mark.left


def covered(note, width, x, y):
    """Whether the mark of a point would lie on a note."""
    box = note.box(width, PLOT_HEIGHT)
    near = abs(box.x - x * width) * 2 < box.width + 2 * RADIUS
    return near and abs(box.y - y * PLOT_HEIGHT) * 2 < box.height + 2 * RADIUS


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)), st.floats(0.1, 1))
def test_one_point_never_lies_on_the_note_of_a_limit(place, at):
    note = beside_line("limit 20 %", at, [place])
    assert not any(covered(note, width, *place) for width in (USUAL_WIDTH, NARROW_WIDTH))


def test_a_note_goes_where_a_phone_has_room_for_it():
    place = (0.85, 0.48)  # beside the note at a desk, on it on a phone
    usual = Note("limit 20 %", 0.5)
    assert not covered(usual, USUAL_WIDTH, *place)
    assert covered(usual, NARROW_WIDTH, *place)
    assert beside_line("limit 20 %", 0.5, [place]) == Note("limit 20 %", 0.5, left=True)


@pytest.mark.parametrize("utilities", [[0.5], [number / 20 for number in range(21)]])
def test_the_note_of_a_limit_is_drawn_on_top_of_all_points(utilities):
    rows = [
        Tried(number, f"coat:k={number}", "coat", utility, 0.2, 0, main=False, front=False, better=False)
        for number, utility in enumerate(utilities, 1)
    ]
    axis = scale(0, 1, most=1.0)
    drawn = str(settings(rows, axis, axis, (0.2, 0.0), ("utility", "risk")))
    assert drawn.count("limit 20 %") == 1
    assert drawn.rindex('class="point') < drawn.index("limit 20 %")
