"""What blocks a release whatever attackers reach, and that promising less never helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.audit.decision import decide
from cloven.audit.loop import Audit
from cloven.kinds.disassociated.threats import leaves_open, release_alone
from cloven.kinds.doubts import doubts_about, too_few
from cloven.kinds.known_items import known_items
from cloven.registry import family_of
from cloven.threats import Effort

RANKS = {"do not publish": 0, "use another method": 0, "change settings": 0, "publish": 1}


def independent(records, items=12, seed=0):
    """Nothing can be learned of anybody but statistics."""
    rng = np.random.default_rng(seed)
    return cv.Transactions.from_records(
        [[f"i{item}" for item in np.flatnonzero(rng.random(items) < 0.2)] or ["i0"] for _ in range(records)]
    )


def linked(records, seed=0):
    """Everybody has an illness and its drug, beside what is no matter."""
    rng = np.random.default_rng(seed)
    return cv.Transactions.from_records(
        [
            [f"ill {kind}", f"drug {kind}", *(f"i{item}" for item in np.flatnonzero(rng.random(12) < 0.15))]
            for kind in rng.integers(40, size=records).tolist()
        ]
    )


def audited(data, method, threats=None):
    return Audit(method, effort=Effort().quick(), threats=threats, advise=False, seed=1).run(data)


def persons(method):
    """The attackers who ask about persons."""
    threats = family_of(method).threats(method, cv.Knowledge())
    return tuple(threat for threat in threats if "person" in threat.name)


def test_fewer_than_thirty_people_are_too_few():
    (doubt,) = too_few(29)
    assert "29 persons are too few" in doubt.owner
    assert "29" not in doubt.public
    report = audited(independent(29), cv.Disassociation(k=3))
    assert report.decision.verdict == "do not publish"
    assert any("too few to measure anything on" in str(reason) for reason in report.decision.reasons)
    public = report.to_dict("public")["decision"]
    assert "29 person" not in str(public)


def test_persons_are_counted_not_records():
    data = cv.Transactions.from_records([["flu", "fever"], ["cough"]] * 20)
    data = replace(data, persons=np.arange(40) // 4)
    assert any("10 persons" in str(doubt) for doubt in doubts_about(data, 3, 2, unnamed=""))


@pytest.mark.parametrize(("rare_items", "blocked"), [("list", True), ("cluster", True), ("withhold", False)])
def test_names_block_unless_they_are_withheld(rare_items, blocked):
    plain = [["flu", "fever"], ["flu", "cough"]] * 30
    data = cv.Transactions.from_records([[*record, f"p{n}@x.org"] for n, record in enumerate(plain)])
    method = cv.Disassociation(k=3, rare_items=rare_items)
    report = audited(data, method, persons(method)[:1])
    told = " ".join(map(str, report.decision.reasons))
    assert ("look like an e-mail address" in told) is blocked
    if blocked:
        assert report.decision.verdict == "do not publish"
        assert "p0@x.org" in told
        assert "x.org" not in report.to_json("public")


def test_records_that_come_twice_look_like_one_person():
    rng = np.random.default_rng(1)
    once = [[f"i{item}" for item in rng.permutation(60)[:8]] for _ in range(60)]
    repeated = cv.Transactions.from_records(once + once[:20])
    (doubt,) = doubts_about(repeated, 3, 2, unnamed="")
    assert str(doubt).startswith("50 % of the records equal another one")
    assert "(--person)" in str(doubt)
    assert doubts_about(cv.Transactions.from_records(once), 3, 2, unnamed="") == ()
    named = replace(repeated, persons=np.array([*range(60), *range(20)]))
    assert doubts_about(named, 3, 2, unnamed="") == ()


def by_these_alone(data, method, threats):
    """The verdict if nobody but these attackers had to be tried."""
    return decide(audited(data, method, threats).outcome, cv.Limits(), method.k)


@pytest.mark.slow
def test_too_little_promised_is_never_published_and_more_is_advised():
    decision = Audit(cv.Disassociation(k=2, m=1), seed=1).run(independent(1500)).decision
    assert decision.verdict == "change settings", decision
    assert decision.words == "-k 3 -m 2"
    told = [str(reason) for reason in decision.reasons]
    assert "k = 2 is little: publish nothing with k below 3." in told
    assert "m = 1 is little: publish nothing with m below 2." in told


def test_a_verdict_says_what_it_rests_on_and_what_is_not_covered():
    decision = Audit(cv.Disassociation(k=3, m=2), seed=1).run(independent(1500)).decision
    assert decision.verdict == "publish", decision.reasons
    assert "of all attackers that were tried, the furthest (" in decision.sentence
    for words in ("Not covered:", "what words mean", "other releases", "more than 2 items are known"):
        assert words in decision.sentence


def test_who_is_left_out_is_not_passed():
    method = cv.Disassociation(k=3, m=2)
    report = audited(independent(1500), method, (known_items(2, promised=True),))
    assert report.decision.verdict == "do not publish"
    told = " ".join(map(str, report.decision.reasons))
    for name in ("a known person", "release alone", "method"):
        assert f"An attacker ({name}) was left out, so it is not passed." in told
    assert "(being in it)" not in told  # it takes no part in the verdict


@pytest.mark.parametrize("data", [independent(1500), linked(600)], ids=["independent", "linked"])
def test_promising_less_never_makes_persons_publishable(data):
    settings = [(5, 2), (3, 2), (2, 2), (2, 1)]
    found = []
    for k, m in settings:
        method = cv.Disassociation(k=k, m=m)
        found.append(RANKS[by_these_alone(data, method, persons(method)).verdict])
    assert found == sorted(found, reverse=True), dict(zip(settings, found, strict=True))


@pytest.mark.parametrize("data", [independent(1500), linked(2000)], ids=["independent", "linked"])
def test_promising_less_never_helps_against_links(data):
    """A large k leaves large groups of equal parts, where lots alone are right in more than a fifth."""
    found = []
    for k in (10, 5, 3, 2):
        threats = (release_alone(), known_items(2, promised=True))
        found.append(RANKS[by_these_alone(data, cv.Disassociation(k=k), threats).verdict])
    assert found == sorted(found, reverse=True)
    assert found[1] == 1  # so that it can fail


@pytest.mark.parametrize("k", [5, 10, 20])
def test_groups_of_exactly_k_are_seen_though_no_smaller_release_has_them(k):
    """With one of them left out, an illness of k villagers is withheld; with all of them, the village tells it."""
    rng = np.random.default_rng(k)
    village = [[f"village {n // k}", f"illness {n // k}"] for n in range(8 * k)]
    others = [[f"i{item}" for item in rng.permutation(40)[:2]] for _ in range(1200 - 8 * k)]
    data = cv.Transactions.from_records(village + others)
    report = audited(data, cv.Disassociation(k=k))
    assert report.decision.verdict == "do not publish"
    risk = report.outcome.risks[0]
    tail = risk.tails[0]
    assert (risk.threat, tail.name, tail.known) == ("a known person", "told at 0.95", "the rarest item")
    assert tail.members.value == pytest.approx(8 * k / 1200, abs=0.05)
    assert tail.outsiders.value < 0.01


def test_one_of_two_parties_is_news():
    rows = [[f"surname {n // 5}", ("left", "right")[n // 5 % 2]] for n in range(600)]
    report = audited(cv.Transactions.from_records(rows), cv.Disassociation())
    assert report.decision.verdict == "do not publish"
    tail = report.outcome.risks[0].tails[0]
    assert (tail.members.value, tail.outsiders.value) == (1.0, 0.0)


def test_what_everybody_has_is_no_news_and_cannot_be_asked_about():
    data = cv.Transactions.from_records([["a", "b", "c"]] * 100)
    report = audited(data, cv.Disassociation())
    told = " ".join(map(str, report.decision.reasons))
    assert "no item that is published is held by fewer than 65 % of the people" in told


def test_visits_of_one_person_look_like_it_though_no_two_are_equal():
    rng = np.random.default_rng(1)
    ill = rng.integers(60, size=(60, 2))
    rows = [
        [f"patient {p}", *(f"ill {i}" for i in ill[p]), *(f"i{i}" for i in rng.permutation(400)[:2])]
        for p in range(60)
        for _ in range(20)
    ]
    data = cv.Transactions.from_records(rows)
    decision = audited(data, cv.Disassociation()).decision
    assert decision.verdict == "do not publish"
    assert any("these look like several records of one person" in str(reason) for reason in decision.reasons)
    of_persons = replace(data, persons=np.repeat(np.arange(60), 20))
    again = audited(of_persons, cv.Disassociation())
    assert not any("several records" in str(reason) for reason in again.decision.reasons)


def test_persons_can_be_published_though_nobody_can_replay_the_cut():
    """Who knows the method does not see persons; that attacker is not missing."""
    data = replace(independent(1500), persons=np.arange(1500))
    decision = Audit(cv.Disassociation(), seed=1).run(data).decision
    assert decision.verdict == "publish", decision.reasons


def with_names(name, people, each, likes=60):
    """Records that each hold the name of their person, and things that the person likes."""
    rng = np.random.default_rng(1)
    wanted = [rng.choice(60, likes, replace=False) for _ in range(people)]
    return [
        [name(person), *(f"thing {at}" for at in rng.choice(wanted[person], 4, replace=False))]
        for person in range(people)
        for _ in range(each)
    ]


def spelt(number):
    """A name and a surname."""
    first, last = (
        "Ann Bob Cid Eve Fay Gus Ida Jon Kim Lea Max Nan",
        "Lee Roe Poe Fox Day Kay May Ray Hay Bly",
    )
    return f"{first.split()[number % 12]} {last.split()[number // 12]}"


@pytest.mark.parametrize(
    "records",
    [
        with_names("P{:04}".format, 200, 6),
        with_names(spelt, 120, 4),
        with_names(lambda number: f"{number * 7919 % 65536:06x}", 150, 3),
        with_names("P{}".format, 40, 20, likes=9),
    ],
    ids=["numbers", "names", "keys", "few people with habits"],
)
def test_names_of_people_with_several_records_block(records):
    data = cv.Transactions.from_records(records)
    doubts = [str(doubt) for doubt in doubts_about(data, 5, 2, unnamed="")]
    assert any("names of persons" in doubt and "--person" in doubt for doubt in doubts)
    known = cv.Transactions(
        data.offsets, data.codes, data.vocabulary, np.arange(len(data)) // 6, data.source_rows
    )
    assert not any("names of persons" in str(doubt) for doubt in doubts_about(known, 5, 2, unnamed=""))
    named = {record[0] for record in records}
    without = cv.Transactions.from_records([record[1:] for record in records])
    assert not any("names of persons" in str(doubt) for doubt in doubts_about(without, 5, 2, unnamed=""))
    assert any(repr(name) in doubt for doubt in doubts for name in named)


@pytest.mark.parametrize("records", [300, 1500, 6000])
@pytest.mark.parametrize("values", [12, 70, 90])
def test_one_value_each_is_no_name(records, values):
    """An age, a ward or a town of everybody: many records hold each, and they are no more alike than others."""
    rng = np.random.default_rng(values)
    age = np.clip(rng.normal(values / 2, values / 5, records), 0, values - 1).astype(int)
    things = [rng.choice(60, 4, replace=False) for _ in range(records)]
    data = cv.Transactions.from_records(
        [f"age {years}", *(f"thing {at}" for at in some)]
        for years, some in zip(age.tolist(), things, strict=True)
    )
    assert not any("names of persons" in str(doubt) for doubt in doubts_about(data, 5, 2, unnamed=""))
    assert not any(
        "names of persons" in str(doubt) for doubt in doubts_about(cv.sample("clinic"), 5, 2, unnamed="")
    )


def pairs_of(records, seed=1):
    """Two things of many each, which have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return cv.Transactions.from_records(
        [f"a{rng.integers(300)}", f"b{rng.integers(300)}"] for _ in range(records)
    )


def alone(data, method):
    return release_alone().try_on(data, method.anonymise(data), np.random.default_rng(1), Effort().quick())


def test_of_a_single_cluster_the_interval_is_over_its_hidden_parts():
    """No interval can be built over one cluster; one from 0 to 100 % is no reason, and a lucky figure no excuse."""
    risk = alone(pairs_of(3000), cv.Disassociation(max_cluster_size=480))
    assert (risk.units, risk.count) == (1, 28)
    assert 0 <= risk.attacker.low <= risk.attacker.value <= risk.attacker.high < 0.5
    assert risk.gain.high == pytest.approx(risk.attacker.high - risk.guessing.value)
    assert bool(cv.Limits().passed_at((risk,), 5)) == (risk.attacker.high > 0.2 and risk.gain.high > 0.05)


def test_a_release_that_teaches_nothing_is_nothing_to_attack():
    data = cv.sample("clinic").take(np.arange(40))
    method = cv.Disassociation(k=5, max_cluster_size=200)
    assert leaves_open(method.anonymise(data).release)
    risk = alone(data, method)
    assert risk.not_tried.startswith("nothing to attack: no two items")
    assert not risk.missing
