"""The root keeps the guarantee (cover-problem paper, Def. 2), over all data sets that a release allows.

Small releases by enumeration of all worlds, larger trees by matching, and the checker against planted faults.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hand_made import build, in_clusters
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import skewed_records
from test_guarantee import random_clusters
from test_nested import all_can_stand
from test_nested import random_clusters as nested_clusters
from worlds import most_holders, published, states

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Kind
from cloven.reconstruction import reconstruct
from cloven.verification import verify
from tests.effort import tries

WAYS = [
    pytest.param("withhold", "single", id="withhold-single"),
    pytest.param("withhold", "several", id="withhold-several"),
    pytest.param("list", "single", id="list-single"),
    pytest.param("list", "several", id="list-several"),
]


def published_parts(data, result):
    """Of each record its cluster, what of it is published, and what is not."""
    items = {int(row): set() for row in result.key.records}
    for part, record in enumerate(result.key.record.tolist()):
        codes = result.key.items[result.key.offsets[part] : result.key.offsets[part + 1]]
        items[record] |= {result.release.vocabulary[code] for code in codes.tolist()}
    for record, cluster in zip(result.key.records.tolist(), result.key.record_cluster.tolist(), strict=True):
        yield cluster, frozenset(items[record]), data[record] - items[record]


def broken(data, result, found):
    """Sets of at most m items of a record that no world gives to k records."""
    release, out = result.release, []
    for _, shown, hidden in set(published_parts(data, result)):
        known = (
            items for size in range(1, release.m + 1) for items in combinations(sorted(shown | hidden), size)
        )
        # What is published with a count must do without what could have been withheld.
        out += [
            items
            for items in known
            if most_holders(release, found, items, withheld=bool(hidden & set(items))) < release.k
        ]
    return out


@pytest.mark.parametrize(("rare", "chunks"), WAYS)
@pytest.mark.parametrize("count", [80, pytest.param(25_000, marks=pytest.mark.slow)])
def test_the_root_keeps_the_guarantee_in_all_worlds(rare, chunks, count):
    rng = random.Random(f"{rare} {chunks}")
    tested = several = rooted = 0
    for _ in range(count):
        k, m = rng.choice((2, 2, 3)), rng.randint(1, 4)
        clusters = random_clusters(rng, k)
        options = {"rare_items": rare, "root_chunks": chunks, "refine": rng.random() < 0.5}
        data, result = in_clusters(clusters, k, m, **options)
        assert verify(result.release, original=data, key=result.key).ok, (k, m, clusters, options)
        found = states(result.release)
        if found is None:
            continue
        assert found, "a release must allow at least one world: the original"
        tested += 1
        rows = result.release.row_joint == result.release.root
        rooted += bool(rows.any())
        several += bool(
            (np.diff(result.release.row_offsets)[rows & (result.release.row_kind == Kind.SHARED)] > 1).any()
        )
        assert broken(data, result, found) == [], (k, m, clusters, options)
    assert tested > count / 8
    assert rooted > count / 40
    assert several > 0 or chunks == "single"


@pytest.mark.parametrize(("rare", "chunks"), WAYS)
def test_rows_of_the_root_can_stand_in_k_records_of_every_cluster_that_may_have_one(rare, chunks):
    rng = random.Random(11)
    tested = 0
    for _ in range(60):
        k = rng.choice((2, 2, 3))
        clusters = nested_clusters(rng, k)
        data, result = in_clusters(
            clusters, k, 2, rare_items=rare, root_chunks=chunks, refine=rng.random() < 0.7
        )
        release = result.release
        assert verify(release, original=data, key=result.key).ok
        tested += all_can_stand(release, k)[0]
    assert tested > 300


@settings(max_examples=tries(60), deadline=None)
@given(rows=skewed_records(min_records=12), k=st.integers(2, 4), refine=st.booleans())
def test_only_what_fewer_than_k_hold_is_missing(rows, k, refine):
    data = Transactions.from_records(rows)
    method = Disassociation(k=k, max_cluster_size=2 * k + 3, rare_items="withhold", refine=refine)
    release = method.anonymise(data).release
    assert not release.row_kind[release.row_kind == Kind.TERM].size
    support = dict.fromkeys(data.vocabulary, 0)
    for row in range(release.rows):
        for item in release.row(row):
            support[item] += 1
    for word, held in zip(data.vocabulary, data.supports.tolist(), strict=True):
        assert held - k < support[word] <= held
        at_root = any(word in row for c in release.joint(release.root).shared_chunks for row in c)
        assert support[word] == held or not at_root


def test_a_list_names_all_that_is_rare_once():
    data = Transactions.from_records([["a", "b", "x"], ["a", "b"], ["a", "c"], ["a", "b"], ["a", "y", "b"]])
    release = Disassociation(k=2, m=2, rare_items="list", max_cluster_size=5).anonymise(data).release
    assert release.joint(release.root).term_chunk == ("c", "x", "y")
    assert all(cluster.term_chunk == () for cluster in release.iter_clusters())


CLUSTERS = [["ab", "abt", "abt", "a"], ["cd", "cdt", "cdt", "c"], ["ef", "e", "eft"]]


def planted(**changes):
    clusters = [[frozenset(row) for row in cluster] for cluster in CLUSTERS]
    data, result = in_clusters(clusters, 3, 2, rare_items="withhold", refine=False)
    return data, result, {name: np.array(getattr(result.release, name)) for name in result.release.ARRAYS}


def failures(release, **known):
    return {check.name for check in verify(release, **known).failures}


def test_a_cluster_outside_the_root_is_noticed():
    _, result, arrays = planted()
    arrays["cluster_joint"][0] = -1
    assert "root" in failures(replace(result.release, **arrays))


def test_a_term_chunk_of_one_cluster_is_noticed():
    _, result, arrays = planted()
    arrays["row_kind"][0] = Kind.TERM
    assert "root" in failures(replace(result.release, **arrays))


def test_a_root_item_with_fewer_than_k_copies_is_noticed():
    _, result, arrays = planted()
    rows = np.flatnonzero(arrays["row_joint"] == result.release.root)
    keep = np.ones(len(arrays["row_kind"]), bool)
    keep[rows[-3:]] = False
    lengths = np.diff(arrays["row_offsets"])
    for name in ("row_cluster", "row_joint", "row_chunk", "row_kind"):
        arrays[name] = arrays[name][keep]
    arrays["row_items"] = arrays["row_items"][np.repeat(keep, lengths)]
    arrays["row_offsets"] = np.concatenate(([0], np.cumsum(lengths[keep])))
    assert "shared chunks" in failures(replace(result.release, **arrays))


def test_a_withheld_item_that_many_hold_is_noticed():
    data, result, _ = planted()
    key = replace(
        result.key,
        suppressed_record=np.array([0, 1, 2], np.int64),
        suppressed_reason=("rare",) * 3,
        suppressed_items=(("a",),) * 3,
    )
    assert "withheld" in failures(result.release, original=data, key=key)


def test_a_list_in_a_release_that_withholds_is_noticed():
    data = Transactions.from_records([["a", "b", "x"], ["a", "b"], ["a", "c"], ["a", "b"], ["a", "y", "b"]])
    release = Disassociation(k=2, m=2, rare_items="list", max_cluster_size=5).anonymise(data).release
    for said in ("withhold", "cluster"):
        assert not verify(replace(release, parameters={**release.parameters, "rare_items": said})).ok


def test_the_oracle_sees_that_a_record_is_not_empty():
    """Six copies of t and five records that only t can fill leave one copy free: {t, a} has one candidate."""
    clusters = [(2, 0, [["a"] * 2], ()), (5, 0, (), ())]
    release = build(clusters, [(None, [["t"] * 6], ())], rare_items="list")
    assert "lemma" in failures(release)
    assert published(release, 0) == {"a", "t"}
    empty_allowed = replace(release, parameters={"rare_items": "withhold"})
    assert "lemma" not in failures(empty_allowed)


@pytest.mark.parametrize("seed", range(8))
def test_a_listed_item_that_few_records_may_have_is_in_every_reconstruction(seed):
    """Only three records of the smaller cluster may hold it; lots alone would miss them nine times in ten."""
    clusters = [(20_000, 0, ((("a",),) * 3,), ()), (3, 0, ((("b",),) * 3,), ())]
    release = build(clusters, [(None, (), ("a",))], k=3, rare_items="list")
    world = reconstruct(release, np.random.default_rng(seed))
    assert sum("a" in record for record in world) > 3
