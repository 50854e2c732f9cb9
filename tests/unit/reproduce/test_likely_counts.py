"""The experiment on likely counts: its page follows from the figures, and it runs."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.kinds.disassociated.counts import Expected
from cloven.kinds.disassociated.likely import SHAPES, Shape, Tails, hidden_part, spread
from experiments.likely_counts import Coverage, fit, likely_counts, page
from experiments.likely_sizes import Asked, Growth, way_needed, way_of


def test_the_page_says_how_often_and_where():
    ways = {"draws": 0.2, "spread": 0.5, "left out": 0.9, "release": 0.98, "owner": 0.95}
    found = [Coverage("shop", 2, way, share, share, share, 3.0, 9.0) for way, share in ways.items()]
    grown = [Growth("shop", 1_000, 2, share, 0.96, 0.97, 0.95, 3, 4, 5, 6, 7) for share in (0.4, 0.3)]
    text = " ".join(page(found, {"2": list(SHAPES[2])}, grown, {"shop": 0.5, "shed": 0.75}).split())
    assert "*draws*: of 1 cases less often in 1, as it says in 0, more often in 0; from 20.0 %" in text
    assert "*owner*: of 1 cases less often in 0, as it says in 1" in text
    assert "*release*: of 1 cases less often in 0, as it says in 0, more often in 1" in text
    assert "*spread* at least 30.0 % (shop, 1,000 records, sets of 2)" in text
    assert "The most is 0.75 (shed)" in text


def test_a_fit_finds_the_numbers_that_made_the_counts():
    rng, true = np.random.default_rng(1), Shape(1.0, 0.7, 0.4, -0.5, -0.2)
    left, exact = rng.lognormal(0, 2, 20_000), rng.integers(0, 30, 20_000).astype(float)
    none = np.zeros(20_000)
    found = Expected(exact, none, left, rng.lognormal(1, 1, 20_000), none, none)
    mean, shape, chance = hidden_part(found, 2, true)
    counts = rng.negative_binomial(shape, chance) + exact
    assert mean.min() > 0
    asked = Asked(np.zeros((20_000, 2), np.int64), found, counts.astype(np.int64), np.ones(20_000, bool))
    assert np.abs(np.array(fit([asked], 2)) - np.array(true)).max() < 0.1


def test_the_way_that_is_needed_holds_the_truths_and_a_shorter_one_does_not():
    rng = np.random.default_rng(4)
    hidden, none = rng.lognormal(7, 1, 2_000), np.zeros(2_000)
    most = hidden * rng.uniform(2, 50, 2_000)
    true = np.floor(hidden * (most / hidden) ** rng.beta(2, 3, 2_000)).astype(np.int64)
    found = Expected(none, hidden, none, hidden, none, np.ceil(most))
    asked = Asked(np.zeros((2_000, 2), np.int64), found, true, np.ones(2_000, bool))
    way = way_needed(asked)
    for given, least, most_held in ((way, 0.95, 0.96), (way - 0.1, 0.0, 0.94)):
        _, low, high = spread(found, Tails(2), way=given)
        assert least <= np.mean((low <= true) & (true <= high)) <= most_held
    assert way + 0.025 <= way_of([asked]) <= way + 0.075


@pytest.mark.slow
@pytest.mark.data
def test_it_runs(data_dir):
    files = likely_counts(data_dir, lambda _step, _share: None, quick=True)
    assert set(files) == {"likely-counts.md", "likely-counts.json"}
    assert "groceries" in files["likely-counts.md"]
