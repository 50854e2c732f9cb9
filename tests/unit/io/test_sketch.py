"""Records in common: estimates against counting, and what a sketch must not depend on."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.recognition import LEAST_ITEMS
from cloven.data.transactions import Transactions
from cloven.storage.fingerprint import SIZE, Sketch, overlap, sketch
from tests.effort import tries

ITEMS = st.sampled_from([*"abcdefg", "naïve 🦊", "a\nb", "\ud800"])
RECORDS = st.lists(st.sets(ITEMS, min_size=1, max_size=6), max_size=25)


def alone(records, persons=None) -> set[frozenset[str]]:
    """Contents that stand out, by the definition."""
    holders = Counter()
    named = range(len(records)) if persons is None else persons
    for content, _ in {(frozenset(r), p) for r, p in zip(records, named, strict=True)}:
        holders[content] += 1
    return {content for content, number in holders.items() if number == 1 and len(content) >= LEAST_ITEMS}


def made(records) -> Transactions:
    return Transactions.from_records(map(sorted, records))


@settings(deadline=None)
@given(RECORDS, RECORDS)
def test_small_data_is_counted_exactly(first, second):
    ours, theirs = alone(second), alone(first)
    found = overlap(sketch(made(first)), made(second).standing_out())
    if not ours or not theirs:
        assert found is None
        return
    for estimate, total in ((found.of_data, ours), (found.of_earlier, theirs)):
        share = len(ours & theirs) / len(total)
        assert estimate.low == estimate.value == estimate.high == pytest.approx(share)


@settings(deadline=None)
@given(RECORDS, st.data())
def test_order_and_codes_do_not_matter(records, data):
    """Another order, and other items around that change every code."""
    shuffled = data.draw(st.permutations(records))
    base = sketch(made(records))
    assert np.array_equal(sketch(made(shuffled)).hashes, base.hashes)
    strangers = [{"0"}, {"bb", "cc"}, {"zzz"}]
    more = sketch(made([*strangers, *records]))
    assert (more.records, more.hashes.tolist()) == (base.records, base.hashes.tolist())


@settings(deadline=None)
@given(RECORDS, st.data())
def test_contents_of_one_person_count_once(records, data):
    persons = data.draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
    plain = made(records)
    told = Transactions(plain.offsets, plain.codes, plain.vocabulary, np.array(persons, np.int64))
    assert sketch(told).records == len(alone(records, persons))


@settings(deadline=None)
@given(RECORDS)
def test_sketches_come_back(records):
    before = sketch(made(records))
    after = Sketch.from_dict(before.to_dict())
    assert (after.records, after.hashes.tolist()) == (before.records, before.hashes.tolist())


def random_data(rng: np.random.Generator, records: int) -> Transactions:
    lengths = rng.integers(LEAST_ITEMS, 9, records)
    codes = rng.integers(0, 3000, lengths.sum()).astype(np.int32)
    return Transactions.from_arrays(lengths, codes, tuple(f"{number:04}" for number in range(3000)))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.97, 1.0])
def test_intervals_hold_the_truth(share):
    """Of many pairs of large data sets, about 95 in 100 intervals hold what counting finds."""
    rng, held, trials = np.random.default_rng(int(100 * share)), 0, 60
    for _ in range(trials):
        everything = random_data(rng, 6000)
        cut = int(4000 * share)
        earlier, later = everything.take(np.arange(4000)), everything.take(np.arange(4000 - cut, 6000))
        hashes = later.standing_out()
        truth = len(np.intersect1d(earlier.standing_out(), hashes))
        drawn = sketch(earlier)
        assert len(drawn.hashes) == SIZE < drawn.records
        found = overlap(drawn, hashes)
        for estimate in (found.of_data, found.of_earlier):
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
            assert estimate.high - estimate.low < 0.14
        held += found.of_earlier.low <= truth / drawn.records <= found.of_earlier.high
    assert held >= 0.88 * trials


@settings(max_examples=tries(20), deadline=None)
@given(st.integers(0, 2**32))
def test_a_certain_interval_always_holds_the_truth(seed):
    rng = np.random.default_rng(seed)
    everything = random_data(rng, 3000)
    start, end = sorted(rng.integers(0, 3000, 2).tolist())
    earlier, later = everything.take(np.arange(start, 3000)), everything.take(np.arange(end + 1))
    hashes = later.standing_out()
    truth = len(np.intersect1d(earlier.standing_out(), hashes))
    found = overlap(sketch(earlier), hashes, confidence=1 - 1e-12)
    assert found is not None
    assert found.of_data.low <= truth / len(hashes) <= found.of_data.high


def test_blocks_change_nothing(monkeypatch):
    data = random_data(np.random.default_rng(1), 500)
    whole = data.standing_out()
    monkeypatch.setattr("cloven.data.recognition._BLOCK", 7)
    assert np.array_equal(data.standing_out(), whole)


def test_hashes_are_the_same_on_every_machine():
    """Sketches of other machines and versions are compared with ours."""
    data = Transactions.from_records([["flu", "cough", "fever"], ["naïve 🦊", "b", "c", "a"]])
    assert data.standing_out().tolist() == GOLDEN


GOLDEN = [12323632941436499621, 17651367973360252068]


def test_no_data():
    nothing = Transactions.from_records([])
    assert sketch(nothing).records == 0
    assert overlap(sketch(nothing), nothing.standing_out()) is None


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "cloven.sketch/9"},
        {"records": -1},
        {"records": True},
        {"records": 5},
        {"hashes": "AAA"},
        {"hashes": "AAAAAAAA"},
        {"hashes": "é"},
        {"hashes": None},
        {"hashes": "/////////////////////w=="},
        {"more": 1},
    ],
)
def test_faulty_sketches_are_refused(change):
    plain = sketch(Transactions.from_records([["a", "b", "c"], ["b", "c", "d"]])).to_dict()
    with pytest.raises(ValueError, match=r"."):
        Sketch.from_dict(plain | change)
