"""Counts of sets of items: bounds hold for any data, and what is expected is what plain enumeration expects."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, records, skewed_records

from cloven.data.transactions import Transactions
from cloven.datasets import sparse
from cloven.kinds.disassociated.counts import bounds, expected
from cloven.kinds.disassociated.evidence import evidence
from cloven.kinds.disassociated.likely import HALF, Tails, _first, beyond, spread, up_to
from cloven.kinds.disassociated.measured_tails import by_support, from_records, truth
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Kind
from cloven.statistics.mining import supports
from tests.effort import tries


def plain_expected(release, items):
    """Exact, apart and left over, cluster by cluster."""
    rows = [frozenset(release.row(number)) for number in range(release.rows)]
    loose = dict.fromkeys(items, 0)
    for number, row in enumerate(rows):
        if release.row_kind[number] != Kind.RECORD:
            for item in row & loose.keys():
                loose[item] += 1
    shows = {item: set() for item in items}
    for number, row in enumerate(rows):
        if release.row_kind[number] == Kind.RECORD:
            for item in row & shows.keys():
                shows[item].add(int(release.row_cluster[number]))
    total, sizes = [0.0, 0.0, 0.0], release.cluster_size.tolist()
    rate = {
        item: loose[item] / max(1, sum(size for c, size in enumerate(sizes) if c not in shows[item]))
        for item in items
    }
    for cluster, size in enumerate(sizes):
        mine = [
            (int(release.row_chunk[number]), row)
            for number, row in enumerate(rows)
            if release.row_kind[number] == Kind.RECORD and release.row_cluster[number] == cluster
        ]
        left = [item for item in items if cluster not in shows[item]]
        chunks = {}
        for item in set(items) - set(left):
            chunks.setdefault(next(chunk for chunk, row in mine if item in row), set()).add(item)
        whole = [sum(chunk == one and part <= row for one, row in mine) for chunk, part in chunks.items()]
        found = size * prod(number / size for number in whole) * prod(rate[item] for item in left)
        total[2 if left else 1 if len(chunks) > 1 else 0] += found
    return total


@settings(max_examples=tries(60))
@given(
    skewed_records(max_records=80, min_records=6),
    st.sampled_from(RARE_ITEMS),
    st.integers(2, 4),
    st.booleans(),
)
def test_expected_by_enumeration(rows, rare, k, refine):
    method = Disassociation(k=k, m=2, max_cluster_size=12, rare_items=rare, refine=refine)
    release = method.anonymise(Transactions.from_records(rows)).release
    for size in (2, 3):
        sets = list(combinations(range(len(release.vocabulary)), size))[:40]
        if not sets:
            continue
        found = expected(release.shown, np.array(sets))
        for number, codes in enumerate(sets):
            plain = plain_expected(release, [release.vocabulary[code] for code in codes])
            assert [found.exact[number], found.apart[number], found.left[number]] == pytest.approx(plain)


@settings(max_examples=tries(80))
@given(records(), st.sampled_from(RARE_ITEMS), st.integers(2, 4), st.sampled_from(["no", "cover"]))
def test_the_truth_lies_between_certain_and_at_most(rows, rare, k, safe):
    data = Transactions.from_records(rows)
    if len(data) < k:
        return
    release = (
        Disassociation(k=k, m=2, max_cluster_size=9, rare_items=rare, safe=safe, seed=1)
        .anonymise(data)
        .release
    )
    for size in (1, 2, 3):
        for items in list(combinations(release.vocabulary, size))[:30]:
            found = release.count(items)
            true = sum(set(items) <= row for row in rows)
            assert found.certain <= true <= found.at_most
            assert found.certain <= found.low <= found.likely <= found.high <= found.at_most


@given(st.floats(1e-4, 1e4), st.floats(1e-3, 50), st.sampled_from([1e-9, 0.01, 0.025, 0.3, 0.5]))
@settings(max_examples=tries(80))
def test_quantiles_are_those_of_the_distribution(mean, dispersion, level):
    from scipy.stats import nbinom

    shape, chance = np.array([1 / dispersion]), np.array([1 / (1 + mean * dispersion)])
    low = _first(lambda value: up_to(value, shape, chance) >= level, np.array([mean]))[0]
    high = _first(lambda value: beyond(value, shape, chance) <= level, np.array([mean]))[0]
    true = nbinom(shape[0], chance[0])
    assert true.cdf(low) >= level * (1 - 1e-6)
    assert low == 0 or true.cdf(low - 1) <= level * (1 + 1e-6)
    assert true.sf(high) <= level * (1 + 1e-6)
    assert high == 0 or true.sf(high - 1) >= level * (1 - 1e-6)


def test_the_interval_holds_what_is_likely_for_every_tail():
    rows = [["a", "b", "c"], ["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"], ["a", "d"]] * 20
    release = Disassociation(k=3, m=2, max_cluster_size=12).anonymise(Transactions.from_records(rows)).release
    found = expected(release.shown, np.array([[0, 1], [1, 2]]))
    for below in (1e-12, 0.025, 0.4):
        likely, low, high = spread(found, Tails(2, below, below))
        assert (low <= likely).all()
        assert (likely <= high).all()
    assert HALF > 0.4


def held(data, release, size, sets):
    """Share of the true counts that lie in the interval, half of the sets drawn from records, half item by item."""
    rng = np.random.default_rng(size)
    drawn = np.concatenate([draw(data, release, size, sets // 2, rng) for draw in (from_records, by_support)])
    true = truth(data, release, drawn)
    counts = [release.count([release.vocabulary[code] for code in row]) for row in drawn.tolist()]
    low, high = (np.array([getattr(one, end) for one in counts]) for end in ("low", "high"))
    return np.mean((low <= true) & (true <= high))


@pytest.mark.parametrize("records", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("size", [2, 3])
def test_the_interval_holds_what_it_says_in_data_of_any_size(records, size):
    """Items of a pattern do not meet by chance, and more records do not mend that."""
    data = sparse(records, 170, 4.4, 32, skew=0.8, spread=0.8)
    assert held(data, Disassociation().anonymise(data).release, size, 600) >= 0.95


@pytest.mark.parametrize("records", [2_000, 60_000])
def test_the_interval_holds_what_it_says_of_items_that_exclude_each_other(records):
    """Of each of ten pairs a record holds one item at most: chance expects dozens, and there are none."""
    rng = np.random.default_rng(5)
    chosen = rng.random((records, 10)) < rng.uniform(0.05, 0.4, 10)
    side = rng.integers(0, 2, (records, 10))
    rows = [
        [f"{pair}{'ab'[side[row, pair]]}" for pair in np.flatnonzero(chosen[row])] for row in range(records)
    ]
    data = Transactions.from_records([row or ["none"] for row in rows])
    release = Disassociation().anonymise(data).release
    for pair in range(10):
        items = [f"{pair}a", f"{pair}b"]
        if set(items) <= set(release.vocabulary):
            assert release.count(items).low == 0


@settings(max_examples=tries(60))
@given(
    skewed_records(max_records=60, min_records=6),
    st.sampled_from(["withhold", "list"]),
    st.booleans(),
    st.booleans(),
)
def test_bounds_in_one_pass_hold_the_truth_and_are_sure_of_what_the_evidence_is(rows, rare, refine, several):
    """Of what can be at most, either way may know a little more than the other."""
    chunks = "several" if several else "single"
    method = Disassociation(k=3, m=2, max_cluster_size=12, rare_items=rare, refine=refine, root_chunks=chunks)
    data = Transactions.from_records(rows)
    release = method.anonymise(data).release
    for size in (1, 2, 3):
        for codes in map(np.array, list(combinations(range(len(release.vocabulary)), size))[:30]):
            least, most = bounds(release, codes, expected(release.shown, codes[None, :]))
            told = evidence(release, codes)
            assert least == told.total_at_least
            names = [release.vocabulary[code] for code in codes.tolist()]
            found = release.count(names)
            assert found.certain <= supports(data, [names])[0] <= found.at_most
            if not refine and not several and size == 1:
                assert most == told.total_at_most
