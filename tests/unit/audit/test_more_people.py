"""Where a limit lies inside an interval, more people are asked, up to all there are; a quick look asks no more."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.disclosure.risk import Estimate, Risk, Tail
from cloven.registry import family_of
from cloven.statistics.outsiders import Outsiders


def sets(people):
    draw = np.random.default_rng(1)
    return cv.Transactions.from_records(
        [[f"item{each}" for each in draw.choice(20, draw.integers(3, 7), False)] for _ in range(people)]
    )


def table(people):
    draw = np.random.default_rng(2)
    names = ("age", "town", "illness")
    roles = ("quasi-identifier", "quasi-identifier", "sensitive")
    attributes = tuple(
        Attribute(name, role, tuple(f"{n}" for n in range(9)))
        for name, role in zip(names, roles, strict=True)
    )
    return Table(attributes, draw.integers(0, 9, (people, 3)).astype(np.int32), np.arange(people))


KNOWN = {
    "sets": ("a known person", sets, cv.Disassociation(k=3)),
    "table": ("known person", table, cv.Mondrian(k=5)),
}


def known_person(kind, limits, effort=None, people=400):
    name, data, method = KNOWN[kind]
    audit = cv.Audit(method, limits=limits, effort=effort or cv.Effort(), advise=False, seed=1)
    return next(risk for risk in audit.run(data(people)).risks if risk.threat == name)


@pytest.mark.parametrize("kind", KNOWN)
def test_everybody_is_asked_before_an_interval_decides(kind):
    """Of 240 people nobody can show what of 400 can be shown."""
    open_limits, some = (
        cv.Limits(max_risk=1, max_tail=1),
        known_person(kind, cv.Limits(max_risk=1, max_tail=1)),
    )
    assert open_limits.held_by(some, 3)
    assert some.units < 400
    inside = max(tail.excess.upper for tail in some.tails if not tail.guesses) - 1e-4
    limits = cv.Limits(max_risk=1, max_tail=inside)
    assert limits.held_by(some, 3) is None
    more = known_person(kind, limits)
    assert more.units > some.units
    assert more.units == 400 or limits.held_by(more, 3) is False
    quick = cv.Effort().quick()
    assert known_person(kind, limits, quick) == known_person(kind, open_limits, quick)


def test_what_fails_for_sure_is_not_asked_again():
    def risk(*tails):
        sides = {"members": Estimate(0.5), "outsiders": Estimate(0.1)}
        excess = tuple(Tail("told at 0.95", **sides, excess=Estimate(*each)) for each in tails)
        return Risk("a known person", "all", "attribute", "share", Estimate(0.1), tails=excess)

    def held(*tails):
        return cv.Limits(max_tail=0.01).held_by(risk(*tails), 3)

    assert held((0.005, 0.0, 0.02)) is None
    assert held((0.015, 0.005, 0.02)) is None
    assert held((0.005, 0.0, 0.009)) is True
    assert held((0.015, 0.011, 0.02)) is False
    assert held((0.005, 0.0, 0.02), (0.4, 0.3, 0.5)) is False


def test_once_more_are_asked_no_look_but_the_last_says_yes():
    """Who stops at the first good look passes what is past a limit too often."""
    looks = iter((None, True, True, True, True))
    seen = []

    def held_by(risk):
        seen.append(risk.units)
        return next(looks)

    data, method = sets(400), cv.Disassociation(k=3)
    outsiders = Outsiders(data, method, 3, 1)
    threat = next(
        each for each in family_of(method).threats(method, cv.Knowledge()) if each.name == "a known person"
    )
    rng = np.random.default_rng(1)
    found = threat.try_on(data, method.anonymise(data), rng, cv.Effort(), None, outsiders, held_by)
    assert len(seen) > 1
    assert found.units == max(seen) == 400


def test_no_more_divisions_are_made_than_memory_holds(monkeypatch):
    """By the items of all of them together: records may be long."""
    from cloven.statistics import outsiders

    data = cv.sample("clinic")
    held = Outsiders(data, cv.Disassociation(k=3), 2, 1)
    monkeypatch.setattr(outsiders, "MOST_HELD", 4 * data.codes.size)
    more = held.more()
    assert more is not None
    assert more.count == 4
    assert more.more() is None
