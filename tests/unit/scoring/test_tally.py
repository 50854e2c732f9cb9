"""Ratios of sums over units, and their intervals."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from cloven.errors import ParameterError
from cloven.statistics.intervals import wilson
from cloven.statistics.tally import Tally, difference, estimate, resampled


def tally(numerator, denominator, *, share=True):
    return Tally(np.array(numerator, float), np.array(denominator, float), share)


def random_tally(seed, units=300, rate=0.3):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 20, units)
    return tally(rng.binomial(size, rng.beta(6 * rate, 6 * (1 - rate), units)), size)


def of(*tallies, draws=1000, seed=1):
    samples = resampled(tallies, np.random.default_rng(seed), draws).T
    return [estimate(*pair) for pair in zip(tallies, samples, strict=True)], samples


def test_sums_over_units():
    found = Tally.of(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 4.0]), 4)
    assert found.numerator.tolist() == [4, 0, 2, 0]
    assert (found.value, found.count, found.units) == (6 / 8, 8, 2)


def test_mean_of_runs_is_the_ratio_of_means():
    found = Tally.mean([tally([1, 0], [2, 2]), tally([3, 1], [4, 2])])
    assert (found.numerator.tolist(), found.denominator.tolist()) == ([2, 0.5], [3, 2])
    with pytest.raises(ParameterError, match="no runs"):
        Tally.mean([])


def test_bootstrap_spreads_as_theory_says():
    """The variance of a ratio over units, linearised, is what resampling units gives."""
    one = random_tally(1)
    (found,), (samples,) = of(one, draws=4000)
    pull = (one.numerator - one.value * one.denominator) / one.count
    error = np.sqrt((pull**2).sum())
    assert np.std(samples) == pytest.approx(error, rel=0.06)
    z = NormalDist().inv_cdf(0.975)
    assert found.low == pytest.approx(one.value - z * error, abs=0.3 * error)
    assert found.high == pytest.approx(one.value + z * error, abs=0.3 * error)


@given(st.lists(st.sampled_from(range(4)), min_size=1, max_size=9), st.integers(0, 2**32))
def test_equal_columns_are_drawn_once_and_told_everywhere(which, seed):
    """Against the sums of every column of every tally."""
    some = [random_tally(1, 40), random_tally(2, 40), tally(np.zeros(40), np.zeros(40)), random_tally(3, 40)]
    tallies = [tally(some[each].numerator, some[-1 - each].denominator) for each in which]
    found = resampled(tallies, np.random.default_rng(seed), 7)
    picked = np.random.default_rng(seed).integers(0, 40, (7, 40))
    for column, one in zip(found.T, tallies, strict=True):
        top, bottom = (each[picked].sum(axis=1) for each in (one.numerator, one.denominator))
        assert column.tolist() == pytest.approx(
            np.where(bottom > 0, top / np.maximum(bottom, 1), np.nan), nan_ok=True
        )


def test_answers_inside_a_unit_go_together():
    """Ten equal answers in each unit are no more evidence than one."""
    single = tally(np.arange(40) % 2, np.ones(40))
    tenfold = tally(single.numerator * 10, single.denominator * 10)
    first, second = of(single, tenfold)[0]
    assert first == second


@given(st.integers(2, 9), st.integers(0, 2**32))
def test_few_units_get_an_interval_over_units_and_no_less_than_that_of_a_share(units, seed):
    few = random_tally(seed, units)
    (found,), _ = of(few, draws=10)
    without = [
        np.delete(few.numerator, each).sum() / np.delete(few.denominator, each).sum() for each in range(units)
    ]
    spread = sum((each - few.value) ** 2 for each in without)
    half = stdtrit(units - 1, 0.975) * np.sqrt((units - 1) / units * spread)
    low, high = wilson(int(few.numerator.sum()), int(few.count))
    assert found.low == pytest.approx(max(0.0, min(low, few.value - half)))
    assert found.high == pytest.approx(min(1.0, max(high, few.value + half)))


def test_units_that_agree_by_chance_do_not_make_a_share_certain():
    for units in (3, 12):
        nothing = of(tally([0] * units, [5] * units))[0][0]
        assert (nothing.value, nothing.low, nothing.high) == (0, 0, wilson(0, 5 * units)[1])


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_a_single_unit_tells_no_interval(right, more):
    """However many answers it holds: that all of them went together cannot be ruled out."""
    one = tally([right], [right + more])
    assert of(one, draws=2)[0][0][1:] == (0.0, 1.0)
    other = tally([0], [right + more])
    assert difference(one, other, *of(one, other, draws=2)[1])[1:] == (-1.0, 1.0, None)


@pytest.mark.parametrize("units", [2, 3, 5, 9, 12, 30])
@pytest.mark.parametrize(("alike", "least"), [(5.0, 0.86), (20.0, 0.9)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(units, alike, least):
    """400 samples of units whose answers go together (beta-binomial, the smaller ``alike`` the more)."""
    rng, rate, held, narrow = np.random.default_rng(17), 0.2, 0, 0
    for _ in range(400):
        size = rng.integers(20, 200, units)
        made = tally(rng.binomial(size, rng.beta(alike * rate, alike * (1 - rate), units)), size)
        (found,), _ = of(made, draws=200, seed=int(rng.integers(1 << 30)))
        low, high = wilson(int(made.numerator.sum()), int(made.count))
        held += found.low <= rate <= found.high
        narrow += low <= rate <= high
    assert held / 400 >= least
    assert narrow / 400 < 0.6  # what taking every answer as an observation of its own would give


def test_few_units_of_anything_else_get_an_interval_over_units():
    (found,), _ = of(tally([2, 4, 6], [1, 1, 1], share=False))
    half = 4.302653 * 2 / np.sqrt(3)  # Student's t with 2 degrees of freedom, standard deviation 2
    assert found.value == 4
    assert (found.low, found.high) == (0.0, pytest.approx(4 + half))
    assert of(tally([2], [1], share=False))[0][0] == (2.0, None, None)


def test_nothing_measured_is_not_zero():
    nothing = tally([0, 0], [0, 0])
    assert of(nothing)[0][0] == (None, None, None)
    assert difference(nothing, tally([1, 1], [2, 2]), *of(nothing, nothing)[1]) == (None, None, None, None)


def test_difference_is_paired():
    """Against itself plus a constant, every sample differs by that constant."""
    one = random_tally(2)
    better = Tally(one.numerator + 0.1 * one.denominator, one.denominator)
    samples = of(better, one)[1]
    found = difference(better, one, *samples)
    assert (found.value, found.low, found.high) == tuple(pytest.approx(0.1) for _ in range(3))
    assert difference(one, one, samples[1], samples[1]) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("units", [6, 400])
def test_z_of_two_equal_attacks_is_that_of_a_normal_variable(units):
    """For few and for many units; over many seeds its standard deviation is near 1 (few: that of Student's t)."""
    found = []
    for seed in range(150):
        first, second = random_tally(seed, units), random_tally(seed + 10_000, units)
        found.append(difference(first, second, *of(first, second, draws=200)[1]).z)
    assert abs(np.mean(found)) < 0.35
    assert 0.8 < np.std(found) < (1.8 if units < 10 else 1.25)


def test_difference_of_shares_of_two_units_that_agree():
    """Newcombe (1998), Table II, method 10: 56/70 and 48/80 differ by 0.0524 to 0.3339; never less than that."""
    one, other = tally([28, 28], [35, 35]), tally([25, 23], [40, 40])
    found = difference(one, other, *of(one, other)[1])
    assert found.low < 0.0525
    assert found.high > 0.3338


def test_difference_of_anything_else_inside_one_unit_has_no_interval():
    one, other = tally([3], [2], share=False), tally([1], [2], share=False)
    assert difference(one, other, *of(one, other)[1]) == (1.0, None, None, None)


def test_same_generator_same_samples_in_any_block_size(monkeypatch):
    one = random_tally(3, 50)
    whole = of(one)[1]
    monkeypatch.setattr("cloven.statistics.tally._CELLS", 50)
    assert np.array_equal(whole, of(one)[1])


def test_too_few_draws_are_refused():
    with pytest.raises(ParameterError, match=r"draws must be at least 2 \(got 1\)"):
        resampled([random_tally(1)], np.random.default_rng(1), 1)
