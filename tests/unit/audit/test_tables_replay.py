"""The attacker who replays the method, as an audit tries it: everybody in each release is known, and nobody else."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.attack.replay import Replayed
from cloven.kinds.tables.kind import TablesFamily
from cloven.kinds.tables.threats import replays
from cloven.statistics.outsiders import Outsiders
from cloven.threats import Effort
from experiments.stand_ins.hybrid import Hybrid

METHOD = cv.Mondrian(k=3, l=2)


@pytest.fixture(scope="module")
def table():
    """An illness that begins at one age, so that cuts between ages are refused."""
    rng = np.random.default_rng(4)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{n:03}" for n in range(300)), np.arange(300.0)),
        Attribute("size", "quasi-identifier", tuple(f"{n:02}" for n in range(30)), np.arange(30.0)),
        Attribute("illness", "sensitive", ("flu", "gout")),
    )
    age = rng.permutation(300)
    ill = (age // 4 % 3 == 0) ^ (rng.random(300) < 0.03)
    codes = np.column_stack([age, rng.integers(30, size=300), ill]).astype(np.int32)
    return Table(attributes, codes, np.arange(300, dtype=np.int64))


def tried(table, method):
    outsiders = Outsiders(table, method, 3, 1)
    return replays().try_on(
        table, method.anonymise(table), np.random.default_rng(1), Effort(), None, outsiders
    )


def test_members_are_told_more_than_outsiders(table):
    risk = tried(table, METHOD)
    told = {tail.name: tail for tail in risk.tails}
    assert risk.counts
    assert told["certain"].members.value > 0.01
    assert told["certain"].outsiders.value == 0
    assert risk.broken == 0  # no table promises that its making tells nothing


def test_replay_proof_makes_fewer_certain(table):
    certain = [
        next(tail.members.value for tail in tried(table, method).tails if tail.name == "certain")
        for method in (METHOD, cv.Mondrian(k=3, l=2, partition="replay-proof"))
    ]
    assert certain[1] < certain[0] / 2


def test_each_release_is_replayed_once_with_those_who_are_in_it(table, monkeypatch):
    crowds = []

    class Noting(Replayed):
        def replay(self, release, crowd, rng):
            crowds.append((len(release), len(crowd)))
            return super().replay(release, crowd, rng)

    monkeypatch.setattr("cloven.kinds.tables.threats.Replayed", Noting)
    tried(table, METHOD)
    assert sorted(crowds) == [(240, 240)] * 3 + [(300, 300)]


@pytest.mark.parametrize(
    ("method", "words"),
    [(cv.Mondrian(k=3), "promises neither l nor t"), (Hybrid(k=3, seed=1), "made by another method")],
)
def test_what_has_nothing_to_replay_is_not_tried_and_does_not_count(table, method, words):
    risk = tried(table, method)
    assert words in risk.not_tried
    assert not risk.counts


def test_an_audit_of_it_is_not_passed(table):
    (threat,) = (
        each for each in TablesFamily().threats(METHOD, cv.Knowledge()) if each.name == "replays the method"
    )
    audit = cv.Audit(METHOD, limits=cv.Limits(max_risk=0.99), threats=(threat,), advise=False, seed=1)
    decision = audit.run(table).decision
    assert decision.verdict == "do not publish"
    assert any(reason.risk is not None and reason.risk.threat == threat.name for reason in decision.reasons)
