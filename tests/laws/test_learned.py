"""The reader who learns from a table: against plain Python, against all deals, and on tables with known answers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_learned import PlainLearned
from plain_tables import people, releases, tables

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.errors import ParameterError
from cloven.kinds.tables.attack.definetti import Learned, dealt
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.assembly import sliced
from cloven.registry import family_of
from tests.effort import tries


@settings(max_examples=tries(120), deadline=None)
@given(st.data(), tables(most=8), st.integers(1, 3), st.booleans(), st.sampled_from((1, 512)))
def test_it_is_the_plain_one(data, table, rounds, in_it, most):
    release = data.draw(releases(table))
    known = Known.of(table)
    away = None if in_it else np.ones(len(table), bool)
    found = Learned("illness", rounds=rounds, most_ways=most).guess(release, known, away)
    plain = PlainLearned(known.reads(release), known.names, "illness", rounds, most)
    for number, person in enumerate(people(table)):
        truth = plain.of(person) if in_it else plain.alone(person)
        assert found.confidence[number] == pytest.approx([truth.get(value, 0.0) for value in found.values])


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables())
def test_it_makes_nothing_certain_that_was_not(data, table):
    release, known = data.draw(releases(table)), Known.of(table)
    before, after = (
        AttributeDisclosure("illness").guess(release, known),
        Learned("illness").guess(release, known),
    )
    assert np.array_equal(before.candidate, after.candidate)
    assert after.confidence.sum(axis=1) == pytest.approx(1.0)


def smokers(pairs, seed=0, exceptions=0.0):
    """Who smokes has cancer, who does not has the flu; each bucket holds one of both, so that it says nothing."""
    attributes = (
        Attribute("smokes", "quasi-identifier", ("no", "yes")),
        Attribute("town", "quasi-identifier", tuple("abcdefgh")),
        Attribute("illness", "sensitive", ("cancer", "flu")),
    )
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(pairs):
        odd = rng.random() < exceptions
        rows += [[1, rng.integers(8), int(odd)], [0, rng.integers(8), int(not odd)]]
    table = Table(attributes, np.array(rows, np.int32), np.arange(2 * pairs, dtype=np.int64))
    result = sliced(table, np.repeat(np.arange(pairs), 2), ((0, 1), (2,)), k=2, parameters={})
    return table, result.release


@pytest.mark.parametrize("start", ["shares", "regression"])
def test_where_every_bucket_has_both_nothing_can_be_learned(start):
    """Golden: buckets of one smoker and one other with one of each illness are symmetric; the answer is a half."""
    table, release = smokers(300)
    found = Learned("illness", start).guess(release, Known.of(table))
    assert found.confidence == pytest.approx(0.5, abs=0.02)


def mixed(buckets, seed=0):
    """Buckets of two that differ in how many smoke and how many have cancer: together they tell what goes with what."""
    table, _ = smokers(buckets, seed)
    order = np.random.default_rng(seed).permutation(len(table))
    result = sliced(table, np.argsort(order) // 2, ((0, 1), (2,)), k=2, parameters={})
    return table, result.release


@pytest.mark.parametrize("start", ["shares", "regression"])
def test_what_goes_together_across_buckets_is_learned(start):
    """Golden: in mixed buckets candidates leave a half; across buckets smoking gives the illness away."""
    table, release = mixed(400)
    known = Known.of(table)
    truth = np.array([table.row(n)[2] == "cancer" for n in range(len(table))])
    alone = Learned("illness", start).guess(release, known, np.ones(len(table), bool)).confidence[:, 0]
    inside = Learned("illness", start).guess(release, known).confidence[:, 0]
    assert ((inside > 0.9) == truth).all()
    assert ((alone > 0.9) == truth).mean() > 0.99
    before = AttributeDisclosure("illness").guess(release, known).confidence[:, 0]
    assert ((before > 0.9) == truth).mean() < 0.9


def test_small_buckets_are_dealt_in_all_ways():
    """Rows of a bucket, some of them alike, against every permutation of its values."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        copies = rng.integers(1, 3, size=rng.integers(1, 4))
        rows, slots = int(copies.sum()), []
        while sum(slots) < rows:
            slots.append(int(min(rng.integers(1, 3), rows - sum(slots))))
        likely = rng.random((len(slots), len(copies)))
        out = np.full(likely.size, np.nan)
        ends = np.array([0, len(slots)]), np.array([0, len(copies)])
        starts = np.arange(len(slots)) * len(copies)
        dealt(ends[0], np.array(slots), starts, likely.reshape(-1), ends[1], copies, 512, out)
        hand, mine = np.repeat(np.arange(len(copies)), copies), np.repeat(np.arange(len(slots)), slots)
        exact = np.zeros_like(likely)
        for deal in permutations(hand.tolist()):
            weight = np.prod([likely[mine[row], value] for row, value in enumerate(deal)])
            for row, value in enumerate(deal):
                exact[mine[row], value] += weight
        assert out.reshape(likely.shape) == pytest.approx(exact / exact.sum(axis=1, keepdims=True))


def workers():
    """An illness goes with the work of most."""
    rng = np.random.default_rng(2)
    illness = rng.integers(6, size=1500)
    job = np.where(rng.random(1500) < 0.85, illness, rng.integers(6, size=1500))
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, range(20, 60)))),
        Attribute("job", "quasi-identifier", tuple("abcdef")),
        Attribute("illness", "sensitive", tuple(f"ill {n}" for n in range(6))),
    )
    codes = np.column_stack([rng.integers(40, size=1500), job, illness]).astype(np.int32)
    return Table(attributes, codes, np.arange(1500, dtype=np.int64))


def test_the_audit_sees_anatomy_of_few_values():
    report = cv.Audit(cv.Anatomy(l=3), cv.Knowledge(), cv.Limits(max_risk=0.9), advise=False, seed=1).run(
        workers()
    )
    assert report.decision.verdict == "do not publish"
    risk = next(risk for risk in report.outcome.risks if risk.threat == "learns from the table")
    assert any(reason.risk is risk for reason in report.decision.reasons)
    assert risk.excess.low > 0.05


def test_people_who_are_left_out_have_no_bucket(monkeypatch):
    asked = []

    class Noting(Learned):
        def guess(self, release, known, away=None):
            asked.append(None if away is None else float(away.mean()))
            return super().guess(release, known, away)

    monkeypatch.setattr("cloven.kinds.tables.attack.known_person.Learned", Noting)
    method = cv.Anatomy(l=3)
    family = family_of(method)
    (threat,) = (
        each for each in family.threats(method, cv.Knowledge()) if each.name == "learns from the table"
    )
    cv.Audit(method, threats=(threat,), advise=False, seed=1).run(workers())
    *told, population = [share for share in asked if share is not None]
    assert population == 1.0, "rows of other people, and no release"
    assert len(told) == 2 * 4  # ways to learn, and three divisions before the release itself
    for way in range(2):
        *divisions, real = told[4 * way : 4 * way + 4]
        assert divisions == pytest.approx([1 / 3] * 3)
        assert real == 0.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"start": "luck"}, "start must be one of shares, regression"),
        ({"rounds": 0}, "rounds must be a whole number from 1"),
        ({"fittings": 0}, "fittings must be a whole number from 1"),
        ({"smoothing": 0.0}, "smoothing must be above 0"),
    ],
)
def test_bad_parameters_are_refused(wrong, words):
    with pytest.raises(ParameterError, match=words):
        Learned(**wrong)
