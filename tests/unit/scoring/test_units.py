"""Intervals over the units of real releases, on data drawn again and again from the same source."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.datasets import sparse


@pytest.mark.slow
def test_intervals_of_hits_hold_what_is_reached_on_average():
    """60 samples of 400 records, most of whose clusters are joined; each is anonymised, attacked and scored."""
    source, rng = sparse(40_000, 80, 6, 15, seed=3, skew=0.9), np.random.default_rng(5)
    found = []
    for number in range(60):
        data = source.take(np.sort(rng.choice(len(source), 400, replace=False)))
        made = cv.Disassociation(k=3, m=2, max_cluster_size=25, rare_items="cluster", refine=True).anonymise(
            data
        )
        guesses = cv.attacks.Semantic(cv.relatedness.Learned.of_release(made.release)).guess(
            made.release, np.random.default_rng(number)
        )
        scored = cv.attacks.score(
            guesses,
            made.release,
            made.key,
            rng=np.random.default_rng(1),
            measures=("ranking",),
            draws=200,
        )
        hit = scored.get("hit")
        assert hit.units > 10
        found.append((hit.value, hit.low, hit.high))
    values, lows, highs = np.array(found).T
    held = (lows <= values.mean()) & (values.mean() <= highs)
    assert held.mean() >= 0.9
    assert (highs - lows).mean() < 0.12  # and they still say something
