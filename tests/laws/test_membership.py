"""The score of membership: the compiled one is the plain one, and members score higher than others."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hand_made import build
from plain_known_person import Plain
from plain_membership import score
from test_known_person import random_release

import cloven as cv
from cloven.data.known_sets import Known
from cloven.kinds.disassociated.attack.membership import DOUBT, Membership
from cloven.kinds.generalised.attack.known_person import MembershipGeneralised
from cloven.registry import family_of
from cloven.statistics.outsiders import Outsiders
from cloven.threats import Effort, Knowledge


def test_compiled_score_is_the_plain_one():
    rng = random.Random(8)
    for _ in range(120):
        release, records = random_release(rng)
        member = Membership.of(release)
        plain = Plain(release, *member.person.expected)
        code = {name: number for number, name in enumerate(release.vocabulary)}
        asked = [record & set(code) for record in records[:5]]
        asked += [set(rng.sample(sorted(code), rng.randint(0, len(code)))) for _ in range(3)]
        found, cluster = member.scores(Known.from_sets([[code[i] for i in record] for record in asked]))
        assert found.tolist() == [pytest.approx(score(plain, record, DOUBT), abs=1e-8) for record in asked]
        assert ((cluster >= 0) & (cluster < release.clusters)).all()


def test_scores_do_not_depend_on_the_records_around():
    """Work on the items that records begin with is shared, and taken back to the last bit."""
    rng = random.Random(9)
    for _ in range(60):
        release, records = random_release(rng)
        member = Membership.of(release)
        code = {name: number for number, name in enumerate(release.vocabulary)}
        asked = [[code[item] for item in record if item in code] for record in records]
        asked += [rng.sample(sorted(code.values()), rng.randint(0, len(code))) for _ in range(20)]
        score, cluster = member.scores(Known.from_sets(asked))
        alone = [member.scores(Known.from_sets([record])) for record in asked]
        assert score.tolist() == [each[0].item() for each, _ in alone]
        assert cluster.tolist() == [each[0].item() for _, each in alone]


@pytest.mark.parametrize("joined", [True, False])
def test_clusters_that_fit_a_record_badly_count_beside_others_that_fit_worse(joined):
    """Every record of the second cluster is full: a record without its items is e ** -900 as likely as elsewhere."""
    many, joint = 60, 0 if joined else None
    first = [[(f"a{n}", f"b{n}")] * 10 for n in range(many)]
    second = [[(f"c{n}",)] * 200 for n in range(many)]
    shared = [[(f"a{n}",)] * 200 for n in range(many)]
    clusters = [(100, joint, first, ()), (200, 0, second, ())]
    release = build(clusters, [(None, shared, ())], rare_items="withhold" if joined else "cluster")
    member = Membership.of(release)
    plain = Plain(release, *member.person.expected)
    code = {name: number for number, name in enumerate(release.vocabulary)}
    for asked in (10, 42, many):
        record = {f"a{n}" for n in range(asked)}
        found, _ = member.scores(Known.from_sets([[code[item] for item in sorted(record)]]))
        assert found[0] == pytest.approx(score(plain, record, DOUBT), abs=1e-8)


@pytest.mark.parametrize("way", ["cluster", "withhold", "list", "generalised"])
def test_members_score_higher_than_others(way):
    data = cv.sample("clinic")
    inside, outside = data.take(np.arange(0, 1000, 2)), data.take(np.arange(1, 1000, 2))
    if way != "generalised":
        release = cv.Disassociation(k=5, m=2, rare_items=way).anonymise(inside).release
        found = Membership.of(release)
    else:
        release = cv.Coat(k=5, m=1).anonymise(inside).release
        found = MembershipGeneralised.of(release)
    code = {name: number for number, name in enumerate(release.vocabulary)}
    scores = []
    for people in (inside, outside):
        known = Known.from_sets([[code[item] for item in record if item in code] for record in people])
        given = found.scores(known)
        scores.append(given if way == "generalised" else given[0])
    higher = (scores[0][:, None] > scores[1][None, :]).mean()
    assert higher > 0.7


def test_items_that_no_member_holds_speak_against_a_record_where_nothing_was_left_out():
    """Each of 400 people has an item of their own: who is in such a release can be read off its list of items."""
    data = cv.Transactions.from_records([[f"own {n}", f"of many {n % 4}"] for n in range(400)])
    for options in (
        {"rare_items": "cluster"},
        {"rare_items": "cluster", "safe": "exact"},
        {"rare_items": "list"},
    ):
        method = cv.Disassociation(k=50, max_cluster_size=None, **options)
        threat = next(
            each for each in family_of(method).threats(method, Knowledge()) if each.name == "being in it"
        )
        outsiders, rng = Outsiders(data, method, 1, 3), np.random.default_rng(1)
        risk = threat.try_on(data, method.anonymise(data), rng, Effort(splits=1), None, outsiders)
        assert risk.attacker.value == 1.0


def test_items_that_may_have_been_left_out_say_nothing():
    data = cv.sample("clinic")
    for options in ({}, {"rare_items": "cluster", "min_item_support": 3}):
        reader = Membership.of(cv.Disassociation(**options).anonymise(data).release)
        assert reader.unknown(np.array([0, 2])).tolist() == [0, 0]
