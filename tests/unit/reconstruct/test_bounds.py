"""Certain supports never exceed the support in any data set that agrees with the release."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

from hypothesis import given, settings

from cloven.reconstruction import chunk_records, lower_bound_supports
from tests.effort import tries

hand = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("hand_built.py"))))
QUERIES = [query for size in (1, 2, 3) for query in combinations("abcd", size)]


@settings(max_examples=tries(120), deadline=None)
@given(hand.TINY)
def test_bounds_hold_in_every_world(tiny):
    clusters, joints = hand.split(*tiny)
    release, possible = hand.build(clusters, joints), hand.worlds(clusters, joints)
    plain = lower_bound_supports(release, QUERIES).tolist()
    sharper = lower_bound_supports(release, QUERIES, across_chunks=True).tolist()
    for query, low, high in zip(QUERIES, plain, sharper, strict=True):
        least = min(sum(set(query) <= record for record in world) for world in possible)
        assert low <= high <= least


def test_chunks_add_up_and_a_term_chunk_counts_one():
    clusters = [(4, [[["a", "b"], ["a", "b"], ["a"]]], ["x"], 0), (3, [[["a", "b"]] * 3], ["x"], 0)]
    release = hand.build(clusters, [(None, [[["s", "t"], ["t"]]])])
    queries = [["a"], ["a", "b"], ["x"], ["x", "a"], ["s", "t"], ["t"], ["nowhere"], []]
    assert lower_bound_supports(release, queries).tolist() == [6, 5, 2, 0, 1, 2, 0, 7]
    assert lower_bound_supports(release, queries, across_chunks=True).tolist() == [6, 5, 2, 1, 1, 2, 0, 7]
    assert len(chunk_records(release)) == 3 + 3 + 2 + 2


def test_parts_that_must_overlap():
    release = hand.build([(5, [[["a"]] * 4, [["b"]] * 3, [["c"]] * 5], [], None)])
    queries = [["a", "b"], ["a", "b", "c"], ["b", "c"]]
    assert lower_bound_supports(release, queries).tolist() == [0, 0, 0]
    assert lower_bound_supports(release, queries, across_chunks=True).tolist() == [2, 2, 3]
