"""Marks of a chart that would cover each other."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from cloven.report.svg import RADIUS, USUAL_WIDTH, Mark, apart

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
