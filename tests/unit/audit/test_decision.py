"""From figures to a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloven.decision import Limits, decide
from cloven.errors import ParameterError
from cloven.model.measured import Measured, Utility
from cloven.model.outcome import Outcome, front
from cloven.model.risk import Estimate, Risk


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


def test_limit_is_one_in_k_and_the_upper_end_counts():
    assert decide(outcome(risk=0.2), Limits(), 5).verdict == "publish"
    assert decide(outcome(risk=0.201), Limits(), 5).verdict == "do not publish"
    assert decide(outcome(risk=0.201), Limits(), 4).verdict == "publish"
    assert decide(outcome(risk=0.201), Limits(max_risk=0.3), 5).verdict == "publish"


def test_statements_against_the_promise_count_whatever_the_share():
    found = decide(outcome(broken=3), Limits(max_risk=1.0), 5)
    assert found.verdict == "do not publish"
    assert "3 pairs" in str(found.reasons[0])


def test_one_statement_is_told_in_the_singular():
    threat = outcome(broken=1).risks[0]
    what = "pairs of items that have fewer than k candidates"
    one = replace(outcome(), risks=(replace(threat, broken_what=what),))
    assert decide(one, Limits(max_risk=1.0), 5).reasons == (
        "An attacker (word meanings) learns 1 pair of items that has fewer than k candidates, against the promise.",
    )


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


def test_what_was_not_tried_is_named_beside_publish():
    one = outcome()
    missing = replace(one.risks[0], threat="another release", attacker=None, not_tried="of another kind")
    found = decide(replace(one, risks=(*one.risks, missing)), Limits(), 5)
    assert found.verdict == "publish"
    assert found.sentence.endswith("Not tried: another release.")


def test_settings_that_do_not_hold_are_not_called_worse():
    others = {str(number): (outcome(str(number), risk=0.25), 5) for number in range(2)}
    assert (
        "None of the 2 other settings that were tried holds."
        in decide(outcome(risk=0.3), Limits(), 5, others).sentence
    )
    del others["1"]
    assert (
        "The other setting that was tried does not hold"
        in decide(outcome(risk=0.3), Limits(), 5, others).sentence
    )


def test_a_sample_is_no_ground_to_publish():
    found = decide(outcome(), Limits(), 5).of_a_sample()
    assert found.sentence.endswith("audit all records before you publish.")
    of_a_table = outcome(family="tables")
    found = decide(of_a_table, Limits(), 5).of_a_sample(of_a_table.noun)
    assert found.sentence.endswith("audit all rows before you publish.")


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


@pytest.mark.parametrize(("name", "value"), [("max_risk", 20), ("min_utility", -0.1)])
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
    one = outcome(broken=2)
    assert Outcome.from_dict(one.to_dict()) == one


def test_unknown_measure_is_named():
    with pytest.raises(ParameterError, match="no measure of utility 'tKd'; there are itemsets kept"):
        outcome().utility.get("tKd")
