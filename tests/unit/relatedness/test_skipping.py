"""Skipped items have no score, and nothing else changes."""

from __future__ import annotations

import numpy as np

import cloven as cv
from cloven.protocols import Relatedness
from cloven.relatedness.combination import Skipping

ITEMS = ("asthma", "cough", "fever", "inhaler", "zzyzx")


def test_skipped_items_have_no_score():
    plain, skipping = (
        cv.relatedness.Vectors.sample(),
        Skipping(cv.relatedness.Vectors.sample(), frozenset({"cough", "elsewhere"})),
    )
    assert isinstance(skipping, Relatedness)
    every = np.arange(len(ITEMS))
    whole, part = plain.relate(ITEMS).block(every, every), skipping.relate(ITEMS).block(every, every)
    assert np.isnan(part[1]).all()
    assert np.isnan(part[:, 1]).all()
    others = np.array([0, 2, 3, 4])
    assert np.array_equal(whole[np.ix_(others, others)], part[np.ix_(others, others)], equal_nan=True)
    coverage = skipping.relate(ITEMS).coverage
    assert (coverage.unknown, coverage.known) == (("cough", "zzyzx"), 3)
