"""Audits of tables: all methods on one page, several sensitive attributes, remedies to be typed, rows as targets."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.audit.decision import Compared
from cloven.audit.loop import Audit
from cloven.data.table import Attribute, Table
from cloven.disclosure.outcome import Outcome
from cloven.disclosure.risk import Estimate
from cloven.kinds.tables.kind import TablesFamily
from cloven.kinds.tables.methods.constraints import DistinctL
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.threats import another_release, known_person, persons_row
from cloven.kinds.tables.words import promised
from cloven.report.page import page
from cloven.settings import parse_setting

QUICK = cv.Effort().quick()
ALL = "slicing:k=4,l=2 mondrian:k=4 ul:k=4,l=2 anatomy:l=2 diffgen:specialisations=3,domains=from-data"


def people(rows: int = 240, seed: int = 3, sensitive: int = 2) -> Table:
    """Age tells a good part of the illness, and the town of the wage."""
    rng = np.random.default_rng(seed)
    ages = np.arange(20.0, 60.0)
    age, sex, town = rng.integers(0, 40, rows), rng.integers(0, 2, rows), rng.integers(0, 4, rows)
    illness = np.where(rng.random(rows) < 0.4, age // 10, np.arange(rows) % 4)
    wage = np.where(rng.random(rows) < 0.4, town, np.arange(rows) // 4 % 4)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{age:.0f}" for age in ages), ages),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("town", "quasi-identifier", ("east", "north", "south", "west")),
        Attribute("illness", "sensitive", ("Flu", "Gout", "Mumps", "Ulcer")),
        Attribute("wage", "sensitive", ("high", "low", "middle", "none")),
    )
    codes = np.column_stack([age, sex, town, illness, wage]).astype(np.int32)
    return Table(attributes[: 3 + sensitive], codes[:, : 3 + sensitive], np.arange(rows))


def lots():
    return np.random.default_rng(5)


def rivals(text=ALL):
    return [parse_setting(each, seed=1) for each in text.split()]


@pytest.fixture(scope="module")
def report():
    """One sensitive attribute, every method, and one setting that cannot be met."""
    method, *others = rivals(f"{ALL} anatomy:l=4")
    return Audit(
        method,
        limits=cv.Limits(max_risk=0.9, max_tail=1.0),
        effort=QUICK,
        rivals=tuple(others),
        advise=False,
        seed=1,
        title="people",
    ).run(people(sensitive=1))


def test_what_cannot_be_made_is_named_with_the_reason_and_stops_nothing(report):
    assert list(report.failed) == ["anatomy:l=4,seed=1"]
    assert "l = 4 cannot be met" in report.failed["anatomy:l=4,seed=1"]
    owner, public = report.to_dict(), report.to_dict("public")
    assert "l = 4 cannot be met" in page(owner)
    assert "Could not be made" in page(owner)
    assert "cannot be met" not in json.dumps(public), "the reason counts persons"


def test_a_table_without_a_sensitive_attribute_is_judged_by_its_rows():
    table = people(sensitive=0)
    report = Audit(cv.Mondrian(k=6), effort=QUICK, seed=1).run(table)
    by_name = {risk.threat: risk for risk in report.risks}
    assert by_name["known person"].not_tried
    assert report.outcome.worst is by_name["a person's row"]
    assert 0 < by_name["a person's row"].attacker.upper <= 1 / 6 + 1e-9
    assert report.decision.verdict == "publish"
    assert "the furthest (a person's row)" in report.decision.sentence


def test_made_up_rows_are_nobodys():
    table = people(sensitive=1)
    result = DiffGen(specialisations=3, eps=5.0, domains="from-data").anonymise(table)
    risk = persons_row().try_on(table, result, lots())
    assert risk.not_tried == "every row is made up, so none is anybody's"
    assert known_person().try_on(table, result, lots()).attacker is not None


def test_rows_of_anatomy_are_found_as_often_as_the_promise_allows():
    table = people(sensitive=1)
    result = cv.Anatomy(l=3, seed=1).anonymise(table)
    risk = persons_row().try_on(table, result, lots())
    assert isinstance(result.release, Sliced)
    assert 0.2 < risk.attacker.value <= 1 / 3, (
        "quasi-identifiers are exact, so the value is all that is hidden"
    )
    assert risk.attacker.value > 10 * risk.guessing.value
    assert risk.control.value < risk.attacker.value / 3
    assert (risk.broken, risk.linkage) == (0, "record")
    assert "puts the right row together" in risk.sentence


def test_separately_promised_values_are_tried_each_and_the_worst_stands_for_all():
    table = people()
    result = cv.Slicing(k=4, l=2).anonymise(table)
    assert promised(result.release) == [("illness",), ("wage",)]
    worst = known_person().try_on(table, result, lots())
    single = [
        known_person().try_on(only(table, name), cv.Slicing(k=4, l=2).anonymise(only(table, name)), lots())
        for name in ("illness", "wage")
    ]
    assert worst.details["attribute"] in ("illness", "wage")
    assert worst.attacker.value > min(each.attacker.value for each in single) - 0.1


def only(table, name):
    kept = [
        place for place, each in enumerate(table.attributes) if each.role != "sensitive" or each.name == name
    ]
    return Table(tuple(table.attributes[place] for place in kept), table.codes[:, kept], table.source_rows)


def certain_illness(rows=60):
    """In every age the illness is certain, the wage is not."""
    table = people(rows)
    codes = table.codes.copy()
    codes[:, 3] = codes[:, 0] // 10
    codes[:, 4] = np.arange(rows) % 4
    return Table(table.attributes, codes, table.source_rows)


@pytest.mark.parametrize(
    "method",
    [cv.Mondrian(k=3, constraints=(DistinctL(2, "jointly"),)), cv.Slicing(k=3, l=2, together="jointly")],
)
def test_a_promise_about_combinations_is_broken_by_combinations_only(method):
    table = certain_illness()
    result = method.anonymise(table)
    assert promised(result.release) == [("illness", "wage")]
    risk = known_person().try_on(table, result, lots())
    assert risk.broken == 0, "that the illness is certain breaks no promise about the combination"
    joint = [each for each in tried_targets(table, result) if "and" in each]
    assert joint == ["illness and wage"]


def test_a_single_value_that_is_certain_breaks_the_promise_about_each():
    table = certain_illness()
    coarse = cv.Mondrian(k=3, constraints=(DistinctL(2, "jointly"),)).anonymise(table)
    pretended = cv.PublishedTable(
        cv.GeneralisedTable(3, {"method": "x", "l": 2}, coarse.release.domains, coarse.release.cells),
        coarse.key,
    )
    risk = known_person().try_on(table, pretended, lots())
    assert risk.broken > 0
    assert risk.broken_what == "persons whose illness is certain"


def tried_targets(table, result):
    seen = []
    known_person().try_on(
        table, result, lots(), QUICK, lambda text, _: seen.append(text.removeprefix("guess "))
    )
    return seen


def test_another_release_that_shows_less_is_still_used():
    table = people()
    other = cv.Mondrian(k=3).anonymise(only(table, "wage")).release
    risk = another_release(other).try_on(table, cv.Mondrian(k=4).anonymise(table), lots())
    assert risk.details["attribute"] == "wage"
    nothing = cv.Mondrian(k=3).anonymise(people(sensitive=0)).release
    risk = another_release(nothing).try_on(table, cv.Mondrian(k=4).anonymise(table), lots())
    assert "shows no attribute 'illness'" in risk.not_tried


@pytest.mark.parametrize("text", ALL.split())
def test_what_a_remedy_says_to_type_can_be_typed(text):
    method, typed = parse_setting(text), []
    found = TablesFamily().remedies(method, (known_person().risk(attacker=Estimate(0.9)),), 0.2)
    assert found
    for words, remedy in found.items():
        compared = Compared(lambda each, *_how: pytest.fail(str(each)))
        compared.evaluate = lambda each, *_how: typed.append(each) or FakeOutcome()
        compared.attempt(words, remedy)
        (said,) = compared.made
        flag, setting = shlex.split(said)
        assert flag == "--methods"
        assert parse_setting(setting) == remedy


class FakeOutcome:
    outcome = Outcome("other", "tables", {}, (), None)


def test_remedies_stay_within_what_the_table_allows():
    table = people(sensitive=1)
    report = Audit(cv.Slicing(k=4, l=2), effort=QUICK, seed=1, limits=cv.Limits(max_risk=0.05)).run(table)
    assert report.decision.verdict == "do not publish"
    assert report.failed == {}
    assert all("l=20" not in outcome.name for outcome in report.others)


def test_a_rival_that_promises_fewer_candidates_is_held_to_the_limit_of_the_audited_one():
    table = people(sensitive=1)
    audit = Audit(
        cv.Slicing(k=10, l=2),
        effort=QUICK,
        seed=1,
        rivals=(DiffGen(specialisations=3, domains="from-data"),),
        advise=False,
    )
    report = audit.run(table)
    assert report.decision.better == ()
    assert report.decision.verdict == "do not publish"


def test_public_reasons_name_no_other_release_and_nobodys_candidates():
    table = people(sensitive=1)
    other = cv.Mondrian(k=3).anonymise(table).release
    audit = Audit(
        cv.Mondrian(k=3),
        cv.Knowledge(releases=(other,)),
        cv.Limits(max_risk=0.01),
        effort=QUICK,
        seed=1,
        advise=False,
    )
    report = audit.run(table)
    owner = report.to_dict()
    assert any("another release" in reason for reason in owner["decision"]["reasons"])
    assert any("rows to choose from" in reason for reason in owner["decision"]["reasons"])
    large = replace(report, outcome=replace(report.outcome, groups=100))
    told = large.to_dict("public")["decision"]["reasons"]
    assert not any("another release" in reason or "to choose from" in reason for reason in told)
    assert "An attacker (a person's row) gets past the limit." in told
