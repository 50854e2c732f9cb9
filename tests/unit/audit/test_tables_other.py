"""Another release of a table is judged on the people who are in both."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.threats import STAND_FOR_ALL, another_release

ILL = ("Flu", "Gout", "HIV", "Mumps", "Ulcer", "Zoster")


def towns(rng, people, start=0):
    """Nothing goes with anything."""
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, range(20, 80))), np.arange(20.0, 80.0)),
        Attribute("town", "quasi-identifier", tuple(f"t{number:02d}" for number in range(10))),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("illness", "sensitive", ILL),
    )
    codes = np.column_stack([rng.integers(0, len(each), people) for each in attributes])
    return Table(attributes, codes.astype(np.int32), np.arange(start, start + people))


@pytest.fixture(scope="module")
def two():
    """A table, and another one that shares 30 of its 600 people."""
    rng = np.random.default_rng(1)
    data, strangers = towns(rng, 600), towns(rng, 570)
    codes = np.concatenate([data.codes[:30], strangers.codes])
    return data, Table(data.attributes, codes, np.arange(600))


def audited(data, other, shared):
    method = cv.Slicing(k=4, l=3, seed=3)
    release = cv.Slicing(k=4, l=3, seed=4).anonymise(other).release
    knowledge = cv.Knowledge(releases=(cv.OtherRelease(release, shared),))
    report = cv.Audit(method, knowledge, advise=False, seed=1).run(data)
    by_name = {risk.threat: risk for risk in report.risks}
    return report, by_name["known person"], by_name["another release"]


def test_shared_people_are_found_by_all_that_both_tables_show(two):
    data, other = two
    found = cv.shared_rows(data, other)
    assert set(range(30)) <= set(found.tolist())
    assert len(found) < 100, "a few look alike by chance"
    sexes = Table(other.attributes[2:3], other.codes[:, 2:3], other.source_rows)
    assert len(cv.shared_rows(data, sexes)) == 600


def test_those_who_are_in_both_are_asked_about_and_nobody_else(two):
    data, other = two
    _, single, both = audited(data, other, np.arange(30))
    assert both.count == 30
    assert both.details["ways"][0]["people"] == 30
    everybody = audited(data, other, np.arange(600))[2]
    assert both.tails[2].members.value > everybody.tails[2].members.value
    assert both.tails[2].excess.value >= single.tails[2].excess.value, "a second release never lowers a risk"


@pytest.mark.slow
def test_those_of_whom_most_is_told_stand_for_people_whom_nobody_knows(two):
    data, other = two
    report, _, worst = audited(data, other, None)
    known = audited(data, other, np.arange(30))[2]
    assert worst.count == STAND_FOR_ALL
    assert worst.tails[2].members.value >= known.tails[2].members.value
    assert report.decision.verdict == "do not publish"
    assert any(
        "Who is in the other release too is not known" in str(each) for each in report.decision.reasons
    )
    assert "other release" not in str(report.to_dict("public")), "that there is one is the owner's to tell"


def test_a_release_may_be_given_without_more(two):
    data, other = two
    release = cv.Slicing(k=4, l=3, seed=4).anonymise(other).release
    report = cv.Audit(
        cv.Slicing(k=4, l=3, seed=3), cv.Knowledge(releases=(release,)), advise=False, seed=1
    ).run(data)
    assert next(risk for risk in report.risks if risk.threat == "another release").doubt


def test_tables_that_share_nobody_are_refused(two):
    data, _ = two
    strangers = Table(data.attributes, (data.codes + 1) % 2, data.source_rows)
    with pytest.raises(
        cv.ParameterError,
        match=r"no row is in both tables \(compared by age, town, sex, illness\), so who is in both",
    ):
        cv.shared_rows(data.take(np.flatnonzero(data.codes[:, 0] > 5)), strangers)
    with pytest.raises(cv.ParameterError, match="the tables share no column"):
        cv.shared_rows(
            data,
            Table(
                (Attribute("eyes", "quasi-identifier", ("blue",)),), np.zeros((3, 1), np.int32), np.arange(3)
            ),
        )
    release = cv.Slicing(k=4, l=3, seed=4).anonymise(data).release
    risk = another_release(release, shared=np.array([10_000])).try_on(
        data, cv.Slicing(k=4, l=3, seed=3).anonymise(data), np.random.default_rng(1)
    )
    assert "nobody of the table is in the other release" in risk.not_tried
