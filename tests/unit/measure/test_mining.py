"""Top itemsets and supports against brute force."""

from __future__ import annotations

import gzip
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.statistics import mining
from cloven.statistics.mining import Ranked, supports, top_itemsets, top_of_both
from tests.effort import tries

RECORDS = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=12)


def brute_force(records, count, min_size, max_size):
    found = {
        itemset: sum(set(itemset) <= record for record in records)
        for size in range(min_size, (max_size or 6) + 1)
        for itemset in combinations("abcdef", size)
    }
    occurring = [(itemset, support) for itemset, support in found.items() if support]
    return sorted(occurring, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))[:count]


@settings(max_examples=tries(200), deadline=None)
@given(RECORDS, st.integers(1, 70), st.integers(1, 3), st.sampled_from([None, 3, 4]))
def test_top_itemsets_are_those_of_brute_force_with_ties(records, count, min_size, max_size):
    found = top_itemsets(Transactions.from_records(records), count, min_size=min_size, max_size=max_size)
    assert list(found) == brute_force(records, count, min_size, max_size)
    assert found.sizes.tolist() == [len(itemset) for itemset in found.itemsets]


@pytest.mark.parametrize(("first", "most"), [(2, 1024), (2, 3), (256, 0)])
def test_it_does_not_matter_how_extensions_are_counted(monkeypatch, first, most):
    monkeypatch.setattr(mining, "FIRST", first)
    monkeypatch.setattr(mining, "MOST_LEADING", most)
    rng = np.random.default_rng(first + most)
    for _ in range(tries(40)):
        records = [set(rng.choice(list("abcdef"), rng.integers(1, 6))) for _ in range(rng.integers(1, 15))]
        ranked, count = Ranked.of(Transactions.from_records(records)), int(rng.integers(1, 40))
        both = brute_force(records, count, 1, None), brute_force(records, count, 2, None)
        assert tuple(map(list, top_of_both(ranked, count))) == both
        sets = [items for items, _ in brute_force(records, 70, 1, None)]
        assert supports(ranked, sets).tolist() == [
            sum(set(one) <= record for record in records) for one in sets
        ]


@settings(max_examples=tries(100), deadline=None)
@given(RECORDS, st.lists(st.lists(st.sampled_from("abcdefz"), max_size=4), max_size=8))
def test_supports_count_records_that_hold_all(records, itemsets):
    counted = supports(Transactions.from_records(records), itemsets)
    assert counted.tolist() == [sum(set(itemset) <= record for record in records) for itemset in itemsets]


def test_long_records_do_not_explode():
    data = Transactions.from_records([[f"{item:02}" for item in range(60)]] * 3)
    found = top_itemsets(data, 100)
    assert len(found) == 100
    assert set(found.supports.tolist()) == {3}
    assert found.sizes.tolist() == [1] * 60 + [2] * 40
    assert found.itemsets[60:62] == (("00", "01"), ("00", "02"))


@pytest.mark.parametrize("wrong", [{"count": 0}, {"min_size": 0}, {"min_size": 3, "max_size": 2}])
def test_parameters_that_cannot_be_met(wrong):
    with pytest.raises(ParameterError, match="got"):
        top_itemsets(Transactions.from_records([["a"]]), **wrong)


def test_no_records_give_no_itemsets():
    assert len(top_itemsets(Transactions.from_records([]), 5)) == 0


@pytest.mark.data
def test_dense_data_in_order_and_with_true_supports(data_dir):
    path = data_dir / "transactions" / "mushroom.dat.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt") as lines:
        data = Transactions.from_records(line.split() for line in lines)
    found = top_itemsets(data)
    assert len(found) == 1000
    assert (np.diff(found.supports) <= 0).all()
    assert (supports(data, found.itemsets) == found.supports).all()
    # What is one item larger than a set in the list, and not listed itself, must not be better than the last.
    listed, last = set(found.itemsets), found.supports[-1]
    larger = {
        tuple(sorted({*itemset, item})) for itemset in found.itemsets[:50] for item in data.vocabulary
    } - listed
    assert (supports(data, sorted(larger)) <= last).all()
