"""What is told of a known person depends on content alone, and is exact where rows are placed by chance."""

from __future__ import annotations

import csv
import gzip
import random
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hand_made import build, pieces, rooted
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_known_person import Plain, expectations
from strategies import skewed_records
from test_known_person import assert_same, random_groups, random_release

import cloven as cv
from cloven.data.known_sets import Known
from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_layout import Expected
from cloven.kinds.disassociated.methods import Disassociation
from tests.effort import tries


def told(release, known, names=lambda item: item):
    """Claims and certain items of known sets of names, by name."""
    person = KnownPerson.of(release)
    code = {name: number for number, name in enumerate(release.vocabulary)}
    sets = Known.from_sets([[code[item] for item in one] for one in known])
    claims, certain = person.claims(sets, floor=0.1), person.certain(sets)
    return [
        (
            {names(release.vocabulary[s]): pytest.approx(p, abs=1e-9) for s, p in claims.of(n).items()},
            pytest.approx(claims.best_probability[n], abs=1e-9),
            {names(release.vocabulary[s]) for s in certain.of(n)},
        )
        for n in range(len(known))
    ]


def all_sets(release):
    return [c for size in (1, 2) for c in combinations(release.vocabulary, size)]


def test_order_of_clusters_and_joints_changes_nothing():
    rng = random.Random(21)
    for _ in range(60):
        release, _ = random_release(rng)
        clusters, joints = pieces(release)
        places = rng.sample(range(len(joints)), len(joints))
        moved = {old: new for new, old in enumerate(places)} | {None: None}
        rng.shuffle(clusters)
        other = build(
            [(size, moved[joint], *rest) for size, joint, *rest in clusters],
            [(moved[joints[old][0]], *joints[old][1:]) for old in places],
            k=release.k,
            rare_items=release.rare_items,
            vocabulary=release.vocabulary,
        )
        assert told(release, all_sets(release)) == told(other, all_sets(release))


def test_names_of_items_change_nothing():
    rng = random.Random(22)
    for _ in range(60):
        release, _ = random_release(rng)
        letters = dict(zip(release.vocabulary, rng.sample("pqrstuvw", len(release.vocabulary)), strict=True))
        back = {new: old for old, new in letters.items()}

        def named(chunks, letters=letters):
            return [[[letters[i] for i in row] for row in chunk] for chunk in chunks]

        clusters, joints = pieces(release)
        other = build(
            [
                (size, joint, named(chunks), [letters[i] for i in term])
                for size, joint, chunks, term in clusters
            ],
            [(parent, named(chunks), [letters[i] for i in term]) for parent, chunks, term in joints],
            k=release.k,
            rare_items=release.rare_items,
        )
        asked = [[letters[i] for i in one] for one in all_sets(release)]
        assert told(release, all_sets(release)) == told(other, asked, back.get)


@settings(max_examples=tries(40))
@given(skewed_records(min_records=8), st.sampled_from(["everywhere", "shown", "method"]), st.integers(0, 9))
def test_reader_is_the_plain_one_on_releases_of_the_method(rows, reader, seed):
    rng = random.Random(seed)
    papers = Disassociation(k=2, m=2, max_cluster_size=6, rare_items="cluster", refine=True)
    result = papers.anonymise(Transactions.from_records(rows))
    rare = rng.choice(("cluster", "withhold", "list"))
    release = result.release if rare == "cluster" else rooted(result, rare, random_groups(rng))
    assert_same(release, reader, rng)


@pytest.mark.slow
def test_probabilities_are_exact_if_records_may_be_empty_and_near_if_not():
    """Over all placements of rows by chance; where nobody may be empty, placements depend on each other a little."""
    rng, exact, near = random.Random(1), [], []
    for _ in range(500):
        release, _ = random_release(rng, "abcd", (1, 2, 2), 1)
        plain = Plain(release, 0, 0, 0)
        if any(cluster.term_chunk for cluster in plain.clusters) or plain.root_list:
            continue
        person = KnownPerson.of(release, expected=Expected(0.0, 0.0, 0.0))
        for known in all_sets(release):
            truth = expectations(plain, set(known), 5_000)
            if truth is None:
                continue
            codes = [release.vocabulary.index(item) for item in known]
            found = person.claims(Known.from_sets([codes]), floor=0.05).of(0)
            gap = max((abs(truth.get(release.vocabulary[s], 0) - p) for s, p in found.items()), default=0)
            (exact if release.may_be_empty else near).append(gap)
    assert len(exact) > 300
    assert max(exact) < 1e-9
    assert len(near) > 50
    assert max(near) < 0.2
    assert np.mean(near) < 0.02


@pytest.mark.parametrize("safe", ["no", "cover"])
@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_certain_is_never_wrong_on_the_sample(safe, rare):
    data, rng = cv.sample("clinic"), np.random.default_rng(3)
    method = cv.Disassociation(
        k=5, m=2, max_cluster_size=30, safe=safe, rare_items=rare, root_chunks="several"
    )
    for refine in (False, True):
        check_members(replace(method, refine=refine).anonymise(data).release, data, rng)


def check_members(release, data, rng):
    """Nothing certain is wrong for anybody, whatever one or two published items are known; returns how much is said."""
    code, people, sets = {name: n for n, name in enumerate(release.vocabulary)}, [], []
    for record in data:
        mine = np.array(sorted(code[item] for item in record if item in code), np.int64)
        for size in (1, 2, 2, 3):
            if len(mine) >= size:
                people.append(set(mine.tolist()))
                sets.append(rng.choice(mine, size, replace=False).tolist())
    found = KnownPerson.of(release).certain(Known.from_sets(sets))
    number = np.repeat(np.arange(len(sets)), np.diff(found.offsets))
    assert all(item in people[n] for n, item in zip(number.tolist(), found.items.tolist(), strict=True))
    return len(number)


@pytest.mark.data
@pytest.mark.parametrize("rare", ["cluster", "withhold"])
def test_certain_is_never_wrong_on_public_data(data_dir, rare):
    path = data_dir / "named" / "whats_cooking_train.json.zip"
    data = cv.read(path, format="json", column="ingredients").take(np.arange(3000))
    release = (
        cv.Disassociation(k=5, m=2, max_cluster_size=60, rare_items=rare, refine=True).anonymise(data).release
    )
    said = check_members(release, data, np.random.default_rng(5))
    assert rare == "withhold" or said > 1000


@pytest.mark.data
@pytest.mark.slow
def test_a_million_certain_claims_are_right(data_dir):
    """The papers' way says most; many known sets of every person, in all ways of publishing what is rare."""
    cooking = data_dir / "named" / "whats_cooking_train.json.zip"
    files = {
        "cooking": (cv.read(cooking, format="json", column="ingredients").take(np.arange(12_000)), 4),
        "clinic": (cv.sample("clinic"), 40),
        "diseases": (symptoms(data_dir / "named" / "disease_symptom_dataset.csv.gz"), 8),
    }
    said = dict.fromkeys(files, 0)
    for name, (data, rounds) in files.items():
        for size, rare in product((20, 30, 60), ("cluster", "list", "withhold")):
            method = cv.Disassociation(
                k=5, m=2, max_cluster_size=size, rare_items=rare, root_chunks="several", refine=size < 60
            )
            release, rng = method.anonymise(data).release, np.random.default_rng(size)
            said[name] += sum(check_members(release, data, rng) for _ in range(rounds))
    assert all(said.values())
    assert sum(said.values()) > 1_000_000, said


def symptoms(path):
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))[1:]
    return Transactions.from_records([[cell.strip() for cell in row if cell.strip()] for row in rows])


def test_a_base_share_that_holds_nowhere_rules_nothing_in():
    """An item that all clusters list has no cluster to be withheld from; a bound with that share would keep it."""
    rows = [[*"ab", f"c{number % 2}", f"d{number % 3}"] for number in range(24)]
    release = Disassociation(k=3, m=2, max_cluster_size=12).anonymise(Transactions.from_records(rows)).release
    assert release.clusters > 1
    assert release.may_be_empty
    assert_same(release, "everywhere", random.Random(3))
