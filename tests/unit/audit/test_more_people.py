"""Where a limit lies inside an interval, more people are asked, up to all there are; a quick look asks no more."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.disclosure.risk import Estimate, Risk, Tail


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
    assert not open_limits.undecided(some, 3)
    assert some.units < 400
    inside = max(tail.excess.upper for tail in some.tails if not tail.guesses) - 1e-4
    limits = cv.Limits(max_risk=1, max_tail=inside)
    assert limits.undecided(some, 3)
    more = known_person(kind, limits)
    assert more.units > some.units
    assert more.units == 400 or not limits.undecided(more, 3)
    quick = cv.Effort().quick()
    assert known_person(kind, limits, quick) == known_person(kind, open_limits, quick)


def test_what_fails_for_sure_is_not_asked_again():
    def risk(*tails):
        sides = {"members": Estimate(0.5), "outsiders": Estimate(0.1)}
        excess = tuple(Tail("told at 0.95", **sides, excess=Estimate(*each)) for each in tails)
        return Risk("a known person", "all", "attribute", "share", Estimate(0.1), tails=excess)

    limits = cv.Limits(max_tail=0.01)
    assert limits.undecided(risk((0.005, 0.0, 0.02)), 3)
    assert limits.undecided(risk((0.015, 0.005, 0.02)), 3)
    assert not limits.undecided(risk((0.005, 0.0, 0.009)), 3)
    assert not limits.undecided(risk((0.015, 0.011, 0.02)), 3)
    assert not limits.undecided(risk((0.005, 0.0, 0.02), (0.4, 0.3, 0.5)), 3)
