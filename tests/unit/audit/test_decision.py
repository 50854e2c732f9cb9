"""From figures to a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

import cloven as cv
from cloven.audit.decision import Limits, decide
from cloven.disclosure.audience import Said
from cloven.disclosure.outcome import Measured, Outcome, Utility, front
from cloven.disclosure.risk import Estimate, Risk, Tail
from cloven.errors import ParameterError


def outcome(name="one", risk=0.1, utility=0.5, broken=0, family="disassociation", counts=True):
    threat = Risk(
        "word meanings",
        "words",
        "attribute",
        "share of links",
        Estimate(risk - 0.01, risk - 0.02, risk),
        Estimate(0.05),
        counts=counts,
        broken=broken,
        broken_what="pairs",
        sentence="An attacker is right.",
    )
    measures = (Measured("itemsets kept", utility, None, None, 1.0, 0.0, ""),)
    return Outcome(name, family, {}, (threat,), Utility("itemsets kept", measures))


def test_limit_is_the_same_for_every_k_and_the_upper_end_counts():
    for k in (2, 5, 50):
        assert decide(outcome(risk=0.2), Limits(), k).verdict == "publish"
        assert decide(outcome(risk=0.201), Limits(), k).verdict == "do not publish"
        assert decide(outcome(risk=0.201), Limits(max_risk=0.3), k).verdict == "publish"


def test_who_is_promised_k_candidates_may_be_right_once_in_k():
    promised = replace(outcome(risk=0.15), risks=(replace(outcome(risk=0.15).risks[0], promised=True),))
    assert decide(promised, Limits(), 5).verdict == "publish"
    assert decide(promised, Limits(), 10).verdict == "do not publish"
    much = replace(promised, risks=(replace(outcome(risk=0.4).risks[0], promised=True),))
    assert decide(much, Limits(), 2).verdict == "do not publish", "1/k never allows more than the limit"


def told(tail=0.005, excess=0.05, counts=True):
    """Much is told of everybody, and a little more of members."""
    sides = Estimate(0.7, 0.65, 0.75), Estimate(0.68, 0.63, 0.73)
    threat = Risk(
        "a known person",
        "two items",
        "attribute",
        "people",
        attacker=sides[0],
        outsiders=sides[1],
        excess=Estimate(excess - 0.02, excess - 0.04, excess),
        tails=(Tail("told at 0.95", *sides, Estimate(tail / 2, 0.0, tail)),),
        counts=counts,
        sentence="Much is told.",
    )
    return replace(outcome(), risks=(threat,))


def test_what_is_told_of_outsiders_as_well_is_not_judged():
    assert decide(told(), Limits(), 5).verdict == "publish"
    assert decide(told(excess=0.21), Limits(), 5).verdict == "do not publish"


def test_a_tail_is_judged_apart_from_the_mean():
    found = decide(told(tail=0.02), Limits(), 5)
    assert found.verdict == "do not publish"
    (reason,) = map(str, found.reasons)
    assert "(a known person): told at 0.95 of 70.0 %" in reason
    assert "up to 2.00 % more, and more than 1.0 % is too much" in reason
    assert "because of an attacker (a known person)" in found.sentence
    assert decide(told(tail=0.02), Limits(max_tail=0.02), 5).verdict == "publish"
    both = replace(told(), risks=told().risks + told(tail=0.9, counts=False).risks)
    assert decide(both, Limits(), 5).verdict == "publish", "beyond the promise"


def test_what_should_have_been_tried_and_could_not_be_is_not_passed():
    one = outcome()
    missing = replace(one.risks[0], threat="a known person", attacker=None, not_tried="too few people")
    found = decide(replace(one, risks=(*one.risks, missing)), Limits(), 5)
    assert found.verdict == "do not publish"
    assert [str(reason) for reason in found.reasons] == [
        "An attacker (a known person) could not be tried, so it is not passed: too few people."
    ]


def test_doubts_block_whatever_attackers_reach():
    found = decide(replace(outcome(), doubts=(Said("Names are published."),)), Limits(max_risk=1.0), 5)
    assert found.verdict == "do not publish"
    assert [str(reason) for reason in found.reasons] == ["Names are published."]
    doubted = replace(outcome("two"), doubts=(Said("Names are published."),))
    assert decide(outcome(broken=1), Limits(), 5, {"--two": (doubted, 5)}).better == ()


def test_statements_against_the_promise_count_whatever_the_share():
    found = decide(outcome(broken=3), Limits(max_risk=1.0), 5)
    assert found.verdict == "do not publish"
    assert "3 pairs" in str(found.reasons[0])


def test_knowledge_beyond_the_promise_is_shown_but_does_not_decide():
    beyond = outcome(risk=0.9, broken=4, counts=False)
    both = replace(beyond, risks=outcome().risks + beyond.risks)
    assert decide(both, Limits(), 5).verdict == "publish"
    assert decide(beyond, Limits(), 5).verdict == "do not publish"  # nothing that counts was tried
    assert outcome(risk=0.9, counts=False).risk == 0.0


@pytest.mark.parametrize("why", ["", "nothing is hidden"])
def test_where_nothing_was_tried_nothing_speaks_for_publishing(why):
    """An audit without attackers, and one whose only attacker that counts could not try."""
    one = outcome()
    threat = replace(one.risks[0], attacker=None, guessing=None, not_tried=why)
    blind = replace(one, risks=(threat,) if why else ())
    found = decide(blind, Limits(), 5)
    assert found.verdict == "do not publish"
    assert "no attack that counts was tried" in found.sentence
    assert decide(outcome(broken=1), Limits(), 5, {"--blind": (blind, 5)}).better == ()


def test_knowledge_from_elsewhere_that_is_not_at_hand_does_not_block():
    one = outcome()
    missing = replace(
        one.risks[0], threat="another release", attacker=None, not_tried="of another kind", outside=True
    )
    assert decide(replace(one, risks=(*one.risks, missing)), Limits(), 5).verdict == "publish"


def test_utility_below_the_limit_is_a_fault():
    found = decide(outcome(utility=0.5), Limits(min_utility=0.6), 5)
    assert found.verdict == "do not publish"
    assert "50.0 %, less than the 60.0 %" in str(found.reasons[0])


def test_best_of_the_others_that_hold_is_named():
    others = {
        "--safe cover": (outcome("a", utility=0.4), 5),
        "--other": (outcome("b", utility=0.45), 5),
        "--bad": (outcome("c", risk=0.9, utility=1.0), 5),
    }
    found = decide(outcome(broken=1), Limits(), 5, others)
    assert (found.verdict, found.words, found.better) == ("change settings", "--other", ("b", "a"))
    assert "from 50.0 % to 45.0 %" in found.sentence


def test_another_family_is_another_method():
    others = {"coat:k=5": (outcome("coat:k=5", family="generalisation"), 5)}
    assert decide(outcome(broken=1), Limits(), 5, others).verdict == "use another method"


@pytest.mark.parametrize(("name", "value"), [("max_risk", 20), ("min_utility", -0.1), ("max_tail", 2)])
def test_limits_out_of_range_say_what_is_meant(name, value):
    with pytest.raises(ParameterError, match=rf"{name} must lie between 0 and 1.*got {value}"):
        Limits(**{name: value})


def test_front_holds_what_nothing_beats():
    a, b, c, d = (
        outcome("a", 0.1, 0.5),
        outcome("b", 0.2, 0.6),
        outcome("c", 0.2, 0.5),
        outcome("d", 0.05, 0.7, 1),
    )
    assert [each.name for each in front((a, b, c, d))] == ["a", "b", "d"]


def test_outcome_survives_json():
    one = replace(told(tail=0.02), doubts=(Said("a", "b"), Said("c")))
    assert Outcome.from_dict(one.to_dict()) == one
    assert (one.risk, one.tail) == (0.05, 0.02)
    one = outcome(broken=2)
    assert Outcome.from_dict(one.to_dict()) == one


def guess(high, **more):
    """A guess above the limit of 20 %, whose gain over chance is at most ``high``."""
    given = {"attacker": Estimate(0.4, 0.3, 0.5), "gain": Estimate(high - 0.1, high - 0.2, high)}
    return Risk("word meanings", "", **{"linkage": "attribute", "measure": "", **given, **more})


CERTAIN = Tail("certain", Estimate(0.4), Estimate(0.3), Estimate(0.1, 0.05, 0.15))


@pytest.mark.parametrize(
    ("risk", "passes"),
    [
        (guess(0.05), True),
        (guess(-0.1), True),
        (guess(0.051), False),
        (guess(0.05, promised=True), False),
        (guess(0.05, excess=Estimate(0.1, 0.05, 0.15)), False),
        (guess(0.05, tails=(CERTAIN,)), False),
        (guess(0.05, gain=None), False),
        (guess(0.05, gain=Estimate(0.0)), False),  # without an interval nothing is shown
        (guess(0.05, broken=1, broken_what="pairs"), False),
        (guess(0.05, linkage="record"), False),  # a record found is no guess that chance makes as well
    ],
)
def test_no_gain_over_chance_excuses_plain_guesses_alone(risk, passes):
    """Neither what was promised, nor what being in the release adds, nor what is as good as certain."""
    found = decide(replace(outcome(), risks=(risk,)), Limits(), 5)
    assert (found.verdict == "publish") == passes


def test_the_excuse_is_held_to_a_small_limit_too():
    """A limit of 1 % is not void for whoever is right 4 points more often than chance."""
    risk = guess(0.04, attacker=Estimate(0.05, 0.04, 0.06))
    assert decide(replace(outcome(), risks=(risk,)), Limits(max_risk=0.05), 5).verdict == "publish"
    assert decide(replace(outcome(), risks=(risk,)), Limits(max_risk=0.01), 5).verdict == "do not publish"


def test_guesses_that_chance_beats_are_no_reason():
    """An attack by word meanings on whole rows is right in 25.0 %, and lots in 44.5 %."""
    data = cv.sample("clinic")
    knowledge = cv.Knowledge(cv.relatedness.Vectors.sample())
    report = cv.Audit(cv.Coat(k=5, m=2), knowledge, effort=cv.Effort().quick(), advise=False, seed=1).run(
        data
    )
    (meanings,) = (risk for risk in report.risks if risk.threat == "word meanings")
    assert meanings.attacker.value < meanings.guessing.value
    assert meanings.judged.upper > report.audit.limits.max_risk
    assert all(
        reason.risk is None or reason.risk.threat != "word meanings" for reason in report.decision.reasons
    )
