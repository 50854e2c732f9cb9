"""Candidates of somebody who knows some items, against all data sets that agree with the release."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.link import Plain
from cloven.kinds.disassociated.evidence import evidence
from cloven.kinds.disassociated.release import Disassociated
from cloven.kinds.known_items import candidates
from tests.effort import tries

hand = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "reconstruct" / "hand_built.py")))
QUERIES = [query for size in (1, 2, 3) for query in combinations("abcd", size)]


@settings(max_examples=tries(150), deadline=None)
@given(hand.TINY)
def test_no_world_has_more_than_the_candidates_or_less_than_the_certain(tiny):
    clusters, joints = hand.split(*tiny)
    release, possible = hand.build(clusters, joints), hand.worlds(clusters, joints)
    for query in QUERIES:
        link = candidates(release, query)
        counts = [sum(set(query) <= record for record in world) for world in possible]
        assert link.certain <= min(counts)
        assert max(counts) <= link.candidates <= release.records


@settings(max_examples=tries(150), deadline=None)
@given(hand.TINY)
def test_a_kept_promise_leaves_k_candidates(tiny):
    """Definition 2: if some data set in agreement has k records with the items, there are k candidates."""
    clusters, joints = hand.split(*tiny)
    release, possible = hand.build(clusters, joints, k=2, m=2), hand.worlds(clusters, joints)
    original = [set(record) for records in tiny[0] for record in records]
    for query in QUERIES:
        held = any(set(query) <= record for record in original)
        promised = max(sum(set(query) <= record for record in world) for world in possible) >= release.k
        if held and promised and len(query) <= release.m:
            assert candidates(release, query).candidates >= release.k


@settings(max_examples=tries(150), deadline=None)
@given(hand.TINY)
def test_more_items_never_have_more_candidates(tiny):
    release = hand.build(*hand.split(*tiny))
    found = {query: candidates(release, query).candidates for query in QUERIES}
    for query, many in found.items():
        for fewer in (each for size in (1, 2) for each in combinations(query, size)):
            assert many <= found[fewer]


def test_an_item_counts_once_where_some_clusters_lack_another_one_too():
    """Two clusters need f, the third needs f and a: together they get no more than there are with f."""
    clusters = [(2, [[["a"]] * 2], [], 0), (3, [[["a"]] * 3], [], 0), (4, [[["b"]] * 4], [], 0)]
    release = hand.build(clusters, [(None, [[["f"]] * 3, [["a"]] * 2])])
    assert candidates(release, ["f"]).candidates == 3
    assert candidates(release, ["a", "f"]).candidates == 3


def test_parts_of_several_chunks():
    release = hand.build([(6, [[["a", "b"]] * 3 + [["a"]] * 2, [["c"]] * 4], ["x"], None)], k=3)
    assert candidates(release, ["a"]).candidates == 5
    assert candidates(release, ["a", "b"]).candidates == 3
    assert candidates(release, ["b", "c"]).candidates == 3
    assert candidates(release, ["a", "c"]).candidates == 4
    assert candidates(release, ["a", "c"]).certain == 3
    assert candidates(release, ["a", "x"]).candidates == 5
    assert candidates(release, ["x"]) == candidates(release, ["x", "x"])
    assert candidates(release, ["x"]).candidates == 6
    assert candidates(release, ["x"]).certain == 1


def test_the_lemma_without_a_term_chunk():
    """Algorithms note A4: two 3^2-anonymous chunks of three in a cluster of five leave one candidate."""
    release = hand.build([(5, [[["a"]] * 3, [["b"]] * 3], [], None)], k=3)
    link = candidates(release, ["a", "b"])
    assert (link.candidates, link.certain) == (1, 1)


def test_items_of_one_chunk_that_never_meet():
    link = candidates(hand.build([(4, [[["a"], ["a"], ["b"], ["b"]]], [], None)]), ["a", "b"])
    assert (link.candidates, link.clusters) == (0, 0)


def test_a_shared_sub_record_counts_once_over_all_clusters():
    clusters = [(4, [[["a"]] * 4], [], 0), (4, [[["a"]] * 4], [], 0), (4, [[["t"]] * 4], [], 0)]
    release = hand.build(clusters, [(None, [[["t"]] * 2])])
    link = candidates(release, ["t"])
    assert (link.candidates, link.certain, link.clusters) == (6, 6, 3)
    link = candidates(release, ["a", "t"])
    assert (link.candidates, link.certain, link.clusters) == (2, 0, 2)


def test_a_shared_sub_record_is_not_of_a_cluster_that_shows_its_other_item():
    clusters = [(3, [[["a"]] * 3, [["u"]] * 2], [], 0), (3, [[["a"]] * 2], ["x"], 0)]
    release = hand.build(clusters, [(None, [[["t", "u"]] * 2])])
    link = candidates(release, ["a", "t"])
    assert (link.candidates, link.clusters) == (2, 1)


def test_an_item_in_shared_chunks_of_two_joints_may_come_from_either():
    clusters = [(3, [[["a"]] * 3], [], 0), (3, [[["b"]] * 3], [], 0), (3, [[["c"]] * 3], [], 1)]
    joints = [(1, [[["t"]]]), (None, [[["t"]]])]
    most = max(sum({"a", "t"} <= record for record in world) for world in hand.worlds(clusters, joints))
    assert most == 2
    assert most <= candidates(hand.build(clusters, joints), ["a", "t"]).candidates <= 3


def test_unknown_items_are_listed():
    release = hand.build([(2, [[["a"]] * 2], [], None)])
    link = candidates(release, ["zebra", "a", "yak"])
    assert (link.candidates, link.certain, link.clusters, link.unknown) == (0, 0, 0, ("yak", "zebra"))


@pytest.mark.parametrize("wrong", [[], "flu", [str(number) for number in range(63)]])
def test_queries_that_make_no_sense(wrong):
    names = [str(number) for number in range(63)]
    release = hand.build([(2, [[names] * 2], [], None)])
    with pytest.raises(ParameterError, match="item"):
        candidates(release, wrong)


def many_clusters(clusters=20_000, size=10):
    """Chunks {a, b} and {c} in every cluster; a joint for each two clusters, with two sub-records {s}."""
    record_rows = np.tile(np.repeat([0, 1], size // 2), clusters)
    joints = clusters // 2
    lengths = np.concatenate((np.where(record_rows == 0, 2, 1), np.ones(2 * joints, int)))
    items = np.concatenate((np.tile([0, 1] * (size // 2) + [2] * (size // 2), clusters), [3] * (2 * joints)))
    rows = len(record_rows)
    return Disassociated(
        k=5,
        m=2,
        parameters={},
        vocabulary=("a", "b", "c", "s"),
        cluster_size=np.full(clusters, size),
        cluster_joint=np.repeat(np.arange(joints), 2),
        joint_parent=np.full(joints, -1),
        row_cluster=np.concatenate((np.repeat(np.arange(clusters), size), np.full(2 * joints, -1))),
        row_joint=np.concatenate((np.full(rows, -1), np.repeat(np.arange(joints), 2))),
        row_chunk=np.concatenate((record_rows, np.zeros(2 * joints, int))).astype(np.int32),
        row_kind=np.repeat([0, 2], [rows, 2 * joints]).astype(np.int8),
        row_offsets=np.concatenate(([0], np.cumsum(lengths))),
        row_items=items.astype(np.int32),
    )


def test_twenty_thousand_clusters_at_once():
    release = many_clusters()
    assert candidates(release, ["a", "c"]).candidates == 100_000
    link = candidates(release, ["a", "s"])
    assert (link.candidates, link.clusters) == (20_000, 20_000)


def test_looking_up_in_plain_releases_is_what_evidence_tells():
    rng, plain = np.random.default_rng(5), 0
    for number in range(tries(60)):
        weights = 1 / np.arange(1, 13)
        rows = [
            {"abcdefghijkl"[i] for i in rng.choice(12, rng.integers(1, 6), p=weights / weights.sum())}
            for _ in range(rng.integers(8, 120))
        ]
        chunks = "several" if number % 4 == 0 else "single"
        method = cv.Disassociation(k=2 + number % 3, m=2, max_cluster_size=12, root_chunks=chunks)
        release = method.anonymise(cv.Transactions.from_records(rows)).release
        arranged = Plain.of(release)
        plain += arranged is not None
        if arranged is None:
            continue
        for _ in range(12):
            wanted = min(len(release.vocabulary), int(rng.integers(1, 6)))
            codes = np.sort(rng.permutation(len(release.vocabulary))[:wanted])
            total, at_most, expected = arranged.looked(codes)
            found = evidence(release, codes)
            assert total == found.total_at_most
            assert at_most.tolist() == found.at_most.tolist()
            assert expected.tolist() == found.expected.tolist()
    assert plain > number // 3
