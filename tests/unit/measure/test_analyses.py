"""Analyses done again: by brute force, on the same data, and on data that keep nothing."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.statistics.analyses import LEARNED, Analyses, _skills
from cloven.statistics.mining import Ranked

sets = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=2, max_size=12)


def data(records):
    return cv.Transactions.from_records([sorted(record) for record in records])


def mean(values):
    return sum(values) / len(values) if values else None


def plain_counts(before, after, size):
    counts = [
        Counter(each for r in records for each in combinations(sorted(r), size))
        for records in (before, after)
    ]
    top = sorted(counts[0], key=lambda each: (-counts[0][each], each))[:100]
    return mean([1 - min(1, abs(counts[1][each] - counts[0][each]) / counts[0][each]) for each in top])


@given(sets, sets)
def test_counts_are_those_of_plain_counting(before, after):
    found, published = Analyses.of(data(before)), data(after)
    for kept, plain in (
        (found.item_counts(published), plain_counts(before, after, 1)),
        (found.pair_counts(published), plain_counts(before, after, 2)),
    ):
        assert kept == (None if plain is None else pytest.approx(plain))


@given(sets, sets)
def test_rules_are_those_of_plain_counting(before, after):
    pairs = [
        Counter(each for r in records for each in combinations(sorted(r), 2)) for records in (before, after)
    ]
    items = [Counter(item for r in records for item in r) for records in (before, after)]
    errors = []
    for pair, count in pairs[0].items():
        for item in pair:
            sure, again = count / items[0][item], pairs[1][pair] / max(1, items[1][item])
            errors.append(1 - min(1, abs(sure - again) / sure))
    kept = Analyses.of(data(before)).rules(data(after))
    assert kept == (pytest.approx(mean(errors)) if errors else None)


@given(sets, sets, st.sampled_from("abcdef"))
def test_the_model_is_naive_bayes_and_its_area_that_of_all_pairs(learn, test, target):
    skill = _skills(Ranked.of(data(learn)), Ranked.of(data(test)), (target,))[0]
    having = [r for r in learn if target in r]
    others = [r for r in learn if target not in r]

    def weight(item):
        beside, apart = sum(item in r for r in having), sum(item in r for r in others)
        if beside + apart == 0:
            return 0.0
        return log((beside + 0.5) / (len(having) + 1)) - log((apart + 0.5) / (len(others) + 1))

    scores = [(target in r, sum(weight(item) for item in sorted(r) if item != target)) for r in test]
    yes, no = [s for has, s in scores if has], [s for has, s in scores if not has]
    if not having or not yes or not no:
        assert skill == 0.0
        return
    wins = [1.0 if a > b + 1e-9 else 0.5 if abs(a - b) <= 1e-9 else 0.0 for a in yes for b in no]
    assert skill == pytest.approx(mean(wins) - 0.5, abs=1e-9)


def test_the_same_data_keep_everything_and_torn_ones_do_not():
    clinic = cv.sample("clinic")
    found = Analyses.of(clinic)
    assert (found.skills > LEARNED).any()
    for way in (found.item_counts, found.pair_counts, found.rules):
        assert way(clinic) == 1.0
    assert found.models(clinic) > 0.97
    rng = np.random.default_rng(3)
    torn = cv.Transactions.from_records(
        [[clinic.vocabulary[c]] for c in rng.permutation(clinic.codes).tolist()]
    )
    assert found.item_counts(torn) == 1.0
    assert found.pair_counts(torn) == 0.0
    assert found.rules(torn) == 0.0
    assert found.models(torn) < 0.1
