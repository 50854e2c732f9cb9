"""Sparse data of a given shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cloven.datasets import SHAPES, shaped, sparse
from cloven.datasets.baskets import draw_lengths
from cloven.errors import ParameterError
from tests.effort import tries

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions


def pair_lift(data: Transactions) -> float:
    """Highest ratio of seen to expected joint support, among pairs of items expected at least 20 times."""
    table = np.zeros((len(data), len(data.vocabulary)))
    table[np.repeat(np.arange(len(data)), data.lengths), data.codes] = 1
    seen = table.T @ table
    expected = np.outer(data.supports, data.supports) / len(data)
    np.fill_diagonal(seen, 0)
    return float((seen / expected)[expected >= 20].max())


@given(
    records=st.integers(1, 60),
    items=st.integers(1, 40),
    mean=st.floats(1, 12),
    longest=st.integers(1, 40),
    skew=st.floats(0, 3),
    correlation=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=tries(150), deadline=None)
def test_any_possible_shape_is_met(
    records: int, items: int, mean: float, longest: int, skew: float, correlation: float, seed: int
) -> None:
    total = round(records * mean)
    assume(longest <= items and longest + records - 1 <= total <= records * longest)
    data = sparse(records, items, mean, longest, skew=skew, correlation=correlation, seed=seed)
    assert len(data) == records
    assert len(data.codes) == total
    assert data.lengths.max() == longest
    assert data.lengths.min() >= 1
    assert len(data.vocabulary) == items if total >= items else len(data.vocabulary) <= total
    inside = np.ones(len(data.codes), bool)
    inside[data.offsets[:-1]] = False
    assert (np.diff(data.codes, prepend=-1)[inside] > 0).all()


@given(
    records=st.integers(1, 300), mean=st.floats(1, 30), longest=st.integers(1, 300), spread=st.floats(0.05, 3)
)
@settings(max_examples=tries(150), deadline=None)
def test_lengths_add_up(records: int, mean: float, longest: int, spread: float) -> None:
    total = round(records * mean)
    assume(longest + records - 1 <= total <= records * longest)
    lengths = draw_lengths(records, mean, longest, spread, np.random.default_rng(7))
    assert lengths.sum() == total
    assert (lengths.min() >= 1, lengths.max()) == (True, longest)


def test_the_seed_decides() -> None:
    assert sparse(200, 30, 4, 12, seed=5) == sparse(200, 30, 4, 12, seed=5)
    assert sparse(200, 30, 4, 12, seed=5) != sparse(200, 30, 4, 12, seed=6)


def test_correlation_makes_items_occur_together() -> None:
    alone, grouped = (pair_lift(sparse(5000, 60, 5, 15, skew=0.3, correlation=c)) for c in (0.0, 0.8))
    assert alone < 2.5, "long records alone lift every pair by about 2"
    assert grouped > 5


def test_more_items_than_occurrences() -> None:
    data = sparse(50, 10_000, 3, 8, skew=0.5)
    assert len(data.codes) == 150
    assert len(data.vocabulary) <= 150


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"records": 0}, "records must be at least 1"),
        ({"items": 0}, "items must be at least 1"),
        ({"patterns": 0}, "patterns must be at least 1"),
        ({"max_length": 21}, r"at most the number of items \(20\), got 21"),
        ({"mean_length": 0.5}, r"between 1 and max_length \(10\), got 0.5"),
        ({"mean_length": 10.5}, r"between 1 and max_length \(10\), got 10.5"),
        ({"records": 5, "mean_length": 2.0}, "take max_length 6 or more records"),
        ({"skew": -1.0}, "skew must be 0 or more"),
        ({"spread": 0.0}, "spread above 0"),
        ({"correlation": 1.5}, "between 0 and 1, got 1.5"),
    ],
)
def test_impossible_shapes_say_what_is_possible(change: dict[str, float], words: str) -> None:
    arguments = {"records": 100, "items": 20, "mean_length": 3.0, "max_length": 10} | change
    with pytest.raises(ParameterError, match=words):
        sparse(**arguments)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHAPES))
def test_named_shapes(name: str) -> None:
    shape = SHAPES[name]
    scale = 0.05 if shape.records > 200_000 or shape.items > 50_000 else 0.2
    data = shaped(name, scale=scale)
    assert len(data) == round(shape.records * scale)
    assert data.lengths.mean() == pytest.approx(shape.mean_length, rel=0.02)
    assert data.lengths.max() == shape.max_length
    if len(data.codes) >= shape.items:
        assert len(data.vocabulary) == shape.items


def test_unknown_shape_lists_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"no shape is called 'po'.*kosarak, pos, retail"):
        shaped("po")
