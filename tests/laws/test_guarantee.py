"""The Disassociation Guarantee (cover-problem paper, Def. 2) at release level, over all possible original data sets.

For every set of at most m items of an original record there must be a world, compatible with the release, in which at
least k records hold it.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hand_made import build, in_clusters
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import records
from worlds import above, most_holders, states

from cloven.verification import verify
from tests.effort import tries


def release_of(clusters, k, m, **options):
    options = {"rare_items": "cluster", "refine": True, **options}  # test_root.py has the other ways
    return in_clusters(clusters, k, m, **options)[1].release


def broken(clusters, release, k, m):
    """Sets of at most m items of a record that no world gives to k records."""
    found = states(release)
    if found is None:
        return None
    assert found, "a release must allow at least one world: the original"
    rows = {frozenset(row) for cluster in clusters for row in cluster}
    known = {c for row in rows for size in range(1, m + 1) for c in combinations(sorted(row), size)}
    return [items for items in sorted(known) if most_holders(release, found, items) < k]


@settings(max_examples=tries(400))
@given(
    rows=records(min_records=2, max_records=6, items="abcde"),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    strict=st.booleans(),
)
def test_one_cluster_keeps_the_guarantee(rows, k, m, strict):
    assume(len(rows) >= k)
    release = release_of([rows], k, m, reading="strict" if strict else "occurring")
    faults = broken([rows], release, k, m)
    assume(faults is not None)
    assert faults == []


def random_clusters(rng, k):
    """Two or three small clusters with many leftovers in common, so that joins, also nested ones, are frequent."""
    count = rng.choice((2, 2, 3))
    items = "abcdef"[: rng.choice((3, 4, 5))]
    extra, lengths = (2, (1, 1, 2, 2, 3)) if count == 2 else (rng.choice((0, 1)), (1, 1, 2))
    return [
        [frozenset(rng.sample(items, rng.choice(lengths))) for _ in range(rng.randint(k, k + extra))]
        for _ in range(count)
    ]


@pytest.mark.parametrize("listed", [False, True], ids=["moved", "listed"])
@pytest.mark.parametrize("count", [200, pytest.param(12000, marks=pytest.mark.slow)])
def test_joint_clusters_keep_the_guarantee(count, listed):
    rng = random.Random(20120801 + listed)
    tested = nested = 0
    for _ in range(count):
        k, m = rng.choice((2, 2, 3)), rng.randint(1, 4)
        clusters = random_clusters(rng, k)
        release = release_of(clusters, k, m, join_terms="listed" if listed else "moved")
        faults = broken(clusters, release, k, m) if release.joints else None
        if faults is None:
            continue
        tested += 1
        nested += release.joints > 1
        assert faults == [], (k, m, clusters)
    assert tested > count / 8
    assert nested > count / 200


# Algorithms A4: in a joint cluster a record may hold shared terms only, so the lemma must be tested for v <= 1 too.
A4_CASES = [
    pytest.param(3, 3, [["c", "b", "bcd", "b"], ["ac", "abd", "bd"]], id="bcd unprotected"),
    pytest.param(2, 3, [["t", "u"], ["atu", "a", "a"]], id="atu unprotected"),
]


@pytest.mark.parametrize(("k", "m", "clusters"), A4_CASES)
def test_the_two_failing_cases_of_the_lemma(k, m, clusters):
    clusters = [[frozenset(row) for row in cluster] for cluster in clusters]
    release = release_of(clusters, k, m)
    assert broken(clusters, release, k, m) == []


def test_the_search_finds_a_broken_guarantee():
    """The oracle itself must be able to fail: A4's example without its term chunk."""
    release = build([(5, None, [["a"] * 3, ["b"] * 3], ())], k=3)
    rows = [frozenset(row) for row in ("a", "a", "ab", "b", "b")]
    assert broken([rows], release, 3, 2) == [("a", "b")]


# k=2, m=2: rows of the outer chunk t, t, u, u, v, v, z, z are allowed in different clusters: B may take only v and z, C
# only u, v and z, D only t, A only t and u. Every distinct row occurs twice, yet no world gives {x, t} to two records.
PINNED = (("xvztop", "xvzu"), ("tuzop", "tuv"), ("tvoq", "tz", "tu"), ("uvztoq", "uvz"))


def test_rows_that_pin_each_other_do_not_share_a_chunk():
    clusters = [[frozenset(row) for row in cluster] for cluster in PINNED]
    release = release_of(clusters, 2, 2)
    shown = [{i for chunk in c.record_chunks for row in chunk for i in row} for c in release.iter_clusters()]
    for number, joint in enumerate(release.iter_joints()):
        below = [c for c in range(release.clusters) if number in above(release, c)]
        for chunk in joint.shared_chunks:
            barred = {frozenset(c for c in below if item in shown[c]) for row in chunk for item in row}
            assert len(barred) == 1, (number, chunk)
    assert verify(release).ok


def test_verify_refuses_rows_that_pin_each_other():
    """The same release with the outer chunk in one piece, as k-anonymity alone would allow."""
    clusters = [[frozenset(row) for row in cluster] for cluster in PINNED]
    release = release_of(clusters, 2, 2)
    outer = int(np.flatnonzero(release.joint_parent < 0)[0])
    rows = np.flatnonzero(release.row_joint == outer)
    assert (np.diff(release.row_offsets)[rows] == 1).all()
    assert release.row_chunk[rows].max() > 0
    items = np.array(release.row_items)
    places = release.row_offsets[rows]
    items[places] = np.sort(items[places])
    chunk = np.array(release.row_chunk)
    chunk[rows] = 0
    failures = verify(replace(release, row_chunk=chunk, row_items=items)).failures
    assert "shared chunks" in {check.name for check in failures}
