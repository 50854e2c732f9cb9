"""Describing a data set: figures, rare items, and records that can be singled out."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.reading import read
from cloven.statistics.intervals import wilson
from cloven.statistics.uniqueness import describe, singled_out

if TYPE_CHECKING:
    from pathlib import Path

record_lists = st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=12)


def with_persons(records: list[set[str]], persons: list[int]) -> Transactions:
    data = Transactions.from_records([sorted(record) for record in records])
    return Transactions(data.offsets.copy(), data.codes.copy(), data.vocabulary, np.array(persons, np.int64))


def by_hand(records: list[set[str]], persons: list[int], m: int) -> list[float]:
    """Share of records with a combination of at most j items that only one person holds, by trying all."""
    shares = []
    for j in range(1, m + 1):
        hits = 0
        for record in records:
            found = (set(c) for size in range(1, j + 1) for c in combinations(sorted(record), size))
            holders = ({p for r, p in zip(records, persons, strict=True) if c <= r} for c in found)
            hits += any(len(people) == 1 for people in holders)
        shares.append(hits / len(records))
    return shares


@settings(deadline=None)  # the first call compiles
@given(record_lists, st.integers(1, 4))
def test_singled_out_equals_brute_force(records: list[set[str]], m: int) -> None:
    found = singled_out(Transactions.from_records(records), m)
    assert [f.share for f in found] == pytest.approx(by_hand(records, list(range(len(records))), m))
    assert all(f.exact and f.low == f.share == f.high and f.searched == len(records) for f in found)


@settings(deadline=None)  # the first call compiles
@given(record_lists, st.data())
def test_singled_out_counts_persons(records: list[set[str]], draw: st.DataObject) -> None:
    persons = draw.draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
    found = singled_out(with_persons(records, persons), 3)
    assert [f.share for f in found] == pytest.approx(by_hand(records, persons, 3))


def random_data(seed: int, records: int = 600, items: int = 40) -> Transactions:
    rng = np.random.default_rng(seed)
    return Transactions.from_records(
        [[str(i) for i in rng.choice(items, rng.integers(1, 9), replace=False)] for _ in range(records)]
    )


def test_beyond_the_budget_a_sample_gives_an_interval() -> None:
    data = random_data(1)
    truth = [found.share for found in singled_out(data, 3)]
    covered = 0
    for seed in range(20):
        found = singled_out(data, 3, rng=np.random.default_rng(seed), budget=12_000)
        assert not found[2].exact
        assert 64 <= found[2].searched < len(data)
        assert found[2].low < found[2].share < found[2].high
        covered += found[2].low <= truth[2] <= found[2].high
    assert covered >= 16  # 19 expected at 95 %; fewer than 16 has a probability below 0.003


def test_a_sample_is_repeatable_and_shares_never_fall() -> None:
    data = random_data(2)
    for budget in (1, 3_000, 6_000, 12_000, 30_000, 100_000):
        found, again = (singled_out(data, 4, rng=np.random.default_rng(7), budget=budget) for _ in range(2))
        assert found == again
        assert [f.share for f in found] == sorted(f.share for f in found)
        assert all(0 <= f.low <= f.share <= f.high <= 1 for f in found)


def test_a_budget_that_is_never_enough_knows_nothing() -> None:
    found = singled_out(random_data(3), 2, budget=1)
    assert (found[0].low, found[0].high, found[0].searched, found[0].exact) == (0.0, 1.0, 0, False)


@pytest.mark.parametrize("m", [0, -1])
def test_m_must_be_positive(m: int) -> None:
    with pytest.raises(ParameterError):
        singled_out(random_data(4, records=3), m)


def test_description_of_a_small_table() -> None:
    data = Transactions.from_records(
        [["flu", "fever"], ["flu"], [], ["flu", "cough", "ache"], ["fever", "flu"]]
    )
    found = describe(data, m=2, k=3)
    assert (found.records, found.items, found.occurrences, found.empty_records) == (4, 4, 8, 1)
    assert (found.mean_length, found.median_length, found.max_length) == (2.0, 2.0, 3)
    assert (found.density, found.type_token_ratio) == (0.5, 0.5)
    assert (found.k, found.rare_items, found.rare_item_names) == (3, 3, ("ache", "cough", "fever"))
    assert found.persons is None
    assert [f.share for f in found.singled_out] == [0.25, 0.25]
    with pytest.raises(ParameterError):
        describe(data, k=0)


def test_description_with_persons() -> None:
    data = with_persons([{"a", "b"}, {"a", "c"}, {"a", "b"}], [4, 4, 9])
    assert data.holders.tolist() == [2, 2, 1]
    found = describe(data, m=1, k=2)
    assert (found.persons, found.rare_item_names) == (2, ("c",))
    assert found.singled_out[0].share == pytest.approx(1 / 3)


def test_no_records_at_all() -> None:
    found = describe(Transactions.from_records([]))
    assert (found.records, found.mean_length, found.max_length, found.density) == (0, 0.0, 0, 0.0)
    assert [f.share for f in found.singled_out] == [0.0, 0.0]


@given(st.integers(1, 300), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_equals_the_reference(trials: int, draw: st.DataObject, confidence: float) -> None:
    successes = draw.draw(st.integers(0, trials))
    reference = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx((reference.low, reference.high), abs=1e-9)


@pytest.mark.data
def test_public_data(data_dir: Path) -> None:
    """A pair is unique if it occurs once among all pairs; counted here with a plain dictionary."""
    data = read(data_dir / "named/groceries.csv.gz")
    pairs: dict[tuple[str, str], int] = {}
    for record in data:
        for pair in combinations(sorted(record), 2):
            pairs[pair] = pairs.get(pair, 0) + 1
    singles = {name for name, support in zip(data.vocabulary, data.supports, strict=True) if support == 1}
    hits = sum(bool(r & singles) or any(pairs[p] == 1 for p in combinations(sorted(r), 2)) for r in data)
    found = describe(data).singled_out
    assert found[0].share == pytest.approx(sum(bool(r & singles) for r in data) / len(data))
    assert found[1].share == pytest.approx(hits / len(data))
