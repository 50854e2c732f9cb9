"""Laws of the cover problem: the detector is what its definition says, never wrong, and not complete."""

from __future__ import annotations

from collections import Counter

import numpy as np
import plain_breach as plain
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, records, skewed_records

import cloven as cv
from cloven.kinds.disassociated.covers.breaches import breaches
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.knowledge import Knowledge
from cloven.kinds.disassociated.covers.proof import prove
from cloven.kinds.disassociated.covers.worlds import broken, how_many_arrangements, possible_worlds
from cloven.kinds.disassociated.evidence import evidence
from tests.effort import tries

# Broken without a cover (k = 2): a and d, c and d.
APART = ["ad", "a", "c", "cd"]
# The same for who knows the order of ties: a and b.
HIDDEN = ["abcd", "b", "bcd", "ad", "ac", "b"]
FIGURE_3 = ["abc", "abce", "ae", "b"]
MOST = 3_000


def released(rows, k=2, m=2, **options):
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    options = {"rare_items": "cluster", **options}
    return cv.Disassociation(k=k, m=m, **options).anonymise(data).release


@st.composite
def releases(draw, max_records=40, maximum=(6, 9, 14)):
    rows = draw(skewed_records(min_records=6, max_records=max_records, n_items=draw(st.integers(4, 9))))
    k, m = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    return released(
        rows,
        k,
        m,
        max_cluster_size=draw(st.sampled_from(maximum)),
        refine=draw(st.booleans()),
        rare_items=draw(st.sampled_from(RARE_ITEMS)),
    )


def small_clusters(release, most=MOST):
    """Clusters with something to arrange that can be enumerated."""
    for number, cluster in enumerate(release.iter_clusters()):
        if len(cluster.record_chunks) > 1 and how_many_arrangements(cluster) <= most:
            yield number, cluster


@settings(max_examples=tries(400))
@given(release=releases())
def test_covers_are_those_of_the_definition(release):
    found = {
        (one.cluster, one.chunk, one.earlier, one.item): (
            frozenset(one.covering) | frozenset(one.covered),
            frozenset(one.covered),
        )
        for one in covers(release)
    }
    expected = plain.covers(release)
    assert found == expected
    names = release.vocabulary
    leaked = [(c, names[x], names[y]) for c, x, y in zip(*covers(release).pairs(), strict=True)]
    assert leaked == sorted((c, x, y) for (c, _, _, x), (_, covered) in expected.items() for y in covered)
    assert covers(release).single.sum() == sum(len(inside) == 1 for inside, _ in expected.values())


@pytest.mark.parametrize("ties", ["some", "text"])
@settings(max_examples=tries(250))
@given(release=releases(max_records=20, maximum=(6, 7)))
def test_a_cover_is_never_wrong(ties, release):
    no_cover_is_wrong(ties, release)


@pytest.mark.parametrize("ties", ["some", "text"])
def test_a_cover_of_figure_3_is_not_wrong(ties):
    no_cover_is_wrong(ties, released(FIGURE_3, refine=False))


def no_cover_is_wrong(ties, release):
    """No world joins a covered pair in k records."""
    leaked = plain.covers(release)
    for number, cluster in small_clusters(release):
        worlds = possible_worlds(cluster, release.k, release.m, ties=ties)
        assert worlds.exact
        for (c, _, _, x), (_, covered) in leaked.items():
            for y in covered if c == number else ():
                assert max(worlds.together(x, y)) < release.k


@settings(max_examples=tries(250))
@given(release=releases(max_records=20, maximum=(6, 7)))
def test_every_cluster_has_a_world(release):
    """The original is one, so there must be some; what none explains was not made by the method."""
    for _, cluster in small_clusters(release):
        for ties in ("some", "text"):
            assert len(possible_worlds(cluster, release.k, release.m, ties=ties)) > 0


@pytest.mark.parametrize("ties", ["some", "text"])
@settings(max_examples=tries(150))
@given(rows=records(max_records=6, items="abcdef", min_records=4), k=st.integers(2, 3), m=st.integers(2, 3))
@example(rows=FIGURE_3, k=2, m=2)
@example(rows=HIDDEN, k=2, m=2)
@example(rows=APART, k=2, m=2)
def test_worlds_are_those_that_the_method_turns_into_the_release(ties, rows, k, m):
    """Against the pseudo-code, run on every arrangement and every order of ties."""
    release = released(rows, k, m, refine=False)
    for _, cluster in small_clusters(release, most=400):
        worlds = possible_worlds(cluster, k, m, ties=ties)
        found = {
            tuple(
                frozenset(item for item, mask in world.items() if mask >> slot & 1)
                for slot in range(cluster.size)
            )
            for world in worlds.worlds
        }
        assert len(found) == len(worlds)
        assert found == plain.method_worlds(cluster, k, m, ties)
        every = possible_worlds(cluster, k, m, "release")
        full = not cluster.term_chunk
        assert len(every) == sum(all(state) or not full for state in plain.arrangements(cluster))
        shown = set().union(*(world.keys() for world in worlds.worlds))
        truth = Counter(frozenset(row) & shown for row in rows)
        if release.clusters == 1:
            assert any(Counter(world) == truth for world in found), "the original is a possible world"


def test_a_pair_can_be_broken_without_a_cover():
    """If d met a twice, it would never meet c: no combination would be rare, and d would stand in their chunk."""
    release = released(APART, refine=False)
    assert len(covers(release)) == 0
    for ties in ("some", "text"):
        proof = prove(release, ties=ties)
        assert proof.proofs[0].broken == (("a", "d"), ("c", "d"))
        assert proof.total("by_cover") == 0
    cluster = release.cluster(0)
    assert set(possible_worlds(cluster, 2, 2).together("a", "d")) == {1}
    assert max(possible_worlds(cluster, 2, 2, "release").together("a", "d")) == 2


def test_the_order_of_ties_tells_more():
    """By name a is tried before c and d, so it failed because of b alone."""
    release = released(HIDDEN, refine=False)
    assert len(covers(release)) == 0
    assert prove(release, ties="some").total("broken") == 0
    assert prove(release).proofs[0].broken == (("b", "a"),), "the release says that ties go by name"
    elsewhere = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, tie_order=tuple("bcda"))
    release = elsewhere.anonymise(cv.Transactions.from_records(map(list, HIDDEN))).release
    assert prove(release).total("broken") == 0, "an order of its own is not published"


@settings(max_examples=tries(150))
@given(release=releases(max_records=20, maximum=(6, 7)))
def test_proof_of_a_release_says_what_single_clusters_say(release):
    says_what_single_clusters_say(release)


def test_proof_of_what_only_the_order_of_ties_tells():
    says_what_single_clusters_say(released(HIDDEN, refine=False))


def says_what_single_clusters_say(release):
    proof = prove(release, limit=MOST, ties="some")
    assert proof.alone == sum(len(cluster.record_chunks) < 2 for cluster in release.iter_clusters())
    assert proof.exact + proof.sampled + proof.too_large + proof.alone == release.clusters
    told = {one.cluster: one for one in proof.proofs if one.exact}
    assert set(told) == {number for number, _ in small_clusters(release)}
    for number, cluster in small_clusters(release):
        worlds = possible_worlds(cluster, release.k, release.m)
        found = plain.broken(worlds, release.k)
        assert broken(worlds, release.k) == [one.items for one in found]
        meet = [one for one in found if one.most]
        assert set(told[number].broken) == {one.items for one in found}
        assert told[number].pairs == len(list(plain.pairs(worlds)))
        linked = [one for one in meet if len(one.certain) > release.m]
        alike = [one for one in meet if one.certain == one.possible]
        assert (told[number].linked, told[number].found) == (len(linked), len(alike))
        for group, records_of in ((linked, told[number].linked_records), (alike, told[number].found_records)):
            assert records_of == fewest(worlds, group)


def fewest(worlds, group):
    """Fewest records that hold one of the pairs, over the worlds."""

    def held(world):
        union = 0
        for one in group:
            union |= world[one.items[0]] & world[one.items[1]]
        return union.bit_count()

    return min(map(held, worlds.worlds)) if group else 0


@settings(max_examples=tries(200))
@given(release=releases(), seed=st.integers(0, 2**32), share=st.sampled_from((0.0, 0.3, 1.0)))
def test_scores_are_those_of_the_algorithm(release, seed, share):
    names, rng = release.vocabulary, np.random.default_rng(seed)
    width = len(names)
    every = np.array([(a, b) for a in range(width) for b in range(a)], np.int64).reshape(-1, 2)
    some = every[rng.random(len(every)) < share]
    known = {frozenset((names[a], names[b])) for a, b in some.tolist()}
    knowledge = Knowledge.of_itemsets(np.arange(len(some) + 1) * 2, some.ravel(), width)
    found = breaches(covers(release), knowledge)
    assert found.score == plain.algorithm_1(release, known, "item")
    assert found.score_by_chunk == plain.algorithm_1(release, known, "chunk")
    assert found.score_as_printed == plain.algorithm_1(release, known, "printed")
    leaked = {
        (c, frozenset((x, y)))
        for (c, _, _, x), (_, covered) in plain.covers(release).items()
        for y in covered
        if frozenset((x, y)) in known
    }
    assert found.pairs == len(leaked)
    assert found.different_pairs == len({pair for _, pair in leaked})
    assert found.clusters == len({c for c, _ in leaked})
    if share == 1.0:
        assert found == breaches(covers(release))


@settings(max_examples=tries(200))
@given(release=releases(max_records=60))
def test_leaks_of_the_whole_release(release):
    """The quick look-up never changes what the evidence of all clusters says."""
    found = covers(release)
    assume(len(found))
    says_what_evidence_says(found)


def says_what_evidence_says(found):
    release = found.release
    number, covered = found.leaks
    leaking = {}
    for at, (x, y) in enumerate(zip(found.item[number].tolist(), covered.tolist(), strict=True)):
        leaking.setdefault(frozenset((x, y)), []).append(at)
    for pair, ats in leaking.items():
        told = evidence(release, np.array(sorted(pair)))
        total = told.total_at_most
        for cluster in {int(found.cluster[number[at]]) for at in ats}:
            total -= max(0, int(told.at_most[cluster]) - (release.k - 1))
        assert all(found.everywhere[at] == (total < release.k) for at in ats)


@pytest.mark.parametrize("seed", range(5))
def test_long_records_leak_much_and_hardly_any_pair_needs_all_evidence(seed, monkeypatch):
    """What is seen of all pairs at once is what the evidence of all clusters says of each, and says nearly all."""
    rng = np.random.default_rng(seed)
    chances = np.concatenate((np.full(8, 0.5), np.full(22, 0.12)))
    rows = [
        [f"i{item:02}" for item in np.flatnonzero(rng.random(30) < chances)] or ["i00"] for _ in range(150)
    ]
    release = released(rows, 4, 2, max_cluster_size=40, refine=False, rare_items="withhold")
    asked = []

    def noting(release, codes):
        asked.append(codes)
        return evidence(release, codes)

    monkeypatch.setattr("cloven.kinds.disassociated.covers.covers.evidence", noting)
    says_what_evidence_says(covers(release))
    assert len(asked) <= len(covers(release)) / 4


def test_an_item_of_no_root_and_one_cluster_is_leaked_everywhere():
    """Both ends: of some leaked pairs other clusters have candidates from the root, of others nobody has any."""
    found = {True: 0, False: 0}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        group = rng.random((60, 12)) < np.where(np.arange(12) < 6, 0.6, 0.25)
        other = rng.random((60, 12)) < np.where(np.arange(12) < 6, 0.25, 0.05)
        rows = [[f"g{half}"] + [f"i{item:02}" for item in np.flatnonzero(row)]
                for half, part in enumerate((group, other)) for row in part]  # fmt: skip
        release = released(rows, 4, 2, max_cluster_size=40, refine=False, rare_items="withhold")
        leaks = covers(release)
        says_what_evidence_says(leaks)
        for flag in leaks.everywhere.tolist():
            found[flag] += 1
    assert min(found.values()) > 0
