"""Reconstructions are among the data sets that agree with the release."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError, ReleaseError
from cloven.reconstruction import reconstruct, reconstruct_many
from tests.effort import tries

hand = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("hand_built.py"))))


def rng(seed=7):
    return np.random.default_rng(seed)


@settings(max_examples=tries(150), deadline=None)
@given(hand.TINY, st.integers(0, 2**32))
def test_every_reconstruction_agrees_with_the_release(tiny, seed):
    clusters, joints = hand.split(*tiny)
    possible = hand.worlds(clusters, joints)
    release = hand.build(clusters, joints)
    for data in reconstruct_many(release, 3, np.random.default_rng(seed)):
        # A shared sub-record that alone could fill a record may land elsewhere; the lemma excludes that.
        if data.empty_records == 0:
            assert tuple(data) in possible
        else:
            assert joints
            assert any(not term and sum(map(len, chunks)) < size for size, chunks, term, _ in clusters)


@settings(max_examples=tries(60), deadline=None)
@given(hand.ONE_CLUSTER, st.integers(0, 2**32))
def test_no_record_of_a_lone_cluster_is_left_empty(tiny, seed):
    release = hand.build(*hand.split(*tiny))
    assert reconstruct(release, np.random.default_rng(seed)).empty_records == 0


def test_all_possible_stackings_come_up():
    clusters = [(3, [[["a"], ["a"]], [["b"], ["b"]]], [], None)]
    release = hand.build(clusters)
    seen = Counter(tuple(data) for data in reconstruct_many(release, 600, rng()))
    assert set(seen) == hand.worlds(clusters)
    assert min(seen.values()) > 0.7 * 600 / len(seen)


def test_exact_cover_when_chunks_just_fill_the_cluster():
    chunks = [[[name]] * 10 for name in "abcde"]
    data = reconstruct(hand.build([(50, chunks, [], None)]), rng())
    assert Counter(tuple(record) for record in data) == {(name,): 10 for name in "abcde"}


def test_term_chunk_items_fill_empty_records_first():
    data = reconstruct(hand.build([(9, [[["a"]] * 3], ["x", "y"], None)]), rng())
    records = Counter(tuple(sorted(record)) for record in data)
    assert records[("a",)] == 3
    assert records[("x",)] + records[("y",)] == 6
    assert records[("x",)] >= 1
    assert records[("y",)] >= 1


def test_more_terms_than_empty_records_are_used_once_each():
    terms = [f"t{number}" for number in range(20)]
    data = reconstruct(hand.build([(4, [[["a"]] * 2], terms, None)]), rng())
    assert data.empty_records == 0
    assert data.supports.tolist() == [2] + [1] * 20


def test_shared_items_stay_off_clusters_that_show_them():
    clusters = [(5, [[["u"]] * 5], [], 0), (5, [[["a"]] * 5], [], 0)]
    joints = [(None, [[["t"]] * 5 + [["u"]] * 5])]
    for data in reconstruct_many(hand.build(clusters, joints), 20, rng()):
        # Each t must make room: all five u of the shared chunk fit only on the second cluster.
        assert [sorted(record) for record in data] == [["t", "u"]] * 5 + [["a", "u"]] * 5


def test_nested_joints_never_give_an_item_twice():
    clusters = [(2, [[["a"]] * 2], [], 0), (2, [[["b"]] * 2], [], 0), (2, [[["c"]] * 2], [], 1)]
    joints = [(1, [[["t"]] * 2]), (None, [[["t"]] * 2])]
    for data in reconstruct_many(hand.build(clusters, joints), 20, rng()):
        assert sum("t" in data[record] for record in range(4)) == 2
        assert all("t" in data[record] for record in (4, 5))


def test_shared_sub_records_fill_records_that_nothing_else_can():
    clusters = [(3, [[["a"]] * 2], [], 0), (3, [[["b"]] * 3], [], 0)]
    for data in reconstruct_many(hand.build(clusters, [(None, [[["t"]]])]), 20, rng()):
        assert sum(record == {"t"} for record in data) == 1


def test_the_same_generator_gives_the_same_data():
    release = hand.build([(6, [[["a"]] * 4, [["b"]] * 3], ["x"], None)])
    assert list(reconstruct_many(release, 3, rng(1))) == list(reconstruct_many(release, 3, rng(1)))
    assert isinstance(reconstruct(release, rng(1)), Transactions)


def test_impossible_releases_are_refused():
    with pytest.raises(ReleaseError, match="3 sub-records"):
        reconstruct(hand.build([(2, [[["a"]] * 3], [], None)]), rng())
    with pytest.raises(ReleaseError, match="does not fit"):
        reconstruct(hand.build([(2, [[["a"]] * 2], [], 0)], [(None, [[["t"]] * 3])]), rng())
    with pytest.raises(ReleaseError, match="does not fit"):
        reconstruct(hand.build([(2, [[["t"]] * 2], [], 0)], [(None, [[["t"]]])]), rng())
    with pytest.raises(ReleaseError, match="cycle"):
        reconstruct(hand.build([(1, [[["a"]]], [], 0)], [(1, []), (0, [])]), rng())
    with pytest.raises(ParameterError, match="at least 1"):
        reconstruct_many(hand.build([(1, [[["a"]]], [], None)]), 0, rng())
