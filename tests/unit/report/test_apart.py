"""Marks of a chart that would cover each other."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from cloven.report.svg import (
    NARROW_WIDTH,
    PLOT_HEIGHT,
    RADIUS,
    USUAL_WIDTH,
    Mark,
    apart,
    beside_line,
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


def covered(note, width, x, y):
    """Whether the mark of a point would lie on a note."""
    box = note.box(width, PLOT_HEIGHT)
    near = abs(box.x - x * width) * 2 < box.width + 2 * RADIUS
    return near and abs(box.y - y * PLOT_HEIGHT) * 2 < box.height + 2 * RADIUS


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)), st.floats(0.1, 1))
def test_one_point_never_lies_on_the_note_of_a_limit(place, at):
    note = beside_line("limit 20 %", at, [place])
    assert not any(covered(note, width, *place) for width in (USUAL_WIDTH, NARROW_WIDTH))
