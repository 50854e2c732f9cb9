"""What is told of known persons, against plain Python; and laws of members beside outsiders."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import skewed_records

from cloven.data.known_sets import Known, Told
from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.methods import Disassociation
from cloven.statistics.outsiders import Outsiders, Sheet, asked_about
from cloven.statistics.telling import News, People, telling
from tests.effort import tries


def reader_and_people(rows, rare="withhold", **options):
    data = Transactions.from_records(rows)
    release = Disassociation(k=2, m=2, max_cluster_size=8, rare_items=rare, **options).anonymise(data).release
    people = People.of(data, np.arange(len(data)), release.vocabulary, data.holders)
    return data, release, KnownPerson.of(release), people


def published_rarest(data, release, number):
    """The published items of a record, the rarest first, as names."""
    held = dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    items = [item for item in data[number] if item in release.vocabulary]
    return sorted(items, key=lambda item: (held[item], data.vocabulary.index(item)))


@settings(max_examples=tries(40), deadline=None)
@given(
    rows=skewed_records(min_records=12, max_records=30, n_items=8),
    rare=st.sampled_from(["withhold", "cluster"]),
)
def test_told_is_the_likeliest_right_claim_of_the_worst_set(rows, rare):
    data, release, reader, people = reader_and_people(rows, rare)
    news = News().of(data, release.vocabulary)
    found = telling(reader, people, people.subsets(2), news)
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    for at, person in enumerate(found.person.tolist()):
        best = 0.0
        for size in (1, 2):
            for known in combinations(published_rarest(data, release, person), size):
                claims = reader.claims(Known.from_sets([[code_of[item] for item in known]])).of(0)
                right = {item: p for item, p in claims.items() if release.vocabulary[item] in data[person]}
                best = max([best, *(p for item, p in right.items() if p >= news[item])])
        assert found.told[at] == pytest.approx(best)


@settings(max_examples=tries(30), deadline=None)
@given(rows=skewed_records(min_records=12, max_records=30, n_items=8), size=st.integers(1, 3))
def test_the_rarest_items_are_known_and_everybody_is_asked_about(rows, size):
    data, release, _, people = reader_and_people(rows)
    asked = people.rarest(size)
    assert asked.everybody.tolist() == [n for n in range(len(data)) if len(data[n]) >= size]
    for number, person in enumerate(asked.who.tolist()):
        names = [release.vocabulary[code] for code in asked.known.of_set(number)]
        assert sorted(names) == sorted(published_rarest(data, release, person)[:size])


@settings(max_examples=tries(10), deadline=None)
@given(seed=st.integers(0, 99), thorough=st.integers(0, 9), people=st.integers(1, 12))
def test_the_worst_is_looked_for_among_all_pairs_of_some_and_the_rarest_items_of_others(
    seed, thorough, people
):
    rng = random.Random(seed)
    names = [f"{n:02}" for n in range(80)]
    data = Transactions.from_records(
        rng.sample(names, rng.choice([3, 30, 31, 50, 62, 70])) for _ in range(12)
    )
    shown = tuple(name for name in data.vocabulary if name != data.vocabulary[seed % 9])
    every = np.arange(len(data))
    asked = People.of(data, every, shown, data.holders, seed).subsets(2, thorough, people)
    again = People.of(data, every, data.vocabulary, data.holders, seed).subsets(2, thorough, people)
    assert asked.everybody.tolist() == again.everybody.tolist()
    assert asked.searched == again.searched
    assert len(asked.everybody) == people
    tried: dict[int, set[frozenset[str]]] = {}
    for number, person in enumerate(asked.who.tolist()):
        tried.setdefault(person, set()).add(frozenset(shown[code] for code in asked.known.of_set(number)))
    whole = 0
    for person in asked.everybody.tolist():
        items = sorted(
            set(data[person]) & set(shown),
            key=lambda item: (data.holders[data.vocabulary.index(item)], data.vocabulary.index(item)),
        )
        found = frozenset().union(*tried[person])
        assert tried[person] == {frozenset(one) for size in (1, 2) for one in combinations(found, size)}
        assert found >= set(items[:30])
        assert len(found) in (len(items), 30, 62)
        whole += len(found) == min(len(items), 62) and len(data[person]) > 30
    longer = sum(len(data[person]) > 30 for person in asked.everybody.tolist())
    assert whole >= min(thorough, longer)


def test_random_items_stay_the_same_whatever_else_is_published():
    rng = random.Random(5)
    rows = [frozenset(rng.sample("abcdefgh", 4)) for _ in range(30)]
    data = Transactions.from_records(rows)
    every = np.arange(len(data))
    whole = People.of(data, every, tuple("abcdefgh"), data.holders, seed=3)
    less = People.of(data, every, tuple("abcdefg"), data.holders, seed=3)
    one, two = whole.random(1), less.random(1)
    for number in range(len(data)):
        first = "abcdefgh"[one.known.of_set(number)[0]]
        if first != "h":
            assert "abcdefg"[two.known.of_set(two.who.tolist().index(number))[0]] == first


@settings(max_examples=tries(25), deadline=None)
@given(people=st.integers(10, 60), splits=st.integers(1, 8), seed=st.integers(0, 99))
def test_everybody_asked_about_is_left_out_of_one_release_at_least(people, splits, seed):
    data = Transactions.from_records([["a", f"i{n % 3}"] for n in range(people)])
    made = Outsiders(data, Disassociation(k=2, m=1), splits, seed).splits
    for split in made:
        assert sorted([*split.members, *split.outsiders]) == list(range(people))
        assert split.result.release.records == len(split.members)
    records, left_out = asked_about(data, made, 1000, np.random.default_rng(seed))
    for row, split in enumerate(made):
        assert left_out[row].tolist() == [
            record in set(split.outsiders.tolist()) for record in records.tolist()
        ]
    assert splits == 1 or left_out.any(axis=0).all()


def test_once_everybody_was_left_out_others_are_left_out_together():
    data = Transactions.from_records([["a", f"i{n % 3}"] for n in range(40)])
    left_out = [
        frozenset(split.outsiders.tolist())
        for split in Outsiders(data, Disassociation(k=2, m=1), 15, 1).splits
    ]
    for start in (0, 5, 10):
        assert frozenset().union(*left_out[start : start + 5]) == frozenset(range(40))
    assert len(set(left_out)) == 15


def test_people_of_several_records_are_left_out_whole():
    data = Transactions.from_records([["a", f"i{n % 3}"] for n in range(60)])
    data = Transactions(data.offsets, data.codes, data.vocabulary, np.arange(60) // 4, data.source_rows)
    for split in Outsiders(data, Disassociation(k=2, m=1), 2, 1).splits:
        inside, outside = set(data.persons[split.members]), set(data.persons[split.outsiders])
        assert not inside & outside


@settings(max_examples=tries(20), deadline=None)
@given(
    rows=skewed_records(min_records=12, max_records=40, n_items=8),
    rare=st.sampled_from(["list", "withhold", "cluster"]),
    support=st.integers(1, 3),
)
def test_a_release_without_its_key_is_the_release(rows, rare, support):
    method = Disassociation(k=3, m=2, max_cluster_size=8, rare_items=rare, min_item_support=support)
    data = Transactions.from_records(rows)
    assert method.release_of(data) == method.anonymise(data).release


def test_outsiders_read_a_release_and_no_key():
    data = Transactions.from_records([f"i{i % 5}", f"j{i % 3}"] for i in range(60))
    method = Disassociation(k=3)
    split = Outsiders(data, method, 1, 7).splits[0]
    assert split.result.release == method.anonymise(data.take(split.members)).release
    assert not hasattr(split.result, "key")


@settings(max_examples=tries(60), deadline=None)
@given(
    sets=st.lists(
        st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.05, 0.2, 0.6])), max_size=7),
        min_size=1,
        max_size=6,
    ),
    asked=st.lists(st.integers(0, 5), max_size=8),
    eligible=st.none() | st.lists(st.booleans(), min_size=7, max_size=7),
    floor=st.sampled_from([0.05, 0.2, 0.5, 0.95]),
    best=st.booleans(),
)
def test_claims_are_the_fitting_ones_and_the_first_of_the_likeliest(sets, asked, eligible, floor, best):
    lists = [sorted(dict(one).items()) for one in sets]
    numbers = np.array([number % len(lists) for number in asked], np.int64)
    flat = [claim for one in lists for claim in one]
    told = Told(
        np.cumsum([0, *map(len, lists)]),
        np.array([item for item, _ in flat], np.int32),
        np.array([chance for _, chance in flat], np.float64),
        np.arange(len(lists)) + 1.0,
    )
    found = told.claims(numbers, None if eligible is None else np.array(eligible), floor, best=best)
    for place, number in enumerate(numbers.tolist()):
        fits = [(item, chance) for item, chance in lists[number] if eligible is None or eligible[item]]
        high = [(item, chance) for item, chance in fits if chance >= floor]
        assert list(found.of(place).items()) == high
        likely = max((fits if best else high), key=lambda claim: (claim[1], -claim[0]), default=(-1, 0.0))
        assert (found.best[place], found.best_probability[place]) == likely
        assert found.expected[place] == number + 1


def sheet(member, told):
    member, told = np.array(member, bool), np.array(told, float)
    nothing = np.zeros(member.shape, bool)
    empty = (np.empty(0), np.empty(0, bool))
    return Sheet(member, np.ones(member.shape, bool), told, nothing, nothing, (empty, empty))


def test_what_a_release_tells_of_whomever_is_no_excess():
    """Release 1 tells everything of everybody, release 2 nothing: members and outsiders fare alike."""
    member = [[False] * 50 + [True] * 50, [True] * 50 + [False] * 50]
    found = sheet(member, [[1.0] * 100, [0.0] * 100]).told_at(0.8)
    assert found.excess.value == 0.0
    assert found.members.value == found.outsiders.value == 0.5


def test_what_is_told_of_members_only_is_the_excess():
    member = np.array([[False] * 50 + [True] * 50, [True] * 50 + [False] * 50])
    found = sheet(member, np.where(member, 0.9, 0.1)).told_at(0.8)
    assert found.excess.value == 1.0
    assert found.excess.low > 0.9


def test_exchanged_rows_of_members_change_nothing_for_outsiders():
    """Outsiders are told the same by a release and by one of the same records in another order."""
    rng = random.Random(9)
    rows = [frozenset(rng.sample("abcdefghij", 3)) for _ in range(80)]
    outside = [frozenset(rng.sample("abcdefghij", 3)) for _ in range(20)]
    told = []
    for order in (rows, rows[::-1]):
        data = Transactions.from_records([*order, *outside])
        members = data.take(np.arange(80))
        release = Disassociation(k=3, m=2, max_cluster_size=12).anonymise(members).release
        people = People.of(data, np.arange(80, 100), release.vocabulary, data.holders)
        news = np.zeros(len(release.vocabulary))
        told.append(telling(KnownPerson.of(release), people, people.subsets(2), news).told.tolist())
    assert told[0] == told[1]
