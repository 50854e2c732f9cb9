"""Laws of the whole method: every strategy, checked by the verifier and by brute force over all combinations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, skewed_records
from worlds import above

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.horizontal import HorPart
from cloven.verification import verify
from experiments.hierarchical import Hierarchical
from tests.effort import tries

STRATEGIES = ["add", "abandon", "suppress", "remaining"]
STEPS = [HorPart(), Hierarchical()]
"""The horizontal step, and one that plugs in."""


def anonymised(rows, method):
    """Result, or None when suppression leaves nothing (a documented error)."""
    data = Transactions.from_records(rows)
    try:
        return data, method.anonymise(data)
    except ParameterError:
        assert method.small_clusters == "suppress" or method.min_item_support > 1
        return data, None


def assert_chunks_hold(release, k, m):
    """Brute force over all combinations of every record chunk, apart from the verifier."""
    for cluster in release.iter_clusters():
        assert cluster.size >= k
        for rows in cluster.record_chunks:
            for size in range(1, m + 1):
                held = Counter(c for row in rows for c in combinations(row, size))
                assert all(count >= k for count in held.values())


@pytest.mark.parametrize("horizontal", STEPS, ids=repr)
@pytest.mark.parametrize("small", STRATEGIES)
@settings(max_examples=tries(150))
@given(
    rows=skewed_records(min_records=4, max_records=70),
    k=st.integers(2, 4),
    m=st.integers(1, 4),
    extra=st.integers(0, 12),
    strict=st.booleans(),
    refine=st.booleans(),
    listed=st.booleans(),
    rare=st.sampled_from(RARE_ITEMS),
    several=st.booleans(),
)
def test_every_release_passes_every_level(
    small, horizontal, rows, k, m, extra, strict, refine, listed, rare, several
):
    if (small, horizontal) == ("abandon", Hierarchical()):
        pytest.skip("hierarchical never splits, so there is nothing to abandon")
    method = Disassociation(
        k=k,
        m=m,
        max_cluster_size=2 * k - 1 + extra,
        small_clusters=small,
        horizontal=horizontal,
        reading="strict" if strict else "occurring",
        refine=refine,
        join_terms="listed" if listed else "moved",
        rare_items=rare,
        root_chunks="several" if several else "single",
    )
    data, result = anonymised(rows, method)
    if result is None:
        return
    assert_chunks_hold(result.release, k, m)
    verdict = verify(result.release, original=data, key=result.key)
    assert verdict.ok, str(verdict)


@pytest.mark.parametrize("rare", RARE_ITEMS)
@settings(max_examples=tries(80))
@given(
    rows=skewed_records(min_records=8, max_records=60),
    k=st.integers(2, 4),
    least=st.integers(1, 5),
    sensitive=st.frozensets(st.sampled_from("abcdz"), max_size=3),
    groups=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=4), max_size=3),
    block=st.integers(8, 60),
    refine=st.booleans(),
    several=st.booleans(),
)
def test_options_keep_the_promise(rare, rows, k, least, sensitive, groups, block, refine, several):
    method = Disassociation(
        k=k,
        max_cluster_size=2 * k + 3,
        min_item_support=least,
        sensitive=sensitive,
        ignore_unknown=True,
        utility_groups=tuple(map(tuple, groups)),
        block_records=max(block, 2 * k),
        refine=refine,
        rare_items=rare,
        root_chunks="several" if several else "single",
    )
    data, result = anonymised(rows, method)
    if result is None:
        return
    verdict = verify(result.release, original=data, key=result.key)
    assert verdict.ok, str(verdict)
    for cluster in result.release.iter_clusters():
        for chunk in cluster.record_chunks:
            items = {item for row in chunk for item in row}
            assert not items & sensitive
            assert len({_group(item, groups) for item in items}) == 1
    for number, joint in enumerate(result.release.iter_joints()):
        for chunk in joint.shared_chunks:
            items = {item for row in chunk for item in row}
            # At the root each stands alone, so that it is beside no other item.
            assert not items & sensitive or (number == result.release.root and len(items) == 1)
            assert len({_group(item, groups) for item in items}) == 1
    named = {item for group in result.release.parameters["utility_groups"] for item in group}
    assert named <= set(result.release.vocabulary)
    counts = Counter(item for row in rows for item in row)
    assert all(counts[item] >= least for item in result.release.vocabulary)


def _group(item, groups):
    return next((g for g, names in enumerate(groups) if item in names), -1)


@settings(max_examples=tries(100))
@given(
    rows=skewed_records(min_records=20, max_records=60),
    least=st.integers(2, 5),
    rare=st.sampled_from(RARE_ITEMS),
)
def test_least_support_holds_for_what_is_published(rows, least, rare):
    """Also when small clusters are left out: supports are counted on the records that stay."""
    method = Disassociation(
        k=3, max_cluster_size=6, small_clusters="suppress", min_item_support=least, rare_items=rare
    )
    data, result = anonymised(rows, method)
    if result is None:
        return
    key = result.key
    held = Counter(result.release.vocabulary[code] for code in key.items.tolist())
    for reason, items in zip(key.suppressed_reason, key.suppressed_items, strict=True):
        # Rare among what is left over; the item as a whole is not.
        held.update(item for item in items if reason == "rare" and item in result.release.vocabulary)
    assert min(held.values()) >= least
    assert verify(result.release, original=data, key=result.key).ok


@settings(max_examples=tries(150))
@given(
    rows=skewed_records(min_records=12, max_records=60),
    persons=st.lists(st.integers(0, 14), min_size=60, max_size=60),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    small=st.sampled_from(STRATEGIES),
    refine=st.booleans(),
    rare=st.sampled_from(RARE_ITEMS),
    several=st.booleans(),
)
def test_persons_are_counted_not_records(rows, persons, k, m, small, refine, rare, several):
    plain = Transactions.from_records(rows)
    persons = np.array(persons[: len(rows)], np.int64)
    assume(len(set(persons.tolist())) >= k)
    data = Transactions(plain.offsets.copy(), plain.codes.copy(), plain.vocabulary, persons)
    method = Disassociation(
        k=k,
        m=m,
        max_cluster_size=2 * k + 4,
        small_clusters=small,
        refine=refine,
        rare_items=rare,
        root_chunks="several" if several else "single",
    )
    try:
        result = method.anonymise(data)
    except ParameterError:
        assert small == "suppress"
        return
    verdict = verify(result.release, original=data, key=result.key)
    assert verdict.ok, str(verdict)
    # Shuffled, with persons renamed, the release stays the same.
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    shuffled = data.take(order)
    renamed = Transactions(
        shuffled.offsets.copy(), shuffled.codes.copy(), shuffled.vocabulary, (99 - shuffled.persons).copy()
    )
    assert method.anonymise(renamed).release == result.release


@settings(max_examples=tries(200))
@given(
    rows=skewed_records(min_records=6, max_records=60),
    small=st.sampled_from([*STRATEGIES, "keep"]),
    horizontal=st.sampled_from(STEPS),
    seed=st.integers(0, 100),
    rare=st.sampled_from(RARE_ITEMS),
    refine=st.booleans(),
    several=st.booleans(),
)
def test_order_of_records_reaches_nothing(rows, small, horizontal, seed, rare, refine, several):
    assume((small, horizontal) != ("abandon", Hierarchical()))
    method = Disassociation(
        k=3,
        max_cluster_size=8,
        small_clusters=small,
        horizontal=horizontal,
        rare_items=rare,
        refine=refine,
        root_chunks="several" if several else "single",
    )
    _, one = anonymised(rows, method)
    order = np.random.default_rng(seed).permutation(len(rows))
    _, two = anonymised([rows[i] for i in order], method)
    assert (one is None) == (two is None)
    assert one is None or one.release == two.release


@pytest.mark.parametrize("rare", RARE_ITEMS)
def test_relabelling_items_changes_names_only(rare):
    """Names that keep their order give the same release under the new names."""
    rng = np.random.default_rng(6)
    rows = [[f"i{n:02d}" for n in rng.integers(0, 20, 5)] for _ in range(300)]
    renamed = [[item.replace("i", "item ") for item in row] for row in rows]
    method = Disassociation(k=4, rare_items=rare, refine=True)
    one = method.anonymise(Transactions.from_records(rows)).release
    two = method.anonymise(Transactions.from_records(renamed)).release
    assert tuple(name.replace("i", "item ") for name in one.vocabulary) == two.vocabulary
    assert np.array_equal(one.row_items, two.row_items)
    assert np.array_equal(one.row_offsets, two.row_offsets)


@pytest.mark.parametrize("horizontal", STEPS, ids=repr)
@pytest.mark.parametrize("block", [60, 1_000_000])
@pytest.mark.parametrize("rare", RARE_ITEMS)
def test_clusters_do_not_gather_those_who_hold_a_sensitive_item(horizontal, block, rare):
    """A cluster in which everybody holds it would tell it of each of them; so nothing is split by it."""
    rng = np.random.default_rng(3)
    rows = [{*rng.choice(list("abcdefgh"), 3), *(["hiv"] if rng.random() < 0.45 else [])} for _ in range(400)]
    data = Transactions.from_records(rows)
    method = Disassociation(
        k=5,
        max_cluster_size=30,
        sensitive={"hiv"},
        horizontal=horizontal,
        block_records=block,
        rare_items=rare,
    )
    result = method.anonymise(data)
    assert verify(result.release, original=data, key=result.key).ok
    holds = np.array(["hiv" in data[int(record)] for record in result.key.records])
    sizes = np.bincount(result.key.record_cluster)
    share = np.bincount(result.key.record_cluster, weights=holds) / sizes
    assert (share[sizes >= 10] < 1).all()
    assert np.average((share - 0.45) ** 2, weights=sizes) < 0.05


@pytest.mark.parametrize("rare", RARE_ITEMS)
def test_reconstructions_agree_with_nested_joints(rare):
    """A cluster takes nothing from a shared chunk that its record chunks, or a joint further in, show already."""
    from cloven.reconstruction import reconstruct

    rng = np.random.default_rng(8)
    names, weights = [f"i{i:02d}" for i in range(60)], 1 / np.arange(1, 61)
    rows = [set(rng.choice(names, rng.integers(1, 5), p=weights / weights.sum())) for _ in range(4000)]
    method = Disassociation(k=3, m=2, max_cluster_size=8, rare_items=rare, refine=True)
    release = method.anonymise(Transactions.from_records(rows)).release
    told = [{i for chunk in c.record_chunks for row in chunk for i in row} for c in release.iter_clusters()]
    shared = [{i for chunk in j.shared_chunks for row in chunk for i in row} for j in release.iter_joints()]
    again = 0
    world = reconstruct(release, np.random.default_rng(1))
    bounds = np.concatenate(([0], np.cumsum(release.cluster_size)))
    for c, cluster in enumerate(release.iter_clusters()):
        held = Counter(item for r in range(bounds[c], bounds[c + 1]) for item in world[r])
        counts = Counter(item for chunk in cluster.record_chunks for row in chunk for item in row)
        assert all(held[item] == counts[item] for item in told[c])
        joint, seen = int(release.cluster_joint[c]), set()
        while joint >= 0:
            again += len(seen & shared[joint])
            seen |= shared[joint]
            joint = int(release.joint_parent[joint])
    assert again > 0
    for j, joint in enumerate(release.iter_joints()):
        rows_of_joint = Counter(item for chunk in joint.shared_chunks for row in chunk for item in row)
        below = [c for c in range(release.clusters) if j in above(release, c)]
        inner = {
            c: set().union(*(shared[a] for a in above(release, c)[: above(release, c).index(j)]))
            for c in below
        }
        for item, count in rows_of_joint.items():
            free = [c for c in below if item not in told[c] and item not in inner[c]]
            assert sum(item in world[r] for c in free for r in range(bounds[c], bounds[c + 1])) >= count
