"""Measures made from other measures: back-filled, combined, shuffled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cloven.errors import ParameterError
from cloven.protocols import Coverage, Relatedness
from cloven.relatedness.combination import BackFilled, Combined, Shuffled
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.ngd import GoogleDistance

NAN = np.nan
ITEMS = ["a", "b", "c", "d"]


@dataclass(frozen=True, eq=False)
class Given:
    """A measure that is a table; an item that has no score with itself is unknown."""

    scores: np.ndarray
    name: str = "given"

    def relate(self, items):
        self.scores.flags.writeable = False
        return GivenRelated(tuple(items), self.scores[: len(items), : len(items)])


@dataclass(frozen=True, eq=False)
class GivenRelated:
    items: tuple[str, ...]
    scores: np.ndarray

    @property
    def coverage(self):
        gone = np.isnan(self.scores.diagonal())
        return Coverage({"exact": int((~gone).sum())}, tuple(np.array(self.items, dtype=object)[gone]))

    def block(self, left, right):
        return self.scores[np.ix_(left, right)]


def symmetric(upper, unknown=()):
    size = int((1 + np.sqrt(1 + 8 * len(upper))) // 2)
    rows, columns = np.triu_indices(size, 1)
    scores = np.eye(size)
    scores[rows, columns] = scores[columns, rows] = upper
    scores[list(unknown)] = NAN
    scores[:, list(unknown)] = NAN
    return Given(scores)


scores_of_four = arrays(np.float64, 6, elements=st.one_of(st.floats(0, 1), st.just(NAN)))
some_unknown = st.sets(st.integers(0, 3), max_size=3)
measures = st.builds(symmetric, scores_of_four, some_unknown)


def table(measure, items=ITEMS):
    every = np.arange(len(items))
    return measure.relate(items).block(every, every)


def pairs_of(scores):
    return scores[np.triu_indices(len(scores), 1)]


def test_gaps_are_filled_on_the_scale_of_the_first():
    first = symmetric([0.2, 0.4, NAN, 0.6, NAN, NAN], unknown=[])
    second = symmetric([10, 20, 40, 30, 0, 20])
    related = BackFilled(first, second).relate(ITEMS)
    filled = related.block(np.arange(4), np.arange(4))
    np.testing.assert_allclose(pairs_of(filled), [0.2, 0.4, 0.8, 0.6, 0.0, 0.4], atol=1e-12)
    assert related.filled() == 3
    assert related.coverage == Coverage({"exact": 4, "back-filled": 0})


def test_items_that_only_the_second_knows_are_counted():
    first, second = symmetric([0.5, 0.1, 0.9, 0, 0, 0], unknown=[1, 3]), symmetric([1.0] * 6, unknown=[3])
    related = BackFilled(first, second).relate(ITEMS)
    assert related.coverage == Coverage({"exact": 2, "back-filled": 1}, ("d",))
    assert related.filled() == 2
    assert np.isnan(table(BackFilled(first, second))[3]).all()


@given(measures, measures)
def test_back_filling_keeps_the_first_and_fills_what_it_can(first, second):
    filled = table(BackFilled(first, second))
    ours, theirs = first.scores, second.scores
    np.testing.assert_array_equal(filled[~np.isnan(ours)], ours[~np.isnan(ours)])
    np.testing.assert_array_equal(np.isnan(filled), np.isnan(ours) & np.isnan(theirs))
    gaps = np.triu(np.isnan(ours) & ~np.isnan(theirs), 1)
    assert BackFilled(first, second).relate(ITEMS).filled() == gaps.sum()
    order = np.argsort(theirs[gaps], kind="stable")
    assert (np.diff(filled[gaps][order]) >= -1e-9).all()


def test_pairs_never_together_are_filled_when_left_open():
    index = ClosedIndex.build([["a", "b"], ["a", "c"], ["a", "b"], ["c"]])
    vectors = symmetric([0.5, 0.2, 0.9])
    assert BackFilled(GoogleDistance(index), vectors).relate("abc").filled() == 0
    assert BackFilled(GoogleDistance(index, never="unknown"), vectors).relate("abc").filled() == 1


@given(st.lists(measures, min_size=1, max_size=3), st.data())
def test_combination_is_the_weighted_mean_of_z_scores(parts, data):
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=len(parts), max_size=len(parts)))
    found = table(Combined(tuple(parts), tuple(weights)))
    expected = np.full((4, 4), NAN)
    scales = []
    for part in parts:
        scored = [s for s in pairs_of(part.scores) if not np.isnan(s)]
        spread = np.std(scored) if scored else 1.0
        scales.append((np.mean(scored) if scored else 0.0, spread if spread > 1e-12 else 1.0))
    for x in range(4):
        for y in range(4):
            there = [
                (weight, (part.scores[x, y] - mean) / spread)
                for part, weight, (mean, spread) in zip(parts, weights, scales, strict=True)
                if not np.isnan(part.scores[x, y])
            ]
            if there:
                expected[x, y] = sum(w * z for w, z in there) / sum(w for w, _ in there)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_weights_are_equal_when_left_out_and_coverage_counts_parts():
    parts = symmetric([0.1, 0.5, 0.3, 0.9, 0.2, 0.4]), symmetric([3, 1, 2, 5, 5, 1])
    np.testing.assert_allclose(table(Combined(parts)), table(Combined(parts, (2.0, 2.0))))
    assert Combined(parts).name == "given+given"
    assert BackFilled(*parts).name == "given|given"
    assert Shuffled(parts[0]).name == "shuffled-given"
    parts = symmetric([1.0] * 6, unknown=[1, 3]), symmetric([1.0] * 6, unknown=[3])
    assert Combined(parts).relate(ITEMS).coverage == Coverage({"2 of 2": 2, "1 of 2": 1}, ("d",))


@given(measures, st.integers(0, 50))
def test_shuffling_keeps_the_scores_but_not_their_items(measure, seed):
    shuffled = Shuffled(measure, seed)
    found = table(shuffled)
    np.testing.assert_array_equal(np.sort(pairs_of(found)), np.sort(pairs_of(measure.scores)))
    np.testing.assert_array_equal(np.sort(found.diagonal()), np.sort(measure.scores.diagonal()))
    np.testing.assert_array_equal(np.isnan(found.diagonal()), np.isnan(measure.scores.diagonal()))
    np.testing.assert_array_equal(found, table(shuffled))
    assert shuffled.relate(ITEMS).coverage == measure.relate(ITEMS).coverage


def test_seeds_shuffle_differently_and_without_preference():
    rng = np.random.default_rng(1)
    measure = symmetric(rng.random(66))
    items = [str(number) for number in range(12)]
    places = np.array([Shuffled(measure, seed).relate(items).standing_for for seed in range(600)])
    shares = np.array([(places == number).mean(axis=0) for number in range(12)])
    assert np.abs(shares - 1 / 12).max() < 4.5 * np.sqrt(1 / 12 * 11 / 12 / 600)


@pytest.mark.parametrize("many", [2, 3, 5, 8])
def test_of_a_handful_none_stays_in_its_place(many):
    measure = symmetric(np.random.default_rng(1).random(many * (many - 1) // 2))
    items = [str(number) for number in range(many)]
    places = np.array([Shuffled(measure, seed).relate(items).standing_for for seed in range(300)])
    assert (places != np.arange(many)).all()
    assert (np.sort(places, axis=1) == np.arange(many)).all()
    shares = np.array([(places == number).mean(axis=0) for number in range(many)])
    np.fill_diagonal(shares, 1 / (many - 1))
    assert np.abs(shares - 1 / (many - 1)).max() < 0.15


def test_measures_of_measures_are_measures():
    part = symmetric([1.0] * 6)
    for measure in (BackFilled(part, part), Combined((part,)), Shuffled(part)):
        assert isinstance(measure, Relatedness)
        assert measure.relate([]).block(*2 * [np.arange(0)]).shape == (0, 0)


def test_bad_parameters():
    part = symmetric([1.0] * 6)
    with pytest.raises(ParameterError, match="no measures to combine"):
        Combined(())
    with pytest.raises(ParameterError, match="one weight for each of the 2 measures, got 1"):
        Combined((part, part), (1.0,))
    for weight in (0.0, NAN):
        with pytest.raises(ParameterError, match="weights must be positive numbers"):
            Combined((part,), (weight,))
    for make in (lambda: Combined((part,), pairs=0), lambda: BackFilled(part, part, pairs=0)):
        with pytest.raises(ParameterError, match="pairs must be at least 1, got 0"):
            make()
