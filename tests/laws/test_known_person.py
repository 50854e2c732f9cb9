"""What is told of a known person: the compiled reader is the plain one, and what is certain is never wrong."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from time import sleep

import pytest
from hand_made import in_clusters, pieces, rooted
from plain_known_person import Plain

from cloven.data.known_sets import Known
from cloven.kinds.disassociated.attack import known_person, known_person_lone
from cloven.kinds.disassociated.attack.known_person import KnownPerson

FLOOR = 0.05


def random_groups(rng):
    """Items of the root in chunks of one to three."""

    def groups(items):
        items, out = list(items), []
        rng.shuffle(items)
        while items:
            many = rng.choice((1, 1, 2, 3))
            out.append(items[:many])
            items = items[many:]
        return out

    return groups


def random_release(rng, items="abcdefgh", count=(1, 2, 3, 4, 6), extra=3):
    """A random release with its records: joints, nested ones, roots, lists and term chunks."""
    k = rng.choice((2, 2, 3))
    items = items[: rng.choice((3, 4, 5, len(items)))]
    clusters = [
        [
            frozenset(rng.sample(items, min(len(items), rng.choice((1, 1, 2, 2, 3, 4)))))
            for _ in range(rng.randint(k, k + extra))
        ]
        for _ in range(rng.choice(count))
    ]
    _, result = in_clusters(clusters, k, 2, rare_items="cluster", refine=rng.random() < 0.8)
    rare = rng.choice(("cluster", "withhold", "list"))
    release = result.release if rare == "cluster" else rooted(result, rare, random_groups(rng))
    return release, [row for cluster in clusters for row in cluster]


def known_sets(vocabulary, rng, sizes=(0, 1, 2, 3), many=12):
    sets = [set(c) for size in sizes for c in combinations(range(len(vocabulary)), size)]
    return rng.sample(sets, min(many, len(sets)))


def assert_same(release, reader, rng, **asked):
    most = max(release.k - 1, 1) if reader == "method" else float("inf")
    person = KnownPerson.of(release, reader)
    plain = Plain(release, *person.expected, most)
    sets = known_sets(release.vocabulary, rng, **asked)
    claims = person.claims(Known.from_sets(sets), floor=FLOOR)
    for number, codes in enumerate(sets):
        truth = plain.probabilities({release.vocabulary[code] for code in codes}, reader)
        wanted = {release.vocabulary.index(s): p for s, p in truth.items() if p > FLOOR + 1e-9}
        found = claims.of(number)
        assert wanted == {s: pytest.approx(p, abs=1e-9) for s, p in found.items() if p > FLOOR + 1e-9}
        if number % 3 == 0:
            high = person.claims(Known.from_sets([codes]), floor=0.5, best=False)
            sure = {s: p for s, p in found.items() if p >= 0.5}
            assert high.of(0) == {s: pytest.approx(p, abs=1e-9) for s, p in sure.items()}
            assert high.best_probability[0] == pytest.approx(max(sure.values(), default=0), abs=1e-9)
        best = max(truth.values(), default=0.0)
        # A best guess of just the floor is given or not, by the last digit.
        allowed = [best] if best > FLOOR + 1e-9 else [0.0] if best < FLOOR - 1e-9 else [best, 0.0]
        assert any(claims.best_probability[number] == pytest.approx(each, abs=1e-9) for each in allowed)
        assert (
            claims.expected[number]
            == pytest.approx(sum(plain.weights({release.vocabulary[c] for c in codes}).values()), abs=1e-9)
            or reader == "shown"
        )


@pytest.mark.parametrize("reader", ["everywhere", "shown", "method"])
def test_compiled_reader_is_the_plain_one(reader):
    rng = random.Random(11)
    for _ in range(150):
        release, _ = random_release(rng)
        assert_same(release, reader, rng)


def simple_release(rng):
    """Below one root, whose chunks have one item each; clusters are large, so that rows repeat and items meet."""
    items = "abcdefgh"[: rng.choice((3, 5, 8))]
    clusters = [
        [frozenset(rng.sample(items, rng.randint(1, min(4, len(items))))) for _ in range(rng.randint(3, 12))]
        for _ in range(rng.choice((1, 2, 5, 9)))
    ]
    _, result = in_clusters(clusters, rng.choice((2, 3)), 2, rare_items="cluster", refine=False)
    return rooted(result, rng.choice(("withhold", "list")))


@pytest.mark.parametrize("kept", [known_person_lone.MOST_KEPT, 1])
@pytest.mark.parametrize("reader", ["everywhere", "shown", "method"])
def test_what_items_say_alone_adds_up_to_the_plain_reader(reader, kept, monkeypatch):
    """Sets of up to four items; with little room, sums of one item make place for those of another."""
    made = known_person_lone.room
    monkeypatch.setattr(
        known_person, "room", lambda width: short(made(width), width) if kept == 1 else made(width)
    )
    rng = random.Random(13)
    for _ in range(60):
        release = simple_release(rng)
        assert KnownPerson.of(release, reader).is_simple
        assert_same(release, reader, rng, sizes=(1, 2, 3, 4))


def test_two_may_ask_at_the_same_time(monkeypatch):
    """Pages of the studio do; what is kept for both is added to by one of them."""
    inside, most, meet = [0], [0], known_person.meet_all

    def slow(*given):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        sleep(0.05)
        try:
            return meet(*given)
        finally:
            inside[0] -= 1

    monkeypatch.setattr(known_person, "meet_all", slow)
    person = KnownPerson.of(simple_release(random.Random(1)))
    person.claims(Known.from_sets([{0}]))
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda item: person.claims(Known.from_sets([{item}])).of(0), [0, 1, 2, 0, 1, 2])
        )
    assert most == [1]
    assert found[:3] == found[3:]


def short(room, many):
    """The same with fewer entries."""
    fewer = {name: getattr(room, name)[:many] for name in ("item", "both")}
    return room._replace(**fewer)


@pytest.mark.parametrize("count", [300, pytest.param(1800, marks=pytest.mark.slow)])
def test_certain_items_are_those_of_all_worlds_or_fewer(count):
    rng, same, more, tested = random.Random(5), 0, 0, 0
    for _ in range(count):
        release, _ = random_release(rng, "abcd", (1, 2, 2), 1)
        person = KnownPerson.of(release)
        plain = Plain(release, *person.expected)
        states = plain.states()
        if states is None:
            continue
        tested += 1
        assert states
        sets = [set(c) for size in (0, 1, 2, 3) for c in combinations(range(len(release.vocabulary)), size)]
        found = person.certain(Known.from_sets(sets))
        for number, codes in enumerate(sets):
            truth = plain.forced({release.vocabulary[code] for code in codes}, states)
            claimed = {release.vocabulary[code] for code in found.of(number)}
            if truth is not None:
                assert claimed <= truth, (pieces(release), codes)
                same, more = same + (claimed == truth), more + (claimed < truth)
    assert tested > count / 5
    # Nothing more is certain in any of these worlds: the rule is complete here.
    assert (same > 2 * count, more) == (True, 0)


def test_certain_is_never_wrong_for_a_member():
    rng, said = random.Random(3), 0
    for _ in range(300):
        release, records = random_release(rng)
        code = {name: number for number, name in enumerate(release.vocabulary)}
        asked = [
            (record, set(known))
            for record in records
            for size in (1, 2, 3)
            for known in combinations(sorted(record & set(code)), size)
        ]
        found = KnownPerson.of(release).certain(
            Known.from_sets([[code[i] for i in known] for _, known in asked])
        )
        for number, (record, known) in enumerate(asked):
            claimed = {release.vocabulary[item] for item in found.of(number)}
            said += len(claimed)
            assert claimed <= record, (pieces(release), known, record)
    assert said > 100
