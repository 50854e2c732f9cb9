"""Which settings no other one beats."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloven.tuning.result import Point, undominated

coarse = st.integers(0, 5).map(lambda n: n / 5)
points = st.lists(st.builds(Point, st.booleans(), coarse, coarse), min_size=1, max_size=12)


def worse(one: Point, other: Point) -> bool:
    """The definition, by single figures."""
    at_least = other.broken <= one.broken and other.risk <= one.risk and other.utility >= one.utility
    better = other.broken < one.broken or other.risk < one.risk or other.utility > one.utility
    return at_least and better


@given(points)
def test_front_is_what_nothing_beats(found):
    front = undominated(found)
    assert front
    assert set(front) == {
        here for here, point in enumerate(found) if not any(worse(point, other) for other in found)
    }
    assert [found[here].risk for here in front] == sorted(found[here].risk for here in front)


@given(points, st.sampled_from([0.1, 0.3]))
def test_whoever_beats_by_a_margin_beats(found, margin):
    for one in found:
        for other in found:
            if one.beats(other, margin):
                assert one.beats(other)
                assert not other.beats(one)


def test_a_margin_asks_for_both():
    here = Point(False, 0.2, 0.5)
    assert Point(False, 0.1, 0.6).beats(here, 0.05)
    assert not Point(False, 0.1, 0.5).beats(here, 0.05)
    assert not Point(False, 0.2, 0.9).beats(here, 0.05)
    assert not Point(True, 0.0, 1.0).beats(here, 0.05)
