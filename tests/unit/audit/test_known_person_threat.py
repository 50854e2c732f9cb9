"""The attacker who knows a person: constructed data whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.kinds.membership import area_between, found_at
from cloven.statistics.outsiders import Outsiders
from cloven.threats import Effort


def names(people=400):
    """Everybody has a name and one of four diagnoses."""
    rng = np.random.default_rng(3)
    return cv.Transactions.from_records(
        [[f"name {n}", ("flu", "gout", "asthma", "cancer")[rng.integers(4)]] for n in range(people)]
    )


def tried(data, method, splits=3):
    from cloven.registry import family_of

    threat = family_of(method).threats(method, cv.Knowledge())[0]
    assert threat.name == "a known person"
    outsiders = Outsiders(data, method, splits, 1)
    return threat.try_on(data, method.anonymise(data), np.random.default_rng(1), Effort(), None, outsiders)


def test_the_papers_way_tells_the_diagnosis_of_named_people():
    risk = tried(names(), cv.Disassociation(rare_items="cluster", refine=True, max_cluster_size=30))
    assert risk.excess.low > 0.5
    certain = next(tail for tail in risk.tails if tail.name == "certain")
    assert certain.excess.low > 0.5
    assert certain.outsiders.value == 0.0
    assert risk.details["people"][0]["certain"]


def test_what_is_withheld_is_not_told():
    risk = tried(names(600), cv.Disassociation())
    assert risk.attacker.value == risk.outsiders.value == 0.0
    assert all(tail.excess.upper < 0.01 for tail in risk.tails)


def test_set_generalised_releases_are_asked_too():
    risk = tried(cv.sample("clinic"), cv.Coat(k=5, m=2), splits=2)
    assert risk.not_tried == ""
    assert "all pairs of" in risk.details["searched"]
    assert 0 <= risk.outsiders.value <= 1


def hidden(groups, rarer=22):
    """Groups of five share two ordinary items, which nobody else holds together, and a secret; all else is rarer."""
    rng = np.random.default_rng(5)
    pairs = [(one, two) for one in range(20) for two in range(one)]
    records = []
    for number, at in enumerate(rng.permutation(len(pairs))[:groups].tolist()):
        shared = [*(f"ordinary {one}" for one in pairs[at]), f"secret {number % 10}"]
        for _ in range(5):
            others = rng.choice(groups * 5 * rarer // 20, rarer, replace=False)
            records.append([*shared, *(f"rare {item}" for item in others)])
    return cv.Transactions.from_records(records)


def test_pairs_of_ordinary_items_are_found_among_many_rarer_ones():
    risk = tried(hidden(60), cv.Disassociation(), splits=2)
    assert risk.excess.low > 0.5
    assert "all pairs of 120 people" in risk.meaning
    assert "all pairs of 120 people" in risk.sentence
    assert risk.details["searched"] == "all pairs of 120 people"


def test_too_few_people_cannot_be_left_out():
    risk = tried(names(8), cv.Disassociation(k=2, m=1, max_cluster_size=8))
    assert "too few" in risk.not_tried
    assert risk.missing


def test_a_threat_alone_says_that_there_are_no_outsiders():
    method, data = cv.Disassociation(), names(60)
    from cloven.registry import family_of

    threat = family_of(method).threats(method, cv.Knowledge())[0]
    assert (
        "outside the release"
        in threat.try_on(data, method.anonymise(data), np.random.default_rng(1)).not_tried
    )


def test_one_division_compares_different_people():
    risk = tried(names(), cv.Disassociation(rare_items="cluster"), splits=1)
    assert risk.excess.low > 0.2


def test_every_person_is_in_the_frame_once():
    data = names(120)
    frame = cv.person_risk(
        data, cv.Disassociation(rare_items="cluster", max_cluster_size=30).anonymise(data).release
    )
    assert sorted(frame["record"].to_list()) == list(range(120))
    assert frame["certain"][0]
    told = frame.filter(frame["certain"]).row(0, named=True)
    assert told["told"] in data[told["record"]]
    assert set(told["known"]) <= data[told["record"]]


@pytest.mark.parametrize("method", [cv.Disassociation(k=3), cv.Coat(k=3, m=1)])
def test_the_frame_of_nobody_is_empty(method):
    release = method.anonymise(names(20)).release
    assert len(cv.person_risk(cv.Transactions.from_records([]), release)) == 0


def test_the_frame_needs_a_release_and_its_own_kind_of_data():
    with pytest.raises(cv.ClovenError, match="no release but str; give the release that an anonymiser made"):
        cv.person_risk(names(20), "a table")
    release = cv.Disassociation(k=3).anonymise(cv.sample("clinic")).release
    with pytest.raises(
        cv.ClovenError, match=r"got Disassociated and str\); give Transactions with a release"
    ):
        cv.person_risk("a table", release)


def test_the_area_is_the_chance_that_a_member_scores_higher():
    inside, outside = np.array([3.0, 2.0, 1.0]), np.array([2.0, 0.0])
    area, half = area_between(inside, outside)
    assert area == pytest.approx((2 + 1.5 + 1) / 6)
    assert half > 0
    assert found_at(np.array([5.0, 1.0]), np.arange(0, 2, 0.01), 0.01) == 0.5
