"""The experiment on likely counts: its page follows from the figures, and it runs."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.kinds.disassociated.counts import Expected
from cloven.kinds.disassociated.likely import SHAPES, Shape, hidden_part
from experiments.likely_counts import Asked, Coverage, fit, likely_counts, page


def test_the_page_says_how_often_and_where():
    ways = {"draws": 0.2, "left out": 0.9, "release": 0.94, "owner": 0.95}
    found = [Coverage("shop", 2, way, share, share, share, 3.0, 9.0) for way, share in ways.items()]
    text = page(found, {"2": list(SHAPES[2])})
    assert "*draws*: as it says in 0 of 1 cases; from 20.0 % (shop, sets of 2)" in text
    assert "*owner*: as it says in 1 of 1 cases" in text


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


@pytest.mark.slow
@pytest.mark.data
def test_it_runs(data_dir):
    files = likely_counts(data_dir, lambda _step, _share: None, quick=True)
    assert set(files) == {"likely-counts.md", "likely-counts.json"}
    assert "groceries" in files["likely-counts.md"]
