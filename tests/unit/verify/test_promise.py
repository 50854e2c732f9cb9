"""Cluster size, k^m of record chunks, the lemma, shared chunks, marks: a planted fault for each."""

from __future__ import annotations

import pytest

from cloven.verification import verify

from .releases import build, cluster, failed, joint, rows, with_rows


def detail(verdict, name):
    return next(check.detail for check in verdict.checks if check.name == name)


def test_cluster_below_k():
    verdict = verify(build([cluster(2, [], "ab"), cluster(3, [], "cd")]))
    assert failed(verdict) == ["cluster size"]
    assert "has 2 records, k is 3" in detail(verdict, "cluster size")


def test_unsafe_release_fails_unless_allowed():
    release = build([cluster(2, [], "ab"), cluster(3, [], "cd")], unsafe=True)
    assert failed(verify(release)) == ["cluster size", "not unsafe"]
    verdict = verify(release, allow_unsafe=True)
    assert failed(verdict) == []
    assert detail(verdict, "cluster size").startswith("information: 1 cluster below k")


def test_allow_unsafe_does_not_excuse_an_unmarked_release():
    assert failed(verify(build([cluster(2, [], "ab")]), allow_unsafe=True)) == ["cluster size"]


def test_allow_unsafe_excuses_cluster_size_only():
    release = build([cluster(3, [["a"] * 2], "x")], unsafe=True)
    assert failed(verify(release, allow_unsafe=True)) == ["k^m of record chunks"]


def test_seeded_release_fails_unless_allowed():
    release = build([cluster(3, [], "ab")], seeded=True)
    assert failed(verify(release)) == ["not seeded"]
    assert failed(verify(release, allow_seeded=True)) == []
    assert failed(verify(release, allow_unsafe=True)) == ["not seeded"]


@pytest.mark.parametrize(
    ("limit", "said"), [(3, "1 cluster above"), (4, "0 clusters above"), (None, "no max")]
)
def test_oversize_clusters_are_information(limit, said):
    verdict = verify(build([cluster(4, [], "ab"), cluster(3, [], "ab")], max_cluster_size=limit))
    assert failed(verdict) == []
    assert said in detail(verdict, "oversize clusters")


@pytest.mark.parametrize(
    ("m", "expected"), [(1, []), (2, []), (3, ["k^m of record chunks"]), (9, ["k^m of record chunks"])]
)
def test_combination_of_three(m, expected):
    """Every pair occurs three times, the triple twice."""
    chunk = ["abc"] * 2 + ["ab", "ac", "bc"]
    assert failed(verify(build([cluster(6, [chunk], "x")], m=m))) == expected


@pytest.mark.parametrize(("reading", "expected"), [("occurring", []), ("strict", ["k^m of record chunks"])])
def test_strict_reading_wants_every_pair_of_the_chunk(reading, expected):
    chunk = ["ab"] * 3 + ["bc"] * 3
    assert failed(verify(build([cluster(6, [chunk], "x")], reading=reading))) == expected
    assert failed(verify(build([cluster(6, [["ab"] * 3], "x")], reading=reading))) == []


def test_lemma_example_fails_without_and_passes_with_term_chunk():
    chunks = [["a"] * 3, ["b"] * 3]
    verdict = verify(build([cluster(5, chunks)]))
    assert failed(verdict) == ["lemma"]
    assert "6 rows in 2 record chunks; 8 are needed" in detail(verdict, "lemma")
    assert failed(verify(build([cluster(5, chunks, "t")]))) == []


def test_lemma_bound_is_exact_and_depends_on_m():
    assert failed(verify(build([cluster(5, [["a"] * 4, ["b"] * 4])]))) == []
    three = [["a"] * 4, ["b"] * 4, ["c"] * 3]
    assert failed(verify(build([cluster(5, three)], m=2))) == []
    assert failed(verify(build([cluster(5, [["a"] * 3, ["b"] * 3, ["c"] * 4])], m=3))) == ["lemma"]
    assert failed(verify(build([cluster(5, three)], m=3))) == []
    assert failed(verify(build([cluster(5, [["a"] * 3, ["b"] * 3])], m=1))) == []


@pytest.mark.parametrize(("size", "chunks"), [(3, []), (4, []), (4, [["a"] * 3])])
def test_lemma_with_no_or_one_record_chunk_in_a_joint(size, chunks):
    """Shared rows could fill the records, but may all belong to the other cluster."""
    release = build([joint([["s"] * 6], [cluster(size, chunks), cluster(4, [["b"] * 4])])])
    assert failed(verify(release)) == ["lemma"]


def shared(chunk, *, shown="d", older=()):
    """A shared chunk over an inner joint (with an ``older`` one) and a cluster that shows ``shown``."""
    inner = joint([older] if older else [], [cluster(9, [], "u"), cluster(9, [], "v")])
    return joint([chunk], [inner, cluster(9, [[shown] * 3], "w")])


@pytest.mark.parametrize(("copies", "told"), [(3, []), (4, ["row counts"])])
def test_shared_rows_need_records_of_clusters_that_may_hold_them(copies, told):
    """Who shows an item in record chunks takes none from a shared chunk: three of six records may hold it."""
    below = [cluster(3, [["a"] * 3], "x"), cluster(3, [], "y")]
    assert failed(verify(build([joint([["a"] * copies], below)]))) == told


def test_shared_rows_that_every_cluster_publishes_otherwise():
    below = [cluster(3, [["a"] * 3]), cluster(4, [["a"] * 4])]
    verdict = verify(build([joint([["a"] * 3], below)]))
    assert failed(verdict) == ["row counts"]
    assert "3 rows for 0 records" in detail(verdict, "row counts")


def test_shared_rows_that_an_inner_joint_shares():
    inner = joint([["a"] * 3], [cluster(3, [], "x"), cluster(3, [], "y")])
    assert failed(verify(build([joint([["a"] * 3], [inner, cluster(3, [], "z")])]))) == []
    inner = joint([["a"] * 3], [cluster(3, [], "x"), cluster(3, [], "y")])
    release = build([joint([["a"] * 4], [inner, cluster(3, [], "z")])])
    assert failed(verify(release)) == ["row counts"]


@pytest.mark.parametrize(("shown", "told"), [("a", ["root"]), ("b", [])])
def test_an_item_of_the_list_that_no_record_can_hold(shown, told):
    """Both clusters tell how often they have it, so nobody is left for the list to speak of."""
    release = build([joint([], [cluster(3, [["a"] * 3]), cluster(4, [[shown] * 4])])], rare_items="list")
    listed = with_rows(release, [*rows(release), (-1, 0, 0, 1, (0,))])
    assert failed(verify(listed)) == told


def test_strict_reading_holds_for_shared_chunks_of_new_items():
    assert failed(verify(build([shared(["s"] * 3 + ["t"] * 3)], reading="strict"))) == ["shared chunks"]
    assert failed(verify(build([shared(["s"] * 3 + ["t"] * 3)]))) == []
