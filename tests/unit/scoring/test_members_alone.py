"""People of whom something is published only as members: nothing is told of them as outsiders."""

from __future__ import annotations

import numpy as np

from cloven.statistics.outsiders import Sheet


def sheet(member, asked, told):
    shape, none = np.shape(told), (np.empty(0), np.empty(0, bool))
    flags = np.zeros(shape, bool)
    return Sheet(
        np.array(member, bool), np.array(asked, bool), np.array(told, float), flags, flags, (none, none)
    )


def test_where_nothing_of_outsiders_is_published_all_that_is_told_is_added():
    member = np.array([[0] * 100 + [1] * 100, [1] * 100 + [0] * 100], bool)
    for told in (0.0, 0.9):
        found = sheet(member, member, np.where(member, told, 0.0)).told_at(0.8)
        assert found.excess == found.members
        assert found.outsiders.value == 0
        assert found.excess.value == float(told > 0)
        assert bool(found.excess.upper < 0.02) is (told == 0)


def test_nobody_asked_shows_nothing():
    nobody = np.zeros((2, 4), bool)
    assert sheet(nobody, nobody, np.zeros((2, 4))).told_at(0.8).excess.upper == 1.0
