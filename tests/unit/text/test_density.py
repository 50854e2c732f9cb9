"""Subsets of a wanted type-token ratio."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.text.samples import density_sample
from tests.effort import tries


def corpus(documents: int = 120, seed: int = 3) -> Transactions:
    """Records of about 25 words of 900 whose frequency falls like that of words."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 901)
    return Transactions.from_records(
        {f"w{word:03}" for word in rng.choice(900, 25, replace=False, p=weights / weights.sum())}
        for _ in range(documents)
    )


DATA = corpus()


@pytest.mark.parametrize("wanted", [0.2, 0.45, 0.7])
def test_wanted_ratio_is_reached(wanted):
    sample = density_sample(DATA, wanted, np.random.default_rng(1), records=60, mean_length=10)
    data = sample.transactions
    assert sample.type_token_ratio == len(data.vocabulary) / len(data.codes)
    assert abs(sample.type_token_ratio - wanted) <= 0.01
    assert (len(data), sample.mean_length) == (60, 10.0)
    assert all(record <= DATA[row] for record, row in zip(data, data.source_rows.tolist(), strict=True))


def test_fractions_of_items_and_seeds():
    first = density_sample(DATA, 0.4, np.random.default_rng(1), records=40, mean_length=7.25)
    assert first.mean_length == 7.25
    assert set(first.transactions.lengths.tolist()) == {7, 8}
    second = density_sample(DATA, 0.4, np.random.default_rng(1), records=40, mean_length=7.25)
    other = density_sample(DATA, 0.4, np.random.default_rng(2), records=40, mean_length=7.25)
    assert first.transactions == second.transactions
    assert first.transactions != other.transactions


def test_short_records_are_taken_only_if_needed():
    data = Transactions.from_records([*([f"s{n}"] for n in range(5)), *DATA])
    sample = density_sample(data, 0.4, np.random.default_rng(1), records=100, mean_length=10)
    assert sample.mean_length == 10.0
    every = density_sample(data, 0.4, np.random.default_rng(1), records=125, mean_length=10)
    assert every.mean_length == (120 * 10 + 5) / 125


def test_named_range_can_be_had():
    with pytest.raises(ParameterError) as caught:
        density_sample(DATA, 0.01, np.random.default_rng(1), records=100, mean_length=15)
    low, high = (
        float(word)
        for word in str(caught.value).replace(";", "").split()
        if word[:2] == "0." and len(word) == 4 and word != "0.01"
    )
    for wanted in (low + 0.005, high - 0.005):
        sample = density_sample(
            DATA, wanted, np.random.default_rng(4), records=100, mean_length=15, tolerance=0.02
        )
        assert abs(sample.type_token_ratio - wanted) <= 0.02


@settings(deadline=None, max_examples=tries(40))
@given(st.floats(0.05, 1.0), st.integers(0, 2**16))
def test_any_answer_keeps_its_promise(wanted, seed):
    data = corpus(20, seed=9)
    try:
        sample = density_sample(
            data, wanted, np.random.default_rng(seed), records=12, mean_length=5, tolerance=0.05
        )
    except ParameterError:
        return
    assert abs(sample.type_token_ratio - wanted) <= 0.05
    assert (len(sample.transactions), len(sample.transactions.codes)) == (12, 60)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wanted": 0}, "wanted must be above 0"),
        ({"wanted": 0.5, "records": 121}, "records must be between 1 and 120"),
        ({"wanted": 0.5, "records": 10, "mean_length": 26}, "mean_length must be between 1 and 25"),
        ({"wanted": 0.5, "records": 10, "tolerance": -1}, "tolerance not negative"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        density_sample(DATA, rng=np.random.default_rng(1), **options)
