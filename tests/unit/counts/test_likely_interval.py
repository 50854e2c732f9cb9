"""The interval of a likely count that nobody measured: as wide in large data as in small, and never flattering."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.datasets import shaped
from cloven.kinds.counts import ELSEWHERE, MEASURED
from cloven.kinds.disassociated.counts import Expected, all_records, expected, told
from cloven.kinds.disassociated.likely import LEAST_TAIL, WAY, Tails, beyond, hidden_part, reach, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, tails_on, truth

HIDDEN = np.array([0.0, 0.3, 1.0, 7.0, 80.0, 900.0, 1e4, 1e6])


def found_of(hidden, most, exact=0.0, least=0.0):
    """What is expected where half of what is hidden is left over."""
    every = np.broadcast_arrays(exact, hidden / 2, hidden / 2, hidden, least, exact + most)
    return Expected(*(np.array(each, float) for each in every))


def test_the_end_lies_between_chance_and_all_that_is_possible():
    for times in (1.0, 1.5, 4.0, 100.0):
        end = reach(HIDDEN, times * HIDDEN)
        assert (end >= HIDDEN - 1e-6).all()
        assert (end <= np.ceil(times * HIDDEN)).all()
    assert reach(HIDDEN, HIDDEN * 9, 1.0).tolist() == np.ceil(HIDDEN * 9).tolist()
    assert reach(np.array([5.0]), np.array([3.0])).tolist() == [
        5.0
    ]  # rounding may expect more than is possible


@pytest.mark.parametrize("size", [2, 3, 5])
def test_many_times_the_data_have_many_times_the_interval(size):
    """Over-dispersion has a floor: the interval does not shrink beside what is expected."""
    ratios = []
    for hidden in HIDDEN[4:]:
        _, low, high = spread(found_of(np.array([hidden]), 10 * hidden), Tails(size))
        ratios.append(float((high - low)[0] / hidden))
    assert min(ratios) >= 10**WAY - 0.01
    assert ratios[-1] == pytest.approx(10**WAY, rel=0.01)


@pytest.mark.parametrize("size", [2, 3])
def test_it_ends_no_sooner_than_the_distribution_and_grows_with_what_is_expected_and_possible(size):
    most = np.maximum(8.0, np.floor(20 * HIDDEN))
    found = found_of(HIDDEN, most)
    _, low, high = spread(found, Tails(size))
    _, shape, chance = hidden_part(found, size)
    passed = beyond(high, shape, chance)
    assert ((passed <= 0.025) | (high == most)).all()
    assert (low == 0).all()
    assert (np.diff(high) >= 0).all()
    more = spread(found_of(HIDDEN, 2 * most), Tails(size))[2]
    assert (more >= high).all()


def test_likely_is_no_less_than_chance_expects():
    likely, low, high = spread(found_of(HIDDEN, 20 * HIDDEN + 8, exact=3.0, least=3.0), Tails(2))
    assert (likely >= np.rint(HIDDEN) + 3).all()
    assert (low <= likely).all()
    assert (likely <= high).all()


def test_what_was_measured_keeps_its_meaning():
    found = found_of(HIDDEN, 20 * HIDDEN + 8)
    _, shape, chance = hidden_part(found, 2)
    _, low, high = spread(found, Tails(2, 0.1, 0.01, measured=True))
    inside = high < found.most
    assert (beyond(high, shape, chance)[inside] <= 0.01).all()
    assert (beyond(high - 1, shape, chance)[inside & (high > 0)] > 0.01).all()
    assert low.max() > 0


def test_a_tail_that_is_not_enough_ends_where_it_does_without_measuring():
    """The least tail that can be published once stood for all that are smaller, and ended the interval too soon."""
    found = found_of(HIDDEN, 20 * HIDDEN + 8, exact=2.0, least=2.0)
    _, low, high = spread(found, Tails(2, LEAST_TAIL, LEAST_TAIL, measured=True))
    assert (low == 2).all()
    assert (high >= spread(found, Tails(2))[2]).all()


def test_an_owner_of_large_data_does_not_say_more_than_was_measured():
    data = shaped("groceries", scale=10)
    release = cv.Disassociation().anonymise(data).release
    tails = Tails(2, *tails_on(data, release, 2, np.random.default_rng(1), 1_000), measured=True)
    rng = np.random.default_rng(2)
    sets = np.concatenate([draw(data, release, 2, 500, rng) for draw in (from_records, by_support)])
    true = truth(data, release, sets)
    _, low, high = spread(told(release, sets), tails)
    assert np.mean((low <= true) & (true <= high)) >= 0.93


def test_where_occurrences_were_suppressed_it_goes_all_the_way():
    data = shaped("groceries", scale=0.3)
    result = cv.Disassociation(safe="cover", seed=1).anonymise(data)
    release = result.release
    assert all_records(release.parameters, release.records) == release.records
    sets = by_support(data, release, 2, 300, np.random.default_rng(3))
    found, true = told(release, sets), truth(data, release, sets)
    _, low, high = spread(found, Tails(2), room=release.records)
    assert (high >= np.minimum(found.most, release.records)).all()
    assert np.mean((low <= true) & (true <= high)) >= 0.95
    one = release.count([release.vocabulary[code] for code in sets[0]])
    assert (one.low, one.high, one.at_most) == (low[0], high[0], release.records)


def test_bounds_count_what_may_be_withheld():
    data = cv.sample("clinic")
    release = cv.Disassociation().anonymise(data).release
    sets = by_support(data, release, 2, 50, np.random.default_rng(1))
    plain, bounded = expected(release.shown, sets), told(release, sets)
    assert (bounded.most >= plain.most).all()
    assert (bounded.most <= plain.most + 2 * (release.k - 1)).all()
    for codes, least, most in zip(sets, bounded.least, bounded.most, strict=True):
        one = release.count([release.vocabulary[code] for code in codes])
        assert (one.certain, one.at_most) == (least, most)
        assert one.low == one.certain
        assert one.basis == ELSEWHERE
    tails = {"likely_tails": {"2": [0.1, 0.1], "3": [0.1, 0.1]}}
    marked = replace(release, parameters={**release.parameters, **tails})
    assert marked.count(["asthma", "inhaler"]).basis == MEASURED
