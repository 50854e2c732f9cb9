"""What blocks a release whatever attackers reach, and that promising less never helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.audit import Audit
from cloven.families.disassociation_threats import release_alone
from cloven.families.doubts import doubts_about, too_few
from cloven.families.known_items import known_items
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


def test_too_little_promised_is_never_published_and_more_is_advised():
    data = independent(1500)
    method = cv.Disassociation(k=2, m=1)
    audit = cv.Audit(method, threats=persons(method)[:1], effort=cv.Effort().quick(), seed=1)
    decision = audit.run(data).decision
    assert decision.verdict == "change settings", decision
    assert decision.words == "-k 3 -m 2"
    told = [str(reason) for reason in decision.reasons]
    assert "k = 2 is little: publish nothing with k below 3." in told
    assert "m = 1 is little: publish nothing with m below 2." in told


def test_a_verdict_says_what_it_rests_on_and_what_is_not_covered():
    data = independent(1500)
    method = cv.Disassociation(k=3, m=2)
    report = audited(data, method, persons(method)[:1])
    sentence = report.decision.sentence
    assert report.decision.verdict == "publish", report.decision.reasons
    assert "the furthest (a known person)" in sentence
    for words in ("Not covered:", "what words mean", "other releases", "more than 2 items are known"):
        assert words in sentence


@pytest.mark.parametrize("data", [independent(1500), linked(600)], ids=["independent", "linked"])
def test_promising_less_never_makes_persons_publishable(data):
    settings = [(5, 2), (3, 2), (2, 2), (2, 1)]
    found = []
    for k, m in settings:
        method = cv.Disassociation(k=k, m=m)
        found.append(RANKS[audited(data, method, persons(method)).decision.verdict])
    assert found == sorted(found, reverse=True), dict(zip(settings, found, strict=True))


@pytest.mark.parametrize("data", [independent(1500), linked(2000)], ids=["independent", "linked"])
def test_promising_less_never_helps_against_links(data):
    """A large k leaves large groups of equal parts, where lots alone are right in more than a fifth."""
    found = []
    for k in (10, 5, 3, 2):
        method = cv.Disassociation(k=k)
        threats = (release_alone(), known_items(2, promised=True))
        found.append(RANKS[audited(data, method, threats).decision.verdict])
    assert found == sorted(found, reverse=True)
