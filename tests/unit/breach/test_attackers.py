"""Attackers draw what they should, anew each time, for any m."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.disassociated.covers.breaches import (
    Moderate,
    Strong,
    WeakPublic,
    WeakWords,
    holders,
    simulate,
)
from cloven.kinds.disassociated.covers.covers import covers
from cloven.statistics.mining import supports


@pytest.fixture(scope="module")
def data():
    return cv.sample("clinic")


@pytest.fixture(scope="module", params=[(2, "cluster"), (3, "cluster"), (2, "withhold"), (3, "list")])
def made(request, data):
    m, rare = request.param
    return cv.Disassociation(k=4, m=m, max_cluster_size=30, rare_items=rare, refine=True).anonymise(data)


def named(knowledge, release):
    width, names = len(release.vocabulary), release.vocabulary
    return {frozenset((names[key // width], names[key % width])) for key in knowledge.keys.tolist()}


def test_moderate_knows_one_itemset_of_each_known_record(data, made):
    release, rng = made.release, np.random.default_rng(1)
    known = named(Moderate(0.02).draw(release, data, rng), release)
    together = {frozenset(pair) for record in data for pair in combinations(record, 2)}
    assert known <= together
    most = round(0.02 * len(data)) * release.m * (release.m - 1) // 2
    assert 0.5 * most < len(known) <= most
    assert named(Moderate(0.02).draw(release, data, rng), release) != known, "drawn anew"


def test_moderate_draws_items_evenly():
    data = cv.Transactions.from_records([["a", "b", "c", "d"]] * 8)
    release = cv.Disassociation(k=2, m=2).anonymise(data).release
    rng, counts = np.random.default_rng(2), {}
    for _ in range(600):
        (pair,) = named(Moderate(0.01).draw(release, data, rng), release)
        counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 6
    assert all(60 < count < 140 for count in counts.values())


def test_moderate_needs_the_original(made):
    with pytest.raises(ParameterError, match="give original"):
        Moderate().draw(made.release, None, np.random.default_rng(1))


@pytest.mark.parametrize("share", [0, -0.1, 1.5])
def test_share_is_checked(share):
    with pytest.raises(ParameterError, match=r"above 0 and at most 1 \(got"):
        Moderate(share)


def test_weak_words_knows_all_pairs_of_what_it_drew(data, made):
    release, rng = made.release, np.random.default_rng(3)
    nonsense = [f"zz{number}" for number in range(30)]
    known = named(WeakWords(nonsense).draw(release, data, rng), release)
    names = set().union(*known)
    drawn = len(names)  # of the original: what is withheld tells nothing about the release
    assert drawn == 10 if release.rare_items != "withhold" else 7 <= drawn <= 10
    assert known == {frozenset(pair) for pair in combinations(names, 2)}  # of 190 pairs, those of the items
    again = named(WeakWords(nonsense).draw(release, data, rng), release)
    assert again != known
    # A word that is an item counts as one.
    items = WeakWords(release.vocabulary[:10], items=0)
    assert len(items.draw(release, data, rng)) == 45


def test_weak_words_needs_enough_words():
    with pytest.raises(ParameterError, match=r"10 words of a dictionary \(got 2 words\)"):
        WeakWords(["a", "b", "a"])


def test_weak_public_knows_frequent_itemsets_and_rules(data, made):
    release = made.release
    rng = np.random.default_rng(1)
    frequent = named(WeakPublic(data, top=20, rules=False).draw(release, None, rng), release)
    both = named(WeakPublic(data, top=20).draw(release, None, rng), release)
    assert frequent < both
    rules = both - frequent

    def confidence(pair):
        count = supports(data, [sorted(pair)])[0]
        return count / min(supports(data, [[item] for item in pair]))

    assert np.mean([confidence(p) for p in rules]) > np.mean([confidence(p) for p in frequent])


def test_simulation_gives_means_and_intervals(data, made):
    found = covers(made.release)
    held = holders(found, data)
    strong = simulate(found, Strong(), data, holders=held)
    assert strong.draws == 1
    assert strong["covers"].mean == len(found) > 0
    assert strong["covers"].low is None
    moderate = simulate(found, Moderate(), data, np.random.default_rng(1), 40, holders=held)
    assert moderate.draws == 40
    assert 0 < moderate["pairs"].low < moderate["pairs"].mean < moderate["pairs"].high < strong["pairs"].mean
    weak = simulate(found, WeakWords([str(i) for i in range(20)]), data, np.random.default_rng(1), 40)
    assert weak["pairs"].mean < moderate["pairs"].mean
    assert "holders" not in weak.counts
    assert set(moderate.to_dict()) >= {"attacker", "draws", "known", "score", "everywhere", "holders"}
    same = simulate(found, Moderate(), data, np.random.default_rng(1), 40, holders=held)
    assert same == moderate
    with pytest.raises(ParameterError, match="draws must be at least 1"):
        simulate(found, Moderate(), data, draws=0)


def test_holders_are_records_with_a_leaked_pair(data, made):
    found = covers(made.release)
    names = made.release.vocabulary
    leaked = list(zip(*(column.tolist() for column in found.pairs()), strict=True))
    pairs = {frozenset((names[x], names[y])) for _, x, y in leaked}
    expected = sum(any(pair <= record for pair in pairs) for record in data)
    every = np.ones(len(found.leaks[0]), bool)
    assert holders(found, data).count(every) == expected
    # The key knows the cluster of each record.
    cluster = np.full(len(data), -1)
    cluster[made.key.records] = made.key.record_cluster
    inside = [
        any(c == cluster[number] and {names[x], names[y]} <= record for c, x, y in leaked)
        for number, record in enumerate(data)
    ]
    assert holders(found, data, cluster).count(every) == sum(inside) < expected
