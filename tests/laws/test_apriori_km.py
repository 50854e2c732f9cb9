"""Generalisation over a taxonomy, on random small data and random taxonomies, against plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_apriori_km import apriori, every_cut, ncp, paths, published, rare, splits
from strategies import records, skewed_records

from cloven.data.taxonomy import Taxonomy
from cloven.data.transactions import Transactions
from cloven.kinds.generalised import utility as measure
from cloven.kinds.generalised.methods.apriori_km import AprioriKm, leaf_rows, subtrees
from cloven.kinds.generalised.methods.cuts import cut_downwards
from tests.effort import tries

ITEMS = "abcdefghijklmn"


@st.composite
def taxonomies(draw, items=ITEMS):
    """Uneven taxonomies up to four levels deep, with groups of one and leaves beside groups."""
    inner = {f"s{n}": draw(st.sampled_from(("*", "t0", "t1"))) for n in range(4)}
    parent = {"t0": "*", "t1": draw(st.sampled_from(("*", "t0"))), **inner}
    rows = []
    for item in items:
        row = [item, draw(st.sampled_from(sorted({"*", *parent})))]
        while row[-1] != "*":
            row.append(parent[row[-1]])
        rows.append(row)
    return Taxonomy.from_rows(rows)


@st.composite
def baskets(draw):
    """Many short records, which often keep to one half of a binary tree: cuts end on all its levels."""
    lots = random.Random(draw(st.integers(0, 2**32)))
    items = [f"{number:02d}" for number in range(16)]
    lots.shuffle(items)
    weights = [lots.random() ** 2 + 0.02 for _ in items]
    rows = []
    for _ in range(draw(st.integers(30, 200))):
        half, length = lots.choice((slice(8), slice(8, 16), slice(16))), lots.choice((1, 1, 1, 2, 2, 3, 4))
        rows.append(frozenset(lots.choices(items[half], weights[half], k=length)))
    levels = [(place // width, width) for place in range(16) for width in (2, 4, 8)]
    names = [f"{number} of {width}" for number, width in levels]
    tree = [[item, *names[3 * place : 3 * place + 3], "*"] for place, item in enumerate(items)]
    return rows, Taxonomy.from_rows(tree)


both = pytest.mark.parametrize("search", ["refined", "published"])
cases = st.one_of(
    st.tuples(st.one_of(records(min_records=4), skewed_records(min_records=4)), taxonomies()), baskets()
)


def cut_of(release):
    """Block of each item of a release."""
    return {item: release.block(number) for number in range(release.blocks) for item in release.block(number)}


def from_root(data, taxonomy, k, m):
    """Block of each item, cut downwards from one block of everything."""
    tree = subtrees(taxonomy, data.vocabulary)
    cut = cut_downwards(leaf_rows(data, tree), np.zeros(len(data.vocabulary), np.int64), k=k, m=m)
    node_of = dict(zip(data.vocabulary, cut[tree.leaf_of_item].tolist(), strict=True))
    return {item: tuple(i for i in data.vocabulary if node_of[i] == node) for item, node in node_of.items()}


@both
@given(cases, st.integers(2, 4), st.integers(1, 3))
def test_every_combination_is_frequent(search, case, k, m):
    rows, taxonomy = case
    method = AprioriKm(k=k, m=m, taxonomy=taxonomy, search=search)
    release = method.anonymise(Transactions.from_records(rows)).release
    assert rare([frozenset(row) for row in release], range(len(rows)), k, m) == set()


@both
@given(cases, st.integers(2, 4))
def test_blocks_are_full_subtrees_and_named_after_them(search, case, k):
    rows, taxonomy = case
    data = Transactions.from_records(rows)
    release = AprioriKm(k=k, m=2, taxonomy=taxonomy, search=search).anonymise(data).release
    ways = paths(taxonomy, data.vocabulary)
    assert sorted(release.block_items.tolist()) == list(range(len(data.vocabulary)))
    for number, label in enumerate(release.block_labels):
        block = release.block(number)
        assert all(block in ways[item] for item in block)
        assert (label == "") == (len(block) == 1)
        assert len(block) == 1 or block == tuple(
            item for item in data.vocabulary if label in (*taxonomy.ancestors(item), "*")
        )
    assert sorted(map(sorted, release)) == sorted(map(sorted, published(list(data), cut_of(release))))


@given(baskets(), st.integers(2, 4), st.integers(1, 3), st.booleans())
def test_undoing_any_single_step_breaks_the_promise(case, k, m, from_the_root):
    rows, taxonomy = case
    data = Transactions.from_records(rows)
    if from_the_root:
        cut = from_root(data, taxonomy, k, m)
    else:
        cut = cut_of(AprioriKm(k=k, m=m, taxonomy=taxonomy).anonymise(data).release)
    ways = paths(taxonomy, data.vocabulary)
    assert rare(published(list(data), cut), range(len(data)), k, m) == set()
    for block in set(cut.values()):
        if len(block) > 1:
            undone = cut | {item: part for part in splits(ways, block) for item in part}
            assert rare(published(list(data), undone), range(len(data)), k, m)


@settings(max_examples=tries(400))
@given(baskets(), st.integers(2, 4), st.integers(1, 4))
def test_published_search_is_the_plain_algorithm(case, k, m):
    rows, taxonomy = case
    data = Transactions.from_records(rows)
    method = AprioriKm(k=k, m=m, taxonomy=taxonomy, search="published")
    expected = apriori(list(data), range(len(data)), paths(taxonomy, data.vocabulary), k, m)
    assert cut_of(method.anonymise(data).release) == expected


@both
@given(records(min_records=4, items="abcdef"), taxonomies("abcdef"), st.integers(2, 3))
def test_ncp_is_the_plain_one_and_never_below_the_best_of_all_cuts(search, rows, taxonomy, k):
    data = Transactions.from_records(rows)
    release = AprioriKm(k=k, m=2, taxonomy=taxonomy, search=search).anonymise(data).release
    plain = list(data)
    ours = ncp(plain, cut_of(release))
    assert measure.ncp(release, data) == pytest.approx(float(ours))
    good = [
        cut
        for cut in every_cut(paths(taxonomy, data.vocabulary))
        if not rare(published(plain, cut), range(len(data)), k, 2)
    ]
    assert ours >= min(ncp(plain, cut) for cut in good)
    assert cut_of(release) in good


@both
@given(skewed_records(min_records=8), taxonomies(), st.integers(2, 3), st.randoms(use_true_random=False))
def test_persons_count_once(search, rows, taxonomy, k, lots):
    persons = np.array([lots.randrange(5) for _ in rows])
    persons[:k] = np.arange(k)
    data = Transactions.from_records(rows)
    data = Transactions(data.offsets, data.codes, data.vocabulary, persons)
    release = AprioriKm(k=k, m=2, taxonomy=taxonomy, search=search).anonymise(data).release
    assert rare(published(list(data), cut_of(release)), persons.tolist(), k, 2) == set()
    assert release.parameters["persons"] is True


@both
@given(cases, st.randoms(use_true_random=False))
def test_order_of_records_and_of_the_taxonomy_does_not_matter(search, case, lots):
    rows, taxonomy = case
    shuffled = lots.sample(rows, len(rows))
    mixed = Taxonomy(
        dict(lots.sample(sorted(taxonomy.leaf_group.items()), len(taxonomy.leaf_group))),
        dict(lots.sample(sorted(taxonomy.group_parent.items()), len(taxonomy.group_parent))),
        taxonomy.root,
    )
    first, second = (
        AprioriKm(k=3, m=2, taxonomy=tree, search=search).anonymise(Transactions.from_records(data)).release
        for data, tree in ((rows, taxonomy), (shuffled, mixed))
    )
    assert first == second


@both
@given(seed=st.integers(0, 2**32))
def test_small_lots_keep_the_promise(search, seed):
    """With lots of two, the rows are recoded again and again on the way up."""
    from cloven.kinds.generalised.methods import cuts as cut_upwards

    lots = random.Random(seed)
    rows = [frozenset(lots.choices(ITEMS, k=lots.randint(1, 5))) for _ in range(30)]
    taxonomy = Taxonomy.from_rows([[item, f"g{number // 3}", "*"] for number, item in enumerate(ITEMS)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut_upwards, "LOT", 2)
        method = AprioriKm(k=3, m=3, taxonomy=taxonomy, search=search)
        release = method.anonymise(Transactions.from_records(rows)).release
    assert rare([frozenset(row) for row in release], range(len(rows)), 3, 3) == set()
